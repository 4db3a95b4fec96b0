//! The log of the reaper, pass by pass.

use egui::text::{LayoutJob, TextFormat};
use egui::{Align, FontId, Label, Layout, Ui};

use super::reserved;
use crate::action::{Action, Actions, ReaperAction};
use crate::job::glossary::Term;
use crate::job::{IndexReport, PassReport};
use crate::state::reaper::{LogEntry, LogLine};
use crate::state::{State, Zone, duration, number};
use crate::theme::{Colors, colors, sizes, text};
use crate::widgets::term::Explain as _;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, empty_state};

/// The tooltip of the buttons that restore from the trash.
pub(super) const RESTORE_HINT: &str =
    "Restore the documents unchanged; the index stays on hold until you release it";

/// Draws the log, the newest line first.
pub fn ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let log = state.reaper.log();
    if log.is_empty() {
        empty_state::hint(ui, nothing(state));
        return;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    let colors = colors(ui);
    let rows: Vec<(&LogLine, usize)> =
        log.iter().rev().flat_map(|line| (0..rows_of(line)).map(move |row| (line, row))).collect();
    reserved::scroll("TTL monitor log").show_rows(ui, sizes::ROW_DENSE, rows.len(), |ui, shown| {
        for (line, row) in rows.get(shown).unwrap_or_default() {
            let size = egui::vec2(ui.available_width(), sizes::ROW_DENSE);
            let layout = Layout::right_to_left(Align::Center);
            ui.allocate_ui_with_layout(size, layout, |ui| {
                // The scroll bar covers the end of the lines.
                ui.add_space(sizes::GAP);
                if *row == 0 {
                    restore_ui(ui, state, line, actions);
                }
                let job = job(line, *row, state.clock.zone(), colors);
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let label = ui.add(Label::new(job).truncate().selectable(true));
                    if matches!(&line.what, LogEntry::Pass { pass, .. } if pass.deleted > 0) {
                        label.explain(&[Term::Lag]);
                    }
                });
            });
        }
    });
}

fn nothing(state: &State) -> &'static str {
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
fn rows_of(line: &LogLine) -> usize {
    match &line.what {
        LogEntry::Pass { pass, .. } => pass.indexes.len().max(1),
        LogEntry::Note(_) => 1,
    }
}

/// Documents that a pass removed can be restored while the trash has them.
fn restore_ui(ui: &mut Ui, state: &State, line: &LogLine, actions: &mut Actions) {
    let LogEntry::Pass { pass, is_past: false, .. } = &line.what else { return };
    if pass.deleted == 0 || !state.reaper.keeps(pass.started_ms, state.now_ms()) {
        return;
    }
    let name = format!("Restore documents from pass {}", pass.number);
    let button = Button::plain("Restore").small().name(&name).tooltip(RESTORE_HINT);
    if ui.add(button).clicked() {
        actions.push(Action::Reaper(ReaperAction::RestorePass(pass.number)));
    }
}

fn job(line: &LogLine, row: usize, zone: Zone, colors: &Colors) -> LayoutJob {
    let mut job = LayoutJob::default();
    let mut add = |content: &str, font: FontId, ink| {
        job.append(content, 0.0, TextFormat::simple(font, ink));
    };
    let time = zone.time_of_day_millis(line.at_ms);
    match &line.what {
        LogEntry::Note(sentence) => {
            add(&time, text::mono(), colors.dim);
            add("  ", text::mono(), colors.text);
            add(sentence, text::body(), colors.overdue);
        }
        LogEntry::Pass { pass, passes, .. } => {
            let number = format!("  pass {}   ", pass.number);
            if row == 0 {
                add(&time, text::mono(), colors.dim);
                add(&number, text::mono(), colors.text);
            } else {
                let before = " ".repeat(time.chars().count() + number.chars().count());
                add(&before, text::mono(), colors.dim);
            }
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
