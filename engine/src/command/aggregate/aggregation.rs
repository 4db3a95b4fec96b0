//! The fields of `aggregate`.

use std::sync::Arc;

use bson::raw::{RawBson, RawBsonRef};

use crate::{
    command::core::{
        CommandError, Request,
        let_variables::read_let,
        missing_field,
        query::{check_collation, read_hint},
    },
    pipeline::{Environment, Origin, ParseContext, Pipeline, Run},
    query,
};

/// An aggregate command.
pub struct Aggregation {
    /// The source of the first stage.
    pub origin: Origin,
    /// The stages.
    pub pipeline: Pipeline,
    hint: Option<crate::plan::Hint>,
    now_ms: i64,
    variables: Vec<(String, Option<RawBson>)>,
}

impl Aggregation {
    /// Reads the fields of the command.
    pub fn read(request: &Request<'_>) -> Result<Self, CommandError> {
        let origin = origin(request)?;
        check_collation(request)?;
        let stages = match request.get("pipeline")? {
            None => return Err(missing_field(request.name, "pipeline")),
            Some(RawBsonRef::Array(array)) => array
                .into_iter()
                .map(|item| match item? {
                    RawBsonRef::Document(stage) => Ok(stage),
                    _ => Err(CommandError::type_mismatch(
                        "Each element of the 'pipeline' array must be an object",
                    )),
                })
                .collect::<Result<Vec<_>, CommandError>>()?,
            Some(_) => {
                return Err(CommandError::type_mismatch(
                    "'pipeline' option must be specified as an array",
                ));
            }
        };
        let (names, variables) = read_let(request)?;
        let pipeline = Pipeline::parse(&stages, &ParseContext::of_command(request.db, names))?;
        pipeline.check_origin(&origin)?;
        let hint = read_hint(request.get("hint")?)?;
        Ok(Self { origin, pipeline, hint, now_ms: request.now_ms, variables })
    }

    /// Begins to run it.
    pub fn open(&self, environment: &Environment<'_>) -> Result<Run, CommandError> {
        let mut seen = query::Context::at(self.now_ms);
        seen.variables.clone_from(&self.variables);
        let hint = self.hint.as_ref();
        Ok(Run::open(environment, &self.origin, &self.pipeline, hint, Arc::new(seen))?)
    }
}

fn origin(request: &Request<'_>) -> Result<Origin, CommandError> {
    match request.first()? {
        RawBsonRef::String(_) => Ok(Origin::Collection(request.namespace()?)),
        RawBsonRef::Int32(1) | RawBsonRef::Int64(1) => Ok(Origin::database(request.db)),
        RawBsonRef::Double(number) if (number - 1.0).abs() < f64::EPSILON => {
            Ok(Origin::database(request.db))
        }
        _ => Err(CommandError::failed_to_parse(
            "Invalid command format: the 'aggregate' field must specify a collection name or 1",
        )),
    }
}
