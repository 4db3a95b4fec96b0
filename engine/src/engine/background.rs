//! Work that nobody waits for: goes on with index builds of the session before and removes what was
//! dropped, in bounded steps.

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
    collection::{Collections, PendingBuild, ScrubStep, WriteError},
    limits::{SCRUB_LOOK, SCRUB_PAUSE},
    reaper::{EngineEvent, EventHub, panic_text},
};

/// The name of the thread.
const THREAD_NAME: &str = "Background";

/// The thread for background work.
pub(super) struct Background {
    thread: Option<JoinHandle<()>>,
    wake: WakeUp,
    stop: Arc<AtomicBool>,
}

/// What the thread works with.
struct Worker {
    collections: Arc<Collections>,
    hub: Arc<EventHub>,
    wake: WakeUp,
    stop: Arc<AtomicBool>,
    /// Builds that the session before left unfinished. New ones are driven by their command.
    builds: Vec<PendingBuild>,
}

impl Background {
    /// No thread: for a store that can only be read.
    pub(super) fn none() -> Self {
        Self { thread: None, wake: WakeUp::new(), stop: Arc::new(AtomicBool::new(true)) }
    }

    /// Starts the thread; it looks for work at once and then whenever it is woken.
    pub(super) fn start(collections: &Arc<Collections>, hub: &Arc<EventHub>) -> io::Result<Self> {
        let wake = WakeUp::new();
        let stop = Arc::new(AtomicBool::new(false));
        let worker = Worker {
            collections: Arc::clone(collections),
            hub: Arc::clone(hub),
            wake: wake.clone(),
            stop: Arc::clone(&stop),
            builds: collections.pending_builds(),
        };
        let thread =
            thread::Builder::new().name(THREAD_NAME.to_owned()).spawn(move || worker.run())?;
        Ok(Self { thread: Some(thread), wake, stop })
    }

    /// What wakes the thread.
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

impl Worker {
    fn run(&self) {
        let resumed = catch_unwind(AssertUnwindSafe(|| self.resume_builds()));
        self.report(resumed);
        while !self.stops() {
            let reclaimed = catch_unwind(AssertUnwindSafe(|| self.reclaim()));
            self.report(reclaimed);
            let scrubbed = catch_unwind(AssertUnwindSafe(|| self.scrub()));
            self.report(scrubbed);
            let clock = self.collections.clock();
            // Only a real month brings a scrub about.
            let look = clock.is_real().then(|| clock.monotonic().saturating_add(SCRUB_LOOK));
            clock.wait_until(look, &self.wake);
        }
    }

    /// Goes on with a scrub that is due or wanted, with rests, until it is done or other work came.
    fn scrub(&self) -> Result<(), WriteError> {
        while !self.stops() {
            let ScrubStep::Worked(findings) = self.collections.scrub_step()? else { break };
            for finding in findings {
                self.hub.send(&EngineEvent::DamageFound(finding));
            }
            thread::park_timeout(SCRUB_PAUSE);
            self.reclaim()?;
        }
        Ok(())
    }

    fn resume_builds(&self) -> Result<(), WriteError> {
        for build in &self.builds {
            while !self.stops() && !self.collections.build_step(build)?.finished {
                thread::yield_now();
            }
        }
        Ok(())
    }

    fn reclaim(&self) -> Result<(), WriteError> {
        while !self.stops() && self.collections.reclaim_step()?.pending > 0 {
            thread::yield_now();
        }
        Ok(())
    }

    /// Tells about a failure; the work is taken up again at the next wake-up or start.
    fn report(&self, outcome: thread::Result<Result<(), WriteError>>) {
        let message = match outcome {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(panic) => panic_text(&*panic),
        };
        self.hub.send(&EngineEvent::ThreadDied { thread: THREAD_NAME.to_owned(), message });
    }

    fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
