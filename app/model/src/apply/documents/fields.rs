//! Single fields of documents: edited in place, added, renamed, moved, removed. The whole document
//! is read first where the list shows only a part of it.

use bson::{Bson, Document};

use super::reading;
use super::selection::{has_unsaved, show};
use super::tab::with;
use super::{lookup, writing};
use crate::apply::Apply;
use crate::apply::question::Question;
use crate::job::reply::documents;
use crate::limits::EDITED_TEXT_BYTES_MAX;
use crate::state::documents::change::{self, id_of};
use crate::state::documents::{FieldEdit, FieldTask, FieldTaskKind as Kind, field_path};
use crate::state::{State, TabId, number, toasts};
use crate::worker::Reply;

/// Does something with a field of a document.
pub fn ask(tab: TabId, id: &Bson, task: FieldTask, cx: &mut Apply<'_>) {
    let shows = matches!(task.kind, Kind::Show | Kind::Refer);
    if !shows && has_unsaved(tab, None, cx.state) {
        return;
    }
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let focused = open.documents.focus.as_ref().filter(|focus| focus.id == *id);
    let known = focused.and_then(|focus| focus.document.clone());
    let listed = || {
        let mut rows = open.documents.pages.rows().filter(|_| open.documents.query.is_whole());
        rows.find(|(_, row)| row.has_id() && row.id == *id).map(|(_, row)| row.document.clone())
    };
    if let Some(document) = known.or_else(listed) {
        perform(tab, &document, &task, cx);
    } else {
        let command = change::read(&open.namespace.collection, std::slice::from_ref(id));
        reading::ask(tab, FieldRead { tab, task }, command, cx);
    }
}

/// The whole of a document, one field of which is asked for.
#[derive(Debug, PartialEq)]
struct FieldRead {
    tab: TabId,
    task: FieldTask,
}

impl Question for FieldRead {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let document = match reply.result {
            Ok(found) => documents(&found).into_iter().next(),
            Err(error) => return cx.toast(toasts::Kind::Error, error),
        };
        match document {
            Some(document) => perform(self.tab, &document, &self.task, cx),
            None => say("The document was removed; refresh the list", cx.state),
        }
    }
}

fn say(text: impl Into<String>, state: &mut State) {
    state.toast(toasts::Kind::Warning, text);
}

fn perform(tab: TabId, document: &Document, task: &FieldTask, cx: &mut Apply<'_>) {
    let place = field_path::position(document, &task.names);
    let after = match (task.kind, &place) {
        (Kind::Show, _) => return lookup::show_value(tab, &task.names, document, cx.state),
        (Kind::Refer, Some(place)) => {
            let name = task.names.iter().rev().find(|name| name.parse::<usize>().is_err());
            if let Some((_, value)) = field_path::at(document, place) {
                lookup::find_reference(tab, value, name.map_or("", String::as_str), cx);
            }
            return;
        }
        (Kind::Remove, Some(place)) => field_path::removed(document, place),
        (Kind::MoveUp, Some(place)) => field_path::moved(document, place, true),
        (Kind::MoveDown, Some(place)) => field_path::moved(document, place, false),
        (Kind::Remove | Kind::MoveUp | Kind::MoveDown, None) => {
            return say("The document has no such field; refresh the list", cx.state);
        }
        _ => return open(tab, document, task, place.as_deref(), cx),
    };
    match after {
        Some(after) => {
            cx.state.drafts.tab(tab).documents.field = None;
            writing::replace(tab, document.clone(), after, cx);
        }
        None => say("The field can't move further", cx.state),
    }
}

fn open(
    tab: TabId,
    document: &Document,
    task: &FieldTask,
    place: Option<&[usize]>,
    cx: &mut Apply<'_>,
) {
    let long = place.and_then(|place| FieldEdit::too_long(document, place));
    if let Some(bytes) = long.filter(|_| task.kind != Kind::Add) {
        return too_long(bytes, cx.state);
    }
    let edit = match (task.kind, place) {
        (Kind::Add, place) => FieldEdit::add(document, place.unwrap_or_default(), ""),
        (Kind::Rename, Some(place)) => FieldEdit::open_named(document, place),
        (_, Some(place)) => FieldEdit::open(document, place),
        // An empty cell of the table: the field is added.
        (Kind::EditInList, None) => task.names.split_last().and_then(|(name, parent)| {
            let parent = if parent.is_empty() {
                Vec::new()
            } else {
                field_path::position(document, parent)?
            };
            FieldEdit::add(document, &parent, name)
        }),
        (_, None) => None,
    };
    let in_list = task.kind == Kind::EditInList;
    let Some(edit) = edit else {
        let is_id = task.names.first().is_some_and(|name| name == "_id");
        let text = if is_id {
            "You can't change the _id; clone the document instead"
        } else {
            "The document has no such field; refresh the list"
        };
        return say(text, cx.state);
    };
    let id = id_of(document);
    with(cx.state, tab, |view| {
        let row = view.pages.rows().find(|(_, row)| row.id == id).map_or(0, |(row, _)| row);
        show(view, row, &id);
    });
    reading::learn(tab, document, cx.state);
    cx.state.settings.inspector |= !in_list;
    cx.state.drafts.tab(tab).documents.field = Some(if in_list { edit.in_list() } else { edit });
    reading::ask_focus(tab, cx);
}

/// A value is too long to be edited as text.
fn too_long(bytes: usize, state: &mut State) {
    let [has, fits] = [bytes, EDITED_TEXT_BYTES_MAX].map(|bytes| number::bytes(bytes as u64));
    say(
        format!("This value is {has} as text; the editor takes up to {fits}. Export it instead"),
        state,
    );
}
