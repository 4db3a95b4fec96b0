//! Changes of documents. Each one is checked first: what is replaced must still be what was opened.
//! Typed text survives every failure.

use std::collections::BTreeSet;

use bson::{Bson, Document, oid::ObjectId};

use super::tab::with;
use super::{bulk, reading};
use crate::apply::lock;
use crate::apply::question::Question;
use crate::apply::{Apply, WindowEffect};
use crate::job::bulk::BulkChange;
use crate::job::reply::documents;
use crate::job::reply::number;
use crate::limits::EDITED_TEXT_BYTES_MAX;
use crate::state::documents::change::{self, has_same_id, id_of, is_same};
use crate::state::documents::editor::{Editor, Phase};
use crate::state::documents::undo::Change;
use crate::state::documents::view::key;
use crate::state::documents::{Dialog, DocumentsView, Mode, Origin, SavedCell, Step, Writing};
use crate::state::number::{bytes, counted};
use crate::state::offer::Offer;
use crate::state::toasts::Kind;
use crate::state::{Dialog as AnyDialog, State, TabId};
use crate::worker::Reply;

/// Opens the editor for a new document.
pub fn open_add(tab: TabId, state: &mut State) {
    let editor = Box::new(Editor::add(ObjectId::new(), state.now_ms()));
    state.dialogs.show(AnyDialog::Documents(tab, Dialog::Editor(editor)));
}

/// Opens the editor for documents from the clipboard. Without `text` it asks the system for what
/// the clipboard holds, which comes as input of a later frame.
pub fn open_paste(tab: TabId, text: Option<String>, cx: &mut Apply<'_>) {
    if text.as_ref().is_some_and(|text| text.len() > EDITED_TEXT_BYTES_MAX) {
        let words = format!(
            "The clipboard holds more than {}; save it to a file and import that",
            bytes(EDITED_TEXT_BYTES_MAX as u64)
        );
        cx.warn(words);
        return;
    }
    if text.is_none() {
        cx.window(WindowEffect::Paste);
    }
    let now_ms = cx.state.now_ms();
    let editor = Box::new(Editor::paste(text.unwrap_or_default(), ObjectId::new(), now_ms));
    cx.state.dialogs.show(AnyDialog::Documents(tab, Dialog::Editor(editor)));
}

/// The open editor of this tab.
fn editor(tab: TabId, state: &mut State) -> Option<&mut Editor> {
    match state.dialogs.open_mut() {
        Some(AnyDialog::Documents(of, Dialog::Editor(editor))) if *of == tab => Some(editor),
        _ => None,
    }
}

pub fn save_editor(tab: TabId, cx: &mut Apply<'_>) {
    let now_ms = cx.state.now_ms();
    let Some(editor) = editor(tab, cx.state) else { return };
    editor.read_at(now_ms);
    let Some(step) = editor.step().filter(|_| editor.phase != Phase::Busy) else { return };
    if begin(tab, step, Origin::Person, cx)
        && let Some(editor) = self::editor(tab, cx.state)
    {
        editor.phase = Phase::Busy;
    }
}

/// Puts the store's version into the editor in place of what was typed.
pub fn take_theirs(tab: TabId, state: &mut State) {
    let now_ms = state.now_ms();
    if let Some(editor) = editor(tab, state)
        && let Phase::Changed(theirs) = &editor.phase
    {
        *editor = Editor::edit(theirs.clone(), editor.base, now_ms);
    }
}

/// Replaces a document, in one step that can be undone.
pub fn replace(tab: TabId, before: Document, after: Document, cx: &mut Apply<'_>) {
    begin(tab, Step::Replace { before, after }, Origin::Person, cx);
}

/// Saves the value that is under edit.
pub fn save_field(tab: TabId, cx: &mut Apply<'_>) {
    let now_ms = cx.state.now_ms();
    let draft = &mut cx.state.drafts.tab(tab).documents;
    let Some(edit) = &draft.field else { return };
    let Ok(after) = edit.edited(now_ms) else { return };
    let before = edit.opened.clone();
    if is_same(&before, &after) {
        draft.field = None;
        return;
    }
    begin(tab, Step::Replace { before, after }, Origin::Person, cx);
}

/// Deletes a document. It is read first, so that it can be undone.
pub fn delete(tab: TabId, id: Bson, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    open.documents.confirming = None;
    let command = change::read(&open.namespace.collection, &[id]);
    if reserve(tab, Step::Delete(Vec::new()), Origin::Person, cx.state) {
        write(tab, DeleteRead(tab), command, cx);
    }
}

