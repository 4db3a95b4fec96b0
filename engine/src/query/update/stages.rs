//! Updates that are a pipeline of stages.

use bson::{
    Document, RawDocumentBuf,
    raw::{RawArray, RawBson, RawBsonRef},
};

use crate::query::{Code, Context, QueryError, Reshape, VariableNames, check_levels};

/// The stages, and the variables that they may name.
#[derive(Debug, Clone)]
pub(super) struct Stages {
    stages: Vec<Reshape>,
    variables: Vec<(String, Option<RawBson>)>,
}

impl Stages {
    pub(super) fn parse(
        stages: &RawArray,
        variables: &[(String, Option<RawBson>)],
    ) -> Result<Self, QueryError> {
        let names =
            variables.iter().fold(VariableNames::default(), |names, (name, _)| names.with(name));
        let mut parsed = Vec::new();
        for stage in stages {
            let RawBsonRef::Document(stage) = stage? else {
                return Err(QueryError::type_mismatch(
                    "Each element of the 'pipeline' array must be an object",
                ));
            };
            let mut fields = stage.into_iter();
            let (Some(first), None) = (fields.next(), fields.next()) else {
                return Err(QueryError::new(
                    40323,
                    "A pipeline stage specification object must contain exactly one field.",
                ));
            };
            let (name, value) = first?;
            match Reshape::parse(name.as_str(), value, &names)? {
                Some(stage) => parsed.push(stage),
                None => return Err(refused(name.as_str())),
            }
        }
        Ok(Self { stages: parsed, variables: variables.to_vec() })
    }

    pub(super) fn apply(&self, document: &Document, now_ms: i64) -> Result<Document, QueryError> {
        let mut context = Context::at(now_ms);
        context.variables.clone_from(&self.variables);
        let mut document = RawDocumentBuf::try_from(document)?;
        for stage in &self.stages {
            document = stage.apply(&document, &context)?;
            check_levels(RawBsonRef::Document(&document))?;
        }
        Ok(Document::try_from(&*document)?)
    }
}

fn refused(stage: &str) -> QueryError {
    QueryError::new(
        Code::INVALID_OPTIONS,
        format!("{stage} is not allowed to be used within an update"),
    )
}
