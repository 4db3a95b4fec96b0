//! The reply of a write command.

use bson::{Bson, Document, doc};

use crate::command::core::{
    error::Answer,
    reply::{raw, shortest},
};

/// The result of all statements of one write command.
#[derive(Debug, Default)]
pub struct WriteReply {
    /// Documents inserted, matched or deleted.
    pub n: u64,
    /// Entries of `writeErrors`.
    pub errors: Vec<Document>,
}

impl WriteReply {
    /// The reply: `n`, what the command adds, and `writeErrors` when there are some.
    ///
    /// # Errors
    /// None in practice: names with NUL characters.
    pub fn answer(self, more: Document) -> Answer {
        let mut reply = doc! { "n": shortest(self.n) };
        reply.extend(more);
        if !self.errors.is_empty() {
            reply.insert("writeErrors", Bson::from(self.errors));
        }
        raw(&reply)
    }
}