/// Takes the last change back.
pub fn undo(tab: TabId, cx: &mut Apply<'_>) {
    let is_there = cx.state.tabs.get(tab).is_some_and(|open| open.documents.undo.can_undo());
    if is_busy(tab, cx.state) || !is_there || lock::refuses(cx.state) {
        return;
    }
    let step = cx.state.tabs.get_mut(tab).and_then(|open| open.documents.undo.undo());
    match step {
        Some(Change::One(step)) => {
            begin(tab, step, Origin::Undo, cx);
        }
        Some(Change::Many(made)) => bulk::start(tab, BulkChange::Back(made), Origin::Undo, cx),
        None => {}
    }
}

/// Makes the change again that was taken back.
pub fn redo(tab: TabId, cx: &mut Apply<'_>) {
    let is_there = cx.state.tabs.get(tab).is_some_and(|open| open.documents.undo.can_redo());
    if is_busy(tab, cx.state) || !is_there || lock::refuses(cx.state) {
        return;
    }
    let step = cx.state.tabs.get_mut(tab).and_then(|open| open.documents.undo.redo());
    match step {
        Some(Change::One(step)) => {
            begin(tab, step, Origin::Redo, cx);
        }
        Some(Change::Many(made)) => bulk::start(tab, BulkChange::Again(made), Origin::Redo, cx),
        None => {}
    }
}

/// Gives up a change that could not be taken back or made again: whatever is in its way may stay
/// there for good, and the earlier changes must not wait for it.
pub fn skip(tab: TabId, origin: Origin, state: &mut State) {
    if is_busy(tab, state) {
        return;
    }
    take_offers(tab, state);
    let Some(open) = state.tabs.get_mut(tab) else { return };
    let undo = &mut open.documents.undo;
    let (skipped, left, keys) = match origin {
        Origin::Redo => (undo.redo(), undo.can_redo(), "press Ctrl+Shift+Z to redo the next one"),
        _ => (undo.undo(), undo.can_undo(), "press Ctrl+Z to undo the previous one"),
    };
    if skipped.is_some() {
        let then = if left { keys } else { "nothing else to undo" };
        let text = format!("Change skipped; {then}");
        state.toast(Kind::Info, text);
    }
}

/// The button on a message about a change that could not be taken back or made again.
pub(super) fn offer(tab: TabId, origin: Origin) -> Option<(String, Offer)> {
    let offer = match origin {
        Origin::Person => return None,
        Origin::Undo => Offer::SkipUndo(tab),
        Origin::Redo => Offer::SkipRedo(tab),
    };
    Some(("Skip this change".to_owned(), offer))
}

/// Takes the buttons away that would skip a change: it is another one now.
fn take_offers(tab: TabId, state: &mut State) {
    for offer in [Offer::SkipUndo(tab), Offer::SkipRedo(tab)] {
        state.toasts.take_buttons(&offer);
    }
}

/// Whether a change of this tab is under way.
pub(super) fn is_busy(tab: TabId, state: &State) -> bool {
    state.bulk.iter().any(|run| run.tab == Some(tab))
        || state.tabs.get(tab).is_none_or(|open| open.documents.writing.is_some())
}

/// Says why another change is not made now.
pub(super) fn tell_busy(state: &mut State) {
    let text = "The last change is still being saved; try again in a moment";
    state.toast(Kind::Warning, text);
}

/// Takes the one place for a change on its way. Returns whether it was free.
fn reserve(tab: TabId, step: Step, origin: Origin, state: &mut State) -> bool {
    if is_busy(tab, state) {
        tell_busy(state);
        return false;
    }
    with(state, tab, |view| {
        view.writing = Some(Writing { step, origin, loose: false });
    });
    true
}

fn begin(tab: TabId, step: Step, origin: Origin, cx: &mut Apply<'_>) -> bool {
    let Some(collection) = cx.state.tabs.get(tab).map(|open| open.namespace.collection.clone())
    else {
        return false;
    };
    let (is_checked, command) = match &step {
        Step::Replace { before, .. } => (true, change::read(&collection, &[id_of(before)])),
        other => (false, other.command(&collection, false)),
    };
    let free = reserve(tab, step, origin, cx.state);
    match (free, is_checked) {
        (true, true) => write(tab, Check(tab), command, cx),
        (true, false) => write(tab, Write(tab), command, cx),
        (false, _) => {}
    }
    free
}

