//! Documents are to be deleted: a sample, and the number on the button.

use egui::Context;

use super::scope;
use crate::action::Actions;
use crate::commands::bulk as command;
use crate::dialogs::words::close;
use crate::job::Write;
use crate::job::bulk::{BulkChange, Target};
use crate::state::documents::bulk::BulkDelete;
use crate::state::documents::undo_words::obstacle;
use crate::state::number::counted;
use crate::state::{State, TabId};
use crate::widgets::{Button, marks};

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
    let title = format!("Delete {what} from {}?", marks::visible(&open.namespace.to_string()));
    let undo = draft.scope.undo_words(
        1,
        obstacle(&state.tree, state.store.connection.as_ref(), &open.namespace, Write::Insert),
    );
    let label = scope::label(&draft.scope, "Delete", &what);
    let room = scope::longest("Delete");
    let ready = count.is_some_and(|count| count > 0);
    let frame = scope::frame(title, undo, &draft.scope, Some(command))
        .button(Button::danger(&label).enabled(ready).room_for(&room), ());
    let outcome = frame.ui(context, |ui| scope::sample_ui(ui, &draft.scope, SAMPLE));
    if outcome.end(actions).is_some() {
        scope::send(tab, BulkChange::Delete(draft.scope.target.clone()), actions);
    }
}
