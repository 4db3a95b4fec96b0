//! MongoDB's error numbers and names. Nothing outside this folder knows them.

/// A function from kinds of errors to MongoDB's numbers: one line a kind. A number that MongoDB has no
/// other name for is named by its digits.
macro_rules! numbers {
    ($(#[$doc:meta])* $function:ident($kinds:ident):
     $($kind:ident = $number:literal $($name:literal)?;)*) => {
        $(#[$doc])*
        #[allow(clippy::unreadable_literal, reason = "as MongoDB's users search for them")]
        pub(super) fn $function(kind: $kinds) -> Code {
            match kind {
                $($kinds::$kind => numbers!(@ $number $($name)?),)*
            }
        }
    };
    (@ $number:literal $name:literal) => { Code { number: $number, name: $name } };
    (@ $number:literal) => { Code { number: $number, name: concat!("Location", $number) } };
}

mod codes;
mod convert;
mod expression;
mod family;
mod stage;

use std::borrow::Cow;

use bson::{Document, RawDocumentBuf, doc};

pub use codes::Code;

use crate::limits::ERROR_MESSAGE_BYTES_MAX;

/// Why a command failed: what stands in the reply.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct CommandError {
    /// Number and name.
    pub code: Code,
    /// One sentence: what is wrong and what to do.
    pub message: String,
    /// More fields of the reply, e.g. `keyPattern` and `keyValue`; empty as a rule.
    pub details: Box<Document>,
}

/// What every command handler gives back: the reply's fields without `ok`.
pub type Answer = Result<RawDocumentBuf, CommandError>;

impl CommandError {
    /// An error with this number.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Box::default() }
    }

    /// The error reply, without `$clusterTime` and the like.
    #[must_use]
    pub fn to_document(&self) -> Document {
        let mut reply = doc! {
            "ok": 0.0,
            "errmsg": &*self.reply_message(),
            "code": self.code.number,
            "codeName": self.code.name,
        };
        reply.extend(self.details.as_ref().clone());
        reply
    }

    /// The entry of `writeErrors` for the statement at this place of the batch.
    #[must_use]
    pub fn to_write_error(&self, index: usize) -> Document {
        let mut entry = doc! { "index": int(index), "code": self.code.number };
        entry.extend(self.details.as_ref().clone());
        entry.insert("errmsg", &*self.reply_message());
        entry
    }

    /// The sentence as replies have it: what quotes a value of megabytes is cut.
    #[must_use]
    pub fn reply_message(&self) -> Cow<'_, str> {
        let bytes = self.message.len();
        if bytes <= ERROR_MESSAGE_BYTES_MAX {
            return Cow::Borrowed(&self.message);
        }
        let kept = self.message.floor_char_boundary(ERROR_MESSAGE_BYTES_MAX);
        let kept = self.message.get(..kept).unwrap_or_default();
        Cow::Owned(format!("{kept}… (cut: {bytes} bytes in all)"))
    }
}

fn int(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
