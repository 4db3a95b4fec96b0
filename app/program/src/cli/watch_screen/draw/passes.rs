//! Recent passes, the newest first.

use ratatui::{buffer::Buffer, layout::Rect};

use super::pen::{Pen, title};
use crate::{
    cli::watch_screen::view::WatchView,
    job::PassReport,
    state::{
        Zone, duration,
        number::{count, counted},
        reaper::LogEntry,
    },
    theme::terminal::TerminalColors,
};

/// The width of the number of a pass.
const NUMBER: u16 = 9;

/// The width of the time of a pass.
const TIME: u16 = 9;

/// Draws the passes under their title.
pub(super) fn ui(buffer: &mut Buffer, area: Rect, view: &WatchView, ink: &TerminalColors) {
    if area.height == 0 {
        return;
    }
    title(buffer, area, &[("Passes", ink.strong)], ink.dim);
    if view.watched.connection.is_some() {
        Pen::new(buffer, area, 1).skip(2).write("A server doesn't report its passes", ink.dim);
        return;
    }
    let mut line = 1;
    if let Some(running) = view.running {
        let mut pen = Pen::new(buffer, area, line);
        pen.right(&count(running.number), NUMBER, ink.busy);
        pen.column(&Zone::Utc.time_of_day(running.started_ms), TIME, ink.busy);
        pen.write("running…", ink.busy);
        line += 1;
    }
    let log = view.reaper.log();
    if log.is_empty() && line == 1 {
        Pen::new(buffer, area, line).skip(2).write("No passes yet", ink.dim);
    }
    for entry in log.iter().rev().take(usize::from(area.height)) {
        let mut pen = Pen::new(buffer, area, line);
        if let LogEntry::Pass { pass, passes, .. } = &entry.what {
            pass_ui(&mut pen, pass, *passes, ink);
            line += 1;
        }
    }
}

fn pass_ui(pen: &mut Pen<'_>, pass: &PassReport, passes: u64, ink: &TerminalColors) {
    let error = pass.indexes.iter().find_map(|index| index.error.as_ref());
    let ink_of_words = match (error, pass.deleted) {
        (Some(_), _) => ink.error,
        (None, 0) => ink.dim,
        (None, _) => ink.text,
    };
    pen.right(&count(pass.number), NUMBER, ink_of_words);
    pen.column(&Zone::Utc.time_of_day(pass.finished_ms), TIME, ink.dim);
    let words = match (error, pass.deleted) {
        (Some(error), _) => error.clone(),
        (None, 0) if passes > 1 => format!("nothing to remove ({} passes)", count(passes)),
        (None, 0) => "nothing to remove".to_owned(),
        (None, deleted) => {
            let removed = counted(deleted, "removed", "removed");
            format!("{removed} in {}", duration::micros(pass.duration_micros))
        }
    };
    let style = if let Some(held) = &pass.held {
        pen.write(held, ink.overdue);
        return;
    } else {
        ink_of_words
    };
    pen.write(&words, style);
}
