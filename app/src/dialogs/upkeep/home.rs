//! How the store is, and what can be done for it.

use egui::{Align, Context, Label, Layout, Ui};

use super::ask;
use super::parts::{ago, gap};
use crate::action::upkeep::Page;
use crate::action::{Actions, UpkeepAction};
use crate::apply::upkeep::folder;
use crate::dialogs::close;
use crate::dialogs::transfer::beside_scroll_bar;
use crate::state::upkeep::{Scrub, Status};
use crate::state::{State, duration, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::{Button, card, key_value, modal};

/// The width of the buttons, so that they stand in one column.
const BUTTON: f32 = 128.0;

/// Draws the dialog.
pub fn ui(context: &Context, state: &State, actions: &mut Actions) {
    let folder = folder(state).or_else(|| state.store.folder.clone());
    let subtitle = folder.map(|folder| folder.display().to_string()).unwrap_or_default();
    let closing = modal::ui(
        context,
        "Backup and maintenance",
        &subtitle,
        sizes::DIALOG,
        actions,
        |ui, actions| {
            beside_scroll_bar(ui);
            figures_ui(ui, state);
            gap(ui);
            rows_ui(ui, state, actions);
        },
        |ui, actions| {
            if ui.add(Button::plain("Done")).clicked() {
                close(actions);
            }
        },
    );
    if closing.closes() {
        close(actions);
    }
}

fn figures_ui(ui: &mut Ui, state: &State) {
    let status = state.upkeep.status.as_ref();
    let unknown = || "not known".to_owned();
    card::ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        let file = status.map_or_else(unknown, |status| {
            let (file, live) = (number::bytes(status.file_bytes), number::bytes(status.live_bytes));
            format!("{file}, of which {live} live")
        });
        key_value::ui(ui, "Size of the data file", &file);
        let free = status.and_then(|status| status.free_bytes);
        key_value::ui(ui, "Free on its disk", &free.map_or_else(unknown, number::bytes));
        backup_ui(ui, state);
        let walked = status.and_then(|status| status.last_walk_ms);
        key_value::ui(ui, "Last check of the whole file", &walked.map_or_else(unknown, date));
        scrub_ui(ui, &state.upkeep.scrub);
    });
}

fn date(ms: i64) -> String {
    format!("{} UTC", duration::date_time(ms))
}

fn backup_ui(ui: &mut Ui, state: &State) {
    if let Some(newest) = state.upkeep.newest() {
        let words = format!("{} · {}", ago(newest, state), number::bytes(newest.bytes));
        key_value::ui(ui, "Last backup", &words);
    } else {
        key_value::colored(ui, "Last backup", "none yet", colors(ui).overdue);
    }
}

fn scrub_ui(ui: &mut Ui, scrub: &Scrub) {
    let words = match (scrub.is_running, scrub.finished_ms) {
        (true, _) => format!("{} documents read so far", number::count(scrub.documents)),
        (false, Some(at)) => date(at),
        (false, None) => "not yet".to_owned(),
    };
    if scrub.findings > 0 {
        let found = number::counted(scrub.findings, "thing damaged", "things damaged");
        key_value::colored(ui, "Last scrub", &format!("{words} · {found}"), colors(ui).error);
    } else {
        key_value::ui(ui, "Last scrub", &words);
    }
}

fn rows_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let is_open = state.is_open();
    let spare = state.upkeep.status.as_ref().map(Status::spare_bytes);
    let compact = match spare {
        Some(spare) => format!(
            "Writes the data file anew without its free room, which is {} now",
            number::bytes(spare)
        ),
        None => "Writes the data file anew without its free room".to_owned(),
    };
    let pages = [
        ("Back up…", "Copies the store to a file while it is in use", is_open, Page::Backup),
        (
            "Restore…",
            "Puts a backup in the place of this store, which is kept beside it",
            true,
            Page::Restore,
        ),
        ("Compact…", compact.as_str(), true, Page::Compact),
        (
            "Verify…",
            "Closes the store for a moment and reads everything in it: structure, documents, indexes",
            true,
            Page::Verify,
        ),
    ];
    for (label, sentence, enabled, page) in pages {
        let button = Button::plain(label).enabled(enabled);
        if row_ui(ui, sentence, button) {
            ask(actions, UpkeepAction::Show(page));
        }
    }
    let running = state.upkeep.scrub.is_running;
    let label = if running { "Stop scrub" } else { "Scrub now" };
    let sentence = "Reads every document in the background, as it does by itself every month, while you \
                    go on working";
    if row_ui(ui, sentence, Button::plain(label).enabled(is_open)) {
        ask(actions, UpkeepAction::Scrub(!running));
    }
}

/// A button and what it does. Returns whether it was pressed.
fn row_ui(ui: &mut Ui, sentence: &str, button: Button<'_>) -> bool {
    let size = egui::vec2(ui.available_width(), sizes::CONTROL);
    let row = ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        let pressed = ui.add(button.width_min(BUTTON)).clicked();
        ui.add_space(sizes::GAP_SMALL);
        let ink = colors(ui).dim;
        ui.add(Label::new(text::rich(sentence, text::body()).color(ink)).wrap());
        pressed
    });
    row.inner
}
