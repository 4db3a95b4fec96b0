//! Passes of the TTL monitor, and what it noted.

use egui::text::{LayoutJob, TextFormat};
use egui::{FontId, Label, Ui};

use crate::action::{Action, Actions, ReaperAction};
use crate::job::glossary::Term;
use crate::job::{IndexReport, PassReport};
use crate::state::reaper::{LogEntry, LogLine};
use crate::state::{State, duration, number};
use crate::theme::{Colors, Icon, colors, text};
use crate::widgets::Button;
use crate::widgets::log_row::LogRow;
use crate::widgets::term::Explain as _;
use crate::widgets::value_text::with_marks;

/// The tooltip of the buttons that restore from the trash.
pub(in crate::panels) const RESTORE_HINT: &str =
    "Restore the documents unchanged; the index stays on hold until you release it";

/// Draws a line of the monitor; of a pass, what it removed by one of its indexes.
pub(super) fn row_ui(
    ui: &mut Ui,
    line: &LogLine,
    row: usize,
    state: &State,
    actions: &mut Actions,
) {
    let colors = colors(ui);
    let time = state.clock.zone().time_of_day_millis(line.at_ms);
    let (icon, ink, spoken) = match &line.what {
        LogEntry::Pass { .. } => (Icon::Timer, colors.dim, "Pass"),
        LogEntry::Note(_) => (Icon::Warning, colors.text, "Note"),
    };
    let end = |ui: &mut Ui| restore_ui(ui, state, (line, row), actions);
    LogRow { icon, ink, spoken, time: &time }.ui(ui, end, |ui| {
        let label = ui.add(Label::new(job(line, row, colors)).truncate().selectable(true));
        if matches!(&line.what, LogEntry::Pass { pass, .. } if pass.deleted > 0) {
            label.explain(&[Term::Lag]);
        }
    });
}

pub(super) fn nothing(state: &State) -> &'static str {
    match () {
        () if !state.is_open() => "No store is open",
        () if state.reaper.held.is_some() => {
            "No passes yet. Removals are on hold until you release them"
        }
        () if !state.reaper.enabled => "No passes yet. The TTL monitor is off",
        () => "No passes yet. The next one starts soon; see the countdown in the top bar",
    }
}

/// A pass has a row for each index that removed something.
pub(super) fn rows_of(line: &LogLine) -> usize {
    match &line.what {
        LogEntry::Pass { pass, .. } => pass.indexes.len().max(1),
        LogEntry::Note(_) => 1,
    }
}

/// The documents of the row's collection can be restored while the trash has them. A collection with
/// several rows has the button in the first one.
fn restore_ui(ui: &mut Ui, state: &State, (line, row): (&LogLine, usize), actions: &mut Actions) {
    let LogEntry::Pass { pass, is_past: false, .. } = &line.what else { return };
    let of = pass.indexes.get(row).map(|index| &index.namespace);
    let is_of = |index: &&IndexReport| Some(&index.namespace) == of;
    let deleted = match of {
        Some(_) => pass.indexes.iter().filter(is_of).map(|index| index.deleted).sum(),
        None => pass.deleted,
    };
    let is_first = pass.indexes.iter().take(row).all(|before| !is_of(&before));
    if deleted == 0 || !is_first || !state.reaper.keeps(pass.started_ms, state.now_ms()) {
        return;
    }
    let documents = number::counted(deleted, "document", "documents");
    let of_collection = of.map(|of| format!(" of {}", with_marks(&of.to_string())));
    let what = format!("Restore {documents}{}", of_collection.unwrap_or_default());
    let name = format!("{what} from pass {}", pass.number);
    let hint = format!("{what} unchanged; the index stays on hold until you release it");
    if ui.add(Button::plain("Restore").small().name(&name).tooltip(&hint)).clicked() {
        actions.push(Action::Reaper(ReaperAction::RestorePass(pass.number, of.cloned())));
    }
}

fn job(line: &LogLine, row: usize, colors: &Colors) -> LayoutJob {
    let mut job = LayoutJob::default();
    let mut add = |content: &str, font: FontId, ink| {
        job.append(content, 0.0, TextFormat::simple(font, ink));
    };
    match &line.what {
        LogEntry::Note(sentence) => add(sentence, text::body(), colors.text),
        LogEntry::Pass { pass, passes, .. } => {
            add(&format!("pass {}   ", pass.number), text::mono(), colors.text);
            pass_text(pass, row, *passes, colors, &mut add);
        }
    }
    job
}

fn pass_text(
    pass: &PassReport,
    row: usize,
    passes: u64,
    colors: &Colors,
    add: &mut impl FnMut(&str, FontId, egui::Color32),
) {
    if pass.deleted == 0 && pass.indexes.is_empty() {
        let times =
            if passes > 1 { format!(" ({} passes)", number::count(passes)) } else { String::new() };
        add(&format!("nothing to remove{times}"), text::mono(), colors.dim);
        return;
    }
    if let Some(index) = pass.indexes.get(row) {
        index_text(index, colors, add);
    }
    if row + 1 >= pass.indexes.len() {
        add(&format!("in {}", duration::micros(pass.duration_micros)), text::mono(), colors.dim);
    }
}

fn index_text(
    index: &IndexReport,
    colors: &Colors,
    add: &mut impl FnMut(&str, FontId, egui::Color32),
) {
    let name = with_marks(&index.index);
    if let Some(error) = &index.error {
        add(&format!("{name}: {}   ", with_marks(error)), text::mono(), colors.error);
        return;
    }
    add("removed ", text::mono(), colors.text);
    add(&number::count(index.deleted), text::mono_strong(), colors.text);
    let of = index.namespace.to_string();
    add(&format!(" of {} by {name}", with_marks(&of)), text::mono(), colors.text);
    let (median, max) = (duration::span(index.lag_p50_ms), duration::span(index.lag_max_ms));
    add(&format!("  lag p50 {median}, max {max}   "), text::mono(), colors.dim);
}
