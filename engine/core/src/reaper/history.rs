//! The history of passes: for each minute how many ran, what they removed and what they left.
//!
//! The store keeps it in rows of `meta`, one for each hour since 1970. A year has its minutes; the years
//! before it have their hours. Quiet minutes wait in memory until there is something to write, so an
//! idle store commits once an hour. A crash loses what waits, at most an hour.

use std::{collections::BTreeMap, sync::Mutex, time::Duration};

use super::{
    forecast::count_due,
    handle::{Reaper, lock},
    target::targets_at_work,
};
use crate::{
    clock::work_time,
    event::PassReport,
    limits::{
        HISTORY_CATCH_UP_HOURS, HISTORY_HOURS_MAX, HISTORY_KEEP_WAIT, HISTORY_LEFT_MAX,
        HISTORY_MINUTE_HOURS_MAX, HISTORY_READ_HOURS, HISTORY_WAITING_MAX,
    },
    reply::PassSpan,
    store::{Reader, Store, StoreError, Writer},
    ttl::Rule,
};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 3_600_000;

/// The slot of an hour whose minutes were summed up. Minutes have 0 to 59.
const WHOLE_HOUR: u64 = 60;

/// The `meta` value with the first hour, the first one that has its minutes, and the last one.
const HOURS_META: &str = "passes";

/// The minutes that are not in the store yet.
#[derive(Debug, Default)]
pub(super) struct PassHistory {
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    /// By their beginning.
    minutes: BTreeMap<i64, PassSpan>,
    written: Duration,
}

/// The hours that the store has, as hours since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Hours {
    first: i64,
    first_with_minutes: i64,
    last: i64,
}

impl PassHistory {
    /// Adds a pass, or a look at what a hold keeps. `span` has the instant of it.
    pub(super) fn note(&self, store: &Store, span: PassSpan) {
        if span.at_ms < 0 {
            return;
        }
        let minute = PassSpan { at_ms: span.at_ms - span.at_ms % MINUTE_MS, secs: 60, ..span };
        let mut waiting = lock(&self.waiting);
        let known = waiting.minutes.entry(minute.at_ms);
        known.and_modify(|known| *known = sum(known, &minute)).or_insert(minute);
        let is_eventful = waiting.minutes.values().any(|it| it.removed > 0 || it.left > 0);
        let is_time = work_time().saturating_sub(waiting.written) >= HISTORY_KEEP_WAIT;
        let is_full = waiting.minutes.len() >= HISTORY_WAITING_MAX;
        drop(waiting);
        if is_full || (is_eventful && is_time) {
            self.keep(store);
        }
    }

    /// Stores what waits. The history is an account: without the space for it removals continue, and
    /// its minutes are left out.
    pub(super) fn keep(&self, store: &Store) {
        let minutes = {
            let mut waiting = lock(&self.waiting);
            waiting.written = work_time();
            std::mem::take(&mut waiting.minutes)
        };
        if minutes.is_empty() || store.is_full() {
            return;
        }
        let kept: Result<(), StoreError> = store.write(|writer| {
            let mut minutes = minutes.values().peekable();
            while let Some(first) = minutes.peek() {
                let hour = first.at_ms / HOUR_MS;
                let is_of_hour = |span: &&&PassSpan| span.at_ms / HOUR_MS == hour;
                let mut spans = read_hour(&writer.reader(), hour)?;
                while let Some(span) = minutes.next_if(|span| is_of_hour(&span)) {
                    add(&mut spans, span);
                }
                write_hour(writer, hour, &spans)?;
                forget(writer, hour)?;
            }
            Ok(())
        });
        drop(kept);
    }

