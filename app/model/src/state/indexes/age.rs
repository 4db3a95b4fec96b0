//! The slider of a TTL: ages from a second to a year, and the documents of each age.
//!
//! One question counts the dates between all places where the slider stops. After it, any TTL is answered
//! without the store, so that a drag is followed in each frame; a count by the store follows when it rests.

use bson::{Bson, DateTime, Document, doc};
use mayfly_engine::reply::{DocCount, WhatIf};

use crate::commands::expiry;

/// Slices of age in the picture above the slider.
pub const AGE_SLICES: usize = 40;

/// The ends of the slider, in seconds: a second, a year.
pub const SLIDER_SECS: (i64, i64) = (1, 365 * 86_400);

const HOUR_MS: i64 = 3_600_000;

const MINUTE_MS: i64 = 60_000;

/// The age at a fraction of the slider, in seconds; logarithmic. A round number, so that the slider does
/// not stop at 3,617 seconds.
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
pub fn slider_secs(fraction: f64) -> i64 {
    let secs = slider_age(fraction).round() as i64;
    let step = step_secs(secs);
    (secs + step / 2) / step * step
}

/// The distance to the next place where the slider stops, in seconds.
fn step_secs(secs: i64) -> i64 {
    match secs {
        ..60 => 1,
        60..600 => 10,
        600..3_600 => 60,
        3_600..86_400 => 900,
        86_400..2_592_000 => 3_600,
        _ => 86_400,
    }
}

#[expect(clippy::cast_precision_loss, reason = "an age on a slider")]
fn slider_age(fraction: f64) -> f64 {
    let (low, high) = ((SLIDER_SECS.0 as f64).ln(), (SLIDER_SECS.1 as f64).ln());
    (low + (high - low) * fraction.clamp(0.0, 1.0)).exp()
}

/// Where an age stands on the slider.
#[expect(clippy::cast_precision_loss, reason = "an age on a slider")]
pub fn slider_fraction(secs: i64) -> f64 {
    let secs = secs.clamp(SLIDER_SECS.0, SLIDER_SECS.1) as f64;
    let (low, high) = ((SLIDER_SECS.0 as f64).ln(), (SLIDER_SECS.1 as f64).ln());
    (secs.ln() - low) / (high - low)
}

/// The age after or before one, for a key: a hundredth of the slider, and at least to the next place where
/// it stops.
pub fn slider_next(secs: i64, is_older: bool) -> i64 {
    let (share, step) =
        if is_older { (0.01, step_secs(secs)) } else { (-0.01, -step_secs(secs - 1)) };
    let moved = slider_secs(slider_fraction(secs) + share);
    let moved = if moved == secs { secs + step } else { moved };
    moved.clamp(SLIDER_SECS.0, SLIDER_SECS.1)
}

/// The places where the slider stops, in seconds, the youngest first.
fn stops() -> impl Iterator<Item = i64> {
    let next = |secs: &i64| Some(secs + step_secs(*secs)).filter(|secs| *secs <= SLIDER_SECS.1);
    std::iter::successors(Some(SLIDER_SECS.0), next)
}

/// The documents of a collection by the date in the field of an index.
#[derive(Debug, Clone, PartialEq)]
pub struct AgeCounts {
    /// Instants that rise, in milliseconds since 1970.
    edges_ms: Vec<i64>,
    /// Documents with a date before each edge.
    before: Vec<u64>,
    /// Documents with a date.
    dated: u64,
    total: DocCount,
    never: DocCount,
    damaged: u64,
    /// Whether each document was counted, not a sample.
    is_exact: bool,
}

impl AgeCounts {
    /// The command that counts the documents of each age. A TTL of 0 leaves the dates as they are.
    pub fn command(collection: &str, index: &str, now_ms: i64) -> Document {
        // A document exactly as old as the TTL is due, so a slice has its younger end.
        let edge_ms = |age_ms: i64| now_ms.saturating_sub(age_ms).saturating_add(1);
        let past = stops().map(|secs| secs * 1_000);
        // Documents that are due within an hour may have dates up to an hour ahead.
        let ahead = (0..=60).rev().map(|minutes| -minutes * MINUTE_MS);
        let mut edges: Vec<i64> = ahead.chain(past).map(edge_ms).collect();
        edges.reverse();
        let edges: Vec<Bson> =
            edges.into_iter().map(|ms| Bson::DateTime(DateTime::from_millis(ms))).collect();
        let mut command =
            expiry::what_if(collection, doc! { "name": index, "expireAfterSeconds": 0_i64 });
        command.insert("edges", edges);
        command
    }

