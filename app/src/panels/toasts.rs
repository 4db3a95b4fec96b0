//! Messages in the corner.

use egui::{Align2, Area, Context, Id, Order, vec2};

use crate::action::{Action, Actions, ViewAction};
use crate::state::State;
use crate::state::toasts::Kind;
use crate::theme::{Colors, Icon, sizes};
use crate::widgets::toast;

/// Draws the messages above `bottom`, the newest at the bottom.
pub fn ui(context: &Context, bottom: f32, state: &State, actions: &mut Actions) {
    if state.toasts.list().is_empty() {
        return;
    }
    let look = Colors::of(context.theme() == egui::Theme::Dark);
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
                    .push_id(message.id, |ui| toast::ui(ui, icon, ink, &message.text, button))
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
