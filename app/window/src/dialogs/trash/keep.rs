//! The switch of the trash, and how long it keeps removed documents. Both act at once.

use egui::{Align, Layout, Ui};

use crate::action::{Action, Actions, TrashAction};
use crate::state::number;
use crate::state::trash::{KEEP_SECS, Trash, TrashDraft};
use crate::theme::{colors, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::{first_focus, number_field, tabs};

/// Draws the switch, the time, and the size of the trash.
pub(super) fn ui(ui: &mut Ui, draft: &mut TrashDraft, net: &Trash, actions: &mut Actions) {
    draft.fill(net);
    let (is_on, secs) = (net.secs > 0, draft.secs());
    let mut wanted = None;
    ui.horizontal(|ui| {
        match tabs::segmented(ui, "Trash", &["Off", "On"], usize::from(is_on)) {
            Some(0) if is_on => wanted = Some(0),
            Some(1) if !is_on => wanted = Some(secs.clone().unwrap_or(i64::from(KEEP_SECS))),
            _ => {}
        }
        let dim = colors(ui).dim;
        if is_on {
            ui.label(text::rich("keeps removed documents for", text::body()).color(dim));
            // It acts at once, so that the keyboard doesn't begin here.
            let is_typing = first_focus::skipped(ui, |ui| {
                number_field::typing_ui(ui, "Keep for", &mut draft.keep, secs.is_err())
            });
            if let (false, Ok(secs)) = (is_typing, draft.secs())
                && secs != net.secs
            {
                wanted = Some(secs);
            }
        } else {
            ui.label(text::rich("Removed documents are not kept", text::body()).color(dim));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| holds_ui(ui, net));
    });
    if let (true, Err(why)) = (is_on, draft.secs()) {
        ui.label(text::rich(why, text::body()).color(colors(ui).error));
    }
    if let Some(secs) = wanted.filter(|_| !net.is_waiting) {
        actions.push(Action::Trash(TrashAction::Keep(secs)));
        // If the store refuses, the field shows what it keeps, and nothing is sent again.
        draft.filled = None;
    }
}

fn holds_ui(ui: &mut Ui, net: &Trash) {
    let documents = number::counted(net.documents, "document", "documents");
    let words = format!("In trash: {documents}, {}", number::bytes(net.bytes));
    let most = number::bytes(net.max_bytes);
    let hint = format!("Above {most}, the oldest documents are deleted first");
    ui.label(text::rich(words, text::body()).color(colors(ui).dim)).hint(hint);
}
