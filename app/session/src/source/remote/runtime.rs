//! The driver's runtime. With the relay, which runs on it, it alone names tokio.
//!
//! A command runs as its own task, and the caller waits for it on a channel. A task that is not
//! aborted keeps its connection for ever, so a read that is canceled or late is aborted: the driver
//! then drops the connection, and the server ends the command. A write is never aborted, because
//! nothing could be said about its outcome; only the end of the program waits no longer than
//! [`LAST_WRITE`] for it.

use std::future::Future;
use std::iter;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};
use mayfly_engine::clock::{Clock as _, SystemClock};
use tokio::runtime::{Builder, Handle};
use tokio::task::AbortHandle;

use crate::job::Cancel;
use crate::limits::DRIVER_STACK;

/// How often a caller looks whether its job was canceled.
const LOOK: Duration = Duration::from_millis(20);

/// How often the reader of a task that runs on looks whether it is still wanted.
const TASK_LOOK: Duration = Duration::from_millis(200);

/// How long the end of the program waits for a write.
const LAST_WRITE: Duration = Duration::from_secs(1);

/// Why there is no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The job was canceled.
    Canceled,
    /// The time was over.
    Late,
    Closed,
}

/// Waits for a task on a thread of the driver, for at most `time`.
///
/// # Errors
/// [`Ended::Late`], and the task is dropped.
pub async fn within<T>(time: Duration, task: impl Future<Output = T>) -> Result<T, Ended> {
    tokio::time::timeout(time, task).await.map_err(|_| Ended::Late)
}

/// The sending end of a background task.
pub struct Outlet<T> {
    items: Sender<T>,
    missed: Arc<AtomicU64>,
}

