//! Whether the monitor keeps up, from how many documents were overdue over time.
//!
//! After each pass of a store of Mayfly's, the history notes what the pass left. A server is only seen from outside:
//! between two passes its backlog grows even if each pass removes everything. So a server keeps up as long as no
//! overdue document is older than the passes should let it become. Past that, the backlog of many samples has a
//! trend, and from two samples the counters tell what came and what a pass removes.

use std::fmt;

use mayfly_engine::reply::PassSpan;

use super::samples::{Look, Samples};
use super::words;
use crate::job::number;

/// The shortest time that a trend is read from.
const TREND_MS_MIN: i64 = 3 * 60_000;

/// The fewest samples that a trend is read from.
pub(super) const TREND_SAMPLES_MIN: usize = 4;

/// Periods that a document may wait.
const LATE_PERIODS: i64 = 3;

/// How much later than its period a pass may begin.
const DRIFT_MS: i64 = 1_000;

const MINUTE_MS: i64 = 60_000;

/// Overdue documents at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    pub at_ms: i64,
    pub documents: u64,
}

/// How often a monitor makes a pass, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rhythm {
    pub period_ms: i64,
    /// How long a pass takes.
    pub pass_ms: i64,
}

impl Rhythm {
    /// How long an overdue document may wait until it counts as late.
    pub fn patience_ms(self) -> i64 {
        self.period_ms.saturating_mul(LATE_PERIODS).saturating_add(self.pass_ms)
    }

    /// Whether a whole pass must have run in a span of time.
    pub fn has_passed(self, span_ms: i64) -> bool {
        span_ms > self.apart_ms().saturating_add(DRIFT_MS)
    }

    fn apart_ms(self) -> i64 {
        self.period_ms.saturating_add(self.pass_ms)
    }
}

/// Whether the monitor keeps up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    KeepsUp,
    FallingBehind {
        /// Documents by which the backlog grows in a minute.
        a_minute: u64,
        /// Minutes in which it doubles at this rate. `None` where the whole backlog isn't known.
        doubles_in: Option<u64>,
    },
    NotKnown(WhyUnknown),
}

/// Why it isn't known whether the monitor keeps up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyUnknown {
    /// More samples, or later ones, will say it.
    TooFew,
    /// The server doesn't say what its monitor does.
    NoCounters,
    /// The count of overdue documents ended at its bound, or is an estimate.
    Uncounted,
}

impl Pace {
    /// The trend of these samples, in order: the slope of the line that fits best.
    pub fn of(samples: &[Backlog]) -> Self {
        Self::trend(samples, true)
    }

    fn trend(samples: &[Backlog], is_whole: bool) -> Self {
        let (Some(first), Some(last)) = (samples.first(), samples.last()) else {
            return Self::NotKnown(WhyUnknown::TooFew);
        };
        let is_short = last.at_ms - first.at_ms < TREND_MS_MIN;
        if is_short || samples.len() < TREND_SAMPLES_MIN {
            return Self::NotKnown(WhyUnknown::TooFew);
        }
        if last.documents == 0 {
            return Self::KeepsUp;
        }
        let points: Vec<(f64, f64)> = samples
            .iter()
            .map(|it| (minutes(it.at_ms - first.at_ms), count(it.documents)))
            .collect();
        let mean = |of: fn(&(f64, f64)) -> f64| {
            points.iter().map(of).sum::<f64>() / count(points.len() as u64)
        };
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        let both: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
        let wide: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
        Self::of_growth(both / wide, y, is_whole.then_some(last.documents))
    }

