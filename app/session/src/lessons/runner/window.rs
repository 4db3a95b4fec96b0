//! The window's requests to the lesson's store, and time that passes by itself.

use std::time::Duration;

use bson::Document;
use mayfly_engine::clock::{Clock as _, RATE_MAX, RATE_MIN, SystemClock};

use super::Runner;
use super::performance::Step;
use crate::job::Cancel;
use crate::lessons::equality::{double, integer};
use crate::lessons::stage::refusal;
use crate::limits::LESSON_SHOW;

impl Runner {
    /// Answers the window's requests to the store, and lets time pass while the clock runs. Returns
    /// how long the thread may rest, or `None` until it is woken.
    pub fn run_due(&mut self) -> Option<Duration> {
        let source = self.source();
        let mut has_changed = false;
        while let Some(waiting) = source.take_waiting() {
            let reply = if waiting.command.contains_key("mayflyClock") {
                self.change_clock(&waiting.command)
            } else {
                let step = Step::Command(waiting.db.clone(), waiting.command.clone());
                let ran = self.act(step, &Cancel::default(), true);
                ran.reply.unwrap_or_default()
            };
            waiting.answer(reply);
            has_changed = true;
        }
        let (rate, is_paused) = source.pace();
        if is_paused {
            self.ticked = None;
        } else {
            has_changed |= self.tick(rate);
        }
        if has_changed {
            self.refresh();
        }
        (!source.pace().1).then_some(LESSON_SHOW)
    }

    /// Lets the time pass that went by since the last call.
    fn tick(&mut self, rate: f64) -> bool {
        let now = SystemClock.monotonic();
        let Some(before) = self.ticked else {
            self.ticked = Some(now);
            return false;
        };
        let real = now.saturating_sub(before);
        let ms = whole(real.as_secs_f64() * 1_000.0 * rate);
        if ms == 0 {
            return false;
        }
        self.ticked = Some(now);
        let end_ms = self.performance.stage().clock().now_ms().saturating_add(ms);
        let ran = self.act(Step::Play(end_ms), &Cancel::default(), true);
        if ran.failure.is_some() {
            self.source.set_pace(rate, true);
        }
        self.source.tell_clock();
        true
    }

    fn change_clock(&mut self, command: &Document) -> Document {
        let (rate, is_paused) = self.source.pace();
        let asked = command.get("rate").and_then(double).unwrap_or(rate);
        if !(RATE_MIN..=RATE_MAX).contains(&asked) {
            return refusal(&format!("rate must be from {RATE_MIN} to {RATE_MAX}"));
        }
        let paused = command.get_bool("paused").unwrap_or(is_paused);
        let now_ms = self.performance.stage().clock().now_ms();
        let mut step = None;
        if let Ok(date) = command.get_datetime("set") {
            step = Some(Step::Jump(date.timestamp_millis().saturating_sub(now_ms)));
        } else if let Some(ms) = command.get("advanceMS").and_then(integer) {
            if ms < 0 {
                return refusal("in a lesson, time does not go back; restart the card");
            }
            step = Some(Step::Play(now_ms.saturating_add(ms)));
        } else if let Ok(what) = command.get_str("advanceTo") {
            let Some(end_ms) = self.next_ms(what) else {
                return refusal(&format!("there is no next {what}"));
            };
            step = Some(Step::Play(end_ms));
        }
        if let Some(step) = step {
            let ran = self.act(step, &Cancel::default(), false);
            if let Some(sentence) = ran.failure {
                return refusal(&sentence);
            }
        }
        self.source.set_pace(asked, paused);
        self.source.clock_reply()
    }

    fn next_ms(&mut self, what: &str) -> Option<i64> {
        let stage = self.performance.stage();
        let (pass_ms, is_on) = stage.schedule();
        match what {
            "threshold" => stage.next_threshold_ms(),
            "pass" => is_on.then_some(pass_ms),
            _ => self.performance.script().next_event().map(|(_, at_ms)| at_ms),
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "saturates")]
fn whole(ms: f64) -> i64 {
    ms as i64
}
