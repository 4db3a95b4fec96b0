//! Messages in the corner.

use egui::{Align2, Area, Context, Id, Order, vec2};

use crate::action::{Action, Actions, ViewAction};
use crate::state::State;
use crate::state::toasts::Kind;
use crate::theme::{Colors, Icon, sizes};
use crate::widgets::{modal, toast};

/// The corner and the width of messages: no wider than the space next to an open dialog, whose
/// buttons they would cover. If that space is too small, they are at the left, where a dialog has
/// no buttons.
fn place(context: &Context) -> (Align2, f32) {
    let beside = modal::place(context).map_or(f32::INFINITY, |dialog| {
        context.content_rect().right() - dialog.right() - 2.0 * sizes::GAP_LARGE
    });
    if beside < sizes::TOAST_NARROW {
        (Align2::LEFT_BOTTOM, sizes::TOAST)
    } else {
        (Align2::RIGHT_BOTTOM, beside.min(sizes::TOAST))
    }
}

/// Draws the messages above `bottom`, the newest at the bottom.
pub fn ui(context: &Context, bottom: f32, state: &State, actions: &mut Actions) {
    if state.toasts.list().is_empty() {
        return;
    }
    let look = Colors::of_window(context);
    let (corner, width) = place(context);
    let side = if corner == Align2::LEFT_BOTTOM { sizes::GAP_LARGE } else { -sizes::GAP_LARGE };
    let above = bottom - context.content_rect().bottom() - sizes::GAP;
    Area::new(Id::unique("messages")).order(Order::Tooltip).anchor(corner, vec2(side, above)).show(
        context,
        |ui| {
            for message in state.toasts.list() {
                let (icon, ink) = match message.kind {
                    Kind::Info => (Icon::Info, look.busy),
                    Kind::Done => (Icon::Check, look.saved),
                    Kind::Warning => (Icon::Warning, look.overdue),
                    Kind::Error => (Icon::Error, look.error),
                };
                let button = message.button.as_ref().map(|(label, _)| label.as_str());
                let pressed = ui
                    .push_id(message.id, |ui| {
                        toast::ui(ui, width, icon, ink, &message.text, button)
                    })
                    .inner;
                match pressed {
                    Some(toast::Pressed::Button) => {
                        actions.push(Action::View(ViewAction::PressToast(message.id)));
                    }
                    Some(toast::Pressed::Close) => {
                        actions.push(Action::View(ViewAction::Dismiss(message.id)));
                    }
                    None => {}
                }
            }
        },
    );
}
