//! One question with two answers.

use egui::{Context, Ui};

use super::frame::DialogFrame;
use crate::action::{Action, Actions};
use crate::state::dialogs::{Confirm, Tone, TypedName};
use crate::theme::{sizes, text};
use crate::widgets::Button;
use crate::widgets::field::{Field, labelled};
use crate::widgets::value_text::with_marks;

/// Draws the question.
pub fn ui(context: &Context, draft: &mut Confirm, actions: &mut Actions) {
    let Confirm { title, text, command, button, tone, offer, name } = draft;
    let is_ready = name.as_ref().is_none_or(|name| name.typed == name.name);
    let button = match tone {
        Tone::Normal => Button::primary(button),
        Tone::Amber => Button::amber(button),
        Tone::Danger => Button::danger(button),
    };
    let mut frame = DialogFrame::new(title.as_str())
        .width(sizes::DIALOG_NARROW)
        .button(button.enabled(is_ready), ());
    if command.is_some() {
        frame = frame.command(command.clone());
    }
    if name.is_some() {
        frame = frame.confirmed();
    }
    let pressed = frame.ui(context, |ui| {
        ui.label(text::rich(text.as_str(), text::body()));
        if let Some(TypedName { name, typed }) = name {
            name_ui(ui, &with_marks(name), typed);
        }
    });
    if pressed.end(actions).is_some() {
        let offer = Box::new(offer.clone().into());
        actions.push(Action::Confirm(offer));
    }
}

/// The field for a name that must be typed.
pub(super) fn name_ui(ui: &mut Ui, name: &str, typed: &mut String) {
    labelled(ui, &format!("Enter {name} to confirm"), None, |ui| {
        let field = Field { name: "Name to confirm", hint: name, mono: true, ..Field::default() };
        field.ui(ui, typed);
    });
}
