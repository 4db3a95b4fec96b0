//! Holds the monitor back when the clock has jumped, because a wrong clock would remove everything.
//!
//! The guard compares two clocks: wall time, which people and time servers set, and time since boot,
//! which only grows. It trusts a pair of readings as long as both moved on together. It reacts to
//! the clock only: explicit commands and simulated clocks are never held.

use std::time::Duration;

use bson::{DateTime, Document, doc};

use crate::limits::{GUARD_BACK_MS_MAX, GUARD_FORWARD_MS_MAX};

/// The name under which the store keeps the guard's state.
pub const GUARD_META_NAME: &str = "reaper.guard";

/// Both clocks at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Milliseconds since 1970.
    pub wall_ms: i64,
    /// Time since boot.
    pub since_boot: Duration,
    /// The boot that `since_boot` counts from; readings of different boots can't be compared.
    pub boot_id: Option<String>,
}

/// Why removals are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldReason {
    /// Wall time moved on by this many milliseconds more than time since boot did.
    SteppedForward {
        /// Milliseconds.
        by_ms: i64,
    },
    /// Wall time is this many milliseconds before a time that was already reached.
    BehindLastPass {
        /// Milliseconds.
        by_ms: i64,
    },
}

/// Removals are held since the monitor met this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Why.
    pub reason: HeldReason,
    /// What the wall clock said when it was noticed, in milliseconds since 1970.
    pub wall_ms: i64,
    /// What the wall clock was expected to say then.
    pub expected_ms: i64,
}

/// The guard: the last readings that agreed, and whether it holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guard {
    trusted: Option<Reading>,
    held: Option<Held>,
}

impl HeldReason {
    /// A stable code for programs.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::SteppedForward { .. } => "clockSteppedForward",
            Self::BehindLastPass { .. } => "clockBehindLastPass",
        }
    }

    /// What happened and what to do.
    #[must_use]
    pub fn sentence(self) -> String {
        match self {
            Self::SteppedForward { by_ms } => format!(
                "The computer's clock jumped ahead by {}. Removals wait: check the clock, then \
                 release them.",
                duration_text(by_ms)
            ),
            Self::BehindLastPass { by_ms } => format!(
                "The computer's clock is {} behind the last pass. Removals wait: check the clock, \
                 then release them.",
                duration_text(by_ms)
            ),
        }
    }
}

impl Guard {
    /// What is held back now.
    #[must_use]
    pub fn held(&self) -> Option<&Held> {
        self.held.as_ref()
    }

    /// The last readings that agreed.
    #[must_use]
    pub fn trusted(&self) -> Option<&Reading> {
        self.trusted.as_ref()
    }

    /// Compares the clocks before a scheduled pass. While they agree the new readings become the
    /// trusted ones; a hold ends by itself when the clock has returned.
    pub fn check(&mut self, now: Reading) -> Option<&Held> {
        let found = self.trusted.as_ref().and_then(|trusted| compare(trusted, &now));
        self.held = match (found, self.held) {
            (Some(found), Some(held)) => Some(Held { reason: found.reason, ..held }),
            (Some(found), None) => Some(found),
            // After a restart of the machine the readings can't be compared: the clock has returned
            // only if it is below what it said when the step was noticed.
            (None, Some(held)) if !self.comparable(&now) && now.wall_ms >= held.wall_ms => {
                Some(held)
            }
            (None, _) => None,
        };
        if self.held.is_none() {
            self.trusted = Some(now);
        }
        self.held.as_ref()
    }

    /// A person says that the clock is right: these readings are trusted from now on.
    pub fn release(&mut self, now: Reading) {
        self.trusted = Some(now);
        self.held = None;
    }

    /// The state for the store.
    #[must_use]
    pub fn to_document(&self) -> Document {
        let mut document = doc! { "v": 1 };
        if let Some(Reading { wall_ms, since_boot, boot_id }) = &self.trusted {
            document.insert("wall", DateTime::from_millis(*wall_ms));
            document.insert("bootMillis", millis(*since_boot));
            document.insert("bootId", boot_id.clone());
        }
        if let Some(held) = &self.held {
            let (HeldReason::SteppedForward { by_ms } | HeldReason::BehindLastPass { by_ms }) =
                held.reason;
            document.insert(
                "held",
                doc! {
                    "reason": held.reason.code(),
                    "byMillis": by_ms,
                    "wall": DateTime::from_millis(held.wall_ms),
                    "expected": DateTime::from_millis(held.expected_ms),
                },
            );
        }
        document
    }

    /// Reads [`Guard::to_document`] back; what can't be read counts as unknown.
    #[must_use]
    pub fn from_document(document: &Document) -> Self {
        Self { trusted: read_trusted(document), held: read_held(document) }
    }

    fn comparable(&self, now: &Reading) -> bool {
        self.trusted.as_ref().is_some_and(|trusted| same_boot(trusted, now))
    }
}

