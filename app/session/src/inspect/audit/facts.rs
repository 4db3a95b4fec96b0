//! The facts that findings are made from, as they were gathered: counts, dates and names, no documents.

use std::time::Duration;

use bson::{Bson, Document};
use mayfly_engine::reply::{DocCount, PassSpan};
use mayfly_engine::value::named;

use super::pace::{Pace, Rhythm};
use super::samples::Samples;
use crate::inspect::schema::Instants;
use crate::job::Namespace;

/// Everything that is known of a store or a server after an audit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// The name of the store or the server.
    pub name: String,
    pub is_server: bool,
    /// Its time when the audit began, in milliseconds since 1970.
    pub now_ms: i64,
    pub monitor: MonitorFacts,
    /// The passes of the last day of a store on this computer, which keeps an account of them.
    pub history: Vec<PassSpan>,
    /// The samples of a server's backlog, also from before the audit.
    pub samples: Samples,
    /// How far its clock is from this computer's. `None` for a store on this computer.
    pub clock: Option<ClockFacts>,
    /// The collections with a rule, and those that could carry one.
    pub collections: Vec<CollectionFacts>,
    /// Places that could not be read, and why, once for each reason.
    pub unreadable: Vec<Unreadable>,
    pub effort: Effort,
}

impl Facts {
    /// Whether the monitor keeps up. `None` where nothing removes documents or nothing was looked at.
    pub fn pace(&self) -> Option<Pace> {
        if self.monitor.is_idle() {
            return None;
        }
        if self.is_server {
            return Pace::of_samples(&self.samples, self.monitor.rhythm());
        }
        (!self.history.is_empty()).then(|| Pace::of_history(&self.history))
    }
}

named! {
    /// Whether documents are removed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum MonitorState {
        /// Passes run.
        Works => "works",
        /// The switch is off.
        Off => "off",
        /// No program has the store open, so no pass runs until one opens it.
        AtRest => "at rest",
        /// The server does not tell.
        #[default]
        Unknown => "unknown",
    }
    /// The word in the JSON form.
    pub fn word;
}

/// The TTL monitor, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MonitorFacts {
    pub state: MonitorState,
    /// Seconds between two passes.
    pub sleep_secs: Option<i64>,
    /// How long the last pass took, in milliseconds.
    pub last_pass_ms: Option<i64>,
    /// Why removals are on hold, one sentence each.
    pub holds: Vec<String>,
    /// Passes that have ended, and documents that they have removed, as the monitor counts them.
    pub passes: Option<u64>,
    pub removed: Option<u64>,
}

/// Seconds between two passes where the server doesn't say: MongoDB's default.
const DEFAULT_SECS: i64 = 60;

const MS_PER_SEC: i64 = 1_000;

impl MonitorFacts {
    /// How often it makes a pass.
    pub fn rhythm(&self) -> Rhythm {
        let secs = self.sleep_secs.unwrap_or(DEFAULT_SECS);
        let pass_ms = self.last_pass_ms.unwrap_or(0);
        Rhythm { period_ms: secs.saturating_mul(MS_PER_SEC), pass_ms }
    }

    /// Whether nothing removes documents now.
    pub fn is_idle(&self) -> bool {
        matches!(self.state, MonitorState::Off | MonitorState::AtRest) || !self.holds.is_empty()
    }
}

/// The difference of two clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockFacts {
    /// Milliseconds that the server's clock is ahead.
    pub ahead_ms: i64,
    /// How far that may be off: half of the round trip.
    pub uncertain_ms: i64,
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// A namespace, or what was asked for.
    pub place: String,
    /// One sentence without a period.
    pub why: String,
}

named! {
    /// How an audit ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum AuditEnd {
        #[default]
        Complete => "complete",
        TimeOver => "time over",
        Canceled => "canceled",
    }
    /// The word in the JSON form.
    pub fn word;
}

/// The cost of the audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    pub took: Duration,
    pub time_limit: Duration,
    /// Commands that were sent.
    pub reads: u64,
    /// Documents of samples that were read.
    pub documents: u64,
    pub end: AuditEnd,
}

/// One collection.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectionFacts {
    pub namespace: Namespace,
    /// Whether it is a time series, which is changed by the collection and not by an index.
    pub is_time_series: bool,
    pub documents: DocCount,
    /// The size of a document on average, in bytes.
    pub bytes_each: Option<u64>,
    pub rules: Vec<RuleFacts>,
    /// The names of all its indexes.
    pub index_names: Vec<String>,
    /// Names of indexes that a store of this computer keeps and no query uses.
    pub unused_indexes: Vec<String>,
    /// The removals by all rules together, and when. `None` without a rule.
    pub ahead: Option<Ahead>,
    pub sample: Option<SampleFacts>,
    /// Fields `ttl` of documents, where they could count.
    pub own_ttl: Option<OwnTtlFacts>,
    /// Why it was not read to the end.
    pub unfinished: Option<String>,
}

impl CollectionFacts {
    pub fn new(namespace: Namespace) -> Self {
        Self {
            namespace,
            is_time_series: false,
            documents: DocCount::AtLeast(0),
            bytes_each: None,
            rules: Vec::new(),
            index_names: Vec::new(),
            unused_indexes: Vec::new(),
            ahead: None,
            sample: None,
            own_ttl: None,
            unfinished: None,
        }
    }

