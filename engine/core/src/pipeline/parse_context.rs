//! The context in which pipelines and sub-pipelines are parsed.

use bson::raw::{RawBsonRef, RawDocument};

use super::{Origin, PipelineError, text::kind};
use crate::{
    limits::PIPELINE_DEPTH_MAX,
    query::{Code, Expression, VariableNames},
    value::Collation,
};

/// Where a pipeline occurs: some stages are allowed only in some places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nesting {
    Top,
    View,
    /// In `$facet`.
    Facet,
    /// In `$lookup`.
    Lookup,
    /// In `$unionWith`.
    UnionWith,
}

/// The context that parsing a pipeline depends on.
#[derive(Debug, Clone)]
pub struct ParseContext<'r> {
    pub db: &'r str,
    /// The variables that its expressions may name.
    pub names: VariableNames,
    pub(super) place: Nesting,
    depth: usize,
}

impl<'r> ParseContext<'r> {
    pub fn of_command(db: &'r str, names: VariableNames) -> Self {
        Self { db, names, place: Nesting::Top, depth: 0 }
    }

    /// The pipeline of a view in this database, with the collation of who reads it.
    pub fn of_view(db: &'r str, collation: Option<Collation>) -> Self {
        let names = VariableNames::of_collation(collation);
        Self { db, names, place: Nesting::View, depth: 0 }
    }

    /// A pipeline in a stage of this one.
    pub(super) fn within(&self, place: Nesting) -> Result<Self, PipelineError> {
        if self.depth >= PIPELINE_DEPTH_MAX {
            return Err(refused!(
                Code::MAX_SUB_PIPELINE_DEPTH_EXCEEDED,
                "Maximum number of nested sub-pipelines exceeded. Limit is {PIPELINE_DEPTH_MAX}"
            ));
        }
        Ok(Self { db: self.db, names: self.names.clone(), place, depth: self.depth + 1 })
    }

    /// The origin of a pipeline for which its stage names no collection.
    pub(super) fn without_collection(
        &self,
        stage: &str,
        stages: &[&RawDocument],
    ) -> Result<Origin, PipelineError> {
        let first = stages.first().and_then(|first| first.into_iter().next()?.ok());
        if first.is_some_and(|(name, _)| name.as_str() == "$documents") {
            return Ok(Origin::database(self.db));
        }
        Err(refused!(
            Code::FAILED_TO_PARSE,
            "{stage} stage without explicit collection must have a pipeline with $documents as \
                 first stage"
        ))
    }
}

/// The stage documents of a pipeline in a field of a stage.
pub(super) fn stages_of<'d>(
    value: RawBsonRef<'d>,
    place: &str,
) -> Result<Vec<&'d RawDocument>, PipelineError> {
    let RawBsonRef::Array(array) = value else {
        return Err(PipelineError::stage(
            Code::TYPE_MISMATCH,
            format!("'pipeline' option must be specified as an array: {place} is {}", kind(value)),
        ));
    };
    array
        .into_iter()
        .map(|item| match item? {
            RawBsonRef::Document(stage) => Ok(stage),
            _ => Err(PipelineError::stage(
                Code::TYPE_MISMATCH,
                "Each element of the 'pipeline' array must be an object",
            )),
        })
        .collect()
}

/// Reads `let`, and adds its names to those of the inner pipeline.
pub(super) fn variables(
    given: Option<&RawDocument>,
    outer: &VariableNames,
    inner: &mut VariableNames,
) -> Result<Vec<(String, Expression)>, PipelineError> {
    let mut variables = Vec::new();
    for element in given.into_iter().flatten() {
        let (name, value) = element?;
        let name = name.as_str();
        VariableNames::check(name)?;
        variables.push((name.to_owned(), Expression::parse(value, outer)?));
        *inner = std::mem::take(inner).with(name);
    }
    Ok(variables)
}
