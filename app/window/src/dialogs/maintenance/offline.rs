//! Compact and Verify: one question each, because the store is closed for them.

use egui::{Context, Ui};

use super::parts::{SHOW_HOME, ask, back, words};
use crate::action::{Actions, MaintenanceAction};
use crate::dialogs::frame::DialogFrame;
use crate::dialogs::words::{COMMAND_LINE, COMMAND_LINE_HINT};
use crate::state::maintenance::dialogs::{compact_line, verify_line};
use crate::state::{State, number};
use crate::theme::sizes;
use crate::widgets::{Button, card, key_value};

/// Said of work for which the store is closed.
const CLOSED: &str = "The store closes during this operation and always reopens afterward; \
                      connected clients are disconnected.";

/// Draws the question before a compaction.
pub fn compact_ui(context: &Context, error: Option<&str>, state: &State, actions: &mut Actions) {
    let status = state.maintenance.status.as_ref();
    let page = Page {
        title: "Compact the store",
        subtitle: "Reclaim disk space left by removed documents. Mayfly writes a new data file and \
                   verifies it before it replaces the old one.",
        button: "Compact",
        action: MaintenanceAction::Compact,
        line: compact_line(&state.data_folder().unwrap_or_default()),
        error,
    };
    page.ui(context, actions, |ui| {
        let Some(status) = status else { return };
        card::ui(ui, |ui| {
            ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
            key_value::ui(ui, "Data file size", &number::bytes(status.file_bytes));
            key_value::ui(ui, "Live data", &number::bytes(status.live_bytes));
            let spare = format!("about {}", number::bytes(status.spare_bytes()));
            key_value::ui(ui, "Space to reclaim", &spare);
            if let Some(free) = status.free_bytes {
                key_value::ui(ui, "Free disk space for the copy", &number::bytes(free));
            }
        });
    });
}

/// Draws the question before everything is read.
pub fn verify_ui(context: &Context, error: Option<&str>, state: &State, actions: &mut Actions) {
    let page = Page {
        title: "Verify the store",
        subtitle: "Checks the file structure, document checksums, index entries and counters. \
                   Changes nothing.",
        button: "Verify",
        action: MaintenanceAction::Verify,
        line: verify_line(&state.data_folder().unwrap_or_default()),
        error,
    };
    page.ui(context, actions, |_| ());
}

struct Page<'a> {
    title: &'a str,
    subtitle: &'a str,
    button: &'a str,
    action: MaintenanceAction,
    line: String,
    error: Option<&'a str>,
}

impl Page<'_> {
    fn ui(self, context: &Context, actions: &mut Actions, figures: impl FnOnce(&mut Ui)) {
        let Self { title, subtitle, button, action, line, error } = self;
        let frame = DialogFrame::new(title)
            .subtitle(subtitle)
            .command_named(COMMAND_LINE, COMMAND_LINE_HINT, Some(line))
            .error(error)
            .no_leave()
            .button(Button::primary(button), action)
            .button(back(), SHOW_HOME);
        let outcome = frame.ui(context, |ui| {
            figures(ui);
            words(ui, CLOSED);
        });
        if let Some(action) = outcome.end(actions) {
            ask(actions, action);
        }
    }
}
