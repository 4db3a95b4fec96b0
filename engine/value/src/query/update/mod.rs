//! Updates: from one document to the next.

mod action;
mod arithmetic;
mod array;
mod change;
mod context;
mod identifiers;
mod names;
mod parse;
mod path;
mod positional;
mod seed;
mod stages;
mod target;
mod value;

#[cfg(test)]
mod tests;

pub use context::UpdateContext;

use bson::{
    Bson, Document,
    raw::{RawBson, RawBsonRef, RawDocument},
};
use stages::Stages;

use self::change::{Change, Form};
use self::positional::PathResolver;
use self::target::Growth;
use self::value::{is_same, shown, type_of};
use super::{Filter, QueryError};
use crate::query::Code;
use crate::value::scan::ScanErrorKind;
use crate::value::{Collation, ScanError, scan};

/// A parsed update: operators or a replacement.
#[derive(Debug, Clone)]
pub struct Update(Form);

impl Update {
    /// Parses an update. `array_filters` name the `$[identifier]`s in its paths.
    ///
    /// # Errors
    /// The first invalid part.
    pub fn parse(
        update: RawBsonRef<'_>,
        array_filters: &[&RawDocument],
    ) -> Result<Self, QueryError> {
        Self::parse_with(update, array_filters, &[], None)
    }

    /// As [`Update::parse`], with variables that the stages of a pipeline may name, and a
    /// collation by which text compares.
    ///
    /// # Errors
    /// The first invalid part.
    pub fn parse_with(
        update: RawBsonRef<'_>,
        array_filters: &[&RawDocument],
        variables: &[(String, Option<RawBson>)],
        collation: Option<&Collation>,
    ) -> Result<Self, QueryError> {
        let RawBsonRef::Array(stages) = update else {
            return parse::update(update, array_filters, collation).map(Self);
        };
        if !array_filters.is_empty() {
            return Err(QueryError::failed_to_parse(
                "arrayFilters may not be specified for pipeline-syle updates",
            ));
        }
        Ok(Self(Form::Stages(Stages::parse(stages, variables, collation)?)))
    }

    /// Whether the update is a pipeline.
    pub fn is_pipeline(&self) -> bool {
        matches!(self.0, Form::Stages(_))
    }

    /// Whether the update replaces the whole document.
    pub fn is_replacement(&self) -> bool {
        matches!(self.0, Form::Replacement(_))
    }

    /// The fields at the top that its operators change. None for a replacement or a pipeline.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        let changes = match &self.0 {
            Form::Operators { changes, .. } => changes.as_slice(),
            Form::Replacement(_) | Form::Stages(_) => &[],
        };
        changes.iter().flat_map(Change::fields)
    }

    /// The document after the update; `None` if nothing changes. `_id`, if there is one, is the
    /// first field of the result. The document is given to the update without one only on an
    /// upsert; the caller then adds one if it is still missing.
    ///
    /// # Errors
    /// `ImmutableField`, `PathNotViable`, `TypeMismatch` and others, when the document and the
    /// update do not fit.
    pub fn apply(
        &self,
        document: &Document,
        context: &UpdateContext<'_>,
    ) -> Result<Option<Document>, QueryError> {
        let mut after = match &self.0 {
            Form::Replacement(replacement) => replacement.clone(),
            Form::Stages(stages) => stages.apply(document, context.now_ms)?,
            Form::Operators { changes, array_filters } => {
                // All places are found in the document as it was: what they are found by may
                // change.
                let mut finder = PathResolver::new(document, array_filters, context);
                let places = changes
                    .iter()
                    .map(|change| change.places(&mut finder, context))
                    .collect::<Result<Vec<_>, _>>()?;
                if changes.iter().any(|change| change.path.is_positional()) {
                    positional::check_apart(&places)?;
                }
                let (mut after, mut growth) = (document.clone(), Growth::default());
                let mut removed = Vec::new();
                for (change, paths) in changes.iter().zip(&places) {
                    change.apply(&mut after, paths, &mut growth, context, &mut removed)?;
                }
                target::remove_all(&mut after, &removed);
                after
            }
        };
        let is_whole = !matches!(self.0, Form::Operators { .. });
        if !context.inserting && self.is_replacement() {
            names::check_replacement(document, &after)?;
        }
        if (is_whole || context.inserting)
            && let Some(id) = after.get("_id")
        {
            names::check_id(id)?;
        }
        settle_id(document, &mut after, is_whole)?;
        let bytes = after.to_vec()?;
        scan::check(&bytes).map_err(|error| too_large(&error))?;
        Ok((bytes != document.to_vec()?).then_some(after))
    }

    /// The document that an upsert starts from: the filter's equalities. A replacement takes only
    /// the `_id` from it, which must be given as a whole.
    ///
    /// # Errors
    /// `NotSingleValueField` when equalities contradict each other; `NotExactValueField` when a
    /// replacement would have to guess the `_id`.
    pub fn upsert_seed(&self, filter: &Filter) -> Result<Document, QueryError> {
        seed::document(filter, self.is_replacement())
    }
}

/// Size and depth are what an update can exceed.
fn too_large(error: &ScanError) -> QueryError {
    let kind = match error.kind {
        ScanErrorKind::TooLarge { .. } => Code::BSON_OBJECT_TOO_LARGE,
        ScanErrorKind::TooDeep { .. } => Code::OVERFLOW,
        _ => Code::BAD_VALUE,
    };
    QueryError::new(kind, format!("The document after the update can't be stored: {}", error.kind))
}

/// `_id` must stay the same and comes first.
fn settle_id(before: &Document, after: &mut Document, replaced: bool) -> Result<(), QueryError> {
    let old = before.get("_id");
    if let (true, Some(old), None) = (replaced, old, after.get("_id")) {
        after.insert("_id", old.clone());
    }
    match (old, after.get("_id")) {
        (Some(old), Some(new)) if is_same(old, new)? => {}
        (None, Some(new @ (Bson::Array(_) | Bson::RegularExpression(_) | Bson::Undefined))) => {
            return Err(QueryError::new(
                Code::INVALID_ID_FIELD,
                format!("The '_id' value cannot be of type {}", type_of(new)),
            ));
        }
        (None, _) => {}
        (Some(_), Some(new)) if replaced => {
            return Err(QueryError::new(
                Code::IMMUTABLE_FIELD,
                format!(
                    "After applying the update, the (immutable) field '_id' was found to have been \
                     altered to {}",
                    shown("_id", new)
                ),
            ));
        }
        (Some(_), _) => {
            return Err(QueryError::new(
                Code::IMMUTABLE_FIELD,
                "Performing an update on the path '_id' would modify the immutable field '_id'",
            ));
        }
    }
    let is_first = after.keys().next().is_some_and(|name| name == "_id");
    if !is_first && let Some(id) = after.remove("_id") {
        let rest = std::mem::take(after);
        after.insert("_id", id);
        after.extend(rest);
    }
    Ok(())
}
