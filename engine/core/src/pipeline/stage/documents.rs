//! `$documents`.

use std::{collections::VecDeque, sync::Arc};

use bson::{RawDocumentBuf, raw::RawBsonRef};

use crate::pipeline::flow::{Input, Stage};
use crate::{
    catalog::Namespace,
    pipeline::{
        Environment, PipelineError,
        text::{kind, shown},
    },
    query::{Context, Expression, Scope, VariableNames, check_levels},
};

/// `$documents`: the documents of an array.
#[derive(Debug, Clone)]
pub(in crate::pipeline) struct Documents {
    array: Arc<Expression>,
}

impl Documents {
    pub(in crate::pipeline) fn parse(
        value: RawBsonRef<'_>,
        names: &VariableNames,
    ) -> Result<Self, PipelineError> {
        Ok(Self { array: Arc::new(Expression::parse(value, names)?) })
    }
}

impl Stage for Documents {
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RawDocumentBuf>, PipelineError> {
        input.next_document()
    }

    fn open(
        &self,
        _: &Environment<'_>,
        _: &Namespace,
        context: &Context,
    ) -> Result<Option<VecDeque<RawDocumentBuf>>, PipelineError> {
        let empty = RawDocumentBuf::new();
        let value = self.array.evaluate(&Scope::new(&empty, context))?;
        let Some(RawBsonRef::Array(array)) = value.as_ref() else {
            return Err(refused!(
                5858203,
                "error during aggregation: $documents expects an array of documents, found {}",
                value.as_ref().map_or("missing", kind)
            ));
        };
        let mut documents = VecDeque::new();
        for item in array {
            match item? {
                RawBsonRef::Document(document) => {
                    check_levels(RawBsonRef::Document(document))?;
                    documents.push_back(document.to_owned());
                }
                other => {
                    return Err(refused!(
                        40228,
                        "'newRoot' expression must evaluate to an object, but resulting value \
                             was: {}. Type of resulting value: '{}'",
                        shown(other),
                        kind(other)
                    ));
                }
            }
        }
        Ok(Some(documents))
    }
}
