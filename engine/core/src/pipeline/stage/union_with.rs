//! `$unionWith`.

use std::sync::Arc;

use bson::{RawDocumentBuf, raw::RawBsonRef};

use super::server::wrong_type;
use crate::pipeline::flow::{Fresh, Input, Stage};
use crate::{
    pipeline::{
        Origin, ParseContext, Pipeline, PipelineError, Run,
        parse_context::{Nesting, stages_of},
        text::kind,
    },
    query::Code,
};

/// `$unionWith`: after the documents in front those of another collection.
pub(in crate::pipeline) struct UnionWith {
    other: Arc<Other>,
    run: Option<Box<Run>>,
}

struct Other {
    origin: Origin,
    pipeline: Pipeline,
}

impl UnionWith {
    pub(in crate::pipeline) fn parse(
        value: RawBsonRef<'_>,
        reading: &ParseContext<'_>,
    ) -> Result<Self, PipelineError> {
        let (mut collection, mut stages) = (None, None);
        match value {
            RawBsonRef::String(name) => collection = Some(name),
            RawBsonRef::Document(options) => {
                for element in options {
                    let (name, value) = element?;
                    match (name.as_str(), value) {
                        ("coll", RawBsonRef::String(name)) => collection = Some(name),
                        ("coll", other) => {
                            return Err(wrong_type("$unionWith.coll", other, "string"));
                        }
                        ("pipeline", value) => {
                            stages = Some(stages_of(value, "$unionWith.pipeline")?);
                        }
                        (other, _) => {
                            let message =
                                format!("BSON field '$unionWith.{other}' is an unknown field.");
                            return Err(PipelineError::stage(Code::IDL_UNKNOWN_FIELD, message));
                        }
                    }
                }
            }
            other => {
                let message = format!(
                    "the $unionWith stage specification must be an object or string, but found {}",
                    kind(other)
                );
                return Err(PipelineError::stage(Code::FAILED_TO_PARSE, message));
            }
        }
        let stages = stages.unwrap_or_default();
        let origin = match collection {
            Some(name) => Origin::collection(reading.db, name)?,
            None => reading.without_collection("$unionWith", &stages)?,
        };
        let pipeline = Pipeline::parse(&stages, &reading.within(Nesting::UnionWith)?)?;
        Ok(Self { other: Arc::new(Other { origin, pipeline }), run: None })
    }
}

impl Fresh for UnionWith {
    fn fresh(&self) -> Box<dyn Stage> {
        Box::new(Self { other: Arc::clone(&self.other), run: None })
    }
}

impl Stage for UnionWith {
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RawDocumentBuf>, PipelineError> {
        if self.run.is_none() {
            // The other collection is opened only once these have ended, which a `$limit` may
            // prevent.
            if let Some(document) = input.next_document()? {
                return Ok(Some(document));
            }
            let Other { origin, pipeline } = &*self.other;
            self.run = Some(Box::new(Run::open(
                &input.environment.within()?,
                origin,
                pipeline,
                None,
                Arc::clone(input.context),
            )?));
        }
        match &mut self.run {
            Some(run) => run.advance(&input.environment.within()?),
            None => Ok(None),
        }
    }
}
