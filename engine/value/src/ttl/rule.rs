//! TTL rules.

use super::never::InertReason;
use crate::value::Path;

/// The rule of one TTL index, or of a clustered collection's own option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// MongoDB's TTL index: the earliest date at `field`, plus the seconds.
    Date {
        /// The indexed path.
        field: Path,
        /// Seconds, at least 0.
        expire_after_secs: i64,
    },
    /// Cosmos DB's index on `_ts`: the last modification, plus the document's own `ttl` or the
    /// collection's default.
    LastModified {
        /// Seconds; `None` is -1: TTL is on, but without a default.
        default_secs: Option<i64>,
    },
    /// A clustered collection with `expireAfterSeconds`: the date in `_id`, plus the seconds.
    ClusteredId {
        /// Seconds, at least 0.
        expire_after_secs: i64,
    },
    /// A time-series collection, or an index on its time: the beginning of a bucket, plus the seconds,
    /// plus the length of a bucket. The whole bucket goes.
    Bucket {
        /// Seconds, at least 0.
        expire_after_secs: i64,
        /// Seconds that a bucket may reach.
        span_secs: i64,
    },
    /// An index that carries the option but never removes anything.
    Inert(InertReason),
}
