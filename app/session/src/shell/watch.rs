//! Supervision of threads that run scripts.
//!
//! `QuickJS` can be interrupted between two steps of a script, but not inside some of its built-in
//! functions, its parser or its operators. A thread that doesn't stop is abandoned: it can't reach its
//! store any more, nothing waits for it, and another thread takes its place. It ends with the process
//! at the latest.
//!
//! `QuickJS` polls its interrupt handler between two steps of a script, but not inside some built-in functions,
//! its parser and its operators. `shell/js/bounds.js` bounds or replaces the built-in functions that this
//! concerns. Whatever else keeps a script busy is ended by `shell/watch.rs`: a thread whose script runs on
//! for `SCRIPT_GRACE` after its limit is abandoned, can't reach its store any more, and is replaced by
//! another with a fresh runtime. Nothing joins a thread of scripts: when the window closes, the stores close
//! first, and the end of the process ends what still runs.

use std::cell::RefCell;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use mayfly_engine::clock::{Clock as _, SystemClock};

use crate::job::Cancel;
use crate::limits::{CONSOLE_THREAD_STACK, SCRIPT_GRACE, SCRIPT_LOOK, SCRIPTS_ABANDONED_MAX};

/// Abandoned threads of this process that still run.
static ABANDONED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static OF_THREAD: RefCell<Arc<ScriptWatch>> = RefCell::default();
}

/// A message of a script's thread to its supervisor.
#[derive(Debug, Default)]
pub struct ScriptWatch {
    state: Mutex<State>,
    is_abandoned: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    running: Option<Cancel>,
    /// The script waits for its store, which stops by itself.
    is_in_call: bool,
    /// When the supervisor first saw that it should have stopped, by the system's monotonic clock.
    due: Option<Duration>,
}

/// Why a script's thread was abandoned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Stuck {
    #[error("Stopped: the script didn't stop within {} s after its time limit", SCRIPT_GRACE.as_secs())]
    Late,
    #[error("Stopped: the script didn't stop within {} s after it was canceled", SCRIPT_GRACE.as_secs())]
    Canceled,
}

/// How a wait for a script's thread ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Waited<T> {
    Answer(T),
    /// It panicked, or it ended without an answer.
    Ended,
    Stuck(Stuck),
}

/// Starts a thread with the stack that JavaScript needs. Every [`Shell`](super::Shell) that is made
/// on it reports to the returned watch.
///
/// # Errors
/// The system refused the thread, or [`SCRIPTS_ABANDONED_MAX`] abandoned threads still run.
pub fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<Arc<ScriptWatch>> {
    // An abandoned thread keeps its memory and may keep a core busy, so there is a bound.
    if ABANDONED.load(Ordering::Acquire) >= SCRIPTS_ABANDONED_MAX {
        let sentence = format!(
            "{SCRIPTS_ABANDONED_MAX} scripts that couldn't be stopped are still running; restart Mayfly"
        );
        return Err(io::Error::other(sentence));
    }
    let watch = Arc::<ScriptWatch>::default();
    let own = Arc::clone(&watch);
    let work = move || {
        let _ended = Ended(Arc::clone(&own));
        OF_THREAD.set(own);
        work();
    };
    thread::Builder::new().name(name.to_owned()).stack_size(CONSOLE_THREAD_STACK).spawn(work)?;
    Ok(watch)
}

/// Runs `work` on a new thread, and waits until it ends or is stuck.
///
/// # Errors
/// As [`spawn`].
pub fn run<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<Waited<T>> {
    let (sender, answer) = bounded(1);
    let watch = spawn(name, move || {
        // The receiver is gone once the thread is abandoned.
        let _ = sender.send(work());
    })?;
    Ok(watch.wait_for(&answer, || false))
}

/// Counts the end of an abandoned thread, after a panic too.
struct Ended(Arc<ScriptWatch>);

impl Drop for Ended {
    fn drop(&mut self) {
        // Under the lock, so that the supervisor can't abandon a thread that is just ending.
        let _state = self.0.lock();
        if self.0.is_abandoned() {
            ABANDONED.fetch_sub(1, Ordering::AcqRel);
        }
        // The supervisor of a thread that ended has nothing to abandon.
        self.0.is_abandoned.store(true, Ordering::Release);
    }
}

impl ScriptWatch {
    /// The watch of the calling thread.
    pub fn of_thread() -> Arc<Self> {
        OF_THREAD.with_borrow(Arc::clone)
    }

    /// Whether the thread was abandoned: nothing reads what it still does.
    pub fn is_abandoned(&self) -> bool {
        self.is_abandoned.load(Ordering::Acquire)
    }