    /// The history from one instant to before another, in at most this many spans: minutes, or as many
    /// minutes together as it takes. Also the beginning of the first hour that there is.
    ///
    /// # Errors
    /// When the store can't be read.
    pub(super) fn read(
        &self,
        store: &Store,
        (from_ms, until_ms): (i64, i64),
        spans_max: i64,
    ) -> Result<(Vec<PassSpan>, Option<i64>), StoreError> {
        let waiting = lock(&self.waiting).minutes.clone();
        let hours = store.read(read_hours)?;
        let stored = hours.map(|hours| (hours.first * HOUR_MS, (hours.last + 1) * HOUR_MS));
        let first_ms = waiting.keys().next().copied();
        let first_ms = stored.map(|stored| stored.0).into_iter().chain(first_ms).min();
        let end_ms = waiting.keys().next_back().map(|minute_ms| minute_ms + MINUTE_MS);
        let end_ms = stored.map(|stored| stored.1).into_iter().chain(end_ms).max();
        let from_ms = from_ms.max(first_ms.unwrap_or(from_ms));
        let until_ms = until_ms.min(end_ms.unwrap_or(from_ms));
        if from_ms >= until_ms {
            return Ok((Vec::new(), first_ms));
        }
        let minutes = until_ms.saturating_sub(from_ms).div_euclid(MINUTE_MS) + 1;
        let width_ms = (minutes.div_euclid(spans_max.max(1)) + 1).saturating_mul(MINUTE_MS);
        let mut spans: BTreeMap<i64, PassSpan> = BTreeMap::new();
        let mut tally = |span: &PassSpan| {
            if span.at_ms + span.secs * 1_000 <= from_ms || span.at_ms >= until_ms {
                return;
            }
            let at_ms = span.at_ms - span.at_ms.rem_euclid(width_ms);
            let secs = (width_ms / 1_000).max(span.secs);
            let span = PassSpan { at_ms, secs, ..*span };
            let known = spans.entry(at_ms);
            known.and_modify(|known| *known = sum(known, &span)).or_insert(span);
        };
        if let Some(hours) = hours {
            let mut hour = hours.first.max(from_ms.div_euclid(HOUR_MS));
            let last = hours.last.min(until_ms.div_euclid(HOUR_MS));
            while hour <= last {
                let until = last.min(hour + HISTORY_READ_HOURS);
                let read = store.read(|reader| {
                    let hours = (hour..=until).map(|hour| read_hour(reader, hour));
                    hours.collect::<Result<Vec<_>, _>>()
                })?;
                read.iter().flatten().for_each(&mut tally);
                hour = until + 1;
            }
        }
        waiting.values().for_each(tally);
        Ok((spans.into_values().collect(), first_ms))
    }
}

impl Reaper {
    /// Adds a pass to the history, or a pass that a hold kept from running.
    pub(super) fn note_in_history(&self, passes: u64, report: &PassReport) {
        let lag = |ms: i64| u64::try_from(ms).unwrap_or(0);
        let span = PassSpan {
            at_ms: report.finished_ms,
            secs: 0,
            passes,
            removed: report.deleted,
            left: self.left(report.finished_ms).unwrap_or(0),
            lag_p50_ms: lag(report.lag_p50_ms),
            lag_p99_ms: lag(report.lag_p99_ms),
            duration_micros: report.duration_micros,
        };
        self.history.note(self.collections().store(), span);
    }

    /// Overdue documents, at most [`HISTORY_LEFT_MAX`] of each rule.
    fn left(&self, now_ms: i64) -> Result<u64, StoreError> {
        let store = self.collections().store();
        let mut left = 0;
        for target in targets_at_work(&self.collections().catalog()) {
            if !matches!(target.rule, Rule::Inert(_)) {
                left += count_due(store, &target, None, now_ms, HISTORY_LEFT_MAX)?;
            }
        }
        Ok(left)
    }

    /// The history of passes from one instant to before another, in at most this many spans: minutes,
    /// or as many minutes together as it takes. Also the beginning of the first hour that there is.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn history(
        &self,
        between_ms: (i64, i64),
        spans_max: i64,
    ) -> Result<(Vec<PassSpan>, Option<i64>), StoreError> {
        self.history.read(self.collections().store(), between_ms, spans_max)
    }
}

/// Two spans as one. The middle lag is weighted by the documents; the others are the longest.
fn sum(one: &PassSpan, other: &PassSpan) -> PassSpan {
    let removed = one.removed.saturating_add(other.removed);
    let weight = |span: &PassSpan| u128::from(span.lag_p50_ms) * u128::from(span.removed);
    let middle = (weight(one) + weight(other)).checked_div(u128::from(removed)).unwrap_or(0);
    PassSpan {
        at_ms: one.at_ms.min(other.at_ms),
        secs: one.secs.max(other.secs),
        passes: one.passes.saturating_add(other.passes),
        removed,
        left: one.left.max(other.left),
        lag_p50_ms: u64::try_from(middle).unwrap_or(u64::MAX),
        lag_p99_ms: one.lag_p99_ms.max(other.lag_p99_ms),
        duration_micros: one.duration_micros.saturating_add(other.duration_micros),
    }
}

/// Adds a minute to those of its hour, or to the whole hour.
fn add(spans: &mut Vec<PassSpan>, minute: &PassSpan) {
    let is_same = |span: &&mut PassSpan| span.at_ms == minute.at_ms || span.secs > 60;
    match spans.iter_mut().find(is_same) {
        Some(known) => *known = sum(known, minute),
        None => spans.push(*minute),
    }
}

