//! The documents that flow through the stages.

use std::collections::VecDeque;
use std::sync::Arc;

use bson::raw::RawBsonRef;
use bson::{RawDocument, RawDocumentBuf};

use super::source::Source;
use super::{Environment, PipelineError};
use crate::catalog::Namespace;
use crate::interrupt;
use crate::limits::PIPELINE_DOC_BYTES_MAX;
use crate::plan::Target;
use crate::query::{Code, Context, QueryError, check_levels};

/// Copies a stage that has not begun.
pub trait Fresh {
    /// A copy that has not begun. Called only before the stage begins.
    fn fresh(&self) -> Box<dyn Stage>;
}

impl<T: Stage + Clone + 'static> Fresh for T {
    fn fresh(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }
}

/// A stage: parsed, and with its state once it has begun.
pub trait Stage: Fresh + Send + Sync {
    /// The next document that the stage gives; `None` when nothing is left.
    ///
    /// # Errors
    /// Those of upstream stages, or of a document that the stage can't take.
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RawDocumentBuf>, PipelineError>;

    /// Becomes part of the search in front of it. False when it can't; `target` is unchanged then.
    ///
    /// # Errors
    /// When the filters together are none.
    fn absorb(&self, _: &mut Target) -> Result<bool, PipelineError> {
        Ok(false)
    }

    /// The documents of a source stage. Called only on the first stage.
    ///
    /// # Errors
    /// Why there are none.
    fn open(
        &self,
        _: &Environment<'_>,
        _: &Namespace,
        _: &Context,
    ) -> Result<Option<VecDeque<RawDocumentBuf>>, PipelineError> {
        Ok(None)
    }

    /// The output for this number of input documents, if the stage ignores their contents.
    ///
    /// # Errors
    /// When the result can't be written.
    fn counted(&self, _: u64) -> Result<Option<VecDeque<RawDocumentBuf>>, PipelineError> {
        Ok(None)
    }

    /// Whether [`Stage::counted`] answers.
    fn only_counts(&self) -> bool {
        false
    }

    /// Whether a document that it gives may have more levels than those before it.
    fn may_nest(&self) -> bool {
        false
    }

    /// At most this many documents are asked of the stage.
    fn keep_first(&mut self, _: u64) {}

    /// The most documents that it gives, if it is a limit.
    fn limit(&self) -> Option<u64> {
        None
    }
}

/// The source and the stages before a stage.
pub struct Input<'i> {
    pub(super) stages: &'i mut [Box<dyn Stage>],
    pub(super) source: &'i mut Source,
    pub environment: &'i Environment<'i>,
    pub context: &'i Arc<Context>,
}

impl Input<'_> {
    /// The next document. Looks whether the operation has to end: one document of a search may
    /// become many in a stage.
    ///
    /// # Errors
    /// Those of the stages in front.
    pub fn next_document(&mut self) -> Result<Option<RawDocumentBuf>, PipelineError> {
        interrupt::tick().map_err(QueryError::from)?;
        match self.stages.split_last_mut() {
            None => self.source.next(self.environment),
            Some((stage, stages)) => {
                let (source, environment) = (&mut *self.source, self.environment);
                let mut input = Input { stages, source, environment, context: self.context };
                let document = stage.next(&mut input)?;
                check_size(document.as_deref())?;
                // Only for stages that can nest deeper, because the check walks through the whole
                // document.
                if let Some(document) = document.as_deref().filter(|_| stage.may_nest()) {
                    check_levels(RawBsonRef::Document(document))?;
                }
                Ok(document)
            }
        }
    }
}

/// Stages may make a document larger and larger, each by what it may hold itself.
fn check_size(document: Option<&RawDocument>) -> Result<(), PipelineError> {
    let bytes = document.map_or(0, |document| document.as_bytes().len());
    if bytes <= PIPELINE_DOC_BYTES_MAX {
        return Ok(());
    }
    Err(refused!(
        Code::QUERY_EXCEEDED_MEMORY_LIMIT,
        "Exceeded memory limit: a stage made a document of {bytes} bytes; the next \
             stage takes at most {PIPELINE_DOC_BYTES_MAX}. Remove fields that you do not need"
    ))
}

#[cfg(test)]
mod tests {
    use bson::rawdoc;

    use super::*;
    use crate::{
        command::testing::Lab,
        interrupt::{StopReason, ended_at_once},
        pipeline::{ParseContext, Pipeline, Rows, Run, ServerRows},
    };

    struct NoRows;

    impl Rows for NoRows {
        fn rows(
            &self,
            _: &ServerRows,
            _: &Namespace,
        ) -> Result<Vec<RawDocumentBuf>, PipelineError> {
            Ok(Vec::new())
        }
    }

    #[test]
    fn stages_end_with_their_limit_also_behind_a_single_document() {
        let lab = Lab::new();
        let environment = Environment::new(lab.engine.collections(), &NoRows);
        let stages = [rawdoc! { "$unwind": "$a" }, rawdoc! { "$group": { "_id": "$a" } }];
        let stages: Vec<_> = stages.iter().map(|stage| &**stage).collect();
        let pipeline =
            Pipeline::parse(&stages, &ParseContext::of_view("test", None)).expect("a pipeline");
        let run =
            || Run::over([rawdoc! { "a": [1, 2] }].into(), &pipeline, Arc::new(Context::at(0)));
        assert!(run().advance(&environment).expect("run").is_some());
        let ended = ended_at_once(|| run().advance(&environment)).expect_err("ended");
        let PipelineError::Query(ended) = ended else { panic!("{ended}") };
        assert_eq!(ended.ended, Some(StopReason::Interrupted));
    }
}
