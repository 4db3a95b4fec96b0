//! Counting what a stage holds.

use super::PipelineError;
use crate::{limits::PIPELINE_BYTES_MAX, query::Code};

/// Bytes that one stage holds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MemoryBudget {
    bytes: usize,
}

impl MemoryBudget {
    /// Counts more bytes.
    pub(super) fn add(&mut self, stage: &str, bytes: usize) -> Result<(), PipelineError> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes <= PIPELINE_BYTES_MAX {
            return Ok(());
        }
        Err(refused!(
            Code::QUERY_EXCEEDED_MEMORY_LIMIT,
            "Exceeded memory limit for {stage}: it would hold more than {PIPELINE_BYTES_MAX} bytes, \
                 and using the disk is not supported; put $match or $project before it"
        ))
    }

    /// Counts what a state has grown by, or shrunk.
    pub(super) fn change(&mut self, stage: &str, by: i64) -> Result<(), PipelineError> {
        let bytes = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX);
        if by >= 0 {
            return self.add(stage, bytes);
        }
        self.remove(bytes);
        Ok(())
    }

    /// Counts bytes that are not held any more.
    pub(super) fn remove(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}
