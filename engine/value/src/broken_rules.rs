//! TTL rules that a test breaks, to see that the lessons notice.
//!
//! Without the feature `broken_rules`, which no program enables, every rule holds.

/// A way in which a TTL rule can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum BrokenRule {
    /// The threshold itself does not count as expired.
    Equality = 1,
    /// The latest date of an array counts.
    LatestOfArray,
    /// Dates in inner arrays count.
    NestedArrays,
    /// A text with a date counts.
    Texts,
    /// A number of milliseconds counts.
    Numbers,
    /// An index with 0 seconds is off.
    ZeroIsOff,
    /// The seconds of an index are not added.
    SecondsIgnored,
    /// A date before 1970 never expires.
    NegativeDates,
    /// A hidden index removes nothing.
    HiddenIndexes,
    /// A descending index removes nothing.
    DescendingIndexes,
    /// A partial index covers every document.
    PartialFilters,
    /// All rules must be due, not one.
    AllRulesMustAgree,
    /// Documents are removed at their threshold instead of with the next pass.
    NoPeriod,
    /// The monitor runs while it is off.
    MonitorSwitch,
    /// Each removal reads the clock, instead of each pass.
    ClockPerDocument,
    /// A rule keeps its turn until it has nothing to do.
    NoTurns,
    /// `collMod` refuses NaN.
    CollModNan,
    /// `createIndex` accepts the seconds of an index that exists.
    CreateIndexAgain,
    /// An index on several fields may have seconds.
    CompoundIndexes,
    /// The cosmos dialect accepts seconds on any field.
    CosmosAnyField,
    /// The cosmos dialect shows a document until its removal.
    CosmosShows,
    /// The mongodb dialect hides a document from its threshold on.
    MongodbHides,
    /// A write does not restart `_ts`.
    WritesKeepTs,
    /// `_ts` has milliseconds.
    TsMilliseconds,
    /// A document's own `ttl` is ignored.
    OwnTtlIgnored,
    /// An own `ttl` counts with any type.
    OwnTtlOfAnyType,
    /// An own `ttl` of -1 is ignored.
    MinusOne,
    /// An own `ttl` of 0 is never.
    OwnTtlZero,
    /// The `_id` of a hidden document is taken.
    HiddenIdTaken,
    /// The guard never holds.
    GuardOff,
    /// Removed documents are not kept in the trash.
    NoTrash,
    /// A secondary runs passes.
    SecondaryPasses,
}

impl BrokenRule {
    /// All of them.
    pub const ALL: [Self; 32] = [
        Self::Equality,
        Self::LatestOfArray,
        Self::NestedArrays,
        Self::Texts,
        Self::Numbers,
        Self::ZeroIsOff,
        Self::SecondsIgnored,
        Self::NegativeDates,
        Self::HiddenIndexes,
        Self::DescendingIndexes,
        Self::PartialFilters,
        Self::AllRulesMustAgree,
        Self::NoPeriod,
        Self::MonitorSwitch,
        Self::ClockPerDocument,
        Self::NoTurns,
        Self::CollModNan,
        Self::CreateIndexAgain,
        Self::CompoundIndexes,
        Self::CosmosAnyField,
        Self::CosmosShows,
        Self::MongodbHides,
        Self::WritesKeepTs,
        Self::TsMilliseconds,
        Self::OwnTtlIgnored,
        Self::OwnTtlOfAnyType,
        Self::MinusOne,
        Self::OwnTtlZero,
        Self::HiddenIdTaken,
        Self::GuardOff,
        Self::NoTrash,
        Self::SecondaryPasses,
    ];
}

#[cfg(feature = "broken_rules")]
mod switch {
    use std::sync::atomic::{AtomicU8, Ordering};

    use super::BrokenRule;

    static BROKEN: AtomicU8 = AtomicU8::new(0);

    /// Breaks a rule in every engine of this process; `None` mends all.
    pub fn break_rule(rule: Option<BrokenRule>) {
        BROKEN.store(rule.map_or(0, |rule| rule as u8), Ordering::SeqCst);
    }

    /// Whether a test broke this rule.
    pub fn is_broken(rule: BrokenRule) -> bool {
        BROKEN.load(Ordering::Relaxed) == rule as u8
    }

    /// Whether a test broke a rule.
    pub fn is_any_broken() -> bool {
        BROKEN.load(Ordering::Relaxed) != 0
    }
}

#[cfg(feature = "broken_rules")]
pub use switch::{break_rule, is_any_broken, is_broken};

/// Whether a test broke this rule.
#[cfg(not(feature = "broken_rules"))]
pub const fn is_broken(_: BrokenRule) -> bool {
    false
}

/// Whether a test broke a rule.
#[cfg(not(feature = "broken_rules"))]
pub const fn is_any_broken() -> bool {
    false
}
