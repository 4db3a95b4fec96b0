//! How fast a lesson's time passes on the screen.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use mayfly_engine::clock::{Clock as _, SystemClock};

use super::clock::StageClock;
use crate::job::Cancel;
use crate::lessons::audience::Audience;
use crate::limits::{
    LESSON_END_MS, LESSON_END_RATE_MAX, LESSON_HASTE_MAX, LESSON_PLAY_MAX, LESSON_PLAY_MIN,
    LESSON_STEP,
};

/// Called after each step of time that the user watches.
type Shown = Box<dyn Fn(Progress) + Send + Sync>;

/// How time passes at the moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Simulated seconds for each real second.
    pub rate: f64,
    pub is_paused: bool,
    /// The latest end of the play. `None` if nothing plays.
    pub until_ms: Option<i64>,
}

/// Lets time pass: at once, or as fast as the user likes to watch.
pub struct Pacer {
    audience: Arc<dyn Audience>,
    shown: Shown,
    state: Mutex<PacerState>,
    watched: AtomicU64,
}

struct PacerState {
    is_at_once: bool,
    progress: Progress,
    /// Until there, time passes at once.
    at_once_until_ms: Option<i64>,
    halt_ms: Option<i64>,
    cancel: Cancel,
    end: Option<PlayEnd>,
    /// The rest of the time that a block may take on the screen.
    room: Duration,
    /// How long the play should take on the screen, and how long it was watched.
    planned: Duration,
    seen: Duration,
}

/// Why a run was ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlayEnd {
    Stopped,
    /// It reached the instant to which a replay goes.
    Halted,
}

impl Pacer {
    /// `shown` is called after each step that is watched.
    pub fn new(audience: Arc<dyn Audience>, is_at_once: bool, rate: f64, shown: Shown) -> Self {
        let progress = Progress { rate, is_paused: true, until_ms: None };
        let state = PacerState {
            is_at_once,
            progress,
            at_once_until_ms: None,
            halt_ms: None,
            cancel: Cancel::default(),
            end: None,
            room: LESSON_PLAY_MAX,
            planned: Duration::ZERO,
            seen: Duration::ZERO,
        };
        Self { audience, shown, state: Mutex::new(state), watched: AtomicU64::new(0) }
    }

    /// A run begins, which `cancel` ends.
    pub fn begin_run(&self, cancel: &Cancel) {
        let mut state = self.lock();
        state.cancel = cancel.clone();
        state.end = None;
        state.room = LESSON_PLAY_MAX;
    }

    /// Why the run was ended early.
    pub fn end(&self) -> Option<PlayEnd> {
        self.lock().end
    }

    /// Time will pass until `until_ms`, at a rate that the user can follow.
    pub fn begin_play(&self, now_ms: i64, until_ms: i64, usual_rate: f64) {
        let mut state = self.lock();
        let simulated =
            Duration::from_millis(until_ms.saturating_sub(now_ms).max(0).unsigned_abs());
        let usual = Duration::try_from_secs_f64(simulated.as_secs_f64() / usual_rate);
        let on_screen = usual.unwrap_or(LESSON_PLAY_MAX).clamp(LESSON_PLAY_MIN, LESSON_PLAY_MAX);
        // Several plays of a block share its time.
        let on_screen = on_screen.min(state.room.max(LESSON_PLAY_MIN / 4));
        state.room = state.room.saturating_sub(on_screen);
        (state.planned, state.seen) = (on_screen, Duration::ZERO);
        // Never slower than real time: a pass may continue after the end of a short play.
        let rate = (simulated.as_secs_f64() / on_screen.as_secs_f64()).max(1.0);
        state.progress = Progress { rate, is_paused: false, until_ms: Some(until_ms) };
        self.show(state);
    }

    /// The play is over.
    pub fn end_play(&self) {
        let mut state = self.lock();
        state.progress.until_ms = None;
        state.progress.is_paused = true;
        self.show(state);
    }

    fn show(&self, state: MutexGuard<'_, PacerState>) {
        let (progress, is_watched) = (state.progress, !state.is_at_once);
        drop(state);
        if is_watched {
            (self.shown)(progress);
        }
    }

    /// Lets time pass until this instant. Returns whether it got there.
    pub fn advance(&self, clock: &StageClock, to_ms: i64) -> bool {
        let mut at = SystemClock.monotonic();
        let mut owed = 0.0;
        loop {
            let state = self.lock();
            let now_ms = clock.now_ms();
            let goal_ms = state.halt_ms.map_or(to_ms, |halt_ms| to_ms.min(halt_ms));
            let at_once_ms = if state.is_at_once { goal_ms } else { skip_to(&state, goal_ms) };
            if at_once_ms > now_ms {
                clock.advance(at_once_ms - now_ms);
            }
            let now_ms = clock.now_ms();
            if now_ms >= goal_ms {
                if goal_ms < to_ms {
                    finish(state, PlayEnd::Halted);
                    return false;
                }
                return true;
            }
            let (progress, is_cancelled) = (state.progress, state.cancel.is_cancelled());
            let rate = rate_at(&progress, now_ms) * haste(state.seen.saturating_sub(state.planned));
            drop(state);
            if is_cancelled || self.audience.is_interrupted() {
                finish(self.lock(), PlayEnd::Stopped);
                return false;
            }
            // Parked without the lock, so that the window can change the rate or stop the play.
            thread::park_timeout(LESSON_STEP);
            let before = std::mem::replace(&mut at, SystemClock.monotonic());
            let real = at.saturating_sub(before);
            let micros = u64::try_from(real.as_micros()).unwrap_or(u64::MAX);
            self.watched.fetch_add(micros, Ordering::Relaxed);
            if !progress.is_paused {
                self.lock().seen += real;
                // The rest below a millisecond is carried over, or a slow rate would never advance
                // the clock.
                owed += real.as_secs_f64() * 1_000.0 * rate;
                let step_ms = whole(owed).min(goal_ms - now_ms);
                #[expect(clippy::cast_precision_loss, reason = "steps are short")]
                let taken = step_ms as f64;
                owed -= taken;
                clock.advance(step_ms);
            }
            (self.shown)(progress);
        }
    }

