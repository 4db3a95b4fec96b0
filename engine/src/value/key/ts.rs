//! Keys of the `_ts` index: two adjacent sections and a place for what never expires.

/// What an entry of the `_ts` index says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TsEntry {
    /// The document follows the collection's default; milliseconds of its last modification.
    Default {
        /// Milliseconds since 1970.
        modified_ms: i64,
    },
    /// The document has an own `ttl`; milliseconds at which it expires.
    Own {
        /// Milliseconds since 1970.
        threshold_ms: i64,
    },
    /// The document's own `ttl` says never; milliseconds of its last modification.
    Never {
        /// Milliseconds since 1970.
        modified_ms: i64,
    },
}

/// The key bytes of an entry. They sort as [`TsEntry`] does.
pub fn encode(entry: TsEntry) -> Vec<u8> {
    todo!("{entry:?}")
}

/// Reads a key back; `None` if it is none of ours.
pub fn decode(key: &[u8]) -> Option<TsEntry> {
    todo!("{key:?}")
}
