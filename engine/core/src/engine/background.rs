//! Background work: resumes orphaned index builds and reclaims dropped collections and indexes, in
//! bounded steps.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

use crate::{
    clock::WakeUp,
    collection::{Collections, ScrubStep, WriteError},
    event::{Event, EventHub},
    limits::{BUILD_RETRY, SCRUB_PAUSE, SCRUB_POLL},
    supervised::{panic_text, supervised},
};

const THREAD_NAME: &str = "Background";

/// The thread for background work.
pub(super) struct Background {
    thread: Option<JoinHandle<()>>,
    wake: WakeUp,
    stop: Arc<AtomicBool>,
}

/// The state of the thread.
struct BackgroundWork {
    collections: Arc<Collections>,
    hub: Arc<EventHub>,
    wake: WakeUp,
    stop: Arc<AtomicBool>,
    /// The last report about stuck builds, so that each is sent once.
    stuck: Option<String>,
    /// The check of the file continues after the opening. If it finds damaged rows, a scrub follows.
    awaits_walk: bool,
}

impl Background {
    /// No thread: for a store that can only be read.
    pub(super) fn none() -> Self {
        Self { thread: None, wake: WakeUp::new(), stop: Arc::new(AtomicBool::new(true)) }
    }

    /// Starts the thread; it polls at once and then whenever it is woken.
    pub(super) fn start(collections: &Arc<Collections>, hub: &Arc<EventHub>) -> io::Result<Self> {
        let wake = WakeUp::new();
        let stop = Arc::new(AtomicBool::new(false));
        let mut worker = BackgroundWork {
            collections: Arc::clone(collections),
            hub: Arc::clone(hub),
            wake: wake.clone(),
            stop: Arc::clone(&stop),
            stuck: None,
            awaits_walk: collections.store().walk_percent().is_some(),
        };
        let thread =
            thread::Builder::new().name(THREAD_NAME.to_owned()).spawn(move || worker.run())?;
        Ok(Self { thread: Some(thread), wake, stop })
    }

    /// A handle that wakes the thread.
    pub(super) fn wake(&self) -> WakeUp {
        self.wake.clone()
    }

    /// Asks the thread to end after its present step.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wake.notify();
    }

    /// The thread, to be waited for. None the second time.
    pub(super) fn take_thread(&mut self) -> Option<JoinHandle<()>> {
        self.thread.take()
    }
}

impl BackgroundWork {
    fn run(&mut self) {
        let hub = Arc::clone(&self.hub);
        while !self.stops() {
            let tell = |message| hub.thread_failed(THREAD_NAME, message);
            let done = supervised(tell, || self.turn());
            self.sleep(done.is_some());
        }
    }

    /// Looks for work of each kind. What fails keeps no other kind from its turn.
    fn turn(&mut self) {
        self.resume_builds();
        let reclaimed = catch_unwind(AssertUnwindSafe(|| self.reclaim()));
        self.report(failure(reclaimed));
        let scrubbed = catch_unwind(AssertUnwindSafe(|| self.scrub()));
        self.report(failure(scrubbed));
    }

    /// Sleeps until the thread is woken or has to poll.
    fn sleep(&self, is_done: bool) {
        let clock = self.collections.clock();
        // Only a real month brings a scrub about.
        let scrub = clock.is_real().then_some(SCRUB_POLL);
        // No event reports free disk space, so failed work is retried.
        let retry = (self.stuck.is_some() || !is_done).then_some(BUILD_RETRY);
        let look = retry.or(scrub).map(|pause| clock.monotonic().saturating_add(pause));
        clock.wait_until(look, &self.wake);
    }

    /// Continues a due or requested scrub, with pauses, until it ends or other work arrives.
    fn scrub(&mut self) -> Result<(), WriteError> {
        if self.awaits_walk && self.collections.store().walk_percent().is_none() {
            self.awaits_walk = false;
            let is_running = self.collections.scrub_status()?.is_running;
            if self.collections.store().has_damaged_rows() && !is_running {
                self.collections.start_scrub()?;
            }
        }
        while !self.stops() {
            let ScrubStep::Worked(findings) = self.collections.scrub_step()? else { break };
            for finding in findings {
                self.hub.send(&Event::DamageFound(finding));
            }
            thread::park_timeout(SCRUB_PAUSE);
            self.reclaim()?;
        }
        Ok(())
    }