    /// The pace of a backlog of this size that grows at this rate a minute.
    fn of_growth(slope: f64, mean: f64, backlog: Option<u64>) -> Self {
        // Less than a document a minute, or than a hundredth, is the noise of passes.
        if slope < 1.0 || slope * 100.0 < mean {
            return Self::KeepsUp;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at least 1, and bounded by the documents of a store"
        )]
        let a_minute = slope.round() as u64;
        let doubles_in = backlog.map(|backlog| (backlog / a_minute).max(1));
        Self::FallingBehind { a_minute, doubles_in }
    }

    /// The trend of a history of passes. A span without a pass and without overdue documents is not in it.
    pub fn of_history(spans: &[PassSpan]) -> Self {
        let samples = spans.iter().map(|span| Backlog { at_ms: span.at_ms, documents: span.left });
        Self::of(&samples.collect::<Vec<_>>())
    }

    /// The pace of a server that was looked at. `None` if no collection was.
    pub fn of_samples(samples: &Samples, rhythm: Rhythm) -> Option<Self> {
        let seen = samples.looks();
        let (first, last) = (seen.first()?, seen.last()?);
        let age_ms = last.since_ms.map_or(0, |since_ms| last.at_ms.saturating_sub(since_ms));
        Some(if age_ms > rhythm.patience_ms() {
            of_backlog(&seen, first, last, rhythm)
        } else {
            in_time(first, last)
        })
    }
}

/// No overdue document is late. It takes a pass, or a removal, to say that the monitor did that.
fn in_time(first: &Look, last: &Look) -> Pace {
    let is_gone = |since_ms| last.since_ms.is_none_or(|now_ms| now_ms > since_ms);
    let was_removed = first.since_ms.is_some_and(is_gone);
    match last.passes {
        _ if was_removed => Pace::KeepsUp,
        Some(0) => Pace::NotKnown(WhyUnknown::TooFew),
        Some(_) => Pace::KeepsUp,
        None => Pace::NotKnown(WhyUnknown::NoCounters),
    }
}

/// The pace of a monitor with documents that should be gone.
fn of_backlog(seen: &[Look], first: &Look, last: &Look, rhythm: Rhythm) -> Pace {
    let has_counters = last.passes.is_some() && last.removed.is_some();
    let Some(series) = series(seen) else {
        let why = if has_counters { WhyUnknown::Uncounted } else { WhyUnknown::NoCounters };
        return Pace::NotKnown(why);
    };
    let is_whole = last.overdue.is_exact();
    match Pace::trend(&series, is_whole) {
        Pace::NotKnown(_) => {}
        known => return known,
    }
    let since = |of: fn(&Look) -> Option<u64>| of(last)?.checked_sub(of(first)?);
    let counted = since(|look| look.passes).zip(since(|look| look.removed));
    let Some((passes, removed)) = counted else {
        let why = if has_counters { WhyUnknown::TooFew } else { WhyUnknown::NoCounters };
        return Pace::NotKnown(why);
    };
    let (Some(begin), Some(end)) = (series.first(), series.last()) else {
        return Pace::NotKnown(WhyUnknown::TooFew);
    };
    let span_ms = end.at_ms - begin.at_ms;
    if span_ms <= 0 {
        return Pace::NotKnown(WhyUnknown::TooFew);
    }
    let span = minutes(span_ms);
    let grown = count(end.documents) - count(begin.documents);
    let slope = if passes > 0 {
        // A pass in a short span weighs too much, so what came is set against the removals of a whole period.
        let apart = minutes(rhythm.apart_ms()).max(span / count(passes + 1));
        (grown + count(removed)) / span - count(removed) / (count(passes) * apart)
    } else if removed > 0 || rhythm.has_passed(span_ms) {
        // In the middle of a long pass, or of none at all.
        grown / span
    } else {
        return Pace::NotKnown(WhyUnknown::TooFew);
    };
    Pace::of_growth(slope, count(end.documents), is_whole.then_some(end.documents))
}

/// The backlog at each sample. Where it was not counted to its end, what came and went since the sample before
/// counts; `None` where that isn't known either.
fn series(seen: &[Look]) -> Option<Vec<Backlog>> {
    let mut series: Vec<Backlog> = Vec::with_capacity(seen.len());
    let mut before: Option<&Look> = None;
    for look in seen {
        let documents = match (before, series.last()) {
            (Some(before), Some(known)) if !look.overdue.is_exact() => {
                let removed = look.removed?.checked_sub(before.removed?)?;
                known.documents.saturating_add(look.arrived?).saturating_sub(removed)
            }
            _ => look.overdue.likely(),
        };
        series.push(Backlog { at_ms: look.at_ms, documents });
        before = Some(look);
    }
    Some(series)
}