    /// A name for a new index on a field, which no other index has.
    pub fn free_index_name(&self, field: &str) -> String {
        let suffixes = ["1".to_owned(), "ttl".to_owned()].into_iter();
        let mut names = suffixes
            .chain((2_u32..).map(|n| format!("ttl_{n}")))
            .map(|suffix| format!("{field}_{suffix}"));
        names.find(|name| !self.index_names.contains(name)).unwrap_or_default()
    }

    /// The bytes of this number of documents, as far as their size is known.
    pub fn bytes(&self, documents: u64) -> Option<u64> {
        self.bytes_each.map(|each| each.saturating_mul(documents))
    }
}

/// Days of the calendar.
pub const DAYS: usize = 30;

/// Documents that expire on each of the next 30 times 24 hours.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Days {
    pub counts: Vec<u64>,
    pub is_exact: bool,
}

/// Documents that the rules of a collection remove, each at its earliest threshold.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ahead {
    pub overdue: DocCount,
    /// Within an hour, 24 hours, 7 and 30 days from now, each with those before it.
    pub hour: DocCount,
    pub day: DocCount,
    pub week: DocCount,
    pub month: DocCount,
    pub days: Days,
    /// The minute of the next 30 days in which most documents expire.
    pub steepest: Option<Minute>,
    /// The rule with most thresholds in that minute, where there are several rules.
    pub steepest_rule: Option<String>,
}

/// A minute, and the documents that expire in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Minute {
    pub from_ms: i64,
    pub documents: DocCount,
}

named! {
    /// The instant that a rule counts from.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RuleKind {
        Date => "date",
        /// Cosmos DB's `_ts`.
        LastModified => "last modification",
        /// A collection that is clustered by a date in `_id`.
        Clustered => "clustered _id",
        /// The time field of a time series, which goes by the bucket.
        TimeSeries => "time series",
    }
    /// The word in the JSON form.
    pub fn word;
}

/// One TTL rule.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleFacts {
    pub kind: RuleKind,
    pub name: String,
    pub field: String,
    pub key: Document,
    /// Seconds; -1 only on `_ts`, where it means no default.
    pub secs: i64,
    pub is_hidden: bool,
    pub partial: Option<Document>,
    /// Documents of the collection, as this rule was counted.
    pub total: DocCount,
    pub overdue: DocCount,
    /// The earliest threshold of all, in milliseconds since 1970. `None` if no document can expire by it.
    pub earliest_ms: Option<i64>,
    /// Before that the rule did not remove the document with the earliest threshold, as far as that is known.
    pub removable_ms: Option<i64>,
    /// The documents that expire by this rule, also if another one removes them first. `None` where nothing does.
    pub days: Option<Days>,
    /// Documents that never expire, by the code of the reason.
    pub never: Vec<NeverFacts>,
    /// All of them, where a server counted them without their reasons.
    pub never_in_all: Option<DocCount>,
    /// Documents with a date that is one of this time, counted in the wrong unit.
    pub seconds_as_millis: DocCount,
    pub millis_as_seconds: DocCount,
}

impl RuleFacts {
    /// All documents that never expire by it.
    pub fn stays(&self) -> DocCount {
        let by_reason =
            || self.never.iter().fold(DocCount::default(), |sum, it| sum.plus(it.documents));
        self.never_in_all.unwrap_or_else(by_reason)
    }
}

/// Documents that never expire, for one reason.
#[derive(Debug, Clone, PartialEq)]
pub struct NeverFacts {
    /// The code of [`mayfly_engine::ttl::Never`].
    pub code: String,
    pub documents: DocCount,
    /// One of them.
    pub example: Option<Bson>,
}

/// Facts from a sample of documents.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SampleFacts {
    pub documents: u64,
    /// Whether it is the whole collection.
    pub is_whole: bool,
    /// Fields that have dates, or values that may become some.
    pub fields: Vec<FieldFacts>,
    /// Documents by the rule that removes them first.
    pub winners: Vec<(String, u64)>,
    /// Of rules with 0 seconds: documents whose insertion is known, and those whose date was past by then.
    pub past_at_insertion: Vec<PastAtInsertion>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastAtInsertion {
    pub index: String,
    pub known: u64,
    pub past: u64,
}

/// A field of the sample that has dates, or values that may become some.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FieldFacts {
    pub path: String,
    /// Documents with a date there.
    pub dates: u64,
    /// Documents with text there that looks like a date.
    pub texts: u64,
    /// Numbers there that look like instants.
    pub instants: Option<Instants>,
    /// The first and the last date, in milliseconds since 1970.
    pub range_ms: Option<(i64, i64)>,
    /// A plain index on it that could get a TTL.
    pub index: Option<PlainIndex>,
    /// Documents of the whole collection that a TTL of 30 days and of 365 days would remove now.
    pub would_remove: Option<[DocCount; 2]>,
}

/// An index on one field without a TTL.
#[derive(Debug, Clone, PartialEq)]
pub struct PlainIndex {
    pub name: String,
    pub field: String,
    pub key: Document,
}

/// The documents' own `ttl`, where the rules of the database could let it count.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OwnTtlFacts {
    /// Whether the collection has the index on `_ts` that makes them count.
    pub has_index: bool,
    /// Documents with a value that counts.
    pub counting: DocCount,
    /// Documents with a value that is stored and ignored, by the name of its type.
    pub ignored: Vec<(String, DocCount)>,
}
