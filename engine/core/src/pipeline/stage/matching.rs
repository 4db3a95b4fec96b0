//! `$match`.

use std::sync::Arc;

use bson::{
    RawArrayBuf, RawDocumentBuf,
    raw::{RawBsonRef, cstr},
};

use crate::pipeline::flow::{Input, Stage};
use crate::{
    pipeline::PipelineError,
    plan::Target,
    query::{Expr, Filter, VariableNames},
};

/// `$match`
#[derive(Debug, Clone)]
pub(in crate::pipeline) struct Match {
    filter: Arc<Filter>,
}

impl Match {
    pub(in crate::pipeline) fn parse(
        value: RawBsonRef<'_>,
        names: &VariableNames,
    ) -> Result<Self, PipelineError> {
        let RawBsonRef::Document(filter) = value else {
            return Err(PipelineError::stage(
                15959,
                "the match filter must be an expression in an object",
            ));
        };
        Ok(Self::of(Filter::parse_query(filter, names)?))
    }

    pub(in crate::pipeline) fn of(filter: Filter) -> Self {
        Self { filter: Arc::new(filter) }
    }
}

impl Stage for Match {
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RawDocumentBuf>, PipelineError> {
        while let Some(document) = input.next_document()? {
            if self.filter.matches_in(&document, input.context)? {
                return Ok(Some(document));
            }
        }
        Ok(None)
    }

    fn absorb(&self, target: &mut Target) -> Result<bool, PipelineError> {
        // Expressions may name variables, which only the pipeline knows.
        if target.skip > 0 || target.limit.is_some() || self.filter.has_expression() {
            return Ok(false);
        }
        if matches!(target.filter.root(), Expr::True) {
            target.filter = Filter::clone(&self.filter);
            return Ok(true);
        }
        let mut both = RawArrayBuf::new();
        both.push(target.filter.source());
        both.push(self.filter.source());
        let mut filter = RawDocumentBuf::new();
        filter.append(cstr!("$and"), both);
        // Each may be as deep as a filter can be, and both together deeper.
        let Ok(filter) = Filter::parse_in(&filter, self.filter.collation()) else {
            return Ok(false);
        };
        target.filter = filter;
        Ok(true)
    }
}
