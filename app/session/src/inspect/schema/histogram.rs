//! Histograms whose range is not known beforehand. Intervals begin fine; when too many are in use,
//! each joins its neighbors, so every count stays exact and every edge is a round number.

use std::collections::BTreeMap;

use crate::limits::{SCHEMA_BARS_MAX, SCHEMA_INTERVALS_MAX};

/// A hierarchy of interval widths, of which each is a multiple of the one before.
pub trait Ladder {
    /// The type of the counted values.
    type Value: Copy + PartialOrd + std::fmt::Debug;

    /// The level that the first value begins on.
    fn start(value: Self::Value) -> i32;

    /// How many intervals of a level make one of the next.
    fn factor(level: i32) -> i64;

    /// The interval of a value. `None` if the level is too fine for it.
    fn index(value: Self::Value, level: i32) -> Option<i64>;

    /// Where an interval begins.
    fn edge(index: i64, level: i32) -> Self::Value;

    /// The finest level to show when all values are whole.
    fn whole_level() -> i32;

    fn is_whole(value: Self::Value) -> bool;
}

/// Widths 1, 5, 10, 50, … and their decimal fractions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Numbers;

/// Digits of the first value that its intervals tell apart.
const START_DIGITS: i32 = 6;

/// The largest index that a double can tell from its neighbors.
const INDEX_MAX: f64 = 9e15;

impl Numbers {
    /// The width of a level is `.0 * 10^.1`.
    fn width(level: i32) -> (i64, i32) {
        let power = level.div_euclid(2);
        (if level.rem_euclid(2) == 0 { 1 } else { 5 }, power)
    }
}

impl Ladder for Numbers {
    type Value = f64;

    fn start(value: f64) -> i32 {
        #[expect(clippy::cast_possible_truncation, reason = "at most 308")]
        let power = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
        2 * (power - START_DIGITS)
    }

    fn factor(level: i32) -> i64 {
        if level.rem_euclid(2) == 0 { 5 } else { 2 }
    }

    fn index(value: f64, level: i32) -> Option<i64> {
        let (_, power) = Self::width(level);
        let (multiple, _) = Self::width(level);
        #[expect(clippy::cast_precision_loss, reason = "1 or 5")]
        let multiple = multiple as f64;
        let scaled = if power < 0 {
            value * 10_f64.powi(-power) / multiple
        } else {
            value / 10_f64.powi(power) / multiple
        };
        if scaled.is_nan() || scaled.abs() > INDEX_MAX {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "checked above")]
        let mut index = scaled.floor() as i64;
        // The division rounds; the edge decides, because a filter on a bar has it.
        while Self::edge(index, level) > value {
            index -= 1;
        }
        while Self::edge(index + 1, level) <= value {
            index += 1;
        }
        Some(index)
    }

    fn edge(index: i64, level: i32) -> f64 {
        let (multiple, power) = Self::width(level);
        #[expect(clippy::cast_precision_loss, reason = "bounded by INDEX_MAX")]
        let steps = index.saturating_mul(multiple) as f64;
        // Both forms round once, so the edges of two levels are the same number.
        if power < 0 { steps / 10_f64.powi(-power) } else { steps * 10_f64.powi(power) }
    }

    fn whole_level() -> i32 {
        0
    }

    fn is_whole(value: f64) -> bool {
        value.fract() == 0.0
    }
}

/// Widths of the clock and, from days on, their doubles. Values are milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times;

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

const CLOCK: [i64; 18] = [
    1,
    10,
    50,
    100,
    500,
    SECOND,
    5 * SECOND,
    15 * SECOND,
    30 * SECOND,
    MINUTE,
    5 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
];

impl Times {
    fn width(level: i32) -> i64 {
        let level = usize::try_from(level).unwrap_or(0);
        let doubles = u32::try_from(level.saturating_sub(CLOCK.len() - 1)).unwrap_or(0);
        CLOCK[level.min(CLOCK.len() - 1)].saturating_mul(1_i64 << doubles.min(36))
    }
}

impl Ladder for Times {
    type Value = i64;

    fn start(_: i64) -> i32 {
        0
    }

    fn factor(level: i32) -> i64 {
        Self::width(level + 1) / Self::width(level)
    }

    fn index(value: i64, level: i32) -> Option<i64> {
        Some(value.div_euclid(Self::width(level)))
    }

    fn edge(index: i64, level: i32) -> i64 {
        index.saturating_mul(Self::width(level))
    }

    fn whole_level() -> i32 {
        0
    }

    fn is_whole(_: i64) -> bool {
        true
    }
}

/// Counts by interval.
#[derive(Debug, Clone)]
pub struct Histogram<L: Ladder> {
    level: i32,
    counts: BTreeMap<i64, u64>,
    is_whole: bool,
    range: Option<(L::Value, L::Value)>,
}

impl<L: Ladder> Default for Histogram<L> {
    fn default() -> Self {
        Self { level: 0, counts: BTreeMap::new(), is_whole: true, range: None }
    }
}

/// One bar: from, up to but without the end, and how many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar<V> {
    pub from: V,
    /// The smallest value after it.
    pub to: V,
    pub count: u64,
}