fn compare(trusted: &Reading, now: &Reading) -> Option<Held> {
    let moved = now.wall_ms.saturating_sub(trusted.wall_ms);
    let passed = if same_boot(trusted, now) {
        millis(now.since_boot).saturating_sub(millis(trusted.since_boot))
    } else {
        moved.max(0)
    };
    let expected_ms = trusted.wall_ms.saturating_add(passed);
    let step = moved.saturating_sub(passed);
    let reason = if step > GUARD_FORWARD_MS_MAX {
        HeldReason::SteppedForward { by_ms: step }
    } else if moved < -GUARD_BACK_MS_MAX {
        HeldReason::BehindLastPass { by_ms: moved.saturating_neg() }
    } else {
        return None;
    };
    Some(Held { reason, wall_ms: now.wall_ms, expected_ms })
}

fn same_boot(one: &Reading, other: &Reading) -> bool {
    one.boot_id.is_some() && one.boot_id == other.boot_id
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

fn read_trusted(document: &Document) -> Option<Reading> {
    let since_boot = document.get_i64("bootMillis").ok()?;
    Some(Reading {
        wall_ms: document.get_datetime("wall").ok()?.timestamp_millis(),
        since_boot: Duration::from_millis(u64::try_from(since_boot).ok()?),
        boot_id: document.get_str("bootId").ok().map(str::to_owned),
    })
}

fn read_held(document: &Document) -> Option<Held> {
    let held = document.get_document("held").ok()?;
    let by_ms = held.get_i64("byMillis").ok()?;
    let reason = match held.get_str("reason").ok()? {
        "clockSteppedForward" => HeldReason::SteppedForward { by_ms },
        "clockBehindLastPass" => HeldReason::BehindLastPass { by_ms },
        _ => return None,
    };
    Some(Held {
        reason,
        wall_ms: held.get_datetime("wall").ok()?.timestamp_millis(),
        expected_ms: held.get_datetime("expected").ok()?.timestamp_millis(),
    })
}

/// A length of time in its largest whole unit.
fn duration_text(ms: i64) -> String {
    let units = [(86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute"), (1_000, "second")];
    let (count, unit) = units
        .into_iter()
        .map(|(unit_ms, name)| (ms / unit_ms, name))
        .find(|(count, _)| *count > 0)
        .unwrap_or((0, "second"));
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;
    const YEAR: i64 = 365 * 24 * HOUR;

    fn reading(wall_ms: i64, boot_ms: i64, boot: &str) -> Reading {
        let since_boot = Duration::from_millis(u64::try_from(boot_ms).expect("not negative"));
        Reading { wall_ms, since_boot, boot_id: Some(boot.to_owned()) }
    }

    /// Each step is (wall, since boot, boot, whether it must hold).
    #[track_caller]
    fn check(steps: &[(i64, i64, &str, bool)]) {
        let mut guard = Guard::default();
        for (number, (wall, boot_ms, boot, held)) in steps.iter().enumerate() {
            guard = Guard::from_document(&guard.to_document());
            let found = guard.check(reading(*wall, *boot_ms, boot)).is_some();
            assert_eq!(found, *held, "step {number} of {steps:?}");
        }
    }

    #[test]
    fn clocks_that_agree_are_trusted() {
        check(&[(0, 0, "a", false), (YEAR, YEAR, "a", false)]); // asleep for a year
        check(&[(0, 0, "a", false), (HOUR, 0, "a", false)]); // an hour's step is allowed
        check(&[(0, 0, "a", false), (-300_000, 1_000, "a", false)]);
        check(&[(0, 0, "a", false), (YEAR, 5, "b", false)]); // switched off for a year
    }

    #[test]
    fn jumps_are_held() {
        check(&[(0, 0, "a", false), (HOUR + 1, 0, "a", true)]);
        check(&[(0, 0, "a", false), (75 * YEAR, 1_000, "a", true)]);
        check(&[(0, 0, "a", false), (-300_001, 1_000, "a", true)]);
        check(&[(0, 0, "a", false), (-300_001, 0, "b", true)]);
        check(&[(0, 0, "a", false), (i64::MAX, 0, "a", true), (i64::MIN, 0, "a", true)]);
    }

    #[test]
    fn a_hold_ends_when_the_clock_returns() {
        let jump = (YEAR, 1_000, "a", true);
        check(&[(0, 0, "a", false), jump, (2_000, 2_000, "a", false)]);
        check(&[(0, 0, "a", false), jump, (YEAR + 60_000, 61_000, "a", true)]);
        check(&[(0, 0, "a", false), jump, (YEAR + 60_000, 10, "b", true)]); // restarted
        check(&[(0, 0, "a", false), jump, (60_000, 10, "b", false)]);
    }

    #[test]
    fn release_trusts_the_clock() {
        let mut guard = Guard::default();
        guard.check(reading(0, 0, "a"));
        assert!(guard.check(reading(YEAR, 0, "a")).is_some());
        guard.release(reading(YEAR, 10, "a"));
        assert_eq!(guard.check(reading(YEAR + 5, 15, "a")), None);
    }

    #[test]
    fn lengths_of_time() {
        for (ms, text) in
            [(999, "0 seconds"), (60_000, "1 minute"), (2 * HOUR, "2 hours"), (YEAR, "365 days")]
        {
            assert_eq!(duration_text(ms), text);
        }
    }
}
