//! Archives of expired documents.

use bson::{Bson, DateTime, Document, doc};

use super::{Effects, store::number};
use crate::action::ArchiveAction;
use crate::limits::ARCHIVE_PAGE_ROWS;
use crate::state::archive::{Archive, ArchiveDraft, PutBack, Status};
use crate::state::purpose::ArchivePurpose;
use crate::state::{Dialog, Namespace, Purpose, State};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(action: ArchiveAction, state: &mut State, effects: &mut Effects) {
    if let ArchiveAction::Open(namespace) = action {
        state.archive = Archive { namespace: Some(namespace.clone()), ..Archive::default() };
        state.dialogs.show(Dialog::Archive(ArchiveDraft::new(namespace)));
        return refresh(state, effects);
    }
    let Some(Namespace { collection, .. }) = state.archive.namespace.clone() else { return };
    match action {
        ArchiveAction::Open(_) => {}
        ArchiveAction::On(command) => change(ArchivePurpose::Switch, command, state, effects),
        ArchiveAction::Off => {
            let command = doc! { "mayflyArchive": collection, "off": true };
            change(ArchivePurpose::Switch, command, state, effects);
        }
        ArchiveAction::List(filter) => {
            state.archive.filter = filter;
            state.archive.clear_rows();
            list(state, effects, None);
        }
        ArchiveAction::More => {
            if let Some(next) = state.archive.next.take() {
                list(state, effects, Some(next));
            }
        }
        ArchiveAction::Show(at) => state.archive.shown = Some(at),
        ArchiveAction::Choose(at, chosen) => {
            if chosen {
                state.archive.chosen.insert(at);
            } else {
                state.archive.chosen.remove(&at);
            }
        }
        ArchiveAction::PutBack => {
            if let Some((_, command)) = state.archive.put_back_command() {
                change(ArchivePurpose::PutBack, command, state, effects);
            }
        }
        ArchiveAction::PutBackExpiring { with_date_now } => {
            let Some(result) = state.archive.result.take() else { return };
            let mut command =
                doc! { "mayflyRestoreArchived": collection, "ids": result.would_expire };
            if with_date_now {
                command.insert("setDate", DateTime::from_millis(state.now_ms()));
            } else {
                command.insert("force", true);
            }
            change(ArchivePurpose::PutBack, command, state, effects);
        }
    }
}

fn change(purpose: ArchivePurpose, command: Document, state: &mut State, effects: &mut Effects) {
    let Some(db) = state.archive.namespace.as_ref().map(|name| name.db.clone()) else { return };
    state.archive.is_waiting = true;
    state.archive.error = None;
    effects.write(state, Purpose::Archive(purpose), &db, command);
}

/// Asks for the archive again, and for its first page.
fn refresh(state: &mut State, effects: &mut Effects) {
    let Some(db) = state.archive.namespace.as_ref().map(|name| name.db.clone()) else { return };
    effects.read(
        state,
        Purpose::Archive(ArchivePurpose::Status),
        &db,
        doc! { "mayflyArchives": 1 },
    );
    list(state, effects, None);
}

fn list(state: &mut State, effects: &mut Effects, after: Option<Document>) {
    let Some(Namespace { db, collection }) = state.archive.namespace.clone() else { return };
    let is_first = after.is_none();
    let mut command = doc! { "mayflyArchived": collection, "limit": ARCHIVE_PAGE_ROWS };
    if let Some(filter) = &state.archive.filter {
        command.insert("filter", filter.clone());
    }
    if let Some(after) = after {
        command.insert("after", after);
    }
    effects.read(state, Purpose::Archive(ArchivePurpose::Page { is_first }), &db, command);
}

/// Documents of these collections were removed: the dialog shows what has come into the archive.
pub fn removed(
    namespaces: impl IntoIterator<Item = Namespace>,
    state: &mut State,
    effects: &mut Effects,
) {
    let Some(Dialog::Archive(draft)) = state.dialogs.open() else { return };
    let is_idle = state.archive.chosen.is_empty() && state.archive.shown.is_none();
    if is_idle && namespaces.into_iter().any(|namespace| namespace == draft.namespace) {
        refresh(state, effects);
    }
}

