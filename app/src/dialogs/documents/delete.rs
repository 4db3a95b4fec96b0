//! Documents are to be deleted: a sample, and the number on the button.

use egui::Context;

use super::scope::{self, Confirm};
use crate::action::Actions;
use crate::commands::bulk as command;
use crate::dialogs::close;
use crate::job::Write;
use crate::job::bulk::{BulkChange, Target};
use crate::state::documents::bulk::BulkDelete;
use crate::state::documents::undo_words::obstacle;
use crate::state::number::counted;
use crate::state::{State, TabId};
use crate::theme::sizes;
use crate::widgets::{Button, marks, modal};

const SAMPLE: usize = 5;

/// Draws the question.
pub fn ui(
    context: &Context,
    tab: TabId,
    draft: &mut BulkDelete,
    state: &State,
    actions: &mut Actions,
) {
    let Some(open) = state.tabs.get(tab) else { return close(actions) };
    let count = draft.scope.documents();
    let what = counted(count.unwrap_or(draft.scope.selected), "document", "documents");
    let command =
        scope::command(&open.namespace, &draft.scope, |filter| match &draft.scope.target {
            Target::Ids(ids) => {
                let ids = command::among(&bson::Document::new(), ids.clone());
                command::delete(&open.namespace.collection, ids)
            }
            target => {
                let delete = command::delete(&open.namespace.collection, filter);
                command::statement_collated(delete, target.collation())
            }
        });
    let (mut copy, mut answered) = (false, false);
    let title = format!("Delete {what} from {}?", marks::visible(&open.namespace.to_string()));
    let undo = draft.scope.undo_words(1, obstacle(state, &open.namespace, Write::Insert));
    let closing = modal::ui(
        context,
        &title,
        &undo,
        sizes::DIALOG,
        &mut (),
        |ui, ()| {
            scope::error_ui(ui, &draft.scope);
            scope::sample_ui(ui, &draft.scope, SAMPLE);
            copy = scope::command_ui(ui, &draft.scope, &command);
        },
        |ui, ()| {
            let label = scope::label(&draft.scope, "Delete", &what);
            let ready = count.is_some_and(|count| count > 0);
            answered = ui.add(Button::danger(&label).enabled(ready)).clicked();
            if ui.add(Button::plain("Cancel")).clicked() {
                close(actions);
            }
        },
    );
    let change = answered.then(|| BulkChange::Delete(draft.scope.target.clone()));
    Confirm { tab, change, copied: copy.then_some(command), closing }.end(actions);
}
