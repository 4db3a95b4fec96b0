//! The time axis of the Expiry view: which span of time is on screen, and where *now* stands.
//!
//! *Now* is at one third of the width while the view follows it. Instants are milliseconds since
//! 1970; positions are fractions of the width, 0 at the left edge.

use super::duration;
use crate::limits::TIMELINE_REAL_MS_MIN;

/// Where *now* stands while the view follows it, as a fraction of the width.
pub const NOW_FRACTION: f64 = 1.0 / 3.0;

/// The shortest and the longest span that the axis shows, in milliseconds: six seconds, 60 years.
pub const SPAN_MS_RANGE: (i64, i64) = (6_000, 60 * 365 * 86_400_000);

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Distances between two ticks that read well, in milliseconds.
const STEPS_MS: [i64; 30] = [
    SECOND,
    2 * SECOND,
    5 * SECOND,
    10 * SECOND,
    15 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    5 * DAY,
    10 * DAY,
    30 * DAY,
    60 * DAY,
    90 * DAY,
    180 * DAY,
    365 * DAY,
    2 * 365 * DAY,
    5 * 365 * DAY,
    10 * 365 * DAY,
    20 * 365 * DAY,
];

/// The span of time that the axis shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    span_ms: i64,
    /// How far the view was scrolled away from *now*; 0 while it follows.
    moved_ms: i64,
}

/// A labelled line of the axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tick {
    /// Instant relative to *now*, in milliseconds.
    pub offset_ms: i64,
    /// Such as `+2 min`; empty at *now*, which has its own mark.
    pub label: String,
}

impl Default for Axis {
    /// Twelve minutes: four before *now*, eight after.
    fn default() -> Self {
        Self { span_ms: 12 * MINUTE, moved_ms: 0 }
    }
}

impl Axis {
    /// Milliseconds from the left edge to the right edge.
    pub fn span_ms(&self) -> i64 {
        self.span_ms
    }

    /// Whether the view follows *now*.
    pub fn follows(&self) -> bool {
        self.moved_ms == 0
    }

    /// Puts *now* back to its place.
    pub fn follow(&mut self) {
        self.moved_ms = 0;
    }

    /// Shows another span, with *now* where it is.
    pub fn set_span_ms(&mut self, span_ms: i64) {
        self.span_ms = span_ms.clamp(SPAN_MS_RANGE.0, SPAN_MS_RANGE.1);
    }

    /// Multiplies the span; below 1 shows less time. The instant at `anchor` (a fraction of the
    /// width) stays where it is unless the view follows *now*.
    pub fn zoom(&mut self, factor: f64, anchor: f64) {
        let before = self.span_ms;
        self.set_span_ms(scaled(before, factor));
        if !self.follows() {
            let kept = scaled(before - self.span_ms, anchor - NOW_FRACTION);
            self.moved_ms = keep_moved(self.moved_ms.saturating_add(kept));
        }
    }

    /// Chooses the nearest of the steps that read well, one step further out or in.
    pub fn zoom_step(&mut self, further_out: bool) {
        self.zoom(if further_out { 2.0 } else { 0.5 }, NOW_FRACTION);
    }

    /// Moves the view by a fraction of the width; positive shows later times.
    pub fn pan(&mut self, fraction: f64) {
        self.moved_ms = keep_moved(self.moved_ms.saturating_add(scaled(self.span_ms, fraction)));
    }

    /// Shows the time between two instants, with some room around it.
    pub fn show_range(&mut self, from_ms: i64, to_ms: i64, now_ms: i64) {
        let range_ms = to_ms.saturating_sub(from_ms).max(SECOND);
        self.set_span_ms(scaled(range_ms, 1.2));
        let start_ms = from_ms.saturating_sub(self.span_ms.saturating_sub(range_ms) / 2);
        let first_ms = now_ms.saturating_sub(scaled(self.span_ms, NOW_FRACTION));
        self.moved_ms = keep_moved(start_ms.saturating_sub(first_ms));
    }

