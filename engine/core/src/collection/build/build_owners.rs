//! Which thread runs each index build, and who waits for the outcome.
//!
//! A command claims the builds it registers, in the same transaction, and runs them to the end. A
//! command that asks for the same index race waits for the outcome. A build without an owner
//! may be claimed by any thread: its process ended, or it could neither continue nor be abandoned
//! cleanly.

use std::{
    collections::BTreeMap,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::{collection::WriteError, limits::AWAIT_SLICE_MS, store::IndexId};

/// Builds that have an owner.
#[derive(Debug, Default)]
pub(in crate::collection) struct BuildOwners {
    table: Mutex<BTreeMap<IndexId, Arc<BuildRun>>>,
}

/// The builds of one claim; they end together.
#[derive(Debug, Default)]
pub(in crate::collection) struct BuildRun {
    end: Mutex<Option<BuildOutcome>>,
    ended: Condvar,
}

#[derive(Debug, Clone, PartialEq)]
pub(in crate::collection) enum BuildOutcome {
    Built,
    /// None of its indexes exists, or they could not be dropped.
    Failed(WriteError),
    /// The owner ended without an outcome: the engine closes, or it panicked.
    Abandoned,
}

/// The right to run builds, until it is dropped.
#[derive(Debug)]
pub(in crate::collection) struct BuildClaim<'d> {
    build_owners: &'d BuildOwners,
    run: Arc<BuildRun>,
}

impl BuildOwners {
    /// An empty claim.
    pub(in crate::collection) fn claim(&self) -> BuildClaim<'_> {
        BuildClaim { build_owners: self, run: Arc::default() }
    }

    /// Claims one build, unless it has an owner.
    pub(in crate::collection) fn try_claim(
        &self,
        index: IndexId,
    ) -> Result<BuildClaim<'_>, Arc<BuildRun>> {
        let mut table = self.lock();
        if let Some(run) = table.get(&index) {
            return Err(Arc::clone(run));
        }
        let claim = self.claim();
        table.insert(index, Arc::clone(&claim.run));
        Ok(claim)
    }

    /// The run that owns a build.
    pub(in crate::collection) fn of(&self, index: IndexId) -> Option<Arc<BuildRun>> {
        self.lock().get(&index).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<IndexId, Arc<BuildRun>>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BuildClaim<'_> {
    /// Claims exactly these builds: when a transaction runs again, it registers other numbers than
    /// before.
    pub(in crate::collection) fn cover(&self, indexes: impl IntoIterator<Item = IndexId>) {
        let mut table = self.build_owners.lock();
        table.retain(|_, run| !Arc::ptr_eq(run, &self.run));
        // A number held by another claim is left over from an aborted transaction.
        table.extend(indexes.into_iter().map(|index| (index, Arc::clone(&self.run))));
    }

    /// Ends the run with an outcome and wakes all waiters.
    pub(in crate::collection) fn end(self, outcome: &Result<(), WriteError>) {
        self.set_end(match outcome {
            Ok(()) => BuildOutcome::Built,
            Err(error) => BuildOutcome::Failed(error.clone()),
        });
    }

    fn set_end(&self, end: BuildOutcome) {
        // Freed before the waiters wake up, so that one of them may claim the numbers at once.
        self.cover([]);
        // The first outcome stays: dropping a claim must not turn its end into an abandoned build.
        self.run.lock().get_or_insert(end);
        self.run.ended.notify_all();
    }
}

impl Drop for BuildClaim<'_> {
    fn drop(&mut self) {
        self.set_end(BuildOutcome::Abandoned);
    }
}

impl BuildRun {
    /// Waits until the run has ended; `None` when `continues` returns false first.
    pub(in crate::collection) fn wait(&self, continues: &dyn Fn() -> bool) -> Option<BuildOutcome> {
        // In slices, so that a waiter notices that its command was stopped.
        let slice = Duration::from_millis(AWAIT_SLICE_MS);
        let mut end = self.lock();
        while end.is_none() && continues() {
            end = self.ended.wait_timeout(end, slice).unwrap_or_else(PoisonError::into_inner).0;
        }
        end.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<BuildOutcome>> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        thread,
    };

    use bson::{Document, doc, rawdoc};

    use super::*;
    use crate::{
        catalog::{
            IndexState, Namespace,
            rules::{CreateIndexesOutcome, CreateIndexesRequest},
        },
        clock::work_time,
        collection::{Collections, tests::Bench},
        event::BuildProgress,
        limits::BATCH_MS_MAX,
    };

    type Created = Result<CreateIndexesOutcome, WriteError>;

    fn request(indexes: Vec<Document>) -> CreateIndexesRequest {
        let namespace = Namespace::new("test", "c");
        CreateIndexesRequest { namespace, indexes, ignore_unknown_options: false }
    }

    fn unique() -> Document {
        doc! { "key": { "u": 1 }, "name": "u_1", "unique": true }
    }

    fn plain() -> Document {
        doc! { "key": { "a": 1 }, "name": "a_1" }
    }

