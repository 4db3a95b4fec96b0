//! Keys of the `_ts` index: two adjacent sections and a place for what never expires.

use super::encoder::{from_sortable, sortable};

/// An entry of the `_ts` index.
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

/// First bytes of the three sections; no class of [`crate::value::type_rank`], ascending or
/// descending, has these.
const SECTION_DEFAULT: u8 = 81;
const SECTION_OWN: u8 = 82;
const SECTION_NEVER: u8 = 83;

/// The key bytes of an entry. They sort as [`TsEntry`] does.
pub fn encode(entry: TsEntry) -> Vec<u8> {
    let (section, ms) = match entry {
        TsEntry::Default { modified_ms } => (SECTION_DEFAULT, modified_ms),
        TsEntry::Own { threshold_ms } => (SECTION_OWN, threshold_ms),
        TsEntry::Never { modified_ms } => (SECTION_NEVER, modified_ms),
    };
    let mut key = Vec::with_capacity(9);
    key.push(section);
    key.extend_from_slice(&sortable(ms));
    key
}

/// Reads a key back. `None` if it has another format.
pub fn decode(key: &[u8]) -> Option<TsEntry> {
    let (section, ms) = key.split_first()?;
    let ms = from_sortable(ms.try_into().ok()?);
    match *section {
        SECTION_DEFAULT => Some(TsEntry::Default { modified_ms: ms }),
        SECTION_OWN => Some(TsEntry::Own { threshold_ms: ms }),
        SECTION_NEVER => Some(TsEntry::Never { modified_ms: ms }),
        _ => None,
    }
}