    /// Time passes at once until this instant, and as the user likes after it.
    pub fn set_at_once_until(&self, until_ms: Option<i64>) {
        self.lock().at_once_until_ms = until_ms;
    }

    /// Time stops at this instant, and with it the run.
    pub fn set_halt(&self, halt_ms: Option<i64>) {
        self.lock().halt_ms = halt_ms;
    }

    /// Whether time passes at once. Returns what was before.
    pub fn set_at_once(&self, is_at_once: bool) -> bool {
        std::mem::replace(&mut self.lock().is_at_once, is_at_once)
    }

    /// Pauses or resumes what plays.
    pub fn set_paused(&self, is_paused: bool) {
        self.lock().progress.is_paused = is_paused;
    }

    /// Sets the rate of what plays.
    pub fn set_rate(&self, rate: f64) {
        self.lock().progress.rate = rate;
    }

    /// How time passes at the moment.
    pub fn progress(&self) -> Progress {
        self.lock().progress
    }

    /// How long was watched so far.
    pub fn watched(&self) -> Duration {
        Duration::from_micros(self.watched.load(Ordering::Relaxed))
    }

    fn lock(&self) -> MutexGuard<'_, PacerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The rate at an instant.
fn rate_at(progress: &Progress, now_ms: i64) -> f64 {
    // The end of a play is slow enough to be seen.
    let is_end = progress.until_ms.is_some_and(|until_ms| until_ms - now_ms <= LESSON_END_MS);
    if is_end { progress.rate.min(LESSON_END_RATE_MAX) } else { progress.rate }
}

/// How much faster time passes where removing takes longer than the play was planned for: twice as
/// fast after each second.
fn haste(late: Duration) -> f64 {
    late.as_secs_f64().min(LESSON_HASTE_MAX).exp2()
}

#[expect(clippy::cast_possible_truncation, reason = "saturates")]
fn whole(ms: f64) -> i64 {
    ms as i64
}

fn skip_to(state: &PacerState, goal_ms: i64) -> i64 {
    state.at_once_until_ms.map_or(i64::MIN, |until_ms| until_ms.min(goal_ms))
}

fn finish(mut state: MutexGuard<'_, PacerState>, end: PlayEnd) {
    state.end = state.end.or(Some(end));
    state.cancel.cancel();
}

#[cfg(test)]
mod tests {
    use mayfly_engine::clock::SimulatedClock;

    use super::*;
    use crate::lessons::audience::NoAudience;

    fn pacer() -> (Pacer, StageClock) {
        let clock = StageClock::Simulated(Arc::new(SimulatedClock::new(0)));
        (Pacer::new(Arc::new(NoAudience), false, 1.0, Box::new(|_| {})), clock)
    }

    #[test]
    fn a_play_takes_two_to_eight_seconds() {
        let (pacer, _) = pacer();
        for (simulated_secs, usual_rate, expected) in [
            (1, 10.0, 1.0),
            (30, 10.0, 10.0), // three seconds
            (90, 1.0, 11.25), // eight seconds
            (86_400, 1.0, 10_800.0),
        ] {
            pacer.begin_run(&Cancel::default());
            pacer.begin_play(0, simulated_secs * 1_000, usual_rate);
            let rate = pacer.progress().rate;
            assert!((rate - expected).abs() < 0.01, "{simulated_secs}: {rate}");
            pacer.end_play();
            assert_eq!(pacer.progress().until_ms, None);
        }
    }

    #[test]
    fn the_plays_of_a_block_share_its_time() {
        let (pacer, _) = pacer();
        pacer.begin_run(&Cancel::default());
        let mut real = 0.0;
        for play in 0..5 {
            pacer.begin_play(play * 300_000, (play + 1) * 300_000, 1.0);
            real += 300.0 / pacer.progress().rate;
        }
        assert!(real < 11.0, "{real}");
    }

    #[test]
    fn the_end_is_slow_and_a_long_pass_is_hasty() {
        let progress = Progress { rate: 600.0, is_paused: false, until_ms: Some(90_000) };
        assert!((rate_at(&progress, 87_000) - 600.0).abs() < 1e-9);
        assert!((rate_at(&progress, 88_000) - LESSON_END_RATE_MAX).abs() < 1e-9);
        assert!((haste(Duration::ZERO) - 1.0).abs() < 1e-9);
        assert!((haste(Duration::from_secs(3)) - 8.0).abs() < 1e-9);
        assert!(haste(Duration::MAX).is_finite());
    }

    #[test]
    fn time_that_is_watched_arrives_exactly_and_may_be_skipped() {
        let (pacer, clock) = pacer();
        pacer.begin_play(0, 100, 1_000.0);
        pacer.set_rate(1_000.0);
        assert!(pacer.advance(&clock, 100));
        assert_eq!(clock.now_ms(), 100);
        let watched = pacer.watched();
        assert!(!watched.is_zero());
        pacer.set_at_once_until(Some(1_000_000));
        assert!(pacer.advance(&clock, 1_000_000));
        assert_eq!((clock.now_ms(), pacer.watched()), (1_000_000, watched));
    }
}
