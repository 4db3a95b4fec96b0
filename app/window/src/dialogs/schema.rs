//! A schema as a JSON Schema, and as a validator.

use egui::{Checkbox, Context, Ui};
use mayfly_engine::value::shell::write_command;

use super::frame::DialogFrame;
use super::words::close;
use crate::action::{Action, Actions, SchemaAction, TransferAction, ViewAction};
use crate::state::schema::{Dialog, ValidatorDraft};
use crate::state::{Namespace, State, TabId, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, code_box, tabs};

pub fn ui(
    context: &Context,
    tab: TabId,
    dialog: &mut Dialog,
    state: &State,
    actions: &mut Actions,
) {
    let Some(open) = state.tabs.get(tab) else {
        close(actions);
        return;
    };
    match dialog {
        Dialog::Json(schema) => json_ui(context, &open.namespace, schema, actions),
        Dialog::Validator(draft) => validator_ui(context, tab, &open.namespace, draft, actions),
    }
}

fn json_ui(context: &Context, namespace: &Namespace, schema: &str, actions: &mut Actions) {
    let frame = DialogFrame::new("JSON Schema")
        .subtitle(format!(
            "What {} holds, for documents in relaxed Extended JSON",
            visible(namespace)
        ))
        .width(sizes::DIALOG_WIDE)
        .leave("Close")
        .button(Button::primary("Save to a file…"), Pressed::Save)
        .button(Button::plain("Copy to the clipboard"), Pressed::Copy);
    let mut copies = false;
    let outcome =
        frame.ui(context, |ui| copies = code_box::text_ui(ui, "JSON Schema", "Copy", schema));
    let pressed = outcome.end(actions);
    if copies || matches!(pressed, Some(Pressed::Copy)) {
        actions.push(Action::View(ViewAction::CopyLines(schema.to_owned())));
    }
    if matches!(pressed, Some(Pressed::Save)) {
        let (namespace, text) = (namespace.clone(), schema.to_owned());
        actions.push(Action::Transfer(TransferAction::ExportSchema { namespace, text }));
    }
}

enum Pressed {
    Save,
    Copy,
}

fn visible(namespace: &Namespace) -> String {
    with_marks(&namespace.to_string())
}

fn validator_ui(
    context: &Context,
    tab: TabId,
    namespace: &Namespace,
    draft: &mut ValidatorDraft,
    actions: &mut Actions,
) {
    let mut is_changed = false;
    let title = format!("Use the schema as the validator of {}", visible(namespace));
    let frame = DialogFrame::new(title)
        .subtitle(
            "The store then checks each document that is inserted or updated. It replaces the \
             validator there is",
        )
        .width(sizes::DIALOG_WIDE)
        .command(Some(write_command(&namespace.db, &draft.command(&namespace.collection))))
        .sent(&draft.sent)
        .button(Button::primary("Set validator"), ());
    let outcome = frame.ui(context, |ui| {
        is_changed = demands_ui(ui, draft);
        when_ui(ui, draft);
        failing_ui(ui, draft);
    });
    if is_changed {
        actions.push(Action::Schema(tab, SchemaAction::CountFailing));
    }
    if outcome.end(actions).is_some() {
        actions.push(Action::Schema(tab, SchemaAction::SetValidator));
    }
}

/// Returns whether they changed.
fn demands_ui(ui: &mut Ui, draft: &mut ValidatorDraft) -> bool {
    let before = draft.demands;
    let demands = &mut draft.demands;
    ui.add(Checkbox::new(&mut demands.types, "Fields have the types that were seen"));
    ui.add_enabled(
        demands.types,
        Checkbox::new(&mut demands.any_number, "Fields with numbers may have any type of number"),
    );
    ui.add(Checkbox::new(&mut demands.required, "Fields that every document has are required"));
    ui.add(Checkbox::new(&mut demands.no_others, "Other fields are not allowed"));
    draft.demands != before
}

fn when_ui(ui: &mut Ui, draft: &mut ValidatorDraft) {
    ui.horizontal_wrapped(|ui| {
        let level = usize::from(!draft.is_strict);
        let words = ["Every write", "Spare documents that fail now"];
        if let Some(pressed) = tabs::segmented(ui, "Check", &words, level) {
            draft.is_strict = pressed == 0;
        }
        let action = usize::from(!draft.refuses);
        if let Some(pressed) =
            tabs::segmented(ui, "Otherwise", &["Refuse", "Warn in the log"], action)
        {
            draft.refuses = pressed == 0;
        }
    });
}

fn failing_ui(ui: &mut Ui, draft: &ValidatorDraft) {
    let ink = colors(ui);
    let (words, ink) = match draft.failing() {
        None => ("Counting documents that would not pass…".to_owned(), ink.dim),
        Some(0) => ("All documents of the collection pass".to_owned(), ink.saved),
        Some(count) => {
            let counted = number::counted(count, "document", "documents");
            (format!("{counted} in the collection would not pass; they stay as they are"), ink.text)
        }
    };
    ui.label(text::rich(words, text::body()).color(ink));
}