/// Every part of a change goes through the writing lane, so that nothing of this window comes
/// between them.
fn write(tab: TabId, part: impl Question<Answer = Reply>, command: Document, cx: &mut Apply<'_>) {
    let Some(db) = cx.state.tabs.get(tab).map(|open| open.namespace.db.clone()) else { return };
    cx.change(part, &db, command);
}

/// The document as it is now, before it is replaced: is it still what was opened?
#[derive(Debug, PartialEq)]
struct Check(TabId);

impl Question for Check {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Some(open) = cx.state.tabs.get(self.0) else { return };
        let Some(writing) = open.documents.writing.clone() else { return };
        let Step::Replace { before, .. } = &writing.step else { return };
        let now = match &reply.result {
            Ok(found) => documents(found).into_iter().next(),
            Err(error) => return failed(self.0, error, cx.state),
        };
        match now {
            Some(now) if is_same(&now, before) => {
                let command = writing.step.command(&open.namespace.collection, writing.loose);
                write(self.0, Write(self.0), command, cx);
            }
            now => conflict(self.0, now, cx.state),
        }
    }
}

/// The document as it is now, before it is deleted.
#[derive(Debug, PartialEq)]
struct DeleteRead(TabId);

impl Question for DeleteRead {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let found = match &reply.result {
            Ok(found) => documents(found),
            Err(error) => return failed(self.0, error, cx.state),
        };
        let Some(open) = cx.state.tabs.get_mut(self.0) else { return };
        let Some(writing) = open.documents.writing.as_mut() else { return };
        if found.is_empty() {
            open.documents.writing = None;
            let text = "Nothing to delete: the document was already removed";
            cx.toast(Kind::Info, text);
            reading::refresh(self.0, cx);
            return;
        }
        writing.step = Step::Delete(found);
        let command = writing.step.command(&open.namespace.collection, false);
        write(self.0, Write(self.0), command, cx);
    }
}

/// A change of documents.
#[derive(Debug, PartialEq)]
struct Write(TabId);

impl Question for Write {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let tab = self.0;
        let found = match &reply.result {
            Ok(found) => found,
            Err(error) => return failed(tab, error, cx.state),
        };
        let count = number(found, "n").and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
        let refused = first_write_error(found);
        let Some(open) = cx.state.tabs.get_mut(tab) else { return };
        let Some(writing) = open.documents.writing.as_mut() else { return };
        match (&mut writing.step, refused) {
            (Step::Replace { .. }, Some(error)) => failed(tab, &error, cx.state),
            (Step::Replace { before, .. }, None) if count == 0 => {
                // The guard did not match. Compare again: if the document is as it was, its values
                // are ones that a filter can't compare, and its `_id` alone must do.
                if writing.loose {
                    return conflict(tab, None, cx.state);
                }
                let command = change::read(&open.namespace.collection, &[id_of(before)]);
                writing.loose = true;
                write(tab, Check(tab), command, cx);
            }
            (Step::Insert(all), Some(error)) if count > 0 => {
                let error = format!(
                    "Inserted {} of {}, then failed: {error}",
                    crate::state::number::count(count as u64),
                    crate::state::number::count(all.len() as u64)
                );
                let rest = all.split_off(count.min(all.len()));
                let (inserted, origin) = (std::mem::take(all), writing.origin);
                *all = rest;
                note(tab, Step::Insert(inserted), origin, cx.state);
                failed(tab, &error, cx.state);
                reading::refresh(tab, cx);
            }
            (Step::Insert(_) | Step::Delete(_), Some(error)) if count == 0 => {
                failed(tab, &error, cx.state);
            }
            _ => done(tab, count, cx),
        }
    }
}

/// Notes a change that was made. A message that offers to take an earlier one back no longer does:
/// it would take this one back.
pub(super) fn note(tab: TabId, change: impl Into<Change>, origin: Origin, state: &mut State) {
    with(state, tab, |view| view.undo.note(change, origin));
    state.toasts.take_buttons(&Offer::Undo(tab));
    take_offers(tab, state);
}

