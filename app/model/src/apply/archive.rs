//! Archives of removed documents.

mod changes;
mod reads;

use bson::Document;

use self::changes::{RestoreArchived, SwitchArchive};
use self::reads::{list, refresh};
use super::Apply;
use super::question::Question;
use crate::action::ArchiveAction;
use crate::commands::archive;
use crate::state::archive::Archive;
use crate::state::{Dialog, Namespace};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(action: ArchiveAction, cx: &mut Apply<'_>) {
    let Some(of) = cx.state.archive.namespace.clone() else { return };
    match action {
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
    }
}

/// Queries the archive of the collection that the dialog lists.
pub(super) fn begin(namespace: Option<Namespace>, cx: &mut Apply<'_>) {
    let is_some = namespace.is_some();
    cx.state.archive = Archive { namespace, ..Archive::default() };
    if is_some {
        refresh(cx);
    }
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

/// Documents of these collections were removed or archived: the dialog shows what waits and what has
/// come into the archive.
pub fn changed(namespaces: impl IntoIterator<Item = Namespace>, cx: &mut Apply<'_>) {
    let Some(Dialog::Trash(_)) = cx.state.dialogs.open() else { return };
    let is_idle = cx.state.archive.chosen.is_empty() && cx.state.archive.shown.is_none();
    let shown = cx.state.archive.namespace.as_ref();
    if is_idle && namespaces.into_iter().any(|namespace| Some(&namespace) == shown) {
        refresh(cx);
    }
}

#[cfg(test)]
mod tests {
    use bson::{Bson, DateTime, doc};

    use super::*;
    use crate::apply::Effects;
    use crate::apply::archive::reads::{ArchiveStatus, ListArchived};
    use crate::state::State;
    use crate::state::archive::{ArchiveDraft, Status};
    use crate::state::trash::TrashDraft;

    /// The pages that were asked for.
    fn pages(effects: &mut Effects) -> Vec<(bool, Document)> {
        let jobs = std::mem::take(&mut effects.jobs).into_iter();
        jobs.filter_map(|job| {
            let page = job.key.question::<ListArchived>()?;
            Some((page.is_first, job.command()?.1.clone()))
        })
        .collect()
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
            let namespace = Namespace::new("d", collection);
            let archive = Some(ArchiveDraft::new(namespace.clone()));
            let draft = TrashDraft { archive, ..TrashDraft::default() };
            self.state.dialogs.show(Dialog::Trash(draft));
            begin(Some(namespace), &mut Apply::new(&mut self.state, &mut self.effects));
            pages(&mut self.effects).remove(0)
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
    fn what_a_restore_did_is_told_with_the_first_refusal() {
        let mut bench = bench();
        bench.open("a");
        let command = archive::restore("a", vec![Bson::Int32(1)], Some(&doc! { "n": 1 }));
        let result = Ok(doc! {
            "restored": 1, "refused": 1, "refusals": [{ "_id": 2, "errmsg": "not unique" }],
            "held": [{ "ns": "d.a", "index": "at_1" }],
        });
        let reply = Reply { db: "d".to_owned(), command, result, code: None, micros: 1 };
        RestoreArchived.answered(0, reply, &mut Apply::new(&mut bench.state, &mut bench.effects));
        let words = "Restored 1 document, 1 was rejected; the index is on hold until you release it. \
                     The first was rejected because: not unique";
        assert_eq!(bench.state.archive.result, Some((true, words.to_owned())));
    }

    #[test]
    fn after_a_change_the_fields_wait_for_what_the_store_says() {
        let mut bench = bench();
        bench.open("a");
        let shown = |bench: &mut Bench| {
            let archive = &bench.state.archive;
            let (known, status) = (archive.is_known, archive.status.clone());
            let draft = bench.state.dialogs.archive_mut().expect("the archive is shown");
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
