//! Which times go into one bucket.

use bson::{Bson, Document};

const MS_PER_SEC: i64 = 1_000;

/// The options of a time-series collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeSeries {
    /// The field with the time of a measurement.
    pub time_field: String,
    /// The field with what measurements of one bucket have in common.
    pub meta_field: Option<String>,
    /// How long a bucket is, and where it begins.
    pub span: Span,
}

/// How long a bucket is and where it may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    rounding_secs: i64,
    span_secs: i64,
}

impl TimeSeries {
    /// Reads the options as they were given at creation; `None` without a time field.
    pub fn of(options: &Document) -> Option<Self> {
        Some(Self {
            time_field: options.get_str("timeField").ok()?.to_owned(),
            meta_field: options.get_str("metaField").ok().map(str::to_owned),
            span: Span::of(options),
        })
    }

    /// The options with MongoDB's defaults in the place of those that are missing, and in its order.
    #[must_use]
    pub fn with_defaults(options: &Document) -> Document {
        let mut filled = Document::new();
        let has_own_span = options.contains_key("bucketMaxSpanSeconds");
        if !has_own_span {
            filled.insert("granularity", "seconds");
        }
        filled.extend(options.clone());
        if !has_own_span {
            let secs = Span::of(&filled).secs();
            filled.insert("bucketMaxSpanSeconds", i32::try_from(secs).unwrap_or(i32::MAX));
        }
        let order = [
            "timeField",
            "metaField",
            "granularity",
            "bucketRoundingSeconds",
            "bucketMaxSpanSeconds",
        ];
        let ordered =
            order.iter().filter_map(|name| Some(((*name).to_owned(), filled.remove(name)?)));
        ordered.collect()
    }
}

impl Span {
    /// Of a granularity; a length of one's own counts more, and rounds by itself.
    pub fn of(options: &Document) -> Self {
        let own = |field| options.get(field).and_then(whole).filter(|secs| *secs > 0);
        let (rounding, length) = match options.get_str("granularity") {
            Ok("minutes") => (3_600, 86_400),
            Ok("hours") => (86_400, 2_592_000),
            _ => (60, 3_600),
        };
        match own("bucketMaxSpanSeconds") {
            Some(secs) if options.get_str("granularity").is_ok() => {
                Self { rounding_secs: rounding, span_secs: secs.max(length) }
            }
            Some(secs) => Self {
                rounding_secs: own("bucketRoundingSeconds").unwrap_or(secs),
                span_secs: secs,
            },
            None => Self { rounding_secs: rounding, span_secs: length },
        }
    }

    /// Seconds from the beginning of a bucket to its end.
    #[must_use]
    pub fn secs(self) -> i64 {
        self.span_secs
    }

    /// Seconds to whose multiples the beginning of a bucket is rounded down.
    #[must_use]
    pub fn rounding_secs(self) -> i64 {
        self.rounding_secs
    }

    /// Where a bucket begins whose first measurement has this time.
    #[must_use]
    pub fn start_ms(self, time_ms: i64) -> i64 {
        let rounding = self.rounding_secs.saturating_mul(MS_PER_SEC).max(1);
        time_ms.saturating_sub(time_ms.rem_euclid(rounding))
    }

    /// Whether a bucket with this beginning takes a measurement with this time.
    #[must_use]
    pub fn takes(self, start_ms: i64, time_ms: i64) -> bool {
        let end_ms = start_ms.saturating_add(self.span_secs.saturating_mul(MS_PER_SEC));
        start_ms <= time_ms && time_ms < end_ms
    }

    /// The time after which all buckets that can hold this time begin.
    #[must_use]
    pub fn before_ms(self, time_ms: i64) -> i64 {
        time_ms.saturating_sub(self.span_secs.saturating_mul(MS_PER_SEC))
    }
}

