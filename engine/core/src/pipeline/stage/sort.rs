//! `$sort`.

use std::{collections::VecDeque, sync::Arc};

use bson::{RawDocumentBuf, raw::RawBsonRef};

use crate::pipeline::flow::{Input, Stage};
use crate::{
    interrupt::sort_by,
    pipeline::{PipelineError, memory::MemoryBudget},
    plan::Target,
    query::{QueryError, Sort, SortKey, VariableNames},
};

/// A document with its place.
type Keyed = (SortKey, RawDocumentBuf);

/// `$sort`
#[derive(Debug, Clone)]
pub(in crate::pipeline) struct SortStage {
    sort: Arc<Sort>,
    keep: Option<u64>,
    sorted: Option<VecDeque<RawDocumentBuf>>,
    held: MemoryBudget,
}

impl SortStage {
    pub(in crate::pipeline) fn parse(
        value: RawBsonRef<'_>,
        names: &VariableNames,
    ) -> Result<Self, PipelineError> {
        let RawBsonRef::Document(sort) = value else {
            return Err(PipelineError::stage(
                15973,
                "the $sort key specification must be an object",
            ));
        };
        match Sort::parse_in(sort, names.collation())? {
            Some(sort) => Ok(Self::of(sort)),
            None => Err(PipelineError::stage(15976, "$sort stage must have at least one sort key")),
        }
    }

    /// The stage with this order.
    pub(in crate::pipeline) fn of(sort: Sort) -> Self {
        Self { sort: Arc::new(sort), keep: None, sorted: None, held: MemoryBudget::default() }
    }

    fn all(&mut self, input: &mut Input<'_>) -> Result<VecDeque<RawDocumentBuf>, PipelineError> {
        let keep = self.keep.map(|keep| usize::try_from(keep).unwrap_or(usize::MAX));
        let by_key = |(a, _): &Keyed, (b, _): &Keyed| a.cmp(b);
        let mut documents: Vec<Keyed> = Vec::new();
        let bytes = |(key, document): &Keyed| key.size_bytes() + document.as_bytes().len();
        while let Some(document) = input.next_document()? {
            let entry = (self.sort.key(&document)?, document);
            self.held.add("$sort", bytes(&entry))?;
            documents.push(entry);
            // The surplus is dropped when there is as much of it as of what is kept.
            if let Some(keep) = keep
                && documents.len() >= keep.saturating_mul(2).saturating_add(64)
            {
                documents = sort_by(documents, by_key).map_err(QueryError::from)?;
                for dropped in documents.drain(keep..) {
                    self.held.remove(bytes(&dropped));
                }
            }
        }
        documents = sort_by(documents, by_key).map_err(QueryError::from)?;
        documents.truncate(keep.unwrap_or(usize::MAX));
        Ok(documents.into_iter().map(|(_, document)| document).collect())
    }
}

impl Stage for SortStage {
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RawDocumentBuf>, PipelineError> {
        if self.sorted.is_none() {
            self.sorted = Some(self.all(input)?);
        }
        Ok(self.sorted.as_mut().and_then(VecDeque::pop_front))
    }

    fn absorb(&self, target: &mut Target) -> Result<bool, PipelineError> {
        // After a `$skip` or `$limit` this sorts what they let through, so the search can't do it.
        let is_first = target.sort.is_none() && target.skip == 0 && target.limit.is_none();
        if is_first {
            target.sort = Some(Sort::clone(&self.sort));
        }
        Ok(is_first)
    }

    fn keep_first(&mut self, limit: u64) {
        self.keep = Some(limit);
    }
}
