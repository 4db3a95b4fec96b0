//! The dates that a server can compare with.

use bson::{DateTime, Document};
use mayfly_engine::value::whole;

use super::asking::Asking;

/// Codes of failures that other dates do not mend: no connection, no permission, no time, no primary, a
/// dropped index, a stop, or too many requests.
const NOT_DATES: [i64; 11] = [6, 13, 50, 91, 175, 189, 10107, 11600, 11601, 13435, 16500];

/// The dates that a server can compare with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dates {
    /// All that a document can hold.
    All,
    /// From the year 1 to the year 9999.
    Written,
}

impl Dates {
    /// The date at this instant, or the nearest one that a server can compare with.
    pub fn within(self, ms: i64) -> DateTime {
        DateTime::from_millis(match self {
            Self::All => ms,
            Self::Written => ms.clamp(-62_135_596_800_000, 253_402_300_799_999),
        })
    }
}

/// Asks with the dates that the server is known to read; if it refuses, with those that most languages
/// can write.
///
/// # Errors
/// The first refusal.
pub(super) fn with_dates<T>(
    asking: &Asking<'_>,
    ask: impl Fn(Dates) -> Result<T, Document>,
) -> Result<T, Document> {
    let dates = asking.dates();
    ask(dates).or_else(|refusal| {
        let code = refusal.get("code").and_then(whole).unwrap_or_default();
        if NOT_DATES.contains(&code) || dates == Dates::Written {
            return Err(refusal);
        }
        let found = ask(Dates::Written);
        if found.is_ok() {
            asking.note_dates();
        }
        found.map_err(|_| refusal)
    })
}
