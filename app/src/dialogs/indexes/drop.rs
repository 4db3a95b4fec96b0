//! Drops an index.

use egui::Context;

use super::TabActions;
use crate::action::IndexesAction;
use crate::commands::indexes;
use crate::dialogs::{WAITING, leave};
use crate::state::indexes::DropIndex;
use crate::theme::{colors, sizes, text};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, modal};

/// Draws the dialog.
pub(super) fn ui(context: &Context, dropping: &DropIndex, actions: &mut TabActions<'_>) {
    let index = &dropping.index;
    let title = format!("Drop index {}", with_marks(&index.name));
    let subtitle = if index.secs.is_some() {
        "Documents will no longer expire through this index. No documents are removed now"
    } else {
        "Queries will no longer use this index. No documents are removed"
    };
    let command = indexes::drop(&actions.names.1, &index.name);
    let mut send = false;
    let mut cancel = false;
    let closing = modal::ui(
        context,
        &title,
        subtitle,
        sizes::DIALOG_NARROW,
        actions,
        |ui, actions| {
            actions.command_ui(ui, &command);
            if let Some(error) = &dropping.error {
                ui.label(text::rich(error, text::body()).color(colors(ui).error));
            }
        },
        |ui, _| {
            let is_free = dropping.sent.is_none();
            let label = if is_free { "Drop index" } else { WAITING };
            send = ui.add(Button::danger(label).enabled(is_free)).clicked();
            cancel = ui.add(leave(dropping.sent.is_some())).clicked();
        },
    );
    if send {
        actions.push(IndexesAction::Send);
    } else if cancel || closing.closes() {
        crate::dialogs::close(actions.queue);
    }
}