    /// Resumes orphaned builds: those of the previous session, and those whose command could
    /// neither finish nor abort them.
    fn resume_builds(&mut self) {
        let mut stuck = None;
        // A secondary builds an index while it applies the entry about it.
        let is_secondary = self.collections.is_secondary();
        let builds = if is_secondary { Vec::new() } else { self.collections.pending_builds() };
        for build in builds {
            let continues = || !self.stops();
            // A failed build does not block the others.
            let resumed = catch_unwind(AssertUnwindSafe(|| {
                self.collections.resume_build(&build, &continues)
            }));
            stuck = stuck.or(failure(resumed));
        }
        if stuck != self.stuck {
            self.report(stuck.clone());
        }
        self.stuck = stuck;
    }

    fn reclaim(&self) -> Result<(), WriteError> {
        while !self.stops() && self.collections.reclaim_step()?.pending > 0 {
            thread::yield_now();
        }
        Ok(())
    }

    /// Tells about a failure; the work is taken up again at the next wake-up.
    fn report(&self, failure: Option<String>) {
        if let Some(message) = failure {
            self.hub.thread_failed(THREAD_NAME, message);
        }
    }

    fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

fn failure(outcome: thread::Result<Result<(), WriteError>>) -> Option<String> {
    match outcome {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(panic) => Some(panic_text(&*panic)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bson::{doc, rawdoc};

    use super::*;
    use crate::{
        catalog::{IndexState, Namespace, rules::CreateIndexesRequest},
        command::testing::Lab,
        event::BuildProgress,
    };

    #[test]
    fn builds_that_nobody_drives_go_on_at_the_next_wake_up_and_one_keeps_no_other_back() {
        let lab = Lab::new();
        let collections = lab.engine.collections();
        let namespace = Namespace::new("test", "c");
        let filled = collections.write(|writer| {
            let collection = writer.create_if_missing(&namespace)?;
            for id in 0..30_000 {
                writer.insert(&collection, &rawdoc! { "_id": id, "a": id, "b": id })?;
            }
            Ok::<_, WriteError>(())
        });
        filled.expect("filled");
        let index = |name: &str| {
            let collection = collections.catalog().collection(&namespace).expect("there");
            collection.index(name).cloned().expect("there")
        };
        let events = lab.engine.subscribe();
        // Two commands die before their builds end; the first build can't continue either.
        for (field, spoils) in [("a", true), ("b", false)] {
            let request = CreateIndexesRequest {
                namespace: namespace.clone(),
                indexes: vec![doc! { "key": { field: 1 }, "name": field, "unique": true }],
                ignore_unknown_options: false,
            };
            let died = catch_unwind(AssertUnwindSafe(|| {
                collections.create_indexes(&request, &mut |_| {
                    let range = format!("build/{}", index(field).id.0);
                    let spoilt = collections.write(|writer| {
                        if spoils {
                            writer.put_meta(&range, b"spoilt")?;
                        }
                        Ok::<_, WriteError>(())
                    });
                    spoilt.expect("written");
                    panic!("on purpose")
                })
            }));
            assert!(died.is_err());
        }
        for name in ["other", "another"] {
            lab.ok(&format!("{{create: {name:?}}}"));
        }
        let (mut is_built, mut failed) = (false, Vec::new());
        while !is_built {
            match events.recv_timeout(Duration::from_secs(30)).expect("in time") {
                Event::IndexBuild(BuildProgress { index, finished: true, error, .. }) => {
                    assert_eq!((index.as_str(), error), ("b", None));
                    is_built = true;
                }
                Event::ThreadFailed { message, .. } => failed.push(message),
                _ => {}
            }
        }
        assert_eq!(index("b").state, IndexState::Ready);
        assert_eq!(index("a").state, IndexState::Building);
        assert!(failed.len() <= 1, "{failed:?}");
    }
}
