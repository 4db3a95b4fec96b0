//! Commands over the rate, as Cosmos DB refuses them.

use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};

use super::{RETRY_AFTER_MS, Server, name_of, replies};

/// The code of a command over the rate.
const OVER_RATE: i32 = 16_500;

/// Commands that are refused next.
pub struct Throttled {
    pub name: String,
    /// Commands that are still to be refused.
    pub times: u32,
    /// The documents or statements of a write that are done before the rest is refused; `None` refuses
    /// the command as a whole.
    pub done: Option<usize>,
}

fn message() -> String {
    format!(
        "Error={OVER_RATE}, RetryAfterMs={RETRY_AFTER_MS}, Details='Response status code does not \
         indicate success: TooManyRequests (429); Substatus: 3200'"
    )
}

impl Server {
    /// The reply to a command that is over the rate.
    pub fn throttled(&self, db: &str, command: &RawDocument) -> Option<RawDocumentBuf> {
        let name = name_of(command);
        let done = {
            let mut memory = self.lock();
            let known = memory.throttled.iter_mut().find(|one| one.name == name)?;
            known.times = known.times.checked_sub(1)?;
            known.done
        };
        let reply = match done {
            None => replies::failed(i64::from(OVER_RATE), "RequestRateTooLarge", &message()),
            Some(done) => self.done_in_part(db, command, done),
        };
        Some(super::answer::raw(&reply))
    }

    fn done_in_part(&self, db: &str, command: &RawDocument, done: usize) -> Document {
        let mut command = Document::try_from(command).expect("a command");
        let is_ordered = command.get_bool("ordered").unwrap_or(true);
        let lists = ["documents", "updates", "deletes"];
        let list = lists.into_iter().find(|list| command.contains_key(*list)).expect("a write");
        let all = command.get_array_mut(list).expect("a list");
        let count = all.len();
        all.truncate(done);
        let mut reply = if all.is_empty() {
            doc! { "n": 0, "ok": 1.0 }
        } else {
            let raw = RawDocumentBuf::try_from(&command).expect("a command");
            Document::try_from(self.reply(db, &raw)).expect("a reply")
        };
        let last = if is_ordered { count.min(done + 1) } else { count };
        let errors = (done..last).map(|at| {
            let at = i32::try_from(at).expect("a small number");
            Bson::from(doc! { "index": at, "code": OVER_RATE, "errmsg": message() })
        });
        let mut known = reply.get_array("writeErrors").cloned().unwrap_or_default();
        known.extend(errors);
        reply.insert("writeErrors", known);
        reply
    }
}
