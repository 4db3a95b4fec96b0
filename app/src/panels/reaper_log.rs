//! What the reaper did, pass by pass.

use egui::text::{LayoutJob, TextFormat};
use egui::{FontId, Label, ScrollArea, Ui};

use crate::action::{Action, Actions, ReaperAction};
use crate::source::PassSummary;
use crate::state::reaper::{LogEntry, LogLine};
use crate::state::{State, duration, number};
use crate::theme::{Colors, colors, sizes, text};
use crate::widgets::{Button, empty_state};

/// What putting back does.
pub(super) const PUT_BACK: &str =
    "Stores it in the collection again, as it was; the index waits until you release it";

/// Draws the log, the newest line first.
pub fn ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let log = state.reaper.log();
    if log.is_empty() {
        let words = if state.is_open() {
            "No pass yet; the next one is counted down at the top"
        } else {
            "No store is open, so no pass is made"
        };
        empty_state::hint(ui, words);
        return;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    let colors = colors(ui);
    ScrollArea::vertical().id_salt("reaper log").auto_shrink(false).show_rows(
        ui,
        sizes::ROW_DENSE,
        log.len(),
        |ui, rows| {
            let count = rows.len();
            for line in log.iter().rev().skip(rows.start).take(count) {
                let job = job(line, colors);
                let size = egui::vec2(ui.available_width(), sizes::ROW_DENSE);
                ui.allocate_ui_with_layout(
                    size,
                    egui::Layout::left_to_right(egui::Align::Center),
                    |ui| {
                        put_back_ui(ui, state, line, actions);
                        ui.add(Label::new(job).truncate().selectable(true));
                    },
                );
            }
        },
    );
}

/// What a pass removed can be put back while the undo net has it.
fn put_back_ui(ui: &mut Ui, state: &State, line: &LogLine, actions: &mut Actions) {
    let LogEntry::Pass { pass, .. } = &line.what else { return };
    let keeps_ms = i64::try_from(state.reaper.undo_secs).unwrap_or(i64::MAX).saturating_mul(1_000);
    let is_kept = state.now_ms().saturating_sub(pass.started_ms) < keeps_ms;
    if pass.deleted == 0 || !is_kept {
        return;
    }
    let name = format!("Put back what pass {} removed", pass.number);
    let button = Button::plain("Put back").small().name(&name).tooltip(PUT_BACK);
    if ui.add(button).clicked() {
        actions.push(Action::Reaper(ReaperAction::PutBackPass(pass.number)));
    }
}

fn job(line: &LogLine, colors: &Colors) -> LayoutJob {
    let mut job = LayoutJob::default();
    let mut add = |content: &str, font: FontId, ink| {
        job.append(content, 0.0, TextFormat::simple(font, ink));
    };
    add(&duration::time_of_day_millis(line.at_ms), text::mono(), colors.dim);
    match &line.what {
        LogEntry::Note(sentence) => {
            add("  ", text::mono(), colors.text);
            add(sentence, text::body(), colors.overdue);
        }
        LogEntry::Pass { pass, passes } => {
            add(&format!("  pass {}   ", pass.number), text::mono(), colors.text);
            pass_text(pass, *passes, colors, &mut add);
        }
    }
    job
}

fn pass_text(
    pass: &PassSummary,
    passes: u64,
    colors: &Colors,
    add: &mut impl FnMut(&str, FontId, egui::Color32),
) {
    if pass.deleted == 0 && pass.indexes.is_empty() {
        let times = if passes > 1 { format!(" ({passes} passes)") } else { String::new() };
        add(&format!("nothing due{times}"), text::mono(), colors.dim);
        return;
    }
    for index in &pass.indexes {
        if let Some(error) = &index.error {
            add(&format!("{}: {error}   ", index.index), text::mono(), colors.error);
            continue;
        }
        add("removed ", text::mono(), colors.text);
        add(&number::count(index.deleted), text::mono_strong(), colors.text);
        let of = index.namespace.as_ref().map(|of| format!(" of {of}")).unwrap_or_default();
        add(&format!("{of} by {}", index.index), text::mono(), colors.text);
        let late = format!(
            "  late p50 {}, max {}   ",
            duration::figure(index.lag_p50_ms),
            duration::figure(index.lag_max_ms)
        );
        add(&late, text::mono(), colors.dim);
    }
    add(&format!("in {}", duration::micros(pass.duration_micros)), text::mono(), colors.dim);
}
