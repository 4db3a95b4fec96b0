//! A read that takes long ends when it is asked to: it looks for that at least once in 5,000 documents or entries.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use bson::{DateTime, Document, doc};

use crate::{
    command::testing::Lab,
    interrupt::{Limit, StopReason, run_within},
};

/// Documents, which are several slices of each read.
const DOCUMENTS: i64 = 20_000;

/// Looks in a read of all documents, at least.
const LOOKS_MIN: usize = 4;

/// `Interrupted`.
const INTERRUPTED: i32 = 11601;

/// Counts the looks at it, and ends the work at one of them.
struct Looks {
    seen: AtomicUsize,
    end_at: usize,
}

impl Limit for Looks {
    fn tick(&self) -> Result<(), StopReason> {
        let seen = self.seen.fetch_add(1, Ordering::Relaxed) + 1;
        if seen >= self.end_at { Err(StopReason::Interrupted) } else { Ok(()) }
    }
}

/// The reply of a command that ends at a look, and how often it looked.
fn until(lab: &Lab, command: &str, end_at: usize) -> (Document, usize) {
    let looks = Arc::new(Looks { seen: AtomicUsize::new(0), end_at });
    let limit = Arc::clone(&looks) as Arc<dyn Limit>;
    let reply = run_within(Some(limit), || lab.run(command));
    (reply, looks.seen.load(Ordering::Relaxed))
}

#[track_caller]
fn check(lab: &Lab, command: &str) {
    let (reply, looks) = until(lab, command, usize::MAX);
    assert_eq!(reply.get_f64("ok").ok(), Some(1.0), "{command}: {reply}");
    assert!(looks >= LOOKS_MIN, "{command} looks {looks} times");
    let (reply, _) = until(lab, command, looks - 1);
    assert_eq!(reply.get_i32("code").ok(), Some(INTERRUPTED), "{command}: {reply}");
}

/// A collection with an index on `at`, which is past in each document, and none on `bt`.
fn filled() -> Lab {
    let lab = Lab::new();
    lab.ok("{createIndexes: 'c', indexes: [{key: {at: 1}, name: 'at', expireAfterSeconds: 60}]}");
    for part in 0..DOCUMENTS / 5_000 {
        let document = |n: i64| {
            let at = DateTime::from_millis(1_600_000_000_000 + n * 1_000);
            doc! { "_id": n, "at": at, "bt": at }
        };
        let documents: Vec<Document> = (part * 5_000..(part + 1) * 5_000).map(document).collect();
        let insert = doc! { "insert": "c", "documents": documents };
        assert_eq!(lab.run_document(&insert).get_i32("n").ok(), Some(5_000));
    }
    lab
}

#[test]
fn reads_of_all_documents_end_when_asked() {
    let lab = filled();
    let forecast =
        "{mayflyForecast: 'c', from: ISODate('2020-01-01'), to: ISODate('2030-01-01'), buckets: 9}";
    let what_if = |key: &str| {
        format!("{{mayflyWhatIf: 'c', index: {{keyPattern: {{{key}: 1}}, expireAfterSeconds: 0}}}}")
    };
    check(&lab, forecast);
    check(&lab, &what_if("at"));
    check(&lab, &what_if("bt"));
    check(&lab, "{count: 'c', query: {at: {$gt: ISODate('2000-01-01')}}}");
    check(&lab, "{count: 'c', query: {bt: {$gt: ISODate('2000-01-01')}}}");
    check(&lab, "{distinct: 'c', key: '_id', query: {bt: 5}}");
    check(&lab, "{aggregate: 'c', pipeline: [{$group: {_id: '$bt', n: {$sum: 1}}}], cursor: {}}");
    check(&lab, "{validate: 'c'}");
    check(&lab, "{mayflyDamaged: 'c'}");
    // With two rules, each document counts once.
    lab.ok("{createIndexes: 'c', indexes: [{key: {bt: 1}, name: 'bt', expireAfterSeconds: 60}]}");
    check(&lab, forecast);
}

#[test]
fn reads_of_the_trash_end_when_asked() {
    let lab = filled();
    lab.ok("{setParameter: 1, mayflyTrashSecs: 600}");
    lab.ok("{mayflyReap: 1}");
    lab.check("{mayflyTrash: 'c', count: true, limit: 1}", &format!("{{matching: {DOCUMENTS}}}"));
    check(&lab, "{mayflyTrash: 'c', count: true, limit: 1}");
    check(&lab, "{validate: 'c'}");
}
