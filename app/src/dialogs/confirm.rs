//! One question with two answers.

use egui::Context;

use super::close;
use crate::action::{Action, Actions, DialogAction, ViewAction};
use crate::dialogs::COMMAND_TO_SEND;
use crate::state::dialogs::{Confirm, Tone};
use crate::theme::{sizes, text};
use crate::widgets::{Button, code_box, modal};

/// Draws the question.
pub fn ui(context: &Context, draft: &mut Confirm, actions: &mut Actions) {
    let (mut copy, mut answered) = (false, false);
    let closing = modal::ui(
        context,
        &draft.title,
        "",
        sizes::DIALOG_NARROW,
        &mut (),
        |ui, ()| {
            ui.label(text::rich(draft.text.as_str(), text::body()));
            if let Some(command) = &draft.command {
                copy = code_box::ui(ui, COMMAND_TO_SEND, command);
            }
        },
        |ui, ()| {
            // Where something is lost, Enter alone is not enough.
            answered = match draft.tone {
                Tone::Normal => modal::answer_ui(ui, Button::primary(&draft.button)),
                Tone::Amber => ui.add(Button::amber(&draft.button)).clicked(),
                Tone::Danger => ui.add(Button::danger(&draft.button)).clicked(),
            };
            if ui.add(Button::plain("Cancel")).clicked() {
                close(actions);
            }
        },
    );
    if let (true, Some(command)) = (copy, &draft.command) {
        actions.push(Action::View(ViewAction::Copy(command.clone())));
    }
    if answered {
        actions.push(Action::Dialog(DialogAction::Confirm(Box::new(draft.offer.clone().into()))));
    } else if closing.closes() {
        close(actions);
    }
}
