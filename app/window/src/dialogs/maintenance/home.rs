//! How the store is, and what can be done for it.

use egui::{Align, Context, Label, Layout, Ui};

use super::parts::{ago, ask, gap};
use crate::action::store_actions::Page;
use crate::action::{Actions, MaintenanceAction};
use crate::dialogs::frame::DialogFrame;
use crate::state::maintenance::{Scrub, Status};
use crate::state::{State, Zone, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::{Button, card, key_value};

/// The width of the buttons, so that they form a column.
const BUTTON: f32 = 128.0;

/// Draws the dialog.
pub fn ui(context: &Context, state: &State, actions: &mut Actions) {
    let folder = state.data_folder().or_else(|| state.store.folder.clone());
    let subtitle = folder.map(|folder| folder.display().to_string()).unwrap_or_default();
    let frame = DialogFrame::<()>::new("Backup and maintenance").subtitle(subtitle).done("Done");
    let outcome = frame.ui(context, |ui| {
        figures_ui(ui, state);
        gap(ui);
        rows_ui(ui, state, actions);
    });
    _ = outcome.end(actions);
}

fn figures_ui(ui: &mut Ui, state: &State) {
    let status = state.maintenance.status.as_ref();
    let unknown = || "unknown".to_owned();
    card::ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        let file = status.map_or_else(unknown, |status| {
            let (file, live) = (number::bytes(status.file_bytes), number::bytes(status.live_bytes));
            format!("{file} ({live} live data)")
        });
        key_value::ui(ui, "Data file size", &file);
        let free = status.and_then(|status| status.free_bytes);
        key_value::ui(ui, "Free disk space", &free.map_or_else(unknown, number::bytes));
        backup_ui(ui, state);
        let walked = status.and_then(|status| status.last_walk_ms);
        let walked = walked.map(|ms| date(ms, state.clock.zone()));
        let walk = status.and_then(Status::walk_words);
        key_value::ui(ui, "Last full file check", &walk.or(walked).unwrap_or_else(unknown));
        scrub_ui(ui, &state.maintenance.scrub, state.clock.zone());
    });
}

fn date(ms: i64, zone: Zone) -> String {
    format!("{} {}", zone.date_time(ms), zone.name(ms))
}

fn backup_ui(ui: &mut Ui, state: &State) {
    if let Some(newest) = state.maintenance.newest() {
        let words = format!("{} · {}", ago(newest, state), number::bytes(newest.bytes));
        key_value::ui(ui, "Last backup", &words);
    } else {
        key_value::ui(ui, "Last backup", "none yet");
    }
}

fn scrub_ui(ui: &mut Ui, scrub: &Scrub, zone: Zone) {
    let words = match (scrub.is_running, scrub.finished_ms) {
        (true, _) => format!("{} documents checked", number::count(scrub.documents)),
        (false, Some(at)) => date(at, zone),
        (false, None) => "never".to_owned(),
    };
    if scrub.findings > 0 {
        let found = number::counted(scrub.findings, "damaged item", "damaged items");
        key_value::colored(ui, "Last scrub", &format!("{words} · {found}"), colors(ui).error);
    } else {
        key_value::ui(ui, "Last scrub", &words);
    }
}

fn rows_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let is_open = state.is_open();
    let spare = state.maintenance.status.as_ref().map(Status::spare_bytes);
    let compact = match spare {
        Some(spare) => {
            format!("Rewrites the data file to reclaim {} of free space", number::bytes(spare))
        }
        None => "Rewrites the data file without free space".to_owned(),
    };
    let pages = [
        ("Back up…", "Copies the store to a file while it stays open", is_open, Page::Backup),
        (
            "Restore…",
            "Replaces this store with a backup and keeps the current one next to it",
            true,
            Page::Restore,
        ),
        ("Compact…", compact.as_str(), true, Page::Compact),
        (
            "Verify…",
            "Closes the store briefly and checks its structure, documents and indexes",
            true,
            Page::Verify,
        ),
    ];
    for (label, sentence, enabled, page) in pages {
        let button = Button::plain(label).enabled(enabled);
        if row_ui(ui, sentence, button) {
            ask(actions, MaintenanceAction::Show(page));
        }
    }
    let running = state.maintenance.scrub.is_running;
    let label = if running { "Stop scrub" } else { "Scrub now" };
    let sentence = "Checks every document in the background. Also runs every month";
    if row_ui(ui, sentence, Button::plain(label).enabled(is_open)) {
        ask(actions, MaintenanceAction::Scrub(!running));
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
