//! The reaper: when it comes next, what it did, what it removed.

use std::collections::VecDeque;

use bson::Document;
use mayfly_engine::reply;
use serde::{Deserialize, Serialize};

use super::duration;
use crate::job::reply::number;
use crate::job::{Namespace, PassReport, RemovedDocument};
use crate::limits::{PASSES_MAX, REAPER_LOG_MAX, REMOVED_MAX, SCHEDULE_SECS_RANGE};

/// How often the reaper comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Schedule {
    /// Seconds between passes, as in MongoDB.
    Every(u64),
    AtThreshold,
}

impl Default for Schedule {
    /// As in MongoDB.
    fn default() -> Self {
        Self::Every(60)
    }
}

impl Schedule {
    /// The schedules that the top bar offers.
    pub const OFFERED: [Self; 4] =
        [Self::Every(60), Self::Every(10), Self::Every(1), Self::AtThreshold];

    /// The schedules that the bar of simulated time offers.
    pub const SIMULATED: [Self; 6] = [
        Self::Every(1),
        Self::Every(10),
        Self::Every(60),
        Self::Every(600),
        Self::Every(3_600),
        Self::AtThreshold,
    ];

    /// Makes of a number from a file one that the TTL monitor accepts.
    pub fn bound(&mut self) {
        if let Self::Every(secs) = self {
            *secs = (*secs).clamp(*SCHEDULE_SECS_RANGE.start(), *SCHEDULE_SECS_RANGE.end());
        }
    }

    /// The words on the button.
    #[must_use]
    pub fn label(self) -> String {
        match self {
            Self::Every(secs @ 0..=60) => format!("Every {secs} s"),
            Self::Every(secs) => {
                let ms = i64::try_from(secs).unwrap_or(i64::MAX).saturating_mul(1_000);
                format!("Every {}", duration::span(ms))
            }
            Self::AtThreshold => "On expiration".to_owned(),
        }
    }
}

/// The reaper as the window knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Reaper {
    pub enabled: bool,
    /// Seconds from one pass to the next.
    pub sleep_secs: u64,
    /// Whether it also comes at the next threshold.
    pub at_threshold: bool,
    /// The next pass, in milliseconds since 1970.
    pub next_pass_ms: Option<i64>,
    pub running: bool,
    pub held: Option<Held>,
    /// Seconds that removed documents are kept in the trash; 0 keeps none.
    pub trash_secs: u64,
    /// Since when removed documents are kept, in milliseconds since 1970: always, until the trash
    /// was seen to be off.
    trash_since_ms: i64,
    /// Why it no longer runs, or what it failed at last.
    pub died: Option<String>,
    /// Why it counts as stalled: it has not finished a pass for too long.
    pub stall: Option<String>,
    passes: VecDeque<PassReport>,
    log: VecDeque<LogLine>,
    removed: VecDeque<RemovedDocument>,
    removed_total: u64,
}

/// Removals on hold.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Held {
    pub reason: String,
    /// Why, in one or two sentences.
    pub sentence: String,
    /// Every rule waits, and not only those that are listed.
    pub is_all: bool,
    /// The user chose to keep the hold.
    pub kept: bool,
    /// The clock's time when it was asked, in milliseconds since 1970.
    pub clock_ms: Option<i64>,
    /// The expected time, by the time that went by.
    pub expected_ms: Option<i64>,
    /// When the last pass was made.
    pub last_pass_ms: Option<i64>,
    /// The rules that wait and have something to remove.
    pub rules: Vec<HeldRule>,
}

/// A rule whose removals wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldRule {
    pub namespace: Namespace,
    pub index: String,
    /// How many documents it would remove now.
    pub due: u64,
}

impl HeldRule {
    fn read(found: reply::HeldRule) -> Option<Self> {
        let (db, collection) = found.ns.split_once('.')?;
        let namespace = Namespace::new(db, collection);
        (found.due > 0).then_some(Self { namespace, index: found.index, due: found.due })
    }
}

impl Held {
    /// Reads the reply to `mayflyHeld`; `None` while nothing is on hold.
    pub fn read(found: &Document) -> Option<Self> {
        let found = reply::Held::from_document(found).filter(|found| found.is_held)?;
        Some(Self {
            reason: found.reason.unwrap_or_default(),
            is_all: found.holds.iter().any(|hold| hold.scope == "all"),
            sentence: found.sentence.unwrap_or_else(|| "Removals are on hold".to_owned()),
            kept: found.kept.unwrap_or(false),
            clock_ms: found.now_ms,
            expected_ms: found.expected_now_ms,
            last_pass_ms: found.last_pass_ms,
            rules: found.rules.into_iter().filter_map(HeldRule::read).collect(),
        })
    }

    /// How many documents wait.
    pub fn due(&self) -> u64 {
        self.rules.iter().fold(0, |sum, rule| sum.saturating_add(rule.due))
    }

