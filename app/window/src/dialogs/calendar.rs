//! The expiry calendar in a dialog, for a store without a view that shows it.

use egui::Context;

use super::frame::DialogFrame;
use crate::action::Actions;
use crate::panels::expiry::calendar;
use crate::state::State;
use crate::state::calendar::Calendar;
use crate::theme::sizes;

/// The height of the table with a few collections, in points.
const TABLE_HEIGHT: f32 = 260.0;

pub fn ui(context: &Context, shown: &mut Calendar, state: &State, actions: &mut Actions) {
    let frame = DialogFrame::<()>::new("Expiry calendar")
        .subtitle(calendar::ABOUT)
        .width(sizes::DIALOG_CALENDAR)
        .height(TABLE_HEIGHT)
        .done("Done");
    let outcome = frame.ui(context, |ui| calendar::ui(ui, shown, state, actions));
    _ = outcome.end(actions);
}
