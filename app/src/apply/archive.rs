//! Archives of expired documents.

mod changes;
mod reads;

use bson::{Bson, Document};

use self::changes::{RestoreArchived, SwitchArchive};
use self::reads::{list, refresh};
use super::Apply;
use super::question::Question;
use crate::action::ArchiveAction;
use crate::commands::archive;
use crate::state::archive::{Archive, ArchiveDraft, RestoreResult};
use crate::state::{Dialog, Namespace};
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
        ArchiveAction::On(command) => change(&of, SwitchArchive, command, cx),
        ArchiveAction::Off(of) => {
            change(&of, SwitchArchive, archive::turn_off(&of.collection), cx);
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
                change(&of, RestoreArchived, command, cx);
            }
        }
        ArchiveAction::RestoreExpiring { with_date_now } => {
            let Some(result) = cx.state.archive.result.take() else { return };
            let RestoreResult { would_expire, filter, .. } = result;
            let date_ms = with_date_now.then(|| cx.state.now_ms());
            let filter = filter.as_ref();
            let command = archive::restore_expiring(&of.collection, would_expire, filter, date_ms);
            change(&of, RestoreArchived, command, cx);
        }
    }
}

/// Restores documents of an archive; its dialog shows the result.
pub(super) fn restore_ids(of: &Namespace, ids: Vec<Bson>, cx: &mut Apply<'_>) {
    apply(ArchiveAction::Open(of.clone()), cx);
    change(of, RestoreArchived, archive::restore(&of.collection, ids, None), cx);
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

fn change<Q: Question<Answer = Reply>>(
    of: &Namespace,
    question: Q,
    command: Document,
    cx: &mut Apply<'_>,
) {
    if cx.state.archive.namespace.as_ref() == Some(of) {
        cx.state.archive.is_waiting = true;
        cx.state.archive.error = None;
    }
    cx.change(question, &of.db, command);
}

/// Documents of these collections were removed: the dialog shows what has come into the archive.
pub fn removed(namespaces: impl IntoIterator<Item = Namespace>, cx: &mut Apply<'_>) {
    let Some(Dialog::Archive(draft)) = cx.state.dialogs.open() else { return };
    let is_idle = cx.state.archive.chosen.is_empty() && cx.state.archive.shown.is_none();
    if is_idle && namespaces.into_iter().any(|namespace| namespace == draft.namespace) {
        refresh(cx);
    }
}

#[cfg(test)]
mod tests {
    use crate::apply::archive::reads::ArchiveStatus;
    use crate::apply::archive::reads::ListArchived;
    use bson::{DateTime, doc};

    use super::*;
    use crate::apply::Effects;
    use crate::state::State;
    use crate::state::archive::Status;

    /// The pages that were asked for.
    fn pages(effects: &mut Effects) -> Vec<(bool, Document)> {
        let jobs = std::mem::take(&mut effects.jobs).into_iter();
        jobs.filter_map(|job| {
            let page = job.key.question::<ListArchived>()?;
            Some((page.is_first, job.command()?.1.clone()))
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
            let page = ListArchived { is_first };
            page.answered(0, reply, &mut Apply::new(&mut self.state, &mut self.effects));
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
        RestoreArchived.answered(0, reply, &mut Apply::new(&mut bench.state, &mut bench.effects));
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
        let result = changes::restore_result(&found, &doc! { "ids": [1, 2, 3] });
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
            ArchiveStatus.answered(0, reply, &mut Apply::new(&mut bench.state, &mut bench.effects));
        };
        says(&mut bench, 1);
        assert_eq!(shown(&mut bench), "1");
        let (command, result) = (doc! { "mayflyArchive": "a" }, Ok(doc! { "ok": 1.0 }));
        let reply = Reply { db: "d".to_owned(), command, result, code: None, micros: 1 };
        SwitchArchive.answered(0, reply, &mut Apply::new(&mut bench.state, &mut bench.effects));
        shown(&mut bench);
        let (_, command) = pages(&mut bench.effects).remove(0);
        let reply = Reply {
            db: "d".to_owned(),
            command,
            result: Err("no".to_owned()),
            code: None,
            micros: 1,
        };
        let page = ListArchived { is_first: true };
        page.answered(0, reply, &mut Apply::new(&mut bench.state, &mut bench.effects));
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
        SwitchArchive.answered(0, reply, &mut Apply::new(&mut bench.state, &mut bench.effects));
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
        let page = ListArchived { is_first: false };
        page.answered(0, reply, &mut Apply::new(&mut bench.state, &mut bench.effects));
        assert_eq!(bench.state.archive.next, Some(doc! { "at": 5_i64 }));
        bench.state.archive.is_waiting = true;
        let command = archive::restore("a", vec![Bson::Int32(1)], None);
        let reply = Reply::new("d".to_owned(), command, Err("too much".to_owned()), 0);
        let cx = &mut Apply::new(&mut bench.state, &mut bench.effects);
        RestoreArchived.answered(0, reply, cx);
        assert!(!bench.state.archive.is_waiting && bench.state.archive.error.is_some());
    }
}
