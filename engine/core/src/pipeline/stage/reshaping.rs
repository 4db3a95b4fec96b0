//! `$project`, `$addFields`, `$set`, `$unset`, `$replaceRoot`, `$replaceWith`.

use std::sync::Arc;

use bson::RawDocumentBuf;

use crate::pipeline::flow::{Input, Stage};
use crate::{pipeline::PipelineError, query::Reshape};

/// A stage that makes one document of another.
#[derive(Debug, Clone)]
pub(in crate::pipeline) struct ReshapeStage(pub(in crate::pipeline) Arc<Reshape>);

impl Stage for ReshapeStage {
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RawDocumentBuf>, PipelineError> {
        match input.next_document()? {
            None => Ok(None),
            Some(document) => Ok(Some(self.0.apply(&document, input.context)?)),
        }
    }

    fn may_nest(&self) -> bool {
        self.0.may_nest()
    }
}
