//! Documents are to be copied to another collection or store.

use egui::{Context, Id, Ui};

use super::scope;
use crate::action::Actions;
use crate::commands::bulk as command;
use crate::dialogs::words::{close, quiet};
use crate::job::Write;
use crate::state::documents::bulk::BulkCopy;
use crate::state::documents::undo_words::obstacle;
use crate::state::number::counted;
use crate::state::store::Next;
use crate::state::transfer::import::{WHOLE_PATH, whole_path};
use crate::state::{State, Tab, TabId};
use crate::theme::{colors, sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, first_focus, marks, tabs};

const SAMPLE: usize = 3;

/// Said of a collection with a TTL index.
const TTL: &str = " and a TTL index: the next pass removes copies that are past their threshold";

/// Draws the dialog.
pub fn ui(
    context: &Context,
    tab: TabId,
    draft: &mut BulkCopy,
    state: &State,
    actions: &mut Actions,
) {
    let Some(open) = state.tabs.get(tab) else { return close(actions) };
    let what = scope::what(&draft.scope);
    let is_path = !draft.is_outside || whole_path(&draft.folder).is_some();
    let problem = draft.problem(&open.namespace);
    let count = draft.scope.documents();
    let ready = problem.is_none() && is_path && count.is_some_and(|count| count > 0);
    let title = format!("Copy {what} from {}", marks::visible(&open.namespace.to_string()));
    let undo = if draft.is_outside {
        "Undo does not reach the other store".to_owned()
    } else {
        draft.scope.undo_words(
            1,
            obstacle(&state.tree, state.store.connection.as_ref(), &draft.to(), Write::Insert),
        )
    };
    let to = draft.to();
    let has_command = problem.is_none() && !draft.scope.sample.is_empty();
    let command = has_command.then(|| {
        scope::command(&to, &draft.scope, |_| {
            let first = draft.scope.sample.first().cloned();
            command::insert(&to.collection, first.into_iter().collect())
        })
    });
    let label = scope::label(&draft.scope, "Copy", &what);
    let room = scope::longest("Copy");
    let frame = scope::frame(title, undo, &draft.scope, command)
        .button(Button::primary(&label).enabled(ready).room_for(&room), ());
    let outcome = frame.ui(context, |ui| {
        target_ui(ui, draft, state, open);
        quiet(ui, "Documents whose _id is there already stay as they are. Indexes are not copied");
        scope::sample_ui(ui, &draft.scope, SAMPLE);
    });
    if outcome.end(actions).is_some() {
        scope::send(tab, draft.change(), actions);
    }
}

fn target_ui(ui: &mut Ui, draft: &mut BulkCopy, state: &State, open: &Tab) {
    let chosen = usize::from(draft.is_outside);
    let pressed = tabs::segmented(ui, "Store", &["This store", "Another store"], chosen);
    if let Some(pressed) = pressed {
        draft.is_outside = pressed == 1;
    }
    if draft.is_outside {
        folder_ui(ui, draft, state);
    }
    ui.horizontal_top(|ui| {
        let half = (ui.available_width() - sizes::GAP) / 2.0;
        ui.spacing_mut().item_spacing.x = sizes::GAP;
        let name_ui = |ui: &mut Ui, name: &str, typed: &mut String| {
            ui.vertical(|ui| {
                ui.set_width(half);
                labelled(ui, name, None, |ui| {
                    Field { name, mono: true, ..Field::default() }.ui(ui, typed);
                });
            });
        };
        // The database is usually the same, the collection another one.
        first_focus::skipped(ui, |ui| name_ui(ui, "Database", &mut draft.db));
        name_ui(ui, "Collection", &mut draft.collection);
    });
    let there = state.tree.collection(&draft.to()).filter(|_| !draft.is_outside);
    let (words, ink) = match (draft.problem(&open.namespace), there) {
        (Some(problem), _) => (problem, colors(ui).dim),
        (None, None) if draft.is_outside => return,
        (None, None) => ("New collection".to_owned(), colors(ui).dim),
        (None, Some(found)) => {
            let documents = counted(found.documents.unwrap_or(0), "document", "documents");
            let has_ttl = matches!(found.next, Next::Never | Next::At(_));
            let (ttl, ink) = if has_ttl { (TTL, colors(ui).overdue) } else { ("", colors(ui).dim) };
            (format!("Already has {documents}{ttl}"), ink)
        }
    };
    ui.label(text::rich(words, text::small()).color(ink));
}

fn folder_ui(ui: &mut Ui, draft: &mut BulkCopy, state: &State) {
    let is_wrong = !draft.folder.trim().is_empty() && whole_path(&draft.folder).is_none();
    labelled(ui, "Data folder", is_wrong.then_some(WHOLE_PATH), |ui| {
        let field = Field {
            name: "Data folder",
            hint: "/home/you/data",
            mono: true,
            invalid: is_wrong,
            id: Some(Id::unique("copy into a folder")),
            ..Field::default()
        };
        field.ui(ui, &mut draft.folder);
    });
    let others: Vec<_> = state.settings.stores.others(state.store.folder.as_deref()).collect();
    if others.is_empty() {
        return;
    }
    labelled(ui, "Recent stores", None, |ui| {
        for store in others {
            if ui.add(Button::ghost(&with_marks(&store.folder))).clicked() {
                draft.folder.clone_from(&store.folder);
            }
        }
    });
}