    /// Widens or narrows the span so that `until_ms` after *now* is just on screen.
    pub fn fit(&mut self, until_ms: i64) {
        self.set_span_ms(scaled(until_ms.max(SECOND), 1.15 / (1.0 - NOW_FRACTION)));
    }

    /// Widens the span until an instant before *now* is on screen, and follows *now*.
    pub fn reach_back_to(&mut self, at_ms: i64, now_ms: i64) {
        self.follow();
        let past_ms = now_ms.saturating_sub(at_ms);
        if self.start_ms(now_ms) > at_ms {
            self.set_span_ms(scaled(past_ms, 1.15 / NOW_FRACTION));
        }
    }

    /// Widens the span until documents take [`TIMELINE_REAL_MS_MIN`] to cross it, where the store's
    /// clock runs at `rate`. Returns whether it was shorter.
    pub fn widen_for(&mut self, rate: f64) -> bool {
        let least_ms = scaled(TIMELINE_REAL_MS_MIN, rate);
        let is_short = self.span_ms < least_ms;
        if is_short {
            self.set_span_ms(least_ms);
        }
        is_short
    }

    /// The instant at the left edge.
    pub fn start_ms(&self, now_ms: i64) -> i64 {
        now_ms.saturating_add(self.moved_ms).saturating_sub(scaled(self.span_ms, NOW_FRACTION))
    }

    /// The instant at the right edge.
    pub fn end_ms(&self, now_ms: i64) -> i64 {
        self.start_ms(now_ms).saturating_add(self.span_ms)
    }

    /// Where an instant stands, as a fraction of the width; below 0 or above 1 off screen.
    pub fn position(&self, at_ms: i64, now_ms: i64) -> f64 {
        as_f64(at_ms.saturating_sub(self.start_ms(now_ms))) / as_f64(self.span_ms)
    }

    /// The instant at a fraction of the width.
    pub fn instant(&self, position: f64, now_ms: i64) -> i64 {
        self.start_ms(now_ms).saturating_add(scaled(self.span_ms, position))
    }

    /// Ticks at round distances from *now*, at most one for each `1 / most` of the width.
    pub fn ticks(&self, most: usize) -> Vec<Tick> {
        let least = self.span_ms / i64::try_from(most.max(1)).unwrap_or(i64::MAX);
        let step = STEPS_MS.iter().copied().find(|step| *step >= least);
        let step = step.unwrap_or(STEPS_MS[STEPS_MS.len() - 1]);
        let start = self.start_ms(0);
        let first = start.div_euclid(step) + 1;
        let last = self.end_ms(0).div_euclid(step);
        (first..=last)
            .map(|number| Tick { offset_ms: number * step, label: offset_label(number * step) })
            .collect()
    }

    /// The span in words: `4 min each side of now` or `12 min on screen`.
    pub fn sentence(&self) -> String {
        format!("{} on screen", span_label(self.span_ms))
    }
}

fn keep_moved(moved_ms: i64) -> i64 {
    // Within reach of *now*, so that the view can't be lost in empty time.
    moved_ms.clamp(-SPAN_MS_RANGE.1, SPAN_MS_RANGE.1)
}

#[expect(clippy::cast_precision_loss, reason = "positions on screen need no more than 52 bits")]
fn as_f64(ms: i64) -> f64 {
    ms as f64
}

#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, which is what is wanted")]
fn scaled(ms: i64, factor: f64) -> i64 {
    (as_f64(ms) * factor).round() as i64
}

fn offset_label(offset_ms: i64) -> String {
    match offset_ms {
        0 => String::new(),
        1.. => format!("+{}", span_label(offset_ms)),
        _ => format!("−{}", span_label(-offset_ms)),
    }
}

