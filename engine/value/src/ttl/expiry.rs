//! The threshold of a document under a rule.

use bson::raw::{RawBsonRef, RawDocument};

use super::{
    item::{ItemTtl, item_ttl},
    never::Never,
    rule::Rule,
};
use crate::broken_rules::{BrokenRule, is_broken};
use crate::value::{Path, bucket};

const MS_PER_SEC: i64 = 1_000;

/// Whether and when a document expires under one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expiry {
    /// It may be removed from this instant on.
    At(Deadline),
    /// It never expires, and why.
    Never(Never),
}

/// A threshold and where it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    /// The first millisecond at which the document may be removed: base plus seconds.
    pub threshold_ms: i64,
    /// The date that counts, or the last modification in whole seconds.
    pub base_ms: i64,
    /// Seconds between base and threshold.
    pub expire_after_secs: i64,
    /// Who set the seconds.
    pub source: Source,
    /// Dates that were found in the field; the earliest is the base. 1 for a plain date and for
    /// a last modification.
    pub dates: usize,
    /// Whether the document's `ttl` does not count, so that the collection's default applies.
    pub ignores_own_ttl: bool,
}

/// Who set the seconds of a deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// The index, or the collection's option.
    Index,
    /// The document's own `ttl`.
    Item,
}

impl Source {
    /// The name in replies.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Item => "item",
        }
    }
}

impl Expiry {
    /// The deadline, if there is one.
    pub fn deadline(&self) -> Option<&Deadline> {
        match self {
            Self::At(deadline) => Some(deadline),
            Self::Never(_) => None,
        }
    }

    /// The threshold in milliseconds since 1970, if there is one.
    pub fn threshold_ms(&self) -> Option<i64> {
        self.deadline().map(|deadline| deadline.threshold_ms)
    }

    /// Whether the document may be removed at this instant: the threshold itself counts.
    pub fn is_due(&self, now_ms: i64) -> bool {
        self.deadline().is_some_and(|deadline| deadline.is_due(now_ms))
    }
}

impl Deadline {
    /// Whether the document may be removed at this instant: the threshold itself counts.
    pub fn is_due(&self, now_ms: i64) -> bool {
        self.threshold_ms < now_ms
            || self.threshold_ms == now_ms && !is_broken(BrokenRule::Equality)
    }

    /// One sentence for the user on how the threshold is computed; `field` is the indexed path.
    pub fn sentence(&self, field: &str) -> String {
        let Self { expire_after_secs: secs, dates, .. } = *self;
        let unit = if secs == 1 { "second" } else { "seconds" };
        match self.source {
            Source::Item => {
                format!("Its ttl field expires it {secs} {unit} after its last modification.")
            }
            Source::Index if self.ignores_own_ttl => format!(
                "Its ttl is ignored because it is not -1 or an integer from 1 to 2147483647 (int, \
 long or double). The collection's default applies: it expires {secs} {unit} after \
 its last modification."
            ),
            Source::Index if field == "_ts" => {
                format!("It expires {secs} {unit} after its last modification.")
            }
            Source::Index => {
                let when = if secs == 0 { "at".to_owned() } else { format!("{secs} {unit} after") };
                match dates {
                    2.. => {
                        format!("It expires {when} the earliest of the {dates} dates in {field}.")
                    }
                    _ => format!("It expires {when} the date in {field}."),
                }
            }
        }
    }
}

/// Whether and when a document expires under a rule.
///
/// `last_modified_ms` counts only for [`Rule::LastModified`]. A partial index's filter is the
/// caller's to check ([`Never::OutsidePartialFilter`]).
pub fn expiry(rule: &Rule, document: &RawDocument, last_modified_ms: i64) -> Expiry {
    match rule {
        Rule::Date { field, expire_after_secs } => date(field, *expire_after_secs, document),
        Rule::LastModified { default_secs } => {
            last_modified(*default_secs, document, last_modified_ms)
        }
        Rule::ClusteredId { expire_after_secs } => clustered(*expire_after_secs, document),
        Rule::Bucket { expire_after_secs, span_secs } => {
            bucket(*expire_after_secs, *span_secs, document)
        }
        Rule::Inert(reason) => Expiry::Never(Never::Inert(*reason)),
    }
}

