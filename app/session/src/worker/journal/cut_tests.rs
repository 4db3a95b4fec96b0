//! Changes that are cut short before and after each step: continued, taken back, stopped.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mayfly_engine::transfer::{Unconverted, Zone};
use mayfly_engine::value::date_text::DateForm;

use super::*;
use crate::job::bulk::{BulkReport, BulkWork, Target};
use crate::job::convert::Conversion;
use crate::job::{Cancel, End, Gauge, OpenRequest};
use crate::source::Events;
use crate::source::embedded::opener;
use crate::worker::bulk;

const DOCUMENTS: i32 = 2_500;

/// A store whose program dies before or after a command that writes.
struct Dying {
    source: Arc<dyn Source>,
    left: AtomicUsize,
    is_done_first: bool,
}

impl Source for Dying {
    fn run(&self, db: &str, command: &Document) -> Document {
        let writes = ["insert", "update", "delete"];
        let is_write = writes.iter().any(|name| command.contains_key(name));
        let dies = is_write && self.left.fetch_sub(1, Ordering::Relaxed) == 1;
        if dies && self.is_done_first {
            self.source.run(db, command);
        }
        assert!(!dies, "it dies");
        self.source.run(db, command)
    }

    fn journals(&self) -> Option<std::path::PathBuf> {
        self.source.journals()
    }

    fn subscribe(&self) -> Events {
        self.source.subscribe()
    }

    fn capabilities(&self) -> crate::job::Capabilities {
        self.source.capabilities()
    }
}

struct Bench {
    source: Arc<dyn Source>,
    _folder: tempfile::TempDir,
}

fn bench() -> Bench {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let request =
        OpenRequest { folder: Some(folder.path().join("store")), ..OpenRequest::default() };
    let source = opener()(&request).expect("a store").source;
    let all: Vec<Document> = (0..DOCUMENTS).map(|id| doc! {"_id": id, "n": id % 10}).collect();
    for some in all.chunks(1_000) {
        source.run("d", &doc! {"insert": "c", "documents": some.to_vec()});
    }
    source.run("d", &doc! {"insert": "e", "documents": [{"_id": 5, "other": true}]});
    Bench { source, _folder: folder }
}

impl Bench {
    /// Every document of both collections.
    fn all(&self) -> Vec<Document> {
        let mut all = Vec::new();
        for name in ["c", "e"] {
            let find = doc! {"find": name, "sort": {"_id": 1}};
            let mut take = |batch: &[&bson::RawDocument]| {
                all.extend(batch.iter().filter_map(|raw| Document::try_from(*raw).ok()));
                Ok(())
            };
            let read = self.source.read_batches("d", &find, &Cancel::default(), &mut take);
            read.expect("the documents");
        }
        all
    }

    fn change(&self, change: BulkChange, journal: Option<std::path::PathBuf>) -> BulkReport {
        let namespace = Namespace::new("d", "c");
        let work = BulkWork { namespace, change, journal, gauge: Arc::new(Gauge::default()) };
        bulk::run(self.source.as_ref(), &work, &Cancel::default(), &mut |_| {})
    }

    /// Runs a change in a program that dies at a command that writes. False: it reached its end.
    fn die(&self, change: BulkChange, (write, is_done_first): (usize, bool)) -> bool {
        let (source, left) = (Arc::clone(&self.source), AtomicUsize::new(write));
        let dying = Dying { source, left, is_done_first };
        let namespace = Namespace::new("d", "c");
        let gauge = Arc::new(Gauge::default());
        let work = BulkWork { namespace, change, journal: None, gauge };
        let run = || bulk::run(&dying, &work, &Cancel::default(), &mut |_| {});
        catch_unwind(AssertUnwindSafe(run)).is_err()
    }

    fn listed(&self) -> Vec<CutWork> {
        list(self.source.as_ref())
    }

    /// The only operation that was cut short: its journal, and what continues and undoes it.
    fn cut(&self) -> (std::path::PathBuf, BulkChange, Option<BulkChange>) {
        let mut all = self.listed();
        assert_eq!(all.len(), 1, "{all:?}");
        match all.remove(0) {
            CutWork { file, what: CutKind::Bulk { forward, back, .. }, .. } => {
                (file, forward, back)
            }
            other => panic!("{other:?}"),
        }
    }
}

fn changes() -> Vec<BulkChange> {
    let matching = |filter| Target::Matching(filter);
    let update = Bson::Document(doc! {"$inc": {"n": 1}});
    vec![
        BulkChange::Update { target: matching(doc! {}), update: update.clone() },
        BulkChange::Update { target: matching(doc! {"n": {"$lt": 9}}), update: update.clone() },
        BulkChange::Update { target: Target::Ids((0..1_500).map(Bson::Int32).collect()), update },
        BulkChange::Convert(Conversion {
            path: "n".to_owned(),
            forms: vec![DateForm::Millis],
            zone: Zone::UTC,
            unconverted: Unconverted::Keep,
        }),
        BulkChange::Delete(matching(doc! {"n": {"$gt": 1}})),
        BulkChange::Copy { target: matching(doc! {}), to: Namespace::new("d", "e"), folder: None },
    ]
}

