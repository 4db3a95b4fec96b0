//! Why a pipeline is refused or fails.

use crate::{
    catalog::CatalogError,
    collection::WriteError,
    plan::PlanError,
    query::{Code, QueryError},
    store::StoreError,
};

/// Why a pipeline is refused or fails.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// A stage is wrong, or met what it can't take.
    #[error("{message}")]
    Stage {
        /// MongoDB's number.
        code: Code,
        /// States the problem, then what to do.
        message: String,
    },
    /// A filter, projection, expression or sort.
    #[error(transparent)]
    Query(#[from] QueryError),
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl PipelineError {
    pub fn stage(code: impl Into<Code>, message: impl Into<String>) -> Self {
        Self::Stage { code: code.into(), message: message.into() }
    }
}

/// An error of a stage as a result.
pub(super) fn fail<T>(
    code: impl Into<Code>,
    message: impl Into<String>,
) -> Result<T, PipelineError> {
    Err(PipelineError::stage(code, message))
}

/// Bytes that are not BSON reach here only if a caller skipped the scan.
impl From<bson::error::Error> for PipelineError {
    fn from(error: bson::error::Error) -> Self {
        Self::Query(error.into())
    }
}