/// The dates of the field that a rule reads, the earliest first, at most `max`. A rule on something
/// else than a field has none.
pub fn dates_ms(rule: &Rule, document: &RawDocument, max: usize) -> Vec<i64> {
    let Rule::Date { field, .. } = rule else { return Vec::new() };
    let mut dates = Vec::new();
    field.index_values(document, &mut |value| {
        if let Some(RawBsonRef::DateTime(date)) = value {
            dates.push(date.timestamp_millis());
        }
    });
    dates.sort_unstable();
    dates.truncate(max);
    dates
}

/// The latest date that is due: dates up to and including it may go. Saturates at both ends of
/// time instead of wrapping around.
pub fn cutoff_ms(now_ms: i64, expire_after_secs: i64) -> i64 {
    now_ms.saturating_sub(expire_after_secs.saturating_mul(MS_PER_SEC))
}

/// The last modification as `_ts` counts it: in whole seconds, rounded down.
pub fn modified_base_ms(last_modified_ms: i64) -> i64 {
    if is_broken(BrokenRule::TsMilliseconds) {
        return last_modified_ms;
    }
    last_modified_ms.div_euclid(MS_PER_SEC).saturating_mul(MS_PER_SEC)
}

fn date(field: &Path, secs: i64, document: &RawDocument) -> Expiry {
    let mut earliest_ms: Option<i64> = None;
    let mut dates = 0;
    let mut other: Option<RawBsonRef<'_>> = None;
    let is_array = field.index_values(document, &mut |value| match value {
        Some(RawBsonRef::DateTime(date)) => {
            let ms = date.timestamp_millis();
            let is_latest = is_broken(BrokenRule::LatestOfArray);
            let counts = |before: i64| if is_latest { before.max(ms) } else { before.min(ms) };
            earliest_ms = Some(earliest_ms.map_or(ms, counts));
            dates += 1;
        }
        Some(value) => {
            earliest_ms = earliest_ms.or(broken_date_ms(value));
            other = Some(value);
        }
        None => {}
    });
    if is_broken(BrokenRule::NegativeDates) && earliest_ms.is_some_and(|ms| ms < 0) {
        return Expiry::Never(Never::BeforeEpoch);
    }
    if is_broken(BrokenRule::ZeroIsOff) && secs == 0 {
        return Expiry::Never(Never::NoDefault);
    }
    let secs = if is_broken(BrokenRule::SecondsIgnored) { 0 } else { secs };
    match (earliest_ms, other) {
        (Some(base_ms), _) => at(base_ms, secs, Source::Index, dates),
        (None, None) => Expiry::Never(Never::FieldMissing),
        (None, Some(RawBsonRef::Undefined)) if is_array => Expiry::Never(Never::ArrayEmpty),
        (None, Some(_)) if is_array => Expiry::Never(Never::ArrayWithoutDates),
        (None, Some(value)) => Expiry::Never(not_a_date(value)),
    }
}

/// The instant that a value of another type counts as, if a test broke that rule.
fn broken_date_ms(value: RawBsonRef<'_>) -> Option<i64> {
    match value {
        RawBsonRef::Array(array) if is_broken(BrokenRule::NestedArrays) => {
            let dates = array.into_iter().flatten().filter_map(RawBsonRef::as_datetime);
            dates.map(bson::DateTime::timestamp_millis).min()
        }
        RawBsonRef::String(text) if is_broken(BrokenRule::Texts) => {
            let day = text.get(..10).map(|day| format!("{day}T00:00:00Z"));
            let read = |text: &str| bson::DateTime::parse_rfc3339_str(text).ok();
            read(text).or_else(|| read(&day?)).map(bson::DateTime::timestamp_millis)
        }
        RawBsonRef::Int64(ms) if is_broken(BrokenRule::Numbers) => Some(ms),
        #[expect(clippy::cast_possible_truncation, reason = "a wrong date is wanted")]
        RawBsonRef::Double(ms) if is_broken(BrokenRule::Numbers) => Some(ms as i64),
        RawBsonRef::Int32(ms) if is_broken(BrokenRule::Numbers) => Some(i64::from(ms)),
        _ => None,
    }
}