impl<T> Outlet<T> {
    pub fn put(&self, item: T) {
        // A task must not block the thread that others run on, so an item is dropped and counted
        // while the reader is too slow.
        if let Err(TrySendError::Full(_)) = self.items.try_send(item) {
            self.missed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A background task, as its reader sees it. Dropping it aborts the task.
pub struct Running<T, E> {
    items: Receiver<T>,
    missed: Arc<AtomicU64>,
    end: Receiver<E>,
    abort: AbortHandle,
}

/// The next thing that a reader gets from a task.
pub enum Met<T, E> {
    /// Items, and how many more were dropped.
    Items(Vec<T>, u64),
    /// How the task ended.
    End(E),
    /// The reader is not wanted any more, or the runtime is closed.
    Left,
}

impl<T, E> Drop for Running<T, E> {
    fn drop(&mut self) {
        self.abort.abort();
    }
}

/// Two threads that drive the driver's tasks. Dropping it ends them at once, whatever hangs.
pub struct Runtime {
    handle: Handle,
    threads: Mutex<Option<tokio::runtime::Runtime>>,
    /// When the program began to end, by the system's monotonic clock.
    left: OnceLock<Duration>,
}

impl Runtime {
    /// Starts the threads.
    ///
    /// # Errors
    /// One sentence, when the system gives no threads.
    pub fn start() -> Result<Self, String> {
        let built = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("mayfly-driver")
            .thread_stack_size(DRIVER_STACK)
            .enable_all()
            .build()
            .map_err(|error| format!("The driver's threads can't be started: {error}"))?;
        Ok(Self {
            handle: built.handle().clone(),
            threads: Mutex::new(Some(built)),
            left: OnceLock::new(),
        })
    }

    /// Runs a task to its end, for at most `time`. A task that `may_abort` ends with its caller's
    /// patience; another one is left to run.
    pub fn run<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
        time: Duration,
        cancel: &Cancel,
        may_abort: bool,
    ) -> Result<T, Ended> {
        if self.is_closed() {
            return Err(Ended::Closed);
        }
        let (result, wait) = bounded(1);
        let running = self.handle.spawn(async move {
            // The caller may have given up.
            drop(result.send(task.await));
        });
        let done = self.wait(&wait, time, cancel, may_abort);
        if may_abort && done.is_err() {
            running.abort();
        }
        done
    }

    /// Runs blocking work on its own thread. It can't be aborted: its caller gives up.
    pub fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        time: Duration,
        cancel: &Cancel,
    ) -> Result<T, Ended> {
        if self.is_closed() {
            return Err(Ended::Closed);
        }
        let (result, wait) = bounded(1);
        drop(self.handle.spawn_blocking(move || drop(result.send(work()))));
        self.wait(&wait, time, cancel, true)
    }

    /// Starts a background task. Up to `room` items wait for its reader.
    ///
    /// # Errors
    /// The runtime is closed.
    pub fn start_task<T: Send + 'static, E: Send + 'static, F>(
        &self,
        room: usize,
        task: impl FnOnce(Outlet<T>) -> F,
    ) -> Result<Running<T, E>, Ended>
    where
        F: Future<Output = E> + Send + 'static,
    {
        if self.is_closed() {
            return Err(Ended::Closed);
        }
        let ((put, items), (ended, end)) = (bounded(room), bounded(1));
        let missed = Arc::new(AtomicU64::new(0));
        let task = task(Outlet { items: put, missed: Arc::clone(&missed) });
        let running = self.handle.spawn(async move {
            // The reader may have left.
            drop(ended.send(task.await));
        });
        Ok(Running { items, missed, end, abort: running.abort_handle() })
    }

    /// Waits for what a task puts out next.
    pub fn next<T, E>(&self, running: &Running<T, E>, cancel: &Cancel) -> Met<T, E> {
        loop {
            if cancel.is_cancelled() || self.left.get().is_some() {
                return Met::Left;
            }
            match running.items.recv_timeout(TASK_LOOK) {
                Ok(first) => {
                    let items = iter::once(first).chain(running.items.try_iter()).collect();
                    return Met::Items(items, running.missed.swap(0, Ordering::Relaxed));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return running.end.recv().map_or(Met::Left, Met::End);
                }
            }
        }
    }

    fn wait<T>(
        &self,
        result: &Receiver<T>,
        time: Duration,
        cancel: &Cancel,
        may_abort: bool,
    ) -> Result<T, Ended> {
        let end = SystemClock.monotonic().saturating_add(time);
        loop {
            match result.recv_timeout(LOOK) {
                Ok(done) => return Ok(done),
                Err(RecvTimeoutError::Disconnected) => return Err(Ended::Closed),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let left = self.left.get();
            if may_abort && (cancel.is_cancelled() || left.is_some()) {
                return Err(Ended::Canceled);
            }
            let end = left.map_or(end, |left| left.saturating_add(LAST_WRITE).min(end));
            if SystemClock.monotonic() >= end {
                return Err(Ended::Late);
            }
        }
    }

    /// The program ends: reads end now, and writes have [`LAST_WRITE`] left.
    pub fn leave(&self) {
        self.left.get_or_init(|| SystemClock.monotonic());
    }

    /// Whether the program ends.
    pub fn is_left(&self) -> bool {
        self.left.get().is_some()
    }

    /// Ends the threads without waiting for what they do.
    pub fn close(&self) {
        let runtime = self.threads.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
    }

    fn is_closed(&self) -> bool {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    #[test]
    fn a_task_that_hangs_ends_with_its_caller() {
        let runtime = Runtime::start().expect("threads");
        let cancel = Cancel::default();
        assert_eq!(runtime.run(ready(7), LONG, &cancel, true), Ok(7));
        let hung = runtime.run(pending::<()>(), Duration::from_millis(30), &cancel, true);
        assert_eq!(hung, Err(Ended::Late));
        cancel.cancel();
        assert_eq!(runtime.run(pending::<()>(), LONG, &cancel, true), Err(Ended::Canceled));
    }

    #[test]
    fn a_write_outlives_its_caller_and_a_closed_runtime_takes_none() {
        let runtime = Runtime::start().expect("threads");
        let (cancel, (done, wait)) = (Cancel::default(), bounded(1));
        let (go, begin) = bounded::<()>(1);
        let write = async move {
            // Ends after its caller has given up.
            let _ = begin.recv();
            let _ = done.send(());
        };
        cancel.cancel();
        let ended = runtime.run(write, Duration::from_millis(30), &cancel, false);
        assert_eq!(ended, Err(Ended::Late));
        go.send(()).expect("the write waits");
        assert!(wait.recv().is_ok(), "the write was aborted");
        runtime.close();
        assert_eq!(runtime.run(ready(7), LONG, &cancel, true), Err(Ended::Closed));
    }

    #[test]
    fn a_task_that_runs_on_drops_what_its_reader_has_no_room_for() {
        let runtime = Runtime::start().expect("threads");
        let cancel = Cancel::default();
        let (go, begin) = bounded::<()>(1);
        let (all, are_put) = bounded::<()>(1);
        let running = runtime.start_task(2, |outlet| async move {
            for item in 0..5 {
                outlet.put(item);
            }
            let _ = all.send(());
            let _ = begin.recv();
            "done"
        });
        let running = running.expect("a task");
        are_put.recv().expect("the task runs");
        let met = runtime.next(&running, &cancel);
        assert!(matches!(met, Met::Items(items, 3) if items == [0, 1]));
        go.send(()).expect("the task waits");
        assert!(matches!(runtime.next(&running, &cancel), Met::End("done")));
        let hung = runtime.start_task::<(), (), _>(1, |outlet| async move {
            let _outlet = outlet;
            pending::<()>().await;
        });
        cancel.cancel();
        assert!(matches!(runtime.next(&hung.expect("a task"), &cancel), Met::Left));
        runtime.close();
        assert!(runtime.start_task::<(), (), _>(1, |_| async {}).is_err());
    }

    #[test]
    fn nothing_that_hangs_keeps_the_program_from_ending() {
        let runtime = Runtime::start().expect("threads");
        let cancel = Cancel::default();
        runtime.leave();
        let hung = pending::<()>;
        assert_eq!(runtime.run(hung(), LONG, &cancel, true), Err(Ended::Canceled));
        let (keep, wait) = bounded::<()>(0);
        let blocked = move || wait.recv_timeout(LONG).is_ok();
        assert_eq!(runtime.run_blocking(blocked, LONG, &cancel), Err(Ended::Canceled));
        assert_eq!(runtime.run(hung(), LONG, &cancel, false), Err(Ended::Late));
        drop(keep);
    }
}
