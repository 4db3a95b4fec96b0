//! The fields of `aggregate`.

use std::sync::Arc;

use bson::raw::RawBsonRef;

use crate::{
    command::core::{
        CommandError, Context, LetVariables, Request, missing_field, query::read_hint,
        stable_api::check_stages,
    },
    pipeline::{Environment, Origin, ParseContext, Pipeline, Run},
    query::filter::number::as_double,
};

/// An aggregate command.
pub struct Aggregation {
    /// The source of the first stage.
    pub origin: Origin,
    pub pipeline: Pipeline,
    hint: Option<crate::plan::Hint>,
    now_ms: i64,
    variables: LetVariables,
}

impl Aggregation {
    /// Reads the fields of the command.
    pub fn read(context: &Context, request: &Request<'_>) -> Result<Self, CommandError> {
        let origin = origin(request)?;
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
        check_stages(request, &stages)?;
        let variables = LetVariables::read(context, request)?;
        let reading = ParseContext::of_command(request.db, variables.names.clone());
        let pipeline = Pipeline::parse(&stages, &reading)?;
        pipeline.check_origin(&origin)?;
        let hint = read_hint(request.get("hint")?)?;
        Ok(Self { origin, pipeline, hint, now_ms: request.now_ms, variables })
    }

    /// Begins to run it.
    pub fn open(&self, environment: &Environment<'_>) -> Result<Run, CommandError> {
        let seen = self.variables.context(self.now_ms);
        let hint = self.hint.as_ref();
        Ok(Run::open(environment, &self.origin, &self.pipeline, hint, Arc::new(seen))?)
    }
}

fn origin(request: &Request<'_>) -> Result<Origin, CommandError> {
    match request.first()? {
        RawBsonRef::String(_) => Ok(Origin::Collection(request.namespace()?)),
        one if as_double(one).is_some_and(|number| (number - 1.0).abs() < f64::EPSILON) => {
            Ok(Origin::database(request.db))
        }
        _ => Err(CommandError::failed_to_parse(
            "Invalid command format: the 'aggregate' field must specify a collection name or 1",
        )),
    }
}