/// Takes over an answer.
pub fn answer(purpose: &ArchivePurpose, reply: &Reply, state: &mut State, effects: &mut Effects) {
    let archive = &mut state.archive;
    match (purpose, &reply.result) {
        (ArchivePurpose::Status, Ok(found)) => {
            archive.status = archive.namespace.as_ref().and_then(|name| status_of(found, name));
            archive.is_known = true;
        }
        (ArchivePurpose::Page { is_first }, Ok(found)) => {
            if *is_first {
                archive.clear_rows();
            }
            archive.error = None;
            archive.add(rows(found));
            archive.next = found.get_document("next").ok().cloned();
        }
        // Without an archive there is no page; the status says so.
        (ArchivePurpose::Page { .. }, Err(_)) if archive.status.is_none() => archive.clear_rows(),
        (ArchivePurpose::Switch, Ok(_)) => {
            archive.is_waiting = false;
            if let Some(Dialog::Archive(draft)) = state.dialogs.open_mut() {
                draft.settings = false;
                draft.is_filled = false;
            }
            refresh(state, effects);
        }
        (ArchivePurpose::PutBack, Ok(found)) => {
            archive.is_waiting = false;
            archive.chosen.clear();
            archive.result = Some(put_back(found));
        }
        (_, Err(error)) => {
            archive.is_waiting = false;
            archive.is_known = true;
            archive.error = Some(error.clone());
        }
    }
}

fn status_of(found: &Document, namespace: &Namespace) -> Option<Status> {
    let name = namespace.to_string();
    let archives = found.get_array("archives").ok()?;
    // The last is that of the collection as it is now; others belong to dropped ones.
    let found = archives
        .iter()
        .rev()
        .filter_map(Bson::as_document)
        .find(|one| one.get_str("ns").is_ok_and(|ns| ns == name))?;
    let text = |name| found.get_str(name).ok().map(ToOwned::to_owned);
    let instant = |name| found.get_datetime(name).ok().map(|at| at.timestamp_millis());
    Some(Status {
        on: found.get_bool("on").unwrap_or(false),
        target: text("target").unwrap_or_default(),
        max_bytes: number(found, "maxBytes"),
        max_age_secs: number(found, "maxAgeSecs"),
        problem: text("sentence").or_else(|| text("error")),
        documents: number(found, "documents").unwrap_or(0),
        segments: number(found, "segments").unwrap_or(0),
        bytes: number(found, "bytes").unwrap_or(0),
        oldest_ms: instant("oldest"),
        newest_ms: instant("newest"),
        unreadable: number(found, "unreadableBytes").unwrap_or(0),
    })
}

fn rows(found: &Document) -> Vec<(Bson, i64, String, Document)> {
    let batch = found.get_array("batch").map(Vec::as_slice).unwrap_or_default();
    let row = |row: &Document| {
        Some((
            row.get("_id")?.clone(),
            row.get_datetime("removed").ok()?.timestamp_millis(),
            row.get_str("index").ok()?.to_owned(),
            row.get_document("document").ok()?.clone(),
        ))
    };
    batch.iter().filter_map(Bson::as_document).filter_map(row).collect()
}

fn put_back(found: &Document) -> PutBack {
    let refusals = found.get_array("refusals").map(Vec::as_slice).unwrap_or_default();
    let first = refusals.first().and_then(Bson::as_document);
    PutBack {
        restored: number(found, "restored").unwrap_or(0),
        existing: number(found, "existing").unwrap_or(0),
        would_expire: found.get_array("wouldExpireIds").cloned().unwrap_or_default(),
        refused: first.and_then(|first| first.get_str("errmsg").ok()).map(ToOwned::to_owned),
        refusals: number(found, "refused").unwrap_or(0),
    }
}
