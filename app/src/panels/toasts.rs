//! Messages in the corner.

use egui::{Align2, Area, Context, Id, Order, vec2};

use crate::action::{Action, Actions, ViewAction};
use crate::state::State;
use crate::state::toasts::Kind;
use crate::theme::{Colors, Icon, sizes};
use crate::widgets::{modal, toast};

/// How wide messages are: no wider than the room beside an open dialog, whose buttons they would cover. Where
/// there is too little of it, they cover them until they are dismissed.
fn width(context: &Context) -> f32 {
    let beside = modal::place(context).map_or(f32::INFINITY, |dialog| {
        context.content_rect().right() - dialog.right() - 2.0 * sizes::GAP_LARGE
    });
    if beside < sizes::TOAST_NARROW { sizes::TOAST } else { beside.min(sizes::TOAST) }
}

/// Draws the messages above `bottom`, the newest at the bottom.
pub fn ui(context: &Context, bottom: f32, state: &State, actions: &mut Actions) {
    if state.toasts.list().is_empty() {
        return;
    }
    let look = Colors::of(context.theme() == egui::Theme::Dark);
    let width = width(context);
    let above = bottom - context.content_rect().bottom() - sizes::GAP;
    Area::new(Id::unique("messages"))
        .order(Order::Tooltip)
        .anchor(Align2::RIGHT_BOTTOM, vec2(-sizes::GAP_LARGE, above))
        .show(context, |ui| {
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
        });
}