    /// An input runs until `cancel` stops it.
    pub(super) fn begin(&self, cancel: &Cancel) {
        let mut state = self.lock();
        state.running = Some(cancel.clone());
        state.due = None;
    }

    /// No input runs.
    pub(super) fn end(&self) {
        *self.lock() = State::default();
    }

    /// The script waits for its store, or has its answer.
    pub(super) fn set_in_call(&self, is_in_call: bool) {
        let mut state = self.lock();
        state.is_in_call = is_in_call;
        state.due = None;
    }

    /// Waits for an answer of the thread, and abandons the thread if it is stuck. Once `is_closing`,
    /// a script counts as canceled.
    pub fn wait_for<T>(&self, answer: &Receiver<T>, is_closing: impl Fn() -> bool) -> Waited<T> {
        loop {
            match answer.recv_timeout(SCRIPT_LOOK) {
                Ok(answer) => return Waited::Answer(answer),
                Err(RecvTimeoutError::Disconnected) => return Waited::Ended,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = SystemClock.monotonic();
            if let Some(stuck) = self.abandon_if_stuck(now, is_closing()) {
                return Waited::Stuck(stuck);
            }
        }
    }

    /// Abandons the thread if its script should have stopped [`SCRIPT_GRACE`] ago.
    fn abandon_if_stuck(&self, now: Duration, is_closing: bool) -> Option<Stuck> {
        let mut state = self.lock();
        // A call to the store ends by its own limits, and the script can't stop before it returns.
        let running = state.running.as_ref().filter(|_| !state.is_in_call)?;
        let is_late = running.is_late();
        if !is_closing && !running.is_cancelled() || self.is_abandoned() {
            state.due = None;
            return None;
        }
        // A grace, because QuickJS looks for an interrupt only between bytecodes: a native function
        // runs to its end first.
        let due = *state.due.get_or_insert(now);
        if now.saturating_sub(due) < SCRIPT_GRACE {
            return None;
        }
        self.is_abandoned.store(true, Ordering::Release);
        ABANDONED.fetch_add(1, Ordering::AcqRel);
        Some(if is_late { Stuck::Late } else { Stuck::Canceled })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a thread is abandoned when its supervisor looks at these times.
    fn looks(watch: &ScriptWatch, is_closing: bool, secs: &[u64]) -> Vec<Option<Stuck>> {
        let look = |at: &u64| watch.abandon_if_stuck(Duration::from_secs(*at), is_closing);
        secs.iter().map(look).collect()
    }

    #[test]
    fn only_a_script_that_should_have_stopped_is_abandoned() {
        let watch = ScriptWatch::default();
        assert_eq!(looks(&watch, true, &[0, 9]), [None, None], "nothing runs");
        let cancel = Cancel::default();
        watch.begin(&cancel);
        assert_eq!(looks(&watch, false, &[10, 99]), [None, None], "it may run");
        cancel.cancel();
        assert_eq!(looks(&watch, false, &[100, 101]), [None, None], "it may still stop");
        watch.set_in_call(true);
        assert_eq!(looks(&watch, false, &[102, 999]), [None, None], "its store stops by itself");
        watch.set_in_call(false);
        let stuck = Some(Stuck::Canceled);
        assert_eq!(looks(&watch, false, &[1_000, 1_001, 1_002]), [None, None, stuck]);
        assert!(watch.is_abandoned());
        drop(Ended(Arc::new(watch)));
    }

    #[test]
    fn a_script_past_its_limit_and_one_of_a_closing_window_are_abandoned() {
        for (cancel, is_closing, expected) in [
            (Cancel::default().within(Duration::ZERO), false, Stuck::Late),
            (Cancel::default(), true, Stuck::Canceled),
        ] {
            let watch = ScriptWatch::default();
            watch.begin(&cancel);
            assert_eq!(looks(&watch, is_closing, &[0, 1, 2]), [None, None, Some(expected)]);
            drop(Ended(Arc::new(watch)));
        }
    }

    #[test]
    fn an_input_that_ended_is_not_abandoned() {
        let watch = ScriptWatch::default();
        watch.begin(&Cancel::default().within(Duration::ZERO));
        assert_eq!(looks(&watch, true, &[0, 1]), [None, None]);
        watch.end();
        assert_eq!(looks(&watch, true, &[2, 9]), [None, None]);
    }

    #[test]
    fn a_panic_and_a_result_reach_the_supervisor() {
        assert_eq!(run("answers", || 7).expect("a thread"), Waited::Answer(7));
        let panics = run("panics", || assert_eq!(1, 2, "a panic that this test expects"));
        assert_eq!(panics.expect("a thread"), Waited::Ended);
    }
}
