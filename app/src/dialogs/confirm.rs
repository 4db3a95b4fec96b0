//! One question with two answers.

use egui::{Context, Ui};

use super::close;
use crate::action::{Action, Actions, DialogAction, ViewAction};
use crate::dialogs::COMMAND_TO_SEND;
use crate::state::dialogs::{Confirm, Tone, TypedName};
use crate::theme::{sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, code_box, modal};

/// Draws the question.
pub fn ui(context: &Context, draft: &mut Confirm, actions: &mut Actions) {
    let (mut copy, mut answered) = (false, false);
    let closing = modal::ui(
        context,
        &draft.title,
        "",
        sizes::DIALOG_NARROW,
        &mut draft.name,
        |ui, name| {
            ui.label(text::rich(draft.text.as_str(), text::body()));
            if let Some(name) = name {
                name_ui(ui, name);
            }
            if let Some(command) = &draft.command {
                copy = code_box::ui(ui, COMMAND_TO_SEND, command);
            }
        },
        |ui, name| {
            let is_ready = name.as_ref().is_none_or(|name| name.typed == name.name);
            // Where something is lost, Enter alone is not enough.
            answered = match draft.tone {
                Tone::Normal => {
                    modal::answer_ui(ui, Button::primary(&draft.button).enabled(is_ready))
                }
                Tone::Amber => ui.add(Button::amber(&draft.button).enabled(is_ready)).clicked(),
                Tone::Danger => ui.add(Button::danger(&draft.button).enabled(is_ready)).clicked(),
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

/// The field for a name that must be typed.
fn name_ui(ui: &mut Ui, TypedName { name, typed }: &mut TypedName) {
    let shown = with_marks(name);
    labelled(ui, &format!("Enter {shown} to confirm"), None, |ui| {
        let field = Field { name: "Name to confirm", hint: &shown, mono: true, ..Field::default() };
        let response = field.ui(ui, typed);
        if typed.is_empty() && ui.memory(|memory| memory.focused().is_none()) {
            response.request_focus();
        }
    });
}
