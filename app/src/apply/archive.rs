//! Archives of expired documents.

use bson::{Bson, Document};

use super::number::number;
use super::{Apply, TOO_MUCH};
use crate::action::ArchiveAction;
use crate::commands::archive;
use crate::limits::ARCHIVE_PAGE_ROWS;
use crate::state::archive::{Archive, ArchiveDraft, RestoreResult, Status};
use crate::state::purpose::ArchivePurpose;
use crate::state::toasts::Kind;
use crate::state::{Dialog, Namespace, Purpose, State};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(action: ArchiveAction, cx: &mut Apply<'_>) {
    match action {
        ArchiveAction::Open(namespace) => {
            cx.state.dialogs.show(Dialog::Archive(ArchiveDraft::new(namespace.clone())));
            return begin(namespace, cx);
        }
        ArchiveAction::Begin(namespace) => return begin(namespace, cx),
        _ => {}
    }
    let Some(of) = cx.state.archive.namespace.clone() else { return };
    match action {
        ArchiveAction::Open(_) | ArchiveAction::Begin(_) => {}
        ArchiveAction::On(command) => change(&of, ArchivePurpose::Switch, command, cx),
        ArchiveAction::Off(of) => {
            change(&of, ArchivePurpose::Switch, archive::turn_off(&of.collection), cx);
        }
        ArchiveAction::List(filter) => {
            cx.state.archive.filter = filter;
            cx.state.archive.clear_rows();
            list(cx, None);
        }
        ArchiveAction::More => {
            if let Some(next) = cx.state.archive.next.take() {
                cx.state.archive.asked = Some(next.clone());
                list(cx, Some(next));
            }
        }
        ArchiveAction::Show(at) => cx.state.archive.shown = Some(at),
        ArchiveAction::Choose(at, chosen) => {
            if chosen {
                cx.state.archive.chosen.insert(at);
            } else {
                cx.state.archive.chosen.remove(&at);
            }
        }
        ArchiveAction::Restore => {
            if let Some((_, command)) = cx.state.archive.restore_command() {
                change(&of, ArchivePurpose::Restore, command, cx);
            }
        }
        ArchiveAction::RestoreExpiring { with_date_now } => {
            let Some(result) = cx.state.archive.result.take() else { return };
            let RestoreResult { would_expire, filter, .. } = result;
            let date_ms = with_date_now.then(|| cx.state.now_ms());
            let filter = filter.as_ref();
            let command = archive::restore_expiring(&of.collection, would_expire, filter, date_ms);
            change(&of, ArchivePurpose::Restore, command, cx);
        }
    }
}

/// Restores documents of an archive; its dialog shows the result.
pub(super) fn restore_ids(of: &Namespace, ids: Vec<Bson>, cx: &mut Apply<'_>) {
    apply(ArchiveAction::Open(of.clone()), cx);
    change(of, ArchivePurpose::Restore, archive::restore(&of.collection, ids, None), cx);
}

/// Shows the status of this archive, if its dialog is the open one. A queued dialog starts when it
/// opens.
fn begin(namespace: Namespace, cx: &mut Apply<'_>) {
    match cx.state.dialogs.open() {
        Some(Dialog::Archive(draft)) if draft.namespace == namespace => {}
        _ => return,
    }
    cx.state.archive = Archive { namespace: Some(namespace), ..Archive::default() };
    refresh(cx);
}

fn change(of: &Namespace, purpose: ArchivePurpose, command: Document, cx: &mut Apply<'_>) {
    if cx.state.archive.namespace.as_ref() == Some(of) {
        cx.state.archive.is_waiting = true;
        cx.state.archive.error = None;
    }
    cx.write(Purpose::Archive(purpose), &of.db, command);
}

/// Queries the archive again, and its first page.
fn refresh(cx: &mut Apply<'_>) {
    let Some(db) = cx.state.archive.namespace.as_ref().map(|name| name.db.clone()) else { return };
    cx.read(Purpose::Archive(ArchivePurpose::Status), &db, archive::status());
    cx.state.archive.asked = None;
    list(cx, None);
}

fn list(cx: &mut Apply<'_>, after: Option<Document>) {
    let Some(Namespace { db, collection }) = cx.state.archive.namespace.clone() else { return };
    let is_first = after.is_none();
    let filter = cx.state.archive.filter.as_ref();
    let command = archive::page(&collection, ARCHIVE_PAGE_ROWS, filter, after);
    cx.read(Purpose::Archive(ArchivePurpose::Page { is_first }), &db, command);
}

