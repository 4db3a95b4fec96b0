//! Why a command failed, as replies say it.

mod convert;

use std::borrow::Cow;

use bson::{Document, RawDocumentBuf, doc};

pub use crate::query::Code;

use crate::{
    catalog::{CatalogError, CatalogErrorKind},
    limits::ERROR_MESSAGE_BYTES_MAX,
};

/// Why a command failed, as the reply contains it.
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

/// The result of every command: the reply's fields without `ok`.
pub type Answer = Result<RawDocumentBuf, CommandError>;

impl CommandError {
    /// An error with this number.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Box::default() }
    }

    /// `BadValue`
    pub fn bad_value(message: impl Into<String>) -> Self {
        Self::new(Code::BAD_VALUE, message)
    }

    /// `TypeMismatch`
    pub fn type_mismatch(message: impl Into<String>) -> Self {
        Self::new(Code::TYPE_MISMATCH, message)
    }

    /// `FailedToParse`
    pub fn failed_to_parse(message: impl Into<String>) -> Self {
        Self::new(Code::FAILED_TO_PARSE, message)
    }

    /// `InvalidOptions`
    pub fn invalid_options(message: impl Into<String>) -> Self {
        Self::new(Code::INVALID_OPTIONS, message)
    }

    /// `IllegalOperation`
    pub fn illegal_operation(message: impl Into<String>) -> Self {
        Self::new(Code::ILLEGAL_OPERATION, message)
    }

    /// `NotSupported`
    pub fn not_supported(message: impl Into<String>) -> Self {
        Self::new(Code::NOT_SUPPORTED, message)
    }

    /// The error reply, without `$clusterTime` and the like.
    pub fn to_document(&self) -> Document {
        let mut reply = doc! {
            "ok": 0.0,
            "errmsg": &*self.reply_message(),
            "code": self.code.0,
            "codeName": self.code.name().into_owned(),
        };
        reply.extend(self.details.as_ref().clone());
        reply
    }

    /// The entry of `writeErrors` for the statement at this place of the batch.
    pub fn to_write_error(&self, index: usize) -> Document {
        let mut entry = doc! { "index": int(index), "code": self.code.0 };
        entry.extend(self.details.as_ref().clone());
        entry.insert("errmsg", &*self.reply_message());
        entry
    }

    /// The message, cut to a bound: it may quote a value of megabytes.
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

/// `NamespaceNotFound`
pub fn no_collection(namespace: &str) -> CommandError {
    CatalogError::new(
        CatalogErrorKind::NamespaceNotFound,
        format!("ns does not exist: {namespace}"),
    )
    .into()
}

/// Refuses a command that Cosmos DB does not have; `instead` says what to do.
pub fn not_in_cosmos(command: &str, instead: &str) -> CommandError {
    CommandError::new(
        Code::COMMAND_NOT_SUPPORTED,
        format!(
            "Command {command} is not supported in a database with the cosmos dialect; {instead}"
        ),
    )
}