    /// The collection to show after this one: the next that has held documents. `None` if
    /// there is no other.
    pub fn collection_after(&self, seen: Option<&Namespace>) -> Option<&Namespace> {
        let named = || self.rules.iter().map(|rule| &rule.namespace);
        let from_seen = named().skip_while(|namespace| Some(*namespace) != seen);
        from_seen.chain(named()).find(|namespace| Some(*namespace) != seen)
    }

    /// Whether documents of this collection wait.
    pub fn holds(&self, namespace: &Namespace) -> bool {
        self.is_all || self.rules.iter().any(|rule| rule.namespace == *namespace)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct LogLine {
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    pub what: LogEntry,
}

/// The contents of a line of the reaper log.
#[derive(Debug, Clone, PartialEq)]
pub enum LogEntry {
    /// A pass; consecutive passes that removed nothing share one line.
    Pass {
        /// The pass, or the newest of several.
        pass: PassReport,
        passes: u64,
        /// Whether the store was closed since. Pass numbers restart then, so such a pass can't be
        /// queried.
        is_past: bool,
    },
    /// Anything else, in one sentence.
    Note(String),
}

impl Default for Reaper {
    fn default() -> Self {
        Self {
            enabled: true,
            sleep_secs: 60,
            at_threshold: false,
            next_pass_ms: None,
            running: false,
            held: None,
            trash_secs: 0,
            trash_since_ms: i64::MIN,
            died: None,
            stall: None,
            passes: VecDeque::new(),
            log: VecDeque::new(),
            removed: VecDeque::new(),
            removed_total: 0,
        }
    }
}

impl Reaper {
    /// Takes what `serverStatus` says of it.
    pub fn learn(&mut self, found: &Document, now_ms: i64) {
        let mayfly = found.get_document("mayfly").ok();
        let part = |name: &str| mayfly.and_then(|mayfly| mayfly.get_document(name).ok());
        let Some(reaper) = part("reaper") else { return };
        self.set_trash_secs(part("trash").and_then(|it| number(it, "secs")).unwrap_or(0), now_ms);
        self.enabled = reaper.get_bool("enabled").unwrap_or(self.enabled);
        self.at_threshold = reaper.get_bool("atThreshold").unwrap_or(self.at_threshold);
        self.sleep_secs = number(reaper, "sleepSecs").unwrap_or(self.sleep_secs);
        self.next_pass_ms = reaper.get_datetime("nextPass").ok().map(|at| at.timestamp_millis());
    }

    /// How often it comes.
    pub fn schedule(&self) -> Schedule {
        if self.at_threshold { Schedule::AtThreshold } else { Schedule::Every(self.sleep_secs) }
    }

    /// Past passes, the oldest first.
    pub fn passes(&self) -> &VecDeque<PassReport> {
        &self.passes
    }

    pub fn last_pass(&self) -> Option<&PassReport> {
        self.passes.back()
    }

    /// The log, the oldest line first.
    pub fn log(&self) -> &VecDeque<LogLine> {
        &self.log
    }

    /// Removed documents, the oldest first.
    pub fn removed(&self) -> &VecDeque<RemovedDocument> {
        &self.removed
    }

    /// How many documents were removed since the window was made, listed or not.
    pub fn removed_total(&self) -> u64 {
        self.removed_total
    }

    /// Notes a pass that began.
    pub fn pass_started(&mut self) {
        self.running = true;
    }

    /// Notes a pass that ended; only indexes that removed something or failed are kept.
    pub fn pass_finished(&mut self, mut pass: PassReport) {
        pass.indexes.retain(|index| index.deleted > 0 || index.error.is_some());
        (self.running, self.died, self.stall) = (false, None, None);
        push_bounded(&mut self.passes, pass.clone(), PASSES_MAX);
        if let Some(LogLine { at_ms, what: LogEntry::Pass { pass: last, passes, .. } }) =
            self.log.back_mut()
            && is_quiet(last)
            && is_quiet(&pass)
        {
            *at_ms = pass.finished_ms;
            *last = pass;
            *passes += 1;
            return;
        }
        let at_ms = pass.finished_ms;
        self.write(LogLine { at_ms, what: LogEntry::Pass { pass, passes: 1, is_past: false } });
    }

    /// Notes removed documents.
    pub fn documents_removed(&mut self, documents: Vec<RemovedDocument>, more: u64) {
        self.removed_total += u64::try_from(documents.len()).unwrap_or(u64::MAX) + more;
        for document in documents {
            push_bounded(&mut self.removed, document, REMOVED_MAX);
        }
    }

    /// Sets how long removed documents are kept, in seconds; 0 turns the trash off.
    pub fn set_trash_secs(&mut self, secs: u64, now_ms: i64) {
        match secs {
            0 => self.trash_since_ms = i64::MAX,
            _ => self.trash_since_ms = self.trash_since_ms.min(now_ms),
        }
        self.trash_secs = secs;
    }

    /// Whether the trash can still have what was removed at this instant, in milliseconds since
    /// 1970.
    pub fn keeps(&self, removed_ms: i64, now_ms: i64) -> bool {
        let keeps_ms = i64::try_from(self.trash_secs).unwrap_or(i64::MAX).saturating_mul(1_000);
        removed_ms >= self.trash_since_ms && now_ms.saturating_sub(removed_ms) < keeps_ms
    }

    /// Writes a sentence into the log.
    pub fn note(&mut self, at_ms: i64, sentence: impl Into<String>) {
        self.write(LogLine { at_ms, what: LogEntry::Note(sentence.into()) });
    }

    /// The store was reopened. Earlier passes stay in the log, with a line that says why their
    /// numbers begin again.
    pub fn reopened(&mut self, at_ms: i64) {
        // The running pass ended with the closed store.
        (self.running, self.died, self.stall) = (false, None, None);
        let mut has_pass = false;
        for line in &mut self.log {
            if let LogEntry::Pass { is_past, .. } = &mut line.what {
                has_pass |= !*is_past;
                *is_past = true;
            }
        }
        if has_pass {
            self.note(at_ms, "Store reopened. Pass numbers restart at 1");
        }
    }

    /// Forgets passes and what they removed; the log stays.
    pub fn forget_passes(&mut self) {
        self.passes.clear();
        self.removed.clear();
    }

    /// Empties the log; passes and removed documents stay.
    pub fn clear_log(&mut self) {
        self.log.clear();
    }

    fn write(&mut self, line: LogLine) {
        push_bounded(&mut self.log, line, REAPER_LOG_MAX);
    }
}

fn is_quiet(pass: &PassReport) -> bool {
    pass.deleted == 0 && pass.indexes.iter().all(|index| index.error.is_none())
}

fn push_bounded<T>(list: &mut VecDeque<T>, item: T, max: usize) {
    if list.len() >= max {
        list.pop_front();
    }
    list.push_back(item);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(number: u64, deleted: u64) -> PassReport {
        PassReport { number, deleted, ..PassReport::default() }
    }

    #[test]
    fn passes_that_removed_nothing_share_a_line() {
        let mut reaper = Reaper::default();
        for (number, deleted) in [(1, 0), (2, 0), (3, 5), (4, 0)] {
            reaper.pass_finished(pass(number, deleted));
        }
        let lines: Vec<(u64, u64)> = reaper
            .log()
            .iter()
            .filter_map(|line| match &line.what {
                LogEntry::Pass { pass, passes, .. } => Some((pass.number, *passes)),
                LogEntry::Note(_) => None,
            })
            .collect();
        assert_eq!(lines, [(2, 2), (3, 1), (4, 1)]);
        assert_eq!(reaper.passes().len(), 4);
    }

    #[test]
    fn a_store_that_was_opened_again_is_told_once_after_passes() {
        let mut reaper = Reaper::default();
        reaper.reopened(0);
        assert_eq!(reaper.log().len(), 0, "the first time");
        reaper.pass_finished(pass(1, 0));
        reaper.reopened(0);
        reaper.reopened(0);
        reaper.pass_finished(pass(1, 0));
        let is_past = |line: &LogLine| match line.what {
            LogEntry::Pass { is_past, .. } => Some(is_past),
            LogEntry::Note(_) => None,
        };
        let lines: Vec<_> = reaper.log().iter().map(is_past).collect();
        assert_eq!(lines, [Some(true), None, Some(false)]);
    }

    #[test]
    fn collections_that_wait_are_shown_in_turn() {
        let namespace = |name: &str| Namespace::new("shop", name);
        let check = |names: &[&str], seen: &str, expected: Option<&str>| {
            let rule = |name: &&str| HeldRule {
                namespace: namespace(name),
                index: "a".to_owned(),
                due: 1,
            };
            let held = Held { rules: names.iter().map(rule).collect(), ..Held::default() };
            let after = held.collection_after(Some(&namespace(seen))).cloned();
            assert_eq!(after, expected.map(namespace), "{seen} of {names:?}");
        };
        check(&[], "a", None);
        check(&["a", "a"], "a", None);
        check(&["a", "a", "b"], "a", Some("b"));
        check(&["a", "a", "b"], "b", Some("a"));
        check(&["a", "b"], "other", Some("a"));
    }

    #[test]
    fn the_log_is_bounded() {
        let mut reaper = Reaper::default();
        for number in 0..REAPER_LOG_MAX + 5 {
            reaper.note(0, number.to_string());
        }
        assert_eq!(reaper.log().len(), REAPER_LOG_MAX);
        assert!(matches!(&reaper.log()[0].what, LogEntry::Note(text) if text == "5"));
    }
}
