//! Updates that are a pipeline of stages.

use bson::{
    Document, RawDocumentBuf,
    raw::{RawArray, RawBson, RawBsonRef},
};

use crate::{
    query::{Code, Context, QueryError, Reshape, VariableNames, check_levels},
    value::Collation,
};

/// The stages, and the variables that they may name.
#[derive(Debug, Clone)]
pub(super) struct Stages {
    list: Vec<Reshape>,
    variables: Vec<(String, Option<RawBson>)>,
    collation: Option<Collation>,
}

impl Stages {
    pub(super) fn parse(
        stages: &RawArray,
        variables: &[(String, Option<RawBson>)],
        collation: Option<&Collation>,
    ) -> Result<Self, QueryError> {
        let names = VariableNames::of_collation(collation.cloned());
        let names = variables.iter().fold(names, |names, (name, _)| names.with(name));
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
        let collation = collation.cloned();
        Ok(Self { list: parsed, variables: variables.to_vec(), collation })
    }

    pub(super) fn apply(&self, document: &Document, now_ms: i64) -> Result<Document, QueryError> {
        let mut context = Context::at(now_ms).with_collation(self.collation.as_ref());
        context.variables.clone_from(&self.variables);
        let mut document = RawDocumentBuf::try_from(document)?;
        for stage in &self.list {
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
