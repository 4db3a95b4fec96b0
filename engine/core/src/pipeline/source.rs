//! Where the documents of a pipeline come from.

use std::collections::VecDeque;

use bson::RawDocumentBuf;

use super::{Environment, PipelineError};
use crate::{
    catalog::Namespace,
    limits::{PIPELINE_READ_BYTES_MAX, PIPELINE_READ_DOCS_MAX},
    plan::{PlanError, PlanErrorKind, Search, Step},
    store::RecordNumber,
};

/// Documents that the first of several reads gives; each later one gives twice as many.
const FIRST_READ_DOCS: usize = 32;

/// Where documents come from.
pub enum Source {
    Ready(VecDeque<RawDocumentBuf>),
    /// A search in a collection.
    Search(Box<SearchSource>),
}

/// A search, and what was read ahead of it.
pub struct SearchSource {
    namespace: Namespace,
    search: Search,
    ahead: VecDeque<PrefetchedDocument>,
    read_docs: usize,
}

/// A document that was read ahead.
struct PrefetchedDocument {
    document: RawDocumentBuf,
    record: RecordNumber,
    /// From this instant on its collection hides it, as it was when it was read.
    hidden_from_ms: Option<i64>,
}

impl Source {
    /// The documents of a search.
    pub(super) fn search(namespace: Namespace, search: Search) -> Self {
        let read_docs = FIRST_READ_DOCS;
        Self::Search(Box::new(SearchSource {
            namespace,
            search,
            ahead: VecDeque::new(),
            read_docs,
        }))
    }

    /// The next document.
    pub(super) fn next(
        &mut self,
        environment: &Environment<'_>,
    ) -> Result<Option<RawDocumentBuf>, PipelineError> {
        match self {
            Self::Ready(documents) => Ok(documents.pop_front()),
            Self::Search(found) => found.next(environment),
        }
    }

    pub(super) fn as_search(&self) -> Option<&Search> {
        match self {
            Self::Ready(_) => None,
            Self::Search(found) => Some(&found.search),
        }
    }
}

impl SearchSource {
    fn next(
        &mut self,
        environment: &Environment<'_>,
    ) -> Result<Option<RawDocumentBuf>, PipelineError> {
        loop {
            if self.ahead.is_empty() && !self.search.is_done() {
                self.read_ahead(environment)?;
            }
            let Some(ahead) = self.ahead.pop_front() else { return Ok(None) };
            // A cursor may have waited between two batches, and the document may have expired
            // since.
            if ahead.hidden_from_ms.is_none_or(|from_ms| environment.now_ms() < from_ms) {
                return Ok(Some(ahead.document));
            }
            if let Some(document) = self.read_again(environment, ahead.record)? {
                return Ok(Some(document));
            }
        }
    }

    /// A document that reached its threshold after it was read ahead, perhaps under a cursor that
    /// waited.
    fn read_again(
        &self,
        environment: &Environment<'_>,
        record: RecordNumber,
    ) -> Result<Option<RawDocumentBuf>, PipelineError> {
        environment.read(|reader, catalog| {
            let Some(collection) = catalog.collection(&self.namespace) else {
                return Err(dropped(&self.namespace).into());
            };
            let now_ms = environment.now_ms();
            // Given only if a write has put the threshold off.
            Ok(self.search.record(reader, &collection, record, now_ms)?)
        })
    }

    fn read_ahead(&mut self, environment: &Environment<'_>) -> Result<(), PipelineError> {
        let Self { namespace, search, ahead, read_docs } = self;
        let now_ms = environment.now_ms();
        environment.read(|reader, catalog| {
            let Some(collection) = catalog.collection(namespace) else {
                return Err(dropped(namespace).into());
            };
            let mut bytes = 0;
            search.advance::<PlanError>(reader, &collection, now_ms, &mut |stored, document| {
                bytes += document.as_bytes().len();
                ahead.push_back(PrefetchedDocument {
                    document: document.to_owned(),
                    record: stored.record,
                    hidden_from_ms: collection.hidden_from_ms(document, stored.modified_ms),
                });
                // Bounded by bytes as well, because each document may have 16 MiB.
                let is_enough = ahead.len() >= *read_docs || bytes >= PIPELINE_READ_BYTES_MAX;
                Ok(if is_enough { Step::TakeAndStop } else { Step::Take })
            })?;
            Ok(())
        })?;
        // A pipeline with a `$limit` may end after a few documents; a long one should open few
        // reads.
        self.read_docs = self.read_docs.saturating_mul(2).min(PIPELINE_READ_DOCS_MAX);
        Ok(())
    }
}

fn dropped(namespace: &Namespace) -> PlanError {
    PlanError::new(
        PlanErrorKind::PlanKilled,
        format!("{namespace} was dropped while the pipeline was running"),
    )
}