    /// The index that a command of [`AgeCounts::command`] asked about.
    pub fn index_of(command: &Document) -> Option<&str> {
        command.get_document("index").ok()?.get_str("name").ok()
    }

    /// Reads the reply to [`AgeCounts::command`].
    pub fn read(command: &Document, reply: &Document) -> Option<Self> {
        let found = WhatIf::from_document(reply)?;
        let edges = command.get_array("edges").ok()?.iter();
        let edges_ms: Vec<i64> =
            edges.filter_map(|at| Some(at.as_datetime()?.timestamp_millis())).collect();
        let counts = found.counts.as_ref().filter(|counts| counts.len() == edges_ms.len() + 1)?;
        let mut dated = 0_u64;
        let mut sums = counts.iter().map(|count| {
            dated = dated.saturating_add(*count);
            dated
        });
        let before = sums.by_ref().take(edges_ms.len()).collect();
        sums.for_each(drop);
        let never = found.stays();
        let is_exact = found.total.is_exact() && never.is_exact() && {
            let sum = dated.saturating_add(never.likely()).saturating_add(found.damaged);
            found.total == DocCount::Exact(sum) && found.overdue_now.is_exact()
        };
        let WhatIf { total, damaged, .. } = found;
        Some(Self { edges_ms, before, dated, total, never, damaged, is_exact })
    }

    /// Documents whose date is at an instant or before it.
    fn up_to(&self, date_ms: i64) -> DocCount {
        let edge_ms = date_ms.saturating_add(1);
        let at = self.edges_ms.partition_point(|edge| *edge <= edge_ms);
        let low = at.checked_sub(1).and_then(|at| self.before.get(at)).copied().unwrap_or(0);
        let high = self.before.get(at).copied().unwrap_or(self.dated);
        let begin_ms = at.checked_sub(1).and_then(|at| self.edges_ms.get(at)).copied();
        let is_edge = begin_ms == Some(edge_ms);
        let share = match (begin_ms, self.edges_ms.get(at)) {
            (Some(begin_ms), Some(end_ms)) => ratio(edge_ms - begin_ms, end_ms - begin_ms),
            // Beyond the ends nothing says where in the slice they are.
            (None, _) => 1.0,
            (_, None) => 0.0,
        };
        let count = if is_edge { low } else { low + scaled(high - low, share) };
        let is_known = is_edge || low == high;
        match self.is_exact {
            true if is_known => DocCount::Exact(count),
            true => DocCount::About { count, low, high: Some(high) },
            false => DocCount::About { count, low: 0, high: None },
        }
    }

    /// The effect of a TTL. Exact where the slider stops, as long as nothing has changed since.
    pub fn what_if(&self, secs: i64, now_ms: i64) -> WhatIf {
        let date_ms = now_ms.saturating_sub(secs.saturating_mul(1_000));
        let overdue_now = self.up_to(date_ms);
        let next_hour = self.up_to(date_ms.saturating_add(HOUR_MS)).minus(overdue_now);
        WhatIf {
            total: self.total,
            damaged: self.damaged,
            overdue_now,
            next_hour,
            never_in_all: Some(self.never),
            ..WhatIf::default()
        }
    }

    /// Documents by age, one count a slice of the slider. The last one has all that are older.
    pub fn slices(&self, now_ms: i64) -> Vec<u64> {
        let end = |slice: usize| {
            #[expect(clippy::cast_precision_loss, reason = "a handful of slices")]
            let fraction = slice as f64 / AGE_SLICES as f64;
            let age_ms =
                if slice == 0 { 0 } else { scaled(1_000_000, slider_age(fraction)) / 1_000 };
            self.up_to(now_ms.saturating_sub(i64::try_from(age_ms).unwrap_or(i64::MAX))).likely()
        };
        let older = |slice: usize| if slice == AGE_SLICES { 0 } else { end(slice) };
        (0..AGE_SLICES).map(|slice| end(slice).saturating_sub(older(slice + 1))).collect()
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share needs few digits")]
fn ratio(part: i64, of: i64) -> f64 {
    part as f64 / of as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and a share of a count is a count"
)]
fn scaled(count: u64, share: f64) -> u64 {
    (count as f64 * share).round() as u64
}
