//! A change of many documents or a rollout that is killed at any moment is known to the next start. The
//! change continues to exactly what an uninterrupted one leaves, or is taken back to exactly what was
//! there before.
//!
//! `MAYFLY_TEST_COUNT` sets the number of kills, `MAYFLY_TEST_SEED` their moments.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use bson::{DateTime, Document, doc};
use mayfly::job::bulk::{BulkChange, BulkWork};
use mayfly::job::cut::{CutKind, CutWork, RolledIndex};
use mayfly::job::{Cancel, End, Gauge};
use mayfly::source::embedded::opener;
use mayfly::source::{OpenRequest, Source};
use mayfly::state::Namespace;
use mayfly::worker::bulk;
use mayfly::worker::journal::cut;
use mayfly_tests::random::{self, Random};
use mayfly_tests::victim::write_until_killed;

const DOCUMENTS: i32 = 20_000;

/// Maximum milliseconds between the first step and the kill.
const LIFE_MS_MAX: usize = 600;

fn open(folder: &Path) -> Arc<dyn Source> {
    let request = OpenRequest { folder: Some(folder.to_owned()), ..OpenRequest::default() };
    opener()(&request).map_err(|error| error.message).expect("the store opens").source
}

fn killed(folder: &Path, what: &str, life: Duration) {
    let mut victim = Command::new(env!("CARGO_BIN_EXE_cut_victim"));
    victim.arg(folder).arg(what);
    write_until_killed(&mut victim, life);
}

fn count(source: &dyn Source, query: Document) -> i32 {
    let reply = source.run("d", &doc! { "count": "c", "query": query });
    reply.get_i32("n").expect("a number")
}

fn run(source: &dyn Source, file: &Path, change: BulkChange) -> End {
    let work = BulkWork {
        namespace: Namespace::new("d", "c"),
        change,
        journal: Some(file.to_owned()),
        gauge: Arc::new(Gauge::default()),
    };
    bulk::run(source, &work, &Cancel::default(), &mut |_| {}).end
}

#[test]
fn an_update_that_is_killed_continues_or_is_undone() {
    let seed = random::seed(20_261_127);
    println!("MAYFLY_TEST_SEED={seed}");
    let mut random = Random::new(seed);
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let store = folder.path().join("store");
    let source = open(&store);
    for from in (0..DOCUMENTS).step_by(1_000) {
        let all: Vec<Document> =
            (from..from + 1_000).map(|id| doc! { "_id": id, "n": 0 }).collect();
        source.run("d", &doc! { "insert": "c", "documents": all });
    }
    source.close();
    let (mut times, mut cuts) = (0, 0);
    for kill in 0..random::count(8) {
        let life = Duration::from_millis(random.below(LIFE_MS_MAX) as u64);
        killed(&store, "update", life);
        let source = open(&store);
        let found = cut::list(source.as_ref());
        let done = count(source.as_ref(), doc! { "n": times + 1 });
        match found.as_slice() {
            [] => {
                assert_eq!(done, DOCUMENTS, "kill {kill}: it is forgotten");
                times += 1;
            }
            [CutWork { file, what: CutKind::Bulk { forward, back, .. }, done: known, .. }] => {
                cuts += 1;
                assert_eq!(*known, u64::try_from(done).expect("a count"), "kill {kill}");
                let continues = random.below(2) == 0;
                let way = back.clone().filter(|_| !continues);
                times += i32::from(way.is_none());
                let end = run(source.as_ref(), file, way.unwrap_or_else(|| forward.clone()));
                assert_eq!(end, End::Complete, "kill {kill}");
                assert_eq!(count(source.as_ref(), doc! { "n": times }), DOCUMENTS, "kill {kill}");
            }
            other => panic!("kill {kill}: {other:?}"),
        }
        assert!(cut::list(source.as_ref()).is_empty(), "kill {kill}");
        source.close();
    }
    println!("{cuts} updates were cut short");
    assert!(cuts > 0, "every kill came too late");
}

#[test]
fn a_rollout_that_is_killed_is_known_with_the_present_ttl() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let store = folder.path().join("store");
    let source = open(&store);
    let now_ms = DateTime::now().timestamp_millis();
    let date = |n: i64| DateTime::from_millis(now_ms - n * 3_600_000);
    let all: Vec<Document> = (1..=200_i64).map(|n| doc! { "_id": n, "at": date(n) }).collect();
    source.run("d", &doc! { "insert": "r", "documents": all });
    let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 1_000_000 };
    source.run("d", &doc! { "createIndexes": "r", "indexes": [index] });
    source.close();
    killed(&store, "rollout", Duration::ZERO);
    let source = open(&store);
    let found = cut::list(source.as_ref());
    let [CutWork { what: CutKind::Rollout { plan, index }, .. }] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!((plan.from_secs, plan.to_secs), (Some(1_000_000), 60));
    // The oldest 60 of 200 documents are in the first step.
    let RolledIndex::Has(Some(secs)) = index else { panic!("{index:?}") };
    assert!((60..1_000_000).contains(secs), "{secs}");
    source.close();
}
