//! Drops an index.

use egui::Context;

use super::tab_actions::TabActions;
use crate::action::IndexesAction;
use crate::commands::indexes;
use crate::dialogs::frame::DialogFrame;
use crate::state::indexes::DropIndex;
use crate::theme::sizes;
use crate::widgets::Button;
use crate::widgets::value_text::with_marks;

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
    let frame = DialogFrame::new(title)
        .subtitle(subtitle)
        .width(sizes::DIALOG_NARROW)
        .command_named("Command", "", Some(actions.written(&command)))
        .waiting(dropping.sent.is_some())
        .error(dropping.error.as_deref())
        .button(Button::danger("Drop index"), ());
    if frame.ui(context, |_| ()).end(actions.queue).is_some() {
        actions.push(IndexesAction::Send);
    }
}