#[expect(clippy::cast_precision_loss, reason = "minutes, for a rate in words")]
fn minutes(ms: i64) -> f64 {
    ms as f64 / MINUTE_MS as f64
}

#[expect(clippy::cast_precision_loss, reason = "documents, for a rate in words")]
fn count(documents: u64) -> f64 {
    documents as f64
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KeepsUp => f.write_str("Keeps up"),
            Self::FallingBehind { a_minute, doubles_in } => {
                write!(f, "Falling behind by about {} a minute", number::count(*a_minute))?;
                let Some(minutes) = doubles_in else { return Ok(()) };
                let ms = i64::try_from(*minutes).unwrap_or(i64::MAX).saturating_mul(MINUTE_MS);
                write!(f, "; at this rate the backlog doubles in {}", words::span(ms))
            }
            Self::NotKnown(WhyUnknown::TooFew) => {
                f.write_str("Not known yet: there are too few samples")
            }
            Self::NotKnown(WhyUnknown::NoCounters) => {
                f.write_str("Not known: this server answers no counters")
            }
            Self::NotKnown(WhyUnknown::Uncounted) => {
                f.write_str("Not known: the overdue documents can't be counted")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use mayfly_engine::reply::DocCount::{self, AtLeast, Exact};

    use super::*;
    use crate::inspect::audit::samples::{CollectionBacklog, Sample};
    use crate::job::Namespace;

    fn check(backlog: &[u64], every_secs: i64, expected: &str) {
        let samples = (0..).zip(backlog);
        let samples = samples.map(|(at, documents)| Backlog {
            at_ms: at * every_secs * 1_000,
            documents: *documents,
        });
        let samples: Vec<Backlog> = samples.collect();
        assert_eq!(Pace::of(&samples).to_string(), expected, "{backlog:?} each {every_secs} s");
    }

    fn grows(rate: &str, time: &str) -> String {
        format!(
            "Falling behind by about {rate} a minute; at this rate the backlog doubles in {time}"
        )
    }

    const TOO_FEW: &str = "Not known yet: there are too few samples";

    #[test]
    fn a_trend_needs_samples_and_time() {
        check(&[], 60, TOO_FEW);
        check(&[5, 50, 500], 60, TOO_FEW);
        check(&[5, 50, 500, 5_000], 10, TOO_FEW);
    }

    #[test]
    fn a_backlog_that_grows_is_told_with_its_rate() {
        check(&[0, 300, 600, 900, 1_200], 60, &grows("300", "4 min"));
        check(&[12_000, 12_600, 13_200, 12_000], 60, "Keeps up");
        check(&[10_200, 10_800, 11_400, 12_000], 120, &grows("300", "40 min"));
        check(&[100, 90, 130, 110, 160, 150], 60, &grows("13", "11 min"));
    }

    #[test]
    fn a_backlog_that_ends_shrinks_or_stays_is_none() {
        for backlog in [
            &[0, 0, 0, 0][..],
            &[900, 600, 300, 100],
            &[50, 51, 50, 52, 50],
            &[0, 700, 0, 900, 0],
            &[100_000, 100_050, 100_100, 100_150],
        ] {
            check(backlog, 60, "Keeps up");
        }
    }

    const NOW_MS: i64 = 1_780_315_200_000;

    /// A sample of a server: seconds from the beginning, overdue documents, the age of the oldest one in seconds,
    /// and the counters of passes and removed documents.
    type Look = (i64, DocCount, i64, Option<(u64, u64)>);

    fn samples(looks: &[Look], arrived: Option<u64>) -> Samples {
        let sample = |(at_secs, overdue, age_secs, counters): &Look| {
            let at_ms = NOW_MS + at_secs * 1_000;
            let since_ms = (!overdue.is_zero()).then_some(at_ms - age_secs * 1_000);
            let namespace = Namespace::new("d", "c");
            let backlog = CollectionBacklog { namespace, overdue: *overdue, since_ms, arrived };
            let (passes, removed) = counters.unzip();
            Sample { at_ms, passes, removed, collections: vec![backlog] }
        };
        looks.iter().map(sample).collect()
    }

    #[track_caller]
    fn check_looks(looks: &[Look], arrived: Option<u64>, expected: &str) {
        let rhythm = Rhythm { period_ms: 60_000, pass_ms: 0 };
        let pace = Pace::of_samples(&samples(looks, arrived), rhythm).expect("samples");
        assert_eq!(pace.to_string(), expected, "{looks:?}");
        let nothing: Samples = [Sample::default()].into_iter().collect();
        assert_eq!(Pace::of_samples(&nothing, rhythm), None);
    }

    #[test]
    fn a_server_without_late_documents_keeps_up_if_it_is_seen_to_work() {
        let no_counters = "Not known: this server answers no counters";
        check_looks(&[(0, Exact(0), 0, Some((7, 0)))], None, "Keeps up");
        // Between two passes a backlog grows that the next pass removes.
        let between = [(0, Exact(5), 1, Some((7, 100))), (50, Exact(255), 51, Some((7, 100)))];
        check_looks(&between, None, "Keeps up");
        check_looks(&[(0, Exact(9), 30, Some((0, 0)))], None, TOO_FEW);
        check_looks(&[(0, Exact(9), 30, None)], None, no_counters);
        check_looks(&[(0, Exact(0), 0, None), (50, Exact(0), 0, None)], None, no_counters);
        check_looks(&[(0, Exact(9), 30, None), (50, Exact(4), 20, None)], None, "Keeps up");
        check_looks(&[(0, Exact(9), 30, None), (50, Exact(0), 0, None)], None, "Keeps up");
    }

    #[test]
    fn two_samples_and_the_counters_tell_how_a_backlog_grows() {
        let late = 600;
        // 300 come a minute, and a pass removes 200.
        let first = (0, Exact(4_000), late, Some((7, 1_000)));
        check_looks(
            &[first, (20, Exact(3_900), late, Some((8, 1_200)))],
            None,
            &grows("100", "39 min"),
        );
        check_looks(
            &[first, (60, Exact(4_100), late, Some((8, 1_200)))],
            None,
            &grows("100", "41 min"),
        );
        check_looks(&[first, (20, Exact(4_100), late, Some((7, 1_000)))], None, TOO_FEW);
        // It removes what comes.
        check_looks(&[first, (20, Exact(3_800), late, Some((8, 1_300)))], None, "Keeps up");
        // No pass ends any more.
        check_looks(
            &[first, (90, Exact(4_450), late, Some((7, 1_000)))],
            None,
            &grows("300", "14 min"),
        );
        // A long pass is at work.
        check_looks(&[first, (10, Exact(3_000), late, Some((7, 2_050)))], None, "Keeps up");
        // The server was started again.
        check_looks(&[first, (60, Exact(4_100), late, Some((0, 0)))], None, TOO_FEW);
        let no_counters = "Not known: this server answers no counters";
        check_looks(&[(0, Exact(9), late, None), (20, Exact(99), late, None)], None, no_counters);
        let four =
            [0_i64, 60, 120, 180].map(|at| (at, Exact(1_200 + at.unsigned_abs() * 5), late, None));
        check_looks(&four, None, &grows("300", "7 min"));
    }

    #[test]
    fn a_backlog_past_the_bound_of_its_count_grows_by_what_comes() {
        let late = 9_000;
        let looks = [
            (0, AtLeast(1_000_000), late, Some((7, 1_000))),
            (90, AtLeast(1_000_000), late, Some((7, 1_000))),
        ];
        check_looks(&looks, Some(45_000), "Falling behind by about 30,000 a minute");
        check_looks(&looks, None, "Not known: the overdue documents can't be counted");
        let shrinks = [looks[0], (60, AtLeast(1_000_000), late, Some((8, 901_000)))];
        check_looks(&shrinks, Some(45_000), "Keeps up");
    }
}
