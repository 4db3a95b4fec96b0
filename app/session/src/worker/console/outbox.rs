//! The console's results, until the window takes them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::job::{ConsoleCompletion, ConsoleOutput, ConsoleReport, SentCommand};
use crate::limits::{CONSOLE_BYTES_MAX, CONSOLE_LINES_MAX, CONSOLE_SENT_MAX, EVENT_WAKE};
use crate::worker::wake::Wake;

/// Results that wait for the window: no more than the window would keep of them.
pub(in crate::worker) struct Outbox {
    waiting: Mutex<Waiting>,
    wake: Wake,
}

#[derive(Default)]
struct Waiting {
    run: u64,
    left_out: u64,
    outputs: VecDeque<ConsoleOutput>,
    bytes: usize,
    sent: Vec<SentCommand>,
    is_more_than_data: bool,
    ended: Option<String>,
    completion: Option<ConsoleCompletion>,
}

impl Waiting {
    fn is_worth_a_look(&self) -> bool {
        let is_ended = self.ended.is_some() || self.completion.is_some();
        is_ended || !self.outputs.is_empty() || !self.sent.is_empty()
    }
}

impl Outbox {
    pub(super) fn new(wake: Wake) -> Self {
        Self { waiting: Mutex::default(), wake }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        lock(&self.waiting)
    }

    /// Whether something waits.
    pub(super) fn has_report(&self) -> bool {
        self.lock().is_worth_a_look()
    }

    /// Whether an input ended.
    #[cfg(test)]
    pub(super) fn has_end(&self) -> bool {
        self.lock().ended.is_some()
    }

    /// Completions of a word.
    pub(super) fn complete(&self, completion: ConsoleCompletion) {
        self.change(Duration::ZERO, |waiting| waiting.completion = Some(completion));
    }

    /// A command changed more than data.
    pub(super) fn set_more_than_data(&self) {
        self.lock().is_more_than_data = true;
    }

    /// Changes what waits, and wakes the window if nothing waited.
    fn change(&self, wait: Duration, change: impl FnOnce(&mut Waiting)) {
        let mut waiting = self.lock();
        let woken = waiting.is_worth_a_look();
        change(&mut waiting);
        drop(waiting);
        if !woken || wait.is_zero() {
            (self.wake)(wait);
        }
    }

    pub(in crate::worker) fn push(&self, run: u64, output: ConsoleOutput) {
        self.change(EVENT_WAKE, |waiting| {
            waiting.run = run;
            waiting.bytes += output.bytes();
            waiting.outputs.push_back(output);
            while waiting.outputs.len() > CONSOLE_LINES_MAX || waiting.bytes > CONSOLE_BYTES_MAX {
                let Some(oldest) = waiting.outputs.pop_front() else { break };
                waiting.bytes -= oldest.bytes();
                waiting.left_out += 1;
            }
        });
    }

    pub(in crate::worker) fn end(&self, run: u64, database: String) {
        self.change(Duration::ZERO, |waiting| {
            waiting.run = run;
            waiting.ended = Some(database);
        });
    }

    /// Notes a command, unless many wait: writing the text of each would slow a loop of inserts.
    pub(super) fn sent(&self, reply: impl FnOnce() -> SentCommand) {
        if self.lock().sent.len() >= CONSOLE_SENT_MAX {
            return;
        }
        let sent = reply();
        self.change(EVENT_WAKE, |waiting| waiting.sent.push(sent));
    }

    pub(super) fn take(&self) -> Option<ConsoleReport> {
        let mut waiting = self.lock();
        if !waiting.is_worth_a_look() {
            return None;
        }
        let waiting = std::mem::take(&mut *waiting);
        Some(ConsoleReport {
            run: waiting.run,
            left_out: waiting.left_out,
            outputs: waiting.outputs.into(),
            sent: waiting.sent,
            is_more_than_data: waiting.is_more_than_data,
            ended: waiting.ended,
            completion: waiting.completion,
        })
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
