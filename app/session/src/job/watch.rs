//! Deletions in a collection of a server, as its change stream reports them.

use bson::Bson;
use mayfly_engine::reply::ExpiringRow;

/// A document that was deleted. No server says why.
#[derive(Debug, Clone, PartialEq)]
pub struct DeletedDocument {
    /// Its `_id`.
    pub id: Bson,
    /// The earliest instant of the deletion, in milliseconds since 1970.
    pub from_ms: i64,
    /// The latest one. Servers before version 6.0 name only the second.
    pub to_ms: i64,
    /// When it would have expired, if the server keeps pre-images and a rule covers it.
    pub row: Option<ExpiringRow>,
}

/// A report of a change stream.
#[derive(Debug, Clone, PartialEq)]
pub enum WatchReport {
    Begun {
        /// Whether each deletion comes with the document that was deleted.
        has_pre_images: bool,
    },
    /// Documents that were deleted, in order.
    Deleted {
        documents: Vec<DeletedDocument>,
        /// How many more there were than the window could take.
        missed: u64,
    },
    Ended(WatchEnd),
}

/// Why there is no change stream, or no longer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchEnd {
    Left,
    /// The server has none; asking again is of no use. Words that follow *polled:*.
    Unsupported(String),
    /// It broke, and may work again later. Words that follow *polled:*.
    Broken(String),
}
