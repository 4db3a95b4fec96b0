//! The reply of a write command.

use bson::{Bson, Document, doc, raw::RawDocument};

use super::write_matching::StatementResult;
use crate::{
    command::core::{Answer, CommandError, raw, shortest},
    plan::Operation,
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
    /// Runs the statements of an `update` or `delete`; an ordered command stops at the first error.
    /// `note` gets the index and the result of each.
    pub fn run(
        &mut self,
        (statements, is_ordered): (&[&RawDocument], bool),
        mut statement: impl FnMut(
            &RawDocument,
        )
            -> Result<(StatementResult, Option<CommandError>), CommandError>,
        mut note: impl FnMut(usize, StatementResult),
    ) {
        for (index, fields) in statements.iter().enumerate() {
            let (done, error) =
                statement(fields).unwrap_or_else(|error| (StatementResult::default(), Some(error)));
            self.n += done.matched + u64::from(done.upserted.is_some());
            if let Some(operation) = Operation::current() {
                operation.note_statement(done.matched, done.changed, done.upserted.is_some());
            }
            note(index, done);
            if let Some(error) = error {
                self.errors.push(error.to_write_error(index));
                if is_ordered {
                    break;
                }
            }
        }
    }

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