/// The most levels that a joined histogram may rise; each at least doubles the width.
const LEVELS_MAX: i32 = 4_000;

impl<L: Ladder> Histogram<L> {
    /// Counts a value.
    pub fn add(&mut self, value: L::Value) {
        let range = self.range.get_or_insert((value, value));
        if self.counts.is_empty() {
            self.level = L::start(value);
        }
        if value < range.0 {
            range.0 = value;
        }
        if value > range.1 {
            range.1 = value;
        }
        self.is_whole &= L::is_whole(value);
        let index = loop {
            match L::index(value, self.level) {
                Some(index) => break index,
                None if self.level < LEVELS_MAX => self.join(),
                None => return,
            }
        };
        *self.counts.entry(index).or_default() += 1;
        while self.counts.len() > SCHEMA_INTERVALS_MAX && self.level < LEVELS_MAX {
            self.join();
        }
    }

    /// The smallest and the largest value.
    pub fn range(&self) -> Option<(L::Value, L::Value)> {
        self.range
    }

    fn join(&mut self) {
        let factor = L::factor(self.level);
        let mut joined = BTreeMap::new();
        for (index, count) in &self.counts {
            *joined.entry(index.div_euclid(factor)).or_default() += count;
        }
        self.counts = joined;
        self.level += 1;
    }

    /// Bars from the smallest to the largest value, empty ones too.
    pub fn bars(&self) -> Vec<Bar<L::Value>> {
        let mut level = self.level;
        let mut counts = self.counts.clone();
        let least = if self.is_whole { L::whole_level() } else { i32::MIN };
        loop {
            let (Some((first, _)), Some((last, _))) =
                (counts.first_key_value(), counts.last_key_value())
            else {
                return Vec::new();
            };
            let span = last.saturating_sub(*first).saturating_add(1);
            let fits = usize::try_from(span).is_ok_and(|span| span <= SCHEMA_BARS_MAX);
            if fits && level >= least {
                return (*first..=*last)
                    .map(|index| Bar {
                        from: L::edge(index, level),
                        to: L::edge(index.saturating_add(1), level),
                        count: counts.get(&index).copied().unwrap_or(0),
                    })
                    .collect();
            }
            let factor = L::factor(level);
            let mut joined = BTreeMap::new();
            for (index, count) in &counts {
                *joined.entry(index.div_euclid(factor)).or_default() += count;
            }
            counts = joined;
            level += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(values: impl IntoIterator<Item = f64>) -> Histogram<Numbers> {
        let mut histogram = Histogram::default();
        for value in values {
            histogram.add(value);
        }
        histogram
    }

    #[test]
    fn a_few_whole_numbers_get_a_bar_each() {
        let bars = numbers([1.0, 2.0, 2.0, 5.0]).bars();
        let counts: Vec<u64> = bars.iter().map(|bar| bar.count).collect();
        assert_eq!(counts, [1, 2, 0, 0, 1]);
        assert_eq!((bars[0].from, bars[0].to), (1.0, 2.0));
    }

    #[test]
    fn each_bar_counts_what_its_edges_say() {
        let values: Vec<f64> =
            (0..20_000).map(|n| f64::from(n * 7 % 9_973) * 0.1 - 123.4).collect();
        let bars = numbers(values.iter().copied()).bars();
        assert!(bars.len() > 10 && bars.len() <= SCHEMA_BARS_MAX, "{}", bars.len());
        for bar in &bars {
            let counted = values.iter().filter(|v| **v >= bar.from && **v < bar.to).count();
            assert_eq!(bar.count, counted as u64, "{bar:?}");
        }
        assert_eq!(bars.iter().map(|bar| bar.count).sum::<u64>(), 20_000);
    }

    #[test]
    fn extreme_numbers_neither_hang_nor_vanish() {
        let bars = numbers([f64::MAX, f64::MIN, 0.0, 1e-300, -1.5]).bars();
        assert!(!bars.is_empty() && bars.len() <= SCHEMA_BARS_MAX);
        assert_eq!(bars.iter().map(|bar| bar.count).sum::<u64>(), 5);
    }

    #[test]
    fn each_width_of_time_is_a_multiple_of_the_one_before() {
        for level in 0..50 {
            let (this, next) = (Times::width(level), Times::width(level + 1));
            assert!(next > this && next % this == 0, "{level}: {this} {next}");
        }
    }

    #[test]
    fn bars_of_days_begin_at_midnight() {
        let mut histogram = Histogram::<Times>::default();
        for day in 0..20 {
            histogram.add(1_700_000_000_000 + day * DAY);
        }
        let bars = histogram.bars();
        assert!(bars.iter().all(|bar| bar.from % (12 * HOUR) == 0), "{bars:?}");
        assert_eq!(bars.iter().map(|bar| bar.count).sum::<u64>(), 20);
    }

    #[test]
    fn dates_at_the_ends_of_time_are_counted() {
        let mut histogram = Histogram::<Times>::default();
        histogram.add(i64::MIN);
        histogram.add(i64::MAX);
        assert_eq!(histogram.bars().iter().map(|bar| bar.count).sum::<u64>(), 2);
    }
}