fn last_modified(
    default_secs: Option<i64>,
    document: &RawDocument,
    last_modified_ms: i64,
) -> Expiry {
    let base_ms = modified_base_ms(last_modified_ms);
    match (item_ttl(document), default_secs) {
        (ItemTtl::Never, _) => Expiry::Never(Never::OwnTtlNever),
        (ItemTtl::Secs(secs), _) => at(base_ms, secs, Source::Item, 1),
        (ItemTtl::Absent, Some(secs)) => at(base_ms, secs, Source::Index, 1),
        (ItemTtl::Ignored, Some(secs)) => match at(base_ms, secs, Source::Index, 1) {
            Expiry::At(deadline) => Expiry::At(Deadline { ignores_own_ttl: true, ..deadline }),
            never @ Expiry::Never(_) => never,
        },
        (ItemTtl::Absent | ItemTtl::Ignored, None) => Expiry::Never(Never::NoDefault),
    }
}

fn clustered(secs: i64, document: &RawDocument) -> Expiry {
    match document.get("_id") {
        Ok(Some(RawBsonRef::DateTime(date))) if date.timestamp_millis() < 0 => {
            Expiry::Never(Never::BeforeEpoch)
        }
        Ok(Some(RawBsonRef::DateTime(date))) => at(date.timestamp_millis(), secs, Source::Index, 1),
        Ok(Some(RawBsonRef::Array(_))) => Expiry::Never(Never::ArrayWithoutDates),
        Ok(Some(value)) => Expiry::Never(not_a_date(value)),
        Ok(None) | Err(_) => Expiry::Never(Never::FieldMissing),
    }
}

fn bucket(secs: i64, span_secs: i64, document: &RawDocument) -> Expiry {
    match (bucket::start_ms(document), secs.checked_add(span_secs)) {
        (None, _) => Expiry::Never(Never::FieldMissing),
        (Some(_), None) => Expiry::Never(Never::BeyondTime),
        (Some(start_ms), Some(secs)) => at(start_ms, secs, Source::Index, 1),
    }
}

fn at(base_ms: i64, expire_after_secs: i64, source: Source, dates: usize) -> Expiry {
    let threshold_ms =
        expire_after_secs.checked_mul(MS_PER_SEC).and_then(|ms| base_ms.checked_add(ms));
    threshold_ms.map_or(Expiry::Never(Never::BeyondTime), |threshold_ms| {
        Expiry::At(Deadline {
            threshold_ms,
            base_ms,
            expire_after_secs,
            source,
            dates,
            ignores_own_ttl: false,
        })
    })
}

fn not_a_date(value: RawBsonRef<'_>) -> Never {
    match value {
        RawBsonRef::Null | RawBsonRef::Undefined => Never::Null,
        RawBsonRef::Int32(_)
        | RawBsonRef::Int64(_)
        | RawBsonRef::Double(_)
        | RawBsonRef::Decimal128(_) => Never::Number,
        RawBsonRef::String(_) | RawBsonRef::Symbol(_) => Never::Text,
        RawBsonRef::Boolean(_) => Never::Bool,
        RawBsonRef::ObjectId(_) => Never::ObjectId,
        RawBsonRef::Timestamp(_) => Never::Timestamp,
        RawBsonRef::Document(_) => Never::Document,
        RawBsonRef::Array(_) => Never::ArrayWithoutDates,
        RawBsonRef::Binary(_) => Never::OtherType("binary data"),
        RawBsonRef::RegularExpression(_) => Never::OtherType("regular expression"),
        RawBsonRef::JavaScriptCode(_) | RawBsonRef::JavaScriptCodeWithScope(_) => {
            Never::OtherType("JavaScript")
        }
        RawBsonRef::DbPointer(_) => Never::OtherType("DBPointer"),
        RawBsonRef::MinKey => Never::OtherType("MinKey"),
        RawBsonRef::MaxKey => Never::OtherType("MaxKey"),
        RawBsonRef::DateTime(_) => Never::OtherType("date"),
    }
}
