//! Document validation of a collection.

use bson::{Document, RawDocumentBuf, raw::RawDocument};

use crate::value::named;
use crate::{
    query::{Context, Filter, QueryError, VariableNames, filter::failure},
    value::Collation,
};

/// A collection's `validator`, `validationLevel` and `validationAction`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Validation {
    /// The filter that documents must match. `None` accepts everything.
    pub validator: Option<Filter>,
    /// Which writes are checked; `None` means strict.
    pub level: Option<ValidationLevel>,
    /// The treatment of a document that does not match. `None` means error.
    pub action: Option<ValidationAction>,
}

named! {
    /// Which writes are checked.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ValidationLevel {
        /// None.
        Off => "off",
        /// All.
        Strict => "strict",
        /// Inserts, and updates of documents that matched before.
        Moderate => "moderate",
    }
    /// The word for it.
    pub fn name;
}

named! {
    /// The treatment of a write that does not match.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ValidationAction {
        /// It is refused.
        Error => "error",
        /// It is stored, and logged.
        Warn => "warn",
        /// It is refused, and logged.
        ErrorAndLog => "errorAndLog",
    }
    /// The word for it.
    pub fn name;
}

impl ValidationLevel {
    /// Reads the word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

impl ValidationAction {
    /// Reads the word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.name() == name)
    }
}

impl Validation {
    /// Parses a validator, which may use `$expr`, with the collation of its collection.
    ///
    /// # Errors
    /// The filter is invalid.
    pub fn parse(
        validator: &Document,
        collation: Option<&Collation>,
    ) -> Result<Filter, QueryError> {
        let raw = RawDocumentBuf::try_from(validator)
            .map_err(|_| QueryError::bad_value("the validator is not valid BSON"))?;
        Filter::parse_query(&raw, &VariableNames::of_collation(collation.cloned()))
    }

    /// The details of a failed validation: the document does not match, the level requires the
    /// check, and the previous document (none for an insert) matched.
    ///
    /// # Errors
    /// When a regular expression can't be decided on the document, or the operation was ended.
    pub fn failure(
        &self,
        document: &RawDocument,
        before: Option<&RawDocument>,
        now_ms: i64,
    ) -> Result<Option<Document>, QueryError> {
        let Some(filter) = &self.validator else { return Ok(None) };
        let level = self.level.unwrap_or(ValidationLevel::Strict);
        let context = Context::at(now_ms).with_collation(filter.collation());
        let matches = |document: &RawDocument| match filter.matches_in(document, &context) {
            Err(error) if self.must_know(&error) => Err(error),
            // An expression that fails on a document does not accept it.
            result => Ok(result.unwrap_or(false)),
        };
        if level == ValidationLevel::Off || matches(document)? {
            return Ok(None);
        }
        if let Some(before) = before
            && level == ValidationLevel::Moderate
            && !matches(before)?
        {
            return Ok(None);
        }
        if self.action == Some(ValidationAction::Warn) {
            // The log only says that it does not match.
            return Ok(Some(Document::new()));
        }
        Ok(Some(failure::details(filter.source(), document, &context)))
    }

    /// Whether this error must fail the write. With action `warn`, only a stopped operation does.
    fn must_know(&self, error: &QueryError) -> bool {
        error.ended.is_some()
            || error.is_out_of_steps() && self.action != Some(ValidationAction::Warn)
    }

    /// As shown and stored.
    pub fn to_document(&self) -> Document {
        let mut options = Document::new();
        if let Some(filter) = &self.validator {
            options.insert("validator", Document::try_from(filter.source()).unwrap_or_default());
        }
        if let Some(level) = self.level {
            options.insert("validationLevel", level.name());
        }
        if let Some(action) = self.action {
            options.insert("validationAction", action.name());
        }
        options
    }
}
