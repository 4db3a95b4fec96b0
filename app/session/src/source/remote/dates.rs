//! The dates that a server can compare with.

use bson::Document;
use mayfly_engine::value::whole;

use super::asking::Asking;
use super::known::Dates;

/// Codes of failures that other dates do not mend: no connection, no permission, no time, no primary, a
/// dropped index, a stop, or too many requests.
const NOT_DATES: [i64; 11] = [6, 13, 50, 91, 175, 189, 10107, 11600, 11601, 13435, 16500];

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
