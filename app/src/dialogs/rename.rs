//! Another name for a collection.

use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{Context, Id, Ui};
use mayfly_engine::value::shell::write_command;

use super::create::{buttons_ui, end, refusal_ui};
use crate::action::{Actions, StoreAction};
use crate::commands::store;
use crate::dialogs::COMMAND_TO_SEND;
use crate::state::dialogs::RenameCollection;
use crate::state::names::collection_problem;
use crate::state::{Namespace, State};
use crate::theme::sizes;
use crate::widgets::field::{Field, labelled};
use crate::widgets::value_text::with_marks;
use crate::widgets::{code_box, modal};

pub fn ui(context: &Context, draft: &mut RenameCollection, state: &State, actions: &mut Actions) {
    let title = format!("Rename {}", with_marks(&draft.from.to_string()));
    let (mut copy, mut rename) = (false, false);
    let to = Namespace::new(&draft.from.db, draft.name.trim());
    let command = write_command("admin", &store::rename(&draft.from, &to));
    let error = match () {
        () if to == draft.from => Some("This is the current name"),
        () if state.tree.collection(&to).is_some() => {
            Some("A collection with this name already exists")
        }
        () => collection_problem(&to.db, &to.collection),
    };
    let ready = error.is_none();
    let before = draft.name.clone();
    let closing = modal::ui(
        context,
        &title,
        "Documents and indexes are unchanged",
        sizes::DIALOG_NARROW,
        draft,
        |ui, draft| {
            let shown = error.filter(|_| to != draft.from);
            let RenameCollection { from, name, sent } = draft;
            ui.add_enabled_ui(!sent.is_waiting(), |ui| {
                labelled(ui, "New name", shown, |ui| {
                    let id = Id::unique("new name");
                    let field = Field {
                        name: "New name",
                        mono: true,
                        invalid: shown.is_some(),
                        id: Some(id),
                        ..Field::default()
                    };
                    let response = field.ui(ui, name);
                    if to == *from && ui.memory(|memory| memory.focused().is_none()) {
                        response.request_focus();
                        select_all(ui, id, name);
                    }
                });
            });
            refusal_ui(ui, sent);
            copy = code_box::ui(ui, COMMAND_TO_SEND, &command);
        },
        |ui, draft| rename = buttons_ui(ui, "Rename", ready, &draft.sent, actions),
    );
    if draft.name != before {
        draft.sent.error = None;
    }
    end(closing, copy, command, rename, StoreAction::Rename(draft.clone()), actions);
}

/// Sends the keyboard to a field with a suggestion once; what is typed takes its place.
pub(super) fn begin_with(ui: &Ui, id: Id, text: &str) {
    let (begun, pass) = (id.with("begun"), ui.ctx().cumulative_pass_nr());
    let is_known = ui.data_mut(|data| {
        let last: Option<u64> = data.get_temp(begun);
        data.insert_temp(begun, pass);
        last.is_some_and(|last| pass.saturating_sub(last) <= 2)
    });
    if !is_known {
        ui.memory_mut(|memory| memory.request_focus(id));
        select_all(ui, id, text);
    }
}

/// Selects the whole text, so that typing replaces it.
fn select_all(ui: &Ui, id: Id, text: &str) {
    let mut state = TextEditState::default();
    let end = CCursor::new(text.chars().count());
    state.cursor.set_char_range(Some(CCursorRange::two(CCursor::new(0), end)));
    state.store(ui.ctx(), id);
}
