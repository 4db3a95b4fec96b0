//! Compact and Verify: one question each, because the store is closed for them.

use egui::{Context, Ui};

use super::ask;
use super::parts::{back_ui, line_ui, words};
use crate::action::{Actions, UpkeepAction};
use crate::apply::upkeep::folder;
use crate::dialogs::close;
use crate::dialogs::transfer::{beside_scroll_bar, error_ui};
use crate::state::upkeep::dialogs::{compact_line, verify_line};
use crate::state::{State, number};
use crate::theme::sizes;
use crate::widgets::{Button, card, key_value, modal};

/// Said of work for which the store is closed.
const CLOSED: &str = "The store is closed meanwhile and opened again after it, whatever happens; programs \
                      that are connected lose their connection.";

/// Draws the question before a compaction.
pub fn compact_ui(context: &Context, error: Option<&str>, state: &State, actions: &mut Actions) {
    let status = state.upkeep.status.as_ref();
    let page = Page {
        title: "Compact the store",
        subtitle: "Gives the room of removed documents back to the disk. The data file is written anew, \
                   compared and read, and only then takes the place of the old one.",
        button: "Compact",
        action: UpkeepAction::Compact,
        line: compact_line(&folder(state).unwrap_or_default()),
        error,
    };
    page.ui(context, state, actions, |ui| {
        let Some(status) = status else { return };
        card::ui(ui, |ui| {
            ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
            key_value::ui(ui, "Size of the data file", &number::bytes(status.file_bytes));
            key_value::ui(ui, "Live in it", &number::bytes(status.live_bytes));
            let spare = format!("about {}", number::bytes(status.spare_bytes()));
            key_value::ui(ui, "Goes back to the disk", &spare);
            if let Some(free) = status.free_bytes {
                key_value::ui(ui, "Free on the disk for the copy", &number::bytes(free));
            }
        });
    });
}

/// Draws the question before everything is read.
pub fn verify_ui(context: &Context, error: Option<&str>, state: &State, actions: &mut Actions) {
    let page = Page {
        title: "Verify the store",
        subtitle: "Reads the structure of the data file, every document with its checksum, every index \
                   entry and every counter. Nothing is changed.",
        button: "Verify",
        action: UpkeepAction::Verify,
        line: verify_line(&folder(state).unwrap_or_default()),
        error,
    };
    page.ui(context, state, actions, |_| ());
}

struct Page<'a> {
    title: &'a str,
    subtitle: &'a str,
    button: &'a str,
    action: UpkeepAction,
    line: String,
    error: Option<&'a str>,
}

impl Page<'_> {
    fn ui(
        self,
        context: &Context,
        state: &State,
        actions: &mut Actions,
        figures: impl FnOnce(&mut Ui),
    ) {
        let Self { title, subtitle, button, action, line, error } = self;
        let closing = modal::ui(
            context,
            title,
            subtitle,
            sizes::DIALOG,
            actions,
            |ui, actions| {
                beside_scroll_bar(ui);
                figures(ui);
                ui.push_id("words", |ui| {
                    words(ui, CLOSED);
                    error_ui(ui, error);
                });
                line_ui(ui, &line, state, actions);
            },
            |ui, actions| {
                if modal::answer_ui(ui, Button::primary(button)) {
                    ask(actions, action);
                }
                back_ui(ui, actions);
            },
        );
        if closing.closes() {
            close(actions);
        }
    }
}