/// Documents of these collections were removed: the dialog shows what has come into the archive.
pub fn removed(namespaces: impl IntoIterator<Item = Namespace>, cx: &mut Apply<'_>) {
    let Some(Dialog::Archive(draft)) = cx.state.dialogs.open() else { return };
    let is_idle = cx.state.archive.chosen.is_empty() && cx.state.archive.shown.is_none();
    if is_idle && namespaces.into_iter().any(|namespace| namespace == draft.namespace) {
        refresh(cx);
    }
}

/// Handles a reply, unless it is about a collection that is no longer shown.
pub fn answer(purpose: &ArchivePurpose, reply: &Reply, cx: &mut Apply<'_>) {
    if !is_of_shown(purpose, reply, &cx.state.archive) {
        return told_elsewhere(purpose, reply, cx.state);
    }
    let archive = &mut cx.state.archive;
    match (purpose, &reply.result) {
        (ArchivePurpose::Status, Ok(found)) => {
            archive.status = archive.namespace.as_ref().and_then(|name| status_of(found, name));
            archive.is_known = true;
        }
        (ArchivePurpose::Page { is_first }, _) if !is_asked(*is_first, reply, archive) => {}
        (ArchivePurpose::Page { is_first }, Ok(found)) => {
            if *is_first {
                archive.clear_rows();
            }
            archive.error = None;
            archive.asked = None;
            archive.add(rows(found));
            archive.next = found.get_document("next").ok().cloned();
        }
        // Without an archive there is no page; the status says so.
        (ArchivePurpose::Page { .. }, Err(_)) if archive.status.is_none() => archive.clear_rows(),
        (ArchivePurpose::Switch, Ok(_)) => {
            archive.is_waiting = false;
            // The fields are filled again, but not from the status before the change.
            archive.is_known = false;
            if let Some(Dialog::Archive(draft)) = cx.state.dialogs.open_mut() {
                draft.settings = false;
                draft.is_filled = false;
            }
            refresh(cx);
        }
        (ArchivePurpose::Restore, Ok(found)) => {
            archive.is_waiting = false;
            archive.chosen.clear();
            let filter = reply.command.get_document("filter").ok().cloned();
            archive.result =
                Some(RestoreResult { filter, ..restore_result(found, &reply.command) });
        }
        (ArchivePurpose::Status, Err(error)) => {
            archive.is_known = true;
            failed(error, archive);
            // The earlier settings may have been changed since, so the typed text is nearer to
            // them.
            if let Some(Dialog::Archive(draft)) = cx.state.dialogs.open_mut() {
                draft.is_filled = true;
            }
        }
        (_, Err(error)) => failed(error, archive),
    }
}

fn failed(error: &str, archive: &mut Archive) {
    archive.is_waiting = false;
    archive.error = Some(error.to_owned());
    // The page can be requested again.
    archive.next = archive.next.take().or(archive.asked.take());
}

/// A command came back without having been done, because too much was asked at once.
pub fn dropped(purpose: &ArchivePurpose, state: &mut State) {
    if !matches!(purpose, ArchivePurpose::Status) {
        failed(TOO_MUCH, &mut state.archive);
    }
}

fn is_of_shown(purpose: &ArchivePurpose, reply: &Reply, archive: &Archive) -> bool {
    let Some(shown) = &archive.namespace else { return false };
    let of = reply.command.iter().next().and_then(|(_, value)| value.as_str());
    reply.db == shown.db && (*purpose == ArchivePurpose::Status || of == Some(&*shown.collection))
}

/// Whether the page is the last one requested, with the current filter.
fn is_asked(is_first: bool, reply: &Reply, archive: &Archive) -> bool {
    let (filter, after) = (reply.command.get("filter"), reply.command.get_document("after").ok());
    archive.is_listed_by(filter.and_then(Bson::as_document))
        && (is_first || after == archive.asked.as_ref())
}

