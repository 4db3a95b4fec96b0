//! Messages in the corner.

use egui::{Align2, Area, Context, Id, Order, Ui, vec2};

use crate::action::{Action, Actions, ViewAction};
use crate::state::State;
use crate::state::toasts::Kind;
use crate::theme::{Colors, Icon, sizes};
use crate::widgets::{modal, toast};

/// Under what the place of the inspector is kept.
const INSPECTOR: &str = "the inspector's place";

/// Notes that the inspector is drawn in this area: no message may cover what is edited in it.
pub(super) fn note_inspector(ui: &Ui) {
    let place = (ui.ctx().cumulative_pass_nr(), ui.max_rect().left());
    ui.data_mut(|data| data.insert_temp(Id::unique(INSPECTOR), place));
}

/// Where the inspector begins, if it is there.
fn inspector_left(context: &Context) -> Option<f32> {
    let known = context.data(|data| data.get_temp::<(u64, f32)>(Id::unique(INSPECTOR)));
    let (pass, left) = known?;
    (context.cumulative_pass_nr().saturating_sub(pass) <= 1).then_some(left)
}

/// The corner and the width of messages, and the room right of them: left of the inspector, and no
/// wider than the space next to an open dialog.
fn place(context: &Context) -> (Align2, f32, f32) {
    let right = context.content_rect().right();
    let Some(dialog) = modal::place(context) else {
        let room = inspector_left(context).map_or(0.0, |left| (right - left).max(0.0));
        return (Align2::RIGHT_BOTTOM, sizes::TOAST, room + sizes::GAP_LARGE);
    };
    let beside = right - dialog.right() - 2.0 * sizes::GAP_LARGE;
    // At the left a dialog has no buttons that a message could cover.
    if beside < sizes::TOAST_NARROW {
        (Align2::LEFT_BOTTOM, sizes::TOAST, 0.0)
    } else {
        (Align2::RIGHT_BOTTOM, beside.min(sizes::TOAST), sizes::GAP_LARGE)
    }
}

/// Draws the messages above `bottom`, where the workspace ends, the newest at the bottom. The strip of a
/// closed drawer is free at its right, so they are on it rather than on the last row.
pub fn ui(context: &Context, bottom: f32, state: &State, actions: &mut Actions) {
    if state.toasts.list().is_empty() {
        return;
    }
    let look = Colors::of_window(context);
    let (corner, width, room) = place(context);
    let mut bottom = bottom;
    if modal::place(context).is_none() && state.settings.drawer.is_none() {
        bottom += sizes::DRAWER_STRIP + sizes::GAP - sizes::GAP_TINY;
    }
    let side = if corner == Align2::LEFT_BOTTOM { sizes::GAP_LARGE } else { -room };
    let above = bottom - context.content_rect().bottom() - sizes::GAP;
    Area::new(Id::unique("messages")).order(Order::Tooltip).anchor(corner, vec2(side, above)).show(
        context,
        |ui| {
            for message in state.toasts.list() {
                let (icon, ink) = match message.kind {
                    Kind::Info => (Icon::Info, look.busy),
                    Kind::Done => (Icon::Check, look.saved),
                    Kind::Warning => (Icon::Warning, look.text),
                    Kind::Error => (Icon::Error, look.error),
                };
                let (button, offer) = message.button.clone().unzip();
                let pressed = ui
                    .push_id(message.id, |ui| {
                        toast::ui(ui, width, icon, ink, &message.text, button.as_deref())
                    })
                    .inner;
                if pressed.is_some() {
                    actions.push(Action::View(ViewAction::Dismiss(message.id)));
                }
                if let Some(offer) = offer.filter(|_| pressed == Some(toast::Pressed::Button)) {
                    actions.push(offer.into());
                }
            }
        },
    );
}