/// A span, in years where it is whole years: the ticks of an axis of years.
fn span_label(span_ms: i64) -> String {
    let year = 365 * DAY;
    if span_ms % year == 0 { format!("{} y", span_ms / year) } else { duration::span(span_ms) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_704_844_800_000;

    #[test]
    fn now_stands_at_one_third_whatever_the_span() {
        let mut axis = Axis::default();
        for factor in [0.001, 0.5, 1.0, 3.0, 1e9] {
            axis.zoom(factor, 0.9);
            assert!((axis.position(NOW, NOW) - NOW_FRACTION).abs() < 1e-3, "{axis:?}");
        }
    }

    #[test]
    fn a_range_is_shown_with_room_around_it() {
        let day = DAY;
        for from in [NOW - 3 * day, NOW + 40 * day] {
            let mut axis = Axis::default();
            axis.show_range(from, from + day, NOW);
            let ends = [from, from + day].map(|at| axis.position(at, NOW));
            assert!((ends[0] - 1.0 / 12.0).abs() < 1e-3, "{ends:?}");
            assert!((ends[1] - 11.0 / 12.0).abs() < 1e-3, "{ends:?}");
        }
    }

    #[test]
    fn a_moved_view_keeps_the_instant_under_the_pointer() {
        let mut axis = Axis::default();
        axis.pan(0.4);
        assert!(!axis.follows());
        let before = axis.instant(0.8, NOW);
        axis.zoom(0.25, 0.8);
        assert!((axis.instant(0.8, NOW) - before).abs() <= 2, "{axis:?}");
        axis.follow();
        assert!((axis.position(NOW, NOW) - NOW_FRACTION).abs() < 1e-6);
    }

    #[test]
    fn documents_take_seconds_to_cross_it_on_any_clock() {
        let mut axis = Axis::default();
        for (rate, expected) in [(1.0, None), (600.0, Some(2 * HOUR)), (3_600.0, Some(12 * HOUR))] {
            let before = axis.span_ms();
            assert_eq!(axis.widen_for(rate), expected.is_some());
            assert_eq!(axis.span_ms(), expected.unwrap_or(before));
        }
    }

    #[test]
    fn spans_and_moves_have_ends() {
        let mut axis = Axis::default();
        axis.zoom(0.0, 0.5);
        assert_eq!(axis.span_ms(), SPAN_MS_RANGE.0);
        axis.zoom(1e30, 0.5);
        assert_eq!(axis.span_ms(), SPAN_MS_RANGE.1);
        for _ in 0..1_000 {
            axis.pan(1e6);
        }
        assert!(axis.end_ms(NOW) > axis.start_ms(NOW));
    }

    fn check_labels(span_ms: i64, most: usize, expected: &[&str]) {
        let mut axis = Axis::default();
        axis.set_span_ms(span_ms);
        let labels: Vec<String> = axis.ticks(most).into_iter().map(|tick| tick.label).collect();
        assert_eq!(labels, expected, "{span_ms} ms");
    }

    #[test]
    fn ticks_are_round_and_relative() {
        check_labels(6 * MINUTE, 6, &["−1 min", "", "+1 min", "+2 min", "+3 min", "+4 min"]);
        check_labels(30 * SECOND, 6, &["−5 s", "", "+5 s", "+10 s", "+15 s", "+20 s"]);
        check_labels(48 * HOUR, 5, &["−12 h", "", "+12 h", "+1 d"]);
        let halves =
            ["−1 min", "−30 s", "", "+30 s", "+1 min", "+1 min 30 s", "+2 min", "+2 min 30 s"];
        check_labels(4 * MINUTE, 8, &halves);
    }

    #[test]
    fn fitting_shows_the_instant() {
        for until in [1, 5 * SECOND, 10 * MINUTE, 300 * DAY] {
            let mut axis = Axis::default();
            axis.fit(until);
            let position = axis.position(NOW + until, NOW);
            assert!((0.0..=1.0).contains(&position), "{until}: {position}");
        }
    }
}
