//! Mayfly's own commands, answered from standard ones. A server knows none of them.

use bson::{Bson, Document, doc};
use mayfly_engine::value::whole;

use super::asking::Asking;
use super::{Remote, expiring, failure, forecast, verdict};
use crate::job::Cancel;
use crate::job::server::SENT;
use crate::source::Source as _;

/// `BadValue`.
const BAD_VALUE: i64 = 2;

/// `CommandNotFound`.
const NOT_FOUND: i32 = 59;

/// The reply to a command of Mayfly's own. `None` if the server answers it.
pub(super) fn reply(
    remote: &Remote,
    db: &str,
    command: &Document,
    cancel: &Cancel,
) -> Option<Document> {
    let (name, value) = command.iter().next()?;
    if !name.starts_with("mayfly") {
        return None;
    }
    let is_read = command.len() == 1 && matches!(value, Bson::Int32(1));
    let collection = value.as_str().unwrap_or_default();
    let asking = Asking::new(remote, db, collection, cancel);
    let ask = || match name.as_str() {
        "mayflyClock" if is_read => Ok(clock(remote)),
        "mayflyDialect" if is_read => Ok(doc! { "dialect": "mongodb", "ok": 1.0 }),
        "mayflyExpiring" => expiring::expiring(&asking, command),
        "mayflyForecast" => forecast::forecast(&asking, command),
        "mayflyWhatIf" => forecast::what_if(&asking, command),
        "mayflyVerdict" => verdict::verdict(&asking, command),
        name => Err(failure::failed(
            NOT_FOUND,
            "CommandNotFound",
            &format!("{name} is not supported on a server; it works on Mayfly's own stores"),
        )),
    };
    let mut answer = ask();
    if let Err(refusal) = &answer {
        // Another program may have dropped an index that they name.
        remote.rules.forget(remote.now_ms());
        if is_of_hint(refusal) {
            answer = ask();
        }
    }
    let mut answer = answer.unwrap_or_else(|refusal| refusal);
    // The log shows what a server was really asked.
    answer.insert(SENT, asking.sent());
    Some(answer)
}

/// Whether a server does not know the index of a hint: `BadValue`, in its own words.
fn is_of_hint(refusal: &Document) -> bool {
    let is_bad = refusal.get("code").and_then(whole) == Some(BAD_VALUE);
    is_bad && refusal.get_str("errmsg").is_ok_and(|message| message.contains("hint"))
}

fn clock(remote: &Remote) -> Document {
    let now = bson::DateTime::from_millis(remote.now_ms());
    doc! { "now": now, "mode": "system", "rate": 1.0, "paused": false, "ok": 1.0 }
}
