//! The environment of a pipeline: data, server rows and nesting depth.

use bson::RawDocumentBuf;

use super::PipelineError;
use crate::{
    catalog::{CatalogSnapshot, Namespace},
    collection::Collections,
    limits::PIPELINE_DEPTH_MAX,
    query::Code,
    store::Reader,
};

/// The environment of a pipeline: the data, and the rows that only the server knows.
#[derive(Clone, Copy)]
pub struct Environment<'e> {
    pub collections: &'e Collections,
    /// The rows of stages such as `$currentOp`.
    pub rows: &'e dyn Rows,
    /// How many pipelines enclose it: a bound, because a view can read itself through a stage.
    depth: usize,
}

/// Gives the documents of stages that show the server itself.
pub trait Rows {
    /// The documents of such a stage on this collection.
    ///
    /// # Errors
    /// When the collection does not exist, or the store fails.
    fn rows(
        &self,
        stage: &ServerRows,
        namespace: &Namespace,
    ) -> Result<Vec<RawDocumentBuf>, PipelineError>;
}

impl<'e> Environment<'e> {
    /// The environment of a command's pipeline.
    pub fn new(collections: &'e Collections, rows: &'e dyn Rows) -> Self {
        Self { collections, rows, depth: 0 }
    }

    /// The environment of a pipeline in a stage.
    pub(super) fn within(&self) -> Result<Self, PipelineError> {
        // Without a bound, a view that reads itself in a `$lookup` would overflow the stack.
        if self.depth >= PIPELINE_DEPTH_MAX {
            return Err(refused!(
                Code::MAX_SUB_PIPELINE_DEPTH_EXCEEDED,
                "Maximum number of nested sub-pipelines exceeded. Limit is {PIPELINE_DEPTH_MAX}"
            ));
        }
        Ok(Self { depth: self.depth + 1, ..*self })
    }

    /// Whether it is that of a pipeline in a stage.
    pub(super) fn is_nested(&self) -> bool {
        self.depth > 0
    }

    /// The time now in milliseconds since 1970.
    pub fn now_ms(&self) -> i64 {
        self.collections.clock().now_ms()
    }

    /// A short read together with the definitions as of the same transaction.
    ///
    /// # Errors
    /// Those of `work`; the store's failure.
    pub fn read<T>(
        &self,
        work: impl FnOnce(&Reader<'_>, &CatalogSnapshot) -> Result<T, PipelineError>,
    ) -> Result<T, PipelineError> {
        self.collections.read(work)
    }
}

/// The rows that a stage about the server shows.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerRows {
    /// `$indexStats`
    IndexStats,
    /// `$collStats`
    CollStats {
        /// `storageStats.scale`, if `storageStats` is wanted.
        storage: Option<u64>,
        /// Whether `count` is wanted.
        count: bool,
        /// Whether `latencyStats` is wanted, and with histograms.
        latency: Option<bool>,
        /// Whether `queryExecStats` is wanted.
        query_exec: bool,
    },
    /// `$currentOp`, with its options.
    CurrentOp(RawDocumentBuf),
    /// `$listSessions` and `$listLocalSessions`, with its options.
    Sessions(RawDocumentBuf),
}