/// A change of an archive whose dialog has been closed: only a failure is reported.
fn told_elsewhere(purpose: &ArchivePurpose, reply: &Reply, state: &mut State) {
    if let (ArchivePurpose::Switch | ArchivePurpose::Restore, Err(error)) = (purpose, &reply.result)
    {
        state.toasts.push(Kind::Error, error.clone(), None, state.uptime);
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
        missing: number(found, "missingDocuments").unwrap_or(0),
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

/// A reply lists only some of the `_id`s that would expire. Then all that were asked for are among
/// those of the second step, which passes the ones that exist by now.
fn restore_result(found: &Document, command: &Document) -> RestoreResult {
    let ids = |of: &Document, name| of.get_array(name).cloned().unwrap_or_default();
    let listed = ids(found, "wouldExpireIds");
    let expiring = number(found, "wouldExpire").unwrap_or(listed.len() as u64);
    let is_whole = expiring <= listed.len() as u64;
    let refusals = found.get_array("refusals").map(Vec::as_slice).unwrap_or_default();
    let first = refusals.first().and_then(Bson::as_document);
    RestoreResult {
        restored: number(found, "restored").unwrap_or(0),
        existing: number(found, "existing").unwrap_or(0),
        expiring,
        would_expire: if is_whole { listed } else { ids(command, "ids") },
        refused: first.and_then(|first| first.get_str("errmsg").ok()).map(ToOwned::to_owned),
        refusals: number(found, "refused").unwrap_or(0),
        filter: None,
    }
}

#[cfg(test)]
mod tests {
    use bson::{DateTime, doc};

    use super::*;
    use crate::apply::Effects;

    /// The pages that were asked for.
    fn pages(effects: &mut Effects) -> Vec<(bool, Document)> {
        let jobs = std::mem::take(&mut effects.jobs).into_iter();
        jobs.filter_map(|job| match job.purpose() {
            Some(Purpose::Archive(ArchivePurpose::Page { is_first })) => {
                Some((*is_first, job.command()?.1.clone()))
            }
            _ => None,
        })
        .collect()
    }

    fn commands(effects: &Effects) -> Vec<Document> {
        effects.jobs.iter().filter_map(|job| Some(job.command()?.1.clone())).collect()
    }

    fn page(id: i32, next: Option<i64>) -> Document {
        let row = doc! {
            "_id": id, "removed": DateTime::from_millis(0), "index": "at_1",
            "document": { "_id": id },
        };
        let mut found = doc! { "batch": [row] };
        if let Some(next) = next {
            found.insert("next", doc! { "at": next });
        }
        found
    }

    struct Bench {
        state: State,
        effects: Effects,
    }

    impl Bench {
        fn ask(&mut self, action: ArchiveAction) -> (bool, Document) {
            apply(action, &mut Apply::new(&mut self.state, &mut self.effects));
            pages(&mut self.effects).remove(0)
        }

        /// Opens a dialog in the place of the one that is open.
        fn open(&mut self, collection: &str) -> (bool, Document) {
            self.state.dialogs.close();
            self.ask(ArchiveAction::Open(Namespace::new("d", collection)))
        }

        fn answer(&mut self, asked: &(bool, Document), found: Document) {
            let (is_first, command) = asked.clone();
            let (db, result) = ("d".to_owned(), Ok(found));
            let reply = Reply { db, command, result, code: None, micros: 1 };
            let purpose = ArchivePurpose::Page { is_first };
            answer(&purpose, &reply, &mut Apply::new(&mut self.state, &mut self.effects));
        }

        fn ids(&self) -> Vec<Bson> {
            self.state.archive.rows.iter().map(|row| row.id.clone()).collect()
        }
    }

    fn bench() -> Bench {
        Bench { state: State::default(), effects: Effects::default() }
    }

    #[test]
    fn a_page_of_another_collection_is_not_shown() {
        let mut bench = bench();
        let of_a = bench.open("a");
        let of_b = bench.open("b");
        bench.answer(&of_a, page(1, None));
        assert_eq!(bench.ids(), []);
        bench.answer(&of_b, page(2, None));
        assert_eq!(bench.ids(), [Bson::Int32(2)]);
    }

    #[test]
    fn a_page_of_another_filter_or_another_place_is_not_shown() {
        let mut bench = bench();
        let all = bench.open("a");
        bench.answer(&all, page(1, Some(5)));
        let more = bench.ask(ArchiveAction::More);
        let some = bench.ask(ArchiveAction::List(Some(doc! { "n": 1 })));
        bench.answer(&more, page(2, None));
        assert_eq!(bench.ids(), [], "the filter is another one");
        bench.answer(&some, page(3, Some(7)));
        let more = bench.ask(ArchiveAction::More);
        bench.answer(&more, page(4, None));
        bench.answer(&more, page(4, None));
        assert_eq!(bench.ids(), [Bson::Int32(3), Bson::Int32(4)], "a page is shown once");
    }

    #[test]
    fn a_page_by_a_filter_that_is_not_equal_to_itself_is_shown() {
        let mut bench = bench();
        bench.open("a");
        let some = bench.ask(ArchiveAction::List(Some(doc! { "n": f64::NAN })));
        bench.answer(&some, page(3, None));
        assert_eq!(bench.ids(), [Bson::Int32(3)]);
    }

    #[test]
    fn the_second_step_of_putting_back_picks_from_the_same_documents() {
        let mut bench = bench();
        bench.open("a");
        let command = archive::restore("a", vec![Bson::Int32(1)], Some(&doc! { "n": 1 }));
        let result = Ok(doc! { "restored": 0, "wouldExpireIds": [1] });
        let reply = Reply { db: "d".to_owned(), command, result, code: None, micros: 1 };
        answer(
            &ArchivePurpose::Restore,
            &reply,
            &mut Apply::new(&mut bench.state, &mut bench.effects),
        );
        // Something else is listed by now.
        bench.ask(ArchiveAction::List(Some(doc! { "n": 2 })));
        bench.effects.jobs.clear();
        let action = ArchiveAction::RestoreExpiring { with_date_now: false };
        apply(action, &mut Apply::new(&mut bench.state, &mut bench.effects));
        let expected = doc! {
            "mayflyRestoreArchived": "a", "ids": [1], "filter": { "n": 1 }, "force": true,
        };
        assert_eq!(commands(&bench.effects), [expected]);
    }

    #[test]
    fn all_that_would_expire_are_in_the_second_step() {
        let found = doc! { "wouldExpire": 2, "wouldExpireIds": [1] };
        let result = restore_result(&found, &doc! { "ids": [1, 2, 3] });
        assert_eq!((result.expiring, result.would_expire.len()), (2, 3));
    }

    #[test]
    fn after_a_change_the_fields_wait_for_what_the_store_says() {
        let mut bench = bench();
        bench.open("a");
        let shown = |bench: &mut Bench| {
            let archive = &bench.state.archive;
            let (known, status) = (archive.is_known, archive.status.clone());
            let Some(Dialog::Archive(draft)) = bench.state.dialogs.open_mut() else {
                panic!("no dialog")
            };
            if known {
                draft.fill(status.as_ref());
            }
            draft.size.clone()
        };
        let says = |bench: &mut Bench, mb: i64| {
            let archive = doc! { "ns": "d.a", "on": true, "maxBytes": mb * 1_000_000 };
            let result = Ok(doc! { "archives": [archive] });
            let command = doc! { "mayflyArchives": 1 };
            let reply = Reply { db: "d".to_owned(), command, result, code: None, micros: 1 };
            answer(
                &ArchivePurpose::Status,
                &reply,
                &mut Apply::new(&mut bench.state, &mut bench.effects),
            );
        };
        says(&mut bench, 1);
        assert_eq!(shown(&mut bench), "1");
        let (command, result) = (doc! { "mayflyArchive": "a" }, Ok(doc! { "ok": 1.0 }));
        let reply = Reply { db: "d".to_owned(), command, result, code: None, micros: 1 };
        answer(
            &ArchivePurpose::Switch,
            &reply,
            &mut Apply::new(&mut bench.state, &mut bench.effects),
        );
        shown(&mut bench);
        let (_, command) = pages(&mut bench.effects).remove(0);
        let reply = Reply {
            db: "d".to_owned(),
            command,
            result: Err("no".to_owned()),
            code: None,
            micros: 1,
        };
        let purpose = ArchivePurpose::Page { is_first: true };
        answer(&purpose, &reply, &mut Apply::new(&mut bench.state, &mut bench.effects));
        shown(&mut bench);
        says(&mut bench, 2);
        assert_eq!(shown(&mut bench), "2");
    }

    #[test]
    fn a_change_that_fails_behind_another_dialog_is_told() {
        let mut bench = bench();
        bench.open("a");
        bench.open("b");
        bench.state.archive.is_waiting = true;
        let (command, result) = (doc! { "mayflyArchive": "a" }, Err("no".to_owned()));
        let reply = Reply { db: "d".to_owned(), command, result, code: None, micros: 1 };
        answer(
            &ArchivePurpose::Switch,
            &reply,
            &mut Apply::new(&mut bench.state, &mut bench.effects),
        );
        assert!(bench.state.archive.is_waiting && bench.state.archive.error.is_none());
        assert_eq!(bench.state.toasts.list().len(), 1);
    }

    #[test]
    fn a_page_that_failed_can_be_asked_for_again() {
        let mut bench = bench();
        let all = bench.open("a");
        bench.answer(&all, page(1, Some(5)));
        bench.state.archive.status = Some(Status::default());
        let (_, command) = bench.ask(ArchiveAction::More);
        assert_eq!(bench.state.archive.next, None);
        let reply = Reply {
            db: "d".to_owned(),
            command,
            result: Err("no".to_owned()),
            code: None,
            micros: 1,
        };
        let purpose = ArchivePurpose::Page { is_first: false };
        answer(&purpose, &reply, &mut Apply::new(&mut bench.state, &mut bench.effects));
        assert_eq!(bench.state.archive.next, Some(doc! { "at": 5_i64 }));
        bench.state.archive.is_waiting = true;
        dropped(&ArchivePurpose::Restore, &mut bench.state);
        assert!(!bench.state.archive.is_waiting && bench.state.archive.error.is_some());
    }
}
