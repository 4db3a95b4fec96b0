//! Drops an index.

use bson::doc;
use egui::Context;
use mayfly_engine::value::shell::write_command;

use super::Asks;
use crate::action::IndexesAction;
use crate::state::indexes::IndexRow;
use crate::theme::sizes;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, code_box, modal};

/// Draws the dialog.
pub(super) fn ui(context: &Context, index: &IndexRow, asks: &mut Asks<'_>) {
    let title = format!("Drop index {}", with_marks(&index.name));
    let subtitle = if index.secs.is_some() {
        "Documents no longer expire by this index; none is removed by dropping it"
    } else {
        "Queries no longer use it; no document is removed"
    };
    let (db, collection) = asks.names.clone();
    let command = doc! { "dropIndexes": &collection, "index": &index.name };
    let mut send = false;
    let mut cancel = false;
    let closing = modal::ui(
        context,
        &title,
        subtitle,
        sizes::DIALOG_NARROW,
        &mut (),
        |ui, ()| {
            code_box::ui(ui, "Command", &write_command(&db, &command));
        },
        |ui, ()| {
            send = ui.add(Button::danger("Drop index")).clicked();
            cancel = ui.add(Button::plain("Cancel")).clicked();
        },
    );
    if send {
        asks.push(IndexesAction::Send);
    } else if cancel || closing.closes() {
        crate::dialogs::close(asks.actions);
    }
}