    /// More documents than one step reads; with `has_duplicate` the last two have the same `u`.
    fn filled(has_duplicate: bool) -> Bench {
        let bench = Bench::new();
        let filled = bench.all().write(|writer| {
            let collection = writer.create_if_missing(&request(Vec::new()).namespace)?;
            for id in 0..30_000 {
                let u = if has_duplicate { id.min(29_998) } else { id };
                writer.insert(&collection, &rawdoc! { "_id": id, "u": u, "a": 1 })?;
            }
            Ok::<_, WriteError>(())
        });
        filled.expect("filled");
        bench
    }

    fn indexes(all: &Collections) -> Vec<(String, IndexState)> {
        let collection = all.catalog().collection(&request(Vec::new()).namespace).expect("there");
        let indexes = collection.indexes.iter().skip(1);
        indexes.map(|index| (index.name.clone(), index.state)).collect()
    }

    /// One call starts to build `first`; after a step for index `at`, another call asks for
    /// `second`. Returns both outcomes.
    fn race(
        bench: &Bench,
        first: &[Document],
        at: &str,
        second: &[Document],
    ) -> (Created, Created) {
        let all = bench.all();
        thread::scope(|scope| {
            let mut other = None;
            let mut progress = |progress: &BuildProgress| {
                if progress.index != at || other.is_some() {
                    return;
                }
                let run = all.build_owners.lock().values().next().cloned().expect("driven");
                let known = Arc::strong_count(&run);
                let request = request(second.to_vec());
                let asks = scope.spawn(move || all.create_indexes(&request, &mut |_| {}));
                // Until it waits for this run, or has returned.
                while Arc::strong_count(&run) == known && !asks.is_finished() {
                    thread::yield_now();
                }
                other = Some(asks);
            };
            let created = all.create_indexes(&request(first.to_vec()), &mut progress);
            (created, other.expect("asked").join().expect("ended"))
        })
    }

    #[test]
    fn a_second_request_for_an_index_waits_for_its_build() {
        let is_duplicate = |created: &Created| matches!(created, Err(WriteError::DuplicateKey(_)));
        let bench = filled(true);
        let (one, other) = race(&bench, &[unique()], "u_1", &[unique()]);
        assert!(is_duplicate(&one) && is_duplicate(&other), "{one:?} {other:?}");
        // An index that was ready is dropped together with the one that could not be built.
        let (one, other) = race(&bench, &[plain(), unique()], "u_1", &[plain()]);
        assert!(is_duplicate(&one) && is_duplicate(&other), "{one:?} {other:?}");
        assert_eq!(indexes(bench.all()), []);
        bench.check_sound();

        let bench = filled(false);
        let (one, other) = race(&bench, &[unique()], "u_1", &[plain(), unique()]);
        assert_eq!(one.expect("built").indexes_after, 2);
        assert_eq!(other.expect("built too").note, Some("index already exists"));
        let ready = |name: &str| (name.to_owned(), IndexState::Ready);
        assert_eq!(indexes(bench.all()), [ready("u_1"), ready("a_1")]);
        assert!(bench.all().build_owners.lock().is_empty());
        bench.check_sound();
    }

    #[test]
    fn a_step_has_its_full_time_after_waiting_for_the_writer() {
        let bench = filled(false);
        let all = bench.all();
        let mut steps = Vec::new();
        thread::scope(|scope| {
            let mut progress = |progress: &BuildProgress| {
                steps.push(progress.done);
                if steps.len() > 1 {
                    return;
                }
                let (begun, begins) = std::sync::mpsc::channel();
                scope.spawn(move || {
                    all.write(|_| {
                        let _ = begun.send(());
                        let end = work_time() + Duration::from_millis(3 * BATCH_MS_MAX);
                        while work_time() < end {
                            std::hint::spin_loop();
                        }
                        Ok::<_, WriteError>(())
                    })
                });
                begins.recv().expect("another writer has the turn");
            };
            all.create_indexes(&request(vec![unique()]), &mut progress).expect("built");
        });
        let [first, second, ..] = steps[..] else { panic!("{steps:?}") };
        assert!(second > first + 1, "{steps:?}");
    }

    #[test]
    fn an_abandoned_build_is_finished_by_the_next_request() {
        let bench = filled(false);
        let died = catch_unwind(AssertUnwindSafe(|| {
            bench.all().create_indexes(&request(vec![unique()]), &mut |_| panic!("on purpose"))
        }));
        assert!(died.is_err());
        assert_eq!(indexes(bench.all()), [("u_1".to_owned(), IndexState::Building)]);
        let mut steps = 0;
        let created = bench.all().create_indexes(&request(vec![unique()]), &mut |_| steps += 1);
        assert_eq!(created.expect("built").note, Some("all indexes already exist"));
        assert!(steps > 0);
        assert_eq!(indexes(bench.all()), [("u_1".to_owned(), IndexState::Ready)]);
        bench.check_sound();
    }
}