fn name(hour: i64) -> String {
    format!("passes.{hour}")
}

/// The spans of an hour. One that is damaged is left out.
fn read_hour(reader: &Reader<'_>, hour: i64) -> Result<Vec<PassSpan>, StoreError> {
    let bytes = StoreError::unless_damaged(reader.meta(&name(hour)))?.flatten();
    Ok(bytes.and_then(|bytes| decode(hour, bytes)).unwrap_or_default())
}

fn write_hour(writer: &mut Writer<'_>, hour: i64, spans: &[PassSpan]) -> Result<(), StoreError> {
    writer.put_meta(&name(hour), &encode(spans))
}

fn read_hours(reader: &Reader<'_>) -> Result<Option<Hours>, StoreError> {
    let bytes = StoreError::unless_damaged(reader.meta(HOURS_META))?.flatten();
    Ok(bytes.and_then(|bytes| {
        let mut numbers = bytes.chunks_exact(8).map(|it| it.try_into().map(i64::from_be_bytes));
        let mut next = || numbers.next()?.ok();
        Some(Hours { first: next()?, first_with_minutes: next()?, last: next()? })
    }))
}

/// Notes that there is this hour; sums up the oldest minutes and removes the oldest hours, some of
/// them a time.
fn forget(writer: &mut Writer<'_>, hour: i64) -> Result<(), StoreError> {
    let known = read_hours(&writer.reader())?;
    let mut hours = known.unwrap_or(Hours { first: hour, first_with_minutes: hour, last: hour });
    hours.first = hours.first.min(hour);
    hours.first_with_minutes = hours.first_with_minutes.min(hour);
    hours.last = hours.last.max(hour);
    for _ in 0..HISTORY_CATCH_UP_HOURS {
        if hours.first_with_minutes + HISTORY_MINUTE_HOURS_MAX > hours.last {
            break;
        }
        let old = hours.first_with_minutes;
        let minutes = read_hour(&writer.reader(), old)?;
        if let Some(whole) = minutes.into_iter().reduce(|one, other| sum(&one, &other)) {
            let whole = PassSpan { at_ms: old * HOUR_MS, secs: 3_600, ..whole };
            write_hour(writer, old, &[whole])?;
        }
        hours.first_with_minutes += 1;
    }
    for _ in 0..HISTORY_CATCH_UP_HOURS {
        if hours.first + HISTORY_HOURS_MAX > hours.last {
            break;
        }
        writer.delete_meta(&name(hours.first))?;
        hours.first += 1;
    }
    if known == Some(hours) {
        return Ok(());
    }
    let numbers = [hours.first, hours.first_with_minutes, hours.last];
    writer.put_meta(HOURS_META, &numbers.map(i64::to_be_bytes).concat())
}

/// Each span: its slot and seven numbers, seven bits a byte, the lowest first.
pub(super) fn encode(spans: &[PassSpan]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for span in spans {
        let is_hour = span.secs > 60;
        let slot = u64::try_from(span.at_ms % HOUR_MS / MINUTE_MS).unwrap_or(0);
        let numbers = [
            if is_hour { WHOLE_HOUR } else { slot },
            span.passes,
            span.removed,
            span.left,
            span.lag_p50_ms,
            span.lag_p99_ms,
            span.duration_micros,
        ];
        for mut number in numbers {
            while number >= 0x80 {
                bytes.push(number.to_le_bytes()[0] | 0x80);
                number >>= 7;
            }
            bytes.push(number.to_le_bytes()[0]);
        }
    }
    bytes
}

fn decode(hour: i64, bytes: &[u8]) -> Option<Vec<PassSpan>> {
    let mut bytes = bytes.iter();
    let mut spans = Vec::new();
    while !bytes.as_slice().is_empty() {
        let mut next = || {
            let mut number = 0;
            for shift in (0..64).step_by(7) {
                let byte = bytes.next()?;
                number |= u64::from(byte & 0x7f) << shift;
                if byte & 0x80 == 0 {
                    return Some(number);
                }
            }
            None
        };
        let slot = next()?;
        let (minute, secs) = if slot == WHOLE_HOUR { (0, 3_600) } else { (slot, 60) };
        spans.push(PassSpan {
            at_ms: hour * HOUR_MS + i64::try_from(minute).ok()? * MINUTE_MS,
            secs,
            passes: next()?,
            removed: next()?,
            left: next()?,
            lag_p50_ms: next()?,
            lag_p99_ms: next()?,
            duration_micros: next()?,
        });
    }
    Some(spans)
}