#[test]
fn wherever_a_change_is_cut_it_continues_to_what_an_uncut_one_leaves() {
    for change in changes() {
        let uncut = bench();
        let changed = uncut.change(change.clone(), None).changed;
        let expected = uncut.all();
        assert!(uncut.listed().is_empty(), "a change that ended is not offered");
        for at in [(1, false), (1, true), (2, false), (2, true)] {
            let bench = bench();
            assert!(bench.die(change.clone(), at), "{change:?} at {at:?}");
            let (file, forward, _) = bench.cut();
            assert_eq!(forward, change);
            let report = bench.change(forward, Some(file));
            assert_eq!((report.end, report.changed), (End::Complete, changed), "{at:?}");
            assert_eq!(bench.all(), expected, "{change:?} at {at:?}");
            assert!(bench.listed().is_empty());
            assert_eq!(report.pairs.map(|pairs| pairs.len() as u64), Some(changed), "its undo");
        }
    }
}

#[test]
fn wherever_a_change_is_cut_it_is_taken_back() {
    for change in changes() {
        for at in [(1, false), (1, true), (2, false), (2, true)] {
            let bench = bench();
            let before = bench.all();
            assert!(bench.die(change.clone(), at), "{change:?} at {at:?}");
            let (file, _, back) = bench.cut();
            let Some(back) = back else {
                assert_eq!(at, (1, false), "nothing was done");
                assert_eq!(bench.all(), before);
                continue;
            };
            let report = bench.change(back, Some(file));
            assert_eq!((report.end, report.unchanged), (End::Complete, 0), "{at:?}");
            assert_eq!(bench.all(), before, "{change:?} at {at:?}");
            assert!(bench.listed().is_empty());
        }
    }
}

#[test]
fn an_undo_that_is_cut_continues_and_leaves_what_others_changed() {
    let bench = bench();
    let change = changes().remove(0);
    let before = bench.all();
    assert!(bench.die(change, (3, true)));
    let (file, _, back) = bench.cut();
    // Another program changes one of them.
    let set = doc! {"update": "c", "updates": [{"q": {"_id": 7}, "u": {"$set": {"x": 1}}}]};
    bench.source.run("d", &set);
    let work = BulkWork {
        namespace: Namespace::new("d", "c"),
        change: back.expect("its undo"),
        journal: Some(file),
        gauge: Arc::new(Gauge::default()),
    };
    let dying =
        Dying { source: Arc::clone(&bench.source), left: AtomicUsize::new(2), is_done_first: true };
    let run = || bulk::run(&dying, &work, &Cancel::default(), &mut |_| {});
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    let (file, forward, back) = bench.cut();
    assert!(matches!(forward, BulkChange::Back(_)) && back.is_none(), "{forward:?}");
    let report = bench.change(forward, Some(file));
    assert_eq!((report.changed, report.unchanged, report.left.len()), (2_499, 1, 1));
    let mut expected = before;
    expected[7] = doc! {"_id": 7, "n": 8, "x": 1};
    assert_eq!(bench.all(), expected);
}

#[test]
fn a_change_that_the_program_ends_is_offered_and_one_that_you_cancel_is_not() {
    for (ends, is_left) in [(true, false), (false, true), (false, false)] {
        let bench = bench();
        let (end, gauge) = (Cancel::default(), Arc::new(Gauge::default()));
        let namespace = Namespace::new("d", "c");
        let change = changes().remove(0);
        let work = BulkWork { namespace, change, journal: None, gauge: Arc::clone(&gauge) };
        let report = bulk::run(bench.source.as_ref(), &work, &end, &mut |_| {
            if ends {
                end.cancel();
            }
            if is_left { gauge.leave() } else { gauge.cancel.cancel() }
        });
        assert_eq!((report.end, report.changed), (End::Cancelled, 1_000));
        assert_eq!(report.is_unfinished, ends || is_left);
        assert_eq!(bench.listed().len(), usize::from(ends || is_left));
    }
}

#[test]
fn a_copy_of_a_collection_that_is_cut_continues() {
    let bench = bench();
    let to = Namespace::new("d", "e2");
    let change = BulkChange::Duplicate { to, indexes: vec![doc! {"key": {"n": 1}, "name": "n"}] };
    assert!(bench.die(change, (2, false)));
    let (file, forward, back) = bench.cut();
    assert!(back.is_none());
    let report = bench.change(forward, Some(file));
    assert_eq!((report.end, report.changed, report.unchanged), (End::Complete, 1_500, 1_000));
    let counted = bench.source.run("d", &doc! {"count": "e2"});
    assert_eq!(counted.get_i32("n").ok(), Some(DOCUMENTS));
    assert!(bench.listed().is_empty());
}

#[test]
fn a_change_too_large_to_undo_continues_without_doing_anything_twice() {
    let bench = bench();
    let text = "x".repeat(1 << 20);
    for id in 0..48 {
        let one = doc! {"_id": id, "n": 0, "text": &text};
        bench.source.run("d", &doc! {"insert": "large", "documents": [one]});
    }
    let namespace = Namespace::new("d", "large");
    let update = Bson::Document(doc! {"$inc": {"n": 1}});
    let change = BulkChange::Update { target: Target::Matching(doc! {}), update };
    let gauge = Arc::new(Gauge::default());
    let work = BulkWork { namespace, change, journal: None, gauge };
    let dying =
        Dying { source: Arc::clone(&bench.source), left: AtomicUsize::new(4), is_done_first: true };
    let run = || bulk::run(&dying, &work, &Cancel::default(), &mut |_| {});
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    let (file, _, back) = bench.cut();
    assert_eq!(back, None, "it was too large");
    let work = BulkWork { journal: Some(file), ..work };
    let report = bulk::run(bench.source.as_ref(), &work, &Cancel::default(), &mut |_| {});
    assert_eq!((report.end, report.changed), (End::Complete, 48));
    let twice = doc! {"count": "large", "query": {"n": {"$ne": 1}}};
    assert_eq!(bench.source.run("d", &twice).get_i32("n").ok(), Some(0));
}
