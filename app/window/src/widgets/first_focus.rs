//! Sends the keyboard to the first field of a dialog that opens. The dialog offers it, and the first
//! field that can be typed into takes it.

use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{Context, Id, Response, Ui};

/// Under what the offer is kept.
const OFFER: &str = "the keyboard of the dialog that opened";

pub fn offer(context: &Context) {
    context.data_mut(|data| data.insert_temp(Id::unique(OFFER), true));
}

/// Takes the offer back. Returns whether it was still there.
pub fn withdraw(context: &Context) -> bool {
    context.data_mut(|data| data.remove_temp::<bool>(Id::unique(OFFER))).unwrap_or(false)
}

/// Takes the keyboard for a control. Returns whether it was offered.
pub fn take(ui: &Ui, control: &Response) -> bool {
    let is_offered = ui.is_enabled() && withdraw(ui.ctx());
    if is_offered {
        control.request_focus();
    }
    is_offered
}

/// The same for a line of text, which is selected: typing replaces it.
pub(super) fn take_and_select(ui: &Ui, field: &Response, text: &str) {
    if take(ui, field) {
        let mut state = TextEditState::default();
        let end = CCursor::new(text.chars().count());
        state.cursor.set_char_range(Some(CCursorRange::two(CCursor::new(0), end)));
        state.store(ui.ctx(), field.id);
    }
}

/// Draws fields that leave the offer to those after them.
pub fn skipped<R>(ui: &mut Ui, add: impl FnOnce(&mut Ui) -> R) -> R {
    let is_offered = withdraw(ui.ctx());
    let result = add(ui);
    if is_offered {
        offer(ui.ctx());
    }
    result
}