fn done(tab: TabId, count: usize, cx: &mut Apply<'_>) {
    let writing = cx.state.tabs.get_mut(tab).and_then(|open| open.documents.writing.take());
    let Some(Writing { step, origin, .. }) = writing else { return };
    if editor(tab, cx.state).is_some_and(|editor| editor.phase == Phase::Busy) {
        cx.state.dialogs.close();
    }
    let mut saved = None;
    if let Step::Replace { after, .. } = &step {
        saved = saved_cell(tab, after, cx.state);
        forget_field(tab, after, cx.state);
        reading::learn(tab, after, cx.state);
    }
    let what = counted(count as u64, "document", "documents");
    let said = match origin {
        Origin::Person => format!("{} {what}", step.done()),
        Origin::Undo => format!("Undone: {} {what}", step.done().to_lowercase()),
        Origin::Redo => format!("Redone: {} {what}", step.done().to_lowercase()),
    };
    let deleted = matches!(step, Step::Delete(_));
    if let Step::Delete(documents) = &step {
        let gone: BTreeSet<String> = documents.iter().map(|it| key(&id_of(it))).collect();
        with(cx.state, tab, |view| view.selected.forget(&gone));
    }
    note(tab, step, origin, cx.state);
    let can_undo = cx.state.tabs.get(tab).is_some_and(|open| open.documents.undo.can_undo());
    let said = match origin {
        Origin::Person if !can_undo => format!("{said}; too large to undo"),
        _ => said,
    };
    let undo = (deleted && origin == Origin::Person && can_undo)
        .then(|| ("Undo".to_owned(), Offer::Undo(tab)));
    // Where the user looks at the value, the cell says it. The list of messages has it all the same.
    if let Some(cell) = saved.filter(|_| origin == Origin::Person && can_undo) {
        with(cx.state, tab, |view| view.saved_cell = Some(cell));
        cx.state.toasts.note(Kind::Done, &said, cx.state.uptime);
    } else {
        cx.state.toasts.push(Kind::Done, said, undo, cx.state.uptime);
    }
    reading::refresh(tab, cx);
}

/// The cell of the table in which the value was edited that is now saved.
fn saved_cell(tab: TabId, after: &Document, state: &mut State) -> Option<SavedCell> {
    let is_table = state.tabs.get(tab)?.documents.mode == Mode::Table;
    let since = state.uptime;
    let edit = state.drafts.tab(tab).documents.field.as_ref()?;
    let is_it = is_table && edit.in_list && has_same_id(&edit.opened, after);
    is_it.then(|| SavedCell { id: id_of(after), names: edit.names.clone(), since })
}

/// The document has changed since it was opened. The typed text stays, next to the other version.
fn conflict(tab: TabId, now: Option<Document>, state: &mut State) {
    let Some(open) = state.tabs.get_mut(tab) else { return };
    let Some(writing) = open.documents.writing.clone() else { return };
    open.documents.give_up();
    let Step::Replace { before, after } = writing.step else { return };
    if writing.origin != Origin::Person {
        let what = if writing.origin == Origin::Redo { "redo" } else { "undo" };
        let why = if now.is_some() { "has changed since" } else { "has been removed" };
        let text = format!("Can't {what}: the document {why}");
        take_offers(tab, state);
        state.toasts.push(Kind::Warning, text, offer(tab, writing.origin), state.uptime);
        return;
    }
    let phase = now.map_or(Phase::Gone, Phase::Changed);
    // The open editor may be another document's by now: this version is not for it.
    if let Some(editor) = editor(tab, state).filter(|editor| editor.is_of(&before)) {
        editor.phase = phase;
        return;
    }
    forget_field(tab, &before, state);
    // It was edited in its place: the editor shows both versions.
    let mut editor = Editor::edit(before, ObjectId::new(), state.now_ms());
    editor.text = crate::state::documents::editor::text_of(&after);
    editor.changed(state.now_ms());
    editor.phase = phase;
    state.dialogs.show_kept(AnyDialog::Documents(tab, Dialog::Editor(Box::new(editor))));
}

/// The text typed in the inspector into this document has arrived by another way.
fn forget_field(tab: TabId, document: &Document, state: &mut State) {
    let field = &mut state.drafts.tab(tab).documents.field;
    field.take_if(|edit| has_same_id(&edit.opened, document));
}

fn failed(tab: TabId, error: &str, state: &mut State) {
    let writing = state.tabs.get(tab).and_then(|open| open.documents.writing.as_ref());
    let offer = writing.and_then(|writing| offer(tab, writing.origin));
    with(state, tab, DocumentsView::give_up);
    if offer.is_some() {
        take_offers(tab, state);
    }
    match editor(tab, state) {
        Some(editor) if editor.phase == Phase::Busy => {
            editor.phase = Phase::Failed(error.to_owned());
        }
        _ => state.toasts.push(Kind::Error, error.to_owned(), offer, state.uptime),
    }
}

/// Why the store refused a part of a change.
pub fn first_write_error(found: &Document) -> Option<String> {
    let errors = found.get_array("writeErrors").ok()?;
    let message = errors.first()?.as_document()?.get_str("errmsg");
    Some(message.unwrap_or("The store rejected the change").to_owned())
}
