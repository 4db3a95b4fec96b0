//! Why a filter, projection, sort or update is refused.

use super::Code;
use crate::{
    interrupt::StopReason,
    value::collation::{CollationError, CollationMistake},
};

/// MongoDB's number, and one sentence for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    /// MongoDB's number.
    pub code: Code,
    /// States the problem, then what to do.
    pub message: String,
    /// MongoDB's other number for the same refusal: of a filter outside queries, of arithmetic in
    /// `$group`.
    pub elsewhere: Option<Code>,
    /// The operation had to end before it had an answer.
    pub ended: Option<StopReason>,
}

/// An error with this number.
pub(super) fn refused(code: impl Into<Code>, message: impl Into<String>) -> QueryError {
    QueryError::new(code, message)
}

impl QueryError {
    /// An error with this number.
    pub fn new(code: impl Into<Code>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), elsewhere: None, ended: None }
    }

    /// The same refusal with the number that MongoDB gives it elsewhere.
    #[must_use]
    pub fn elsewhere(self) -> Self {
        Self { code: self.elsewhere.unwrap_or(self.code), ..self }
    }

    pub(super) fn or_elsewhere(self, code: impl Into<Code>) -> Self {
        Self { elsewhere: Some(code.into()), ..self }
    }

    /// Whether a regular expression took more steps than a search may take.
    pub fn is_out_of_steps(&self) -> bool {
        self.code == Code(51156)
    }

    /// An error with MongoDB's code 2.
    pub fn bad_value(message: impl Into<String>) -> Self {
        Self::new(Code::BAD_VALUE, message)
    }

    pub(crate) fn failed_to_parse(message: impl Into<String>) -> Self {
        Self::new(Code::FAILED_TO_PARSE, message)
    }

    pub(crate) fn type_mismatch(message: impl Into<String>) -> Self {
        Self::new(Code::TYPE_MISMATCH, message)
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(Code::NOT_SUPPORTED, message)
    }
}

impl From<StopReason> for QueryError {
    fn from(ended: StopReason) -> Self {
        Self { ended: Some(ended), ..Self::new(ended, ended.to_string()) }
    }
}

impl From<CollationError> for QueryError {
    fn from(error: CollationError) -> Self {
        let code = match error.kind {
            CollationMistake::NoLocale => Code::IDL_FAILED_TO_PARSE,
            CollationMistake::WrongType => Code::TYPE_MISMATCH,
            CollationMistake::UnknownField => Code::IDL_UNKNOWN_FIELD,
            CollationMistake::BadValue => Code::BAD_VALUE,
            CollationMistake::OtherVersion => Code::INCOMPATIBLE_COLLATION_VERSION,
            CollationMistake::Unsupported => Code::NOT_SUPPORTED,
        };
        Self::new(code, error.message)
    }
}

/// Bytes that are not BSON reach here only if a caller skipped the scan.
impl From<bson::error::Error> for QueryError {
    fn from(_: bson::error::Error) -> Self {
        Self::bad_value("the document is not valid BSON; write it again")
    }
}