fn whole(value: &Bson) -> Option<i64> {
    match value {
        Bson::Int32(number) => Some(i64::from(*number)),
        Bson::Int64(number) => Some(*number),
        #[expect(clippy::cast_possible_truncation, reason = "seconds, bounded before the cast")]
        Bson::Double(number) if (0.0..=1e15).contains(number) => Some(*number as i64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    /// The beginning of the bucket of a time, and its length in seconds.
    #[track_caller]
    fn check(options: &Document, time_secs: i64, start_secs: i64, span_secs: i64) {
        let span = Span::of(options);
        let (start, time) = (start_secs * 1_000, time_secs * 1_000 + 999);
        assert_eq!((span.start_ms(time), span.secs()), (start, span_secs));
        assert!(span.takes(start, start), "the beginning belongs to it");
        assert!(span.takes(start, start + span_secs * 1_000 - 1), "so does the last millisecond");
        assert!(!span.takes(start, start - 1), "nothing before it");
        assert!(!span.takes(start, start + span_secs * 1_000), "nor its end");
        assert!(span.before_ms(time) < start, "it begins behind that");
    }

    #[test]
    fn granularities_round_and_reach() {
        let day = 86_400;
        check(&doc! {}, 1_704_844_499, 1_704_844_440, 3_600);
        check(&doc! { "granularity": "seconds" }, 59, 0, 3_600);
        check(&doc! { "granularity": "seconds" }, 60, 60, 3_600);
        check(&doc! { "granularity": "minutes" }, 3_599, 0, day);
        check(&doc! { "granularity": "minutes" }, 3_600, 3_600, day);
        check(&doc! { "granularity": "hours" }, day - 1, 0, 30 * day);
        check(&doc! { "granularity": "hours" }, day, day, 30 * day);
    }

    #[test]
    fn a_length_of_its_own_rounds_by_itself() {
        let own = doc! { "bucketMaxSpanSeconds": 300, "bucketRoundingSeconds": 300.0 };
        check(&own, 299, 0, 300);
        check(&own, 300, 300, 300);
        check(&doc! { "bucketMaxSpanSeconds": 300_i64 }, 601, 600, 300);
        check(&doc! { "granularity": "seconds", "bucketMaxSpanSeconds": 3_600 }, 61, 60, 3_600);
        check(&doc! { "bucketMaxSpanSeconds": 0 }, 61, 60, 3_600);
    }

    #[test]
    fn missing_options_get_defaults_in_order() {
        let check = |given: Document, expected: Document| {
            let filled = TimeSeries::with_defaults(&given);
            assert_eq!(filled.to_string(), expected.to_string());
            assert_eq!(Span::of(&filled), Span::of(&given));
            assert_eq!(TimeSeries::with_defaults(&filled).to_string(), filled.to_string());
        };
        check(
            doc! { "metaField": "m", "timeField": "t" },
            doc! {
                "timeField": "t", "metaField": "m", "granularity": "seconds",
                "bucketMaxSpanSeconds": 3_600,
            },
        );
        check(
            doc! { "granularity": "hours", "timeField": "t" },
            doc! { "timeField": "t", "granularity": "hours", "bucketMaxSpanSeconds": 2_592_000 },
        );
        let own =
            doc! { "timeField": "t", "bucketRoundingSeconds": 60, "bucketMaxSpanSeconds": 60 };
        check(own.clone(), own);
    }

    #[test]
    fn times_before_1970_and_at_the_ends_do_not_wrap() {
        check(&doc! {}, -1, -60, 3_600);
        check(&doc! { "granularity": "hours" }, -86_401, -2 * 86_400, 2_592_000);
        let span = Span::of(&doc! {});
        assert_eq!(span.start_ms(i64::MIN), i64::MIN);
        assert!(span.takes(i64::MIN, i64::MIN) && !span.takes(i64::MAX, i64::MAX));
        assert_eq!(span.before_ms(i64::MIN), i64::MIN);
    }
}
