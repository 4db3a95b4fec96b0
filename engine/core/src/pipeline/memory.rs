//! Counting what a stage holds.

use super::PipelineError;
use crate::{
    held_bytes::{HeldBytes, MemoryFull},
    limits::{PIPELINE_BYTES_MAX, RUNNING_BYTES_MAX},
    query::Code,
};

/// Bytes that one stage holds, until it is dropped.
#[derive(Debug, Clone, Default)]
pub(super) struct MemoryBudget(HeldBytes);

impl MemoryBudget {
    /// Counts more bytes.
    pub(super) fn add(&mut self, stage: &str, bytes: usize) -> Result<(), PipelineError> {
        // First the budget of all commands: forty that each kept to their own bound took 2 GB.
        self.0.add(bytes).map_err(|MemoryFull| {
            refused!(
                Code::QUERY_EXCEEDED_MEMORY_LIMIT,
                "Exceeded memory limit for {stage}: all running commands together would hold more than \
                 {RUNNING_BYTES_MAX} bytes; try again when others have ended"
            )
        })?;
        if self.0.bytes() <= PIPELINE_BYTES_MAX {
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
        self.0.remove(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::held_bytes::MemoryPool;

    #[test]
    fn a_stage_has_its_bound_and_all_together_have_one() {
        static POOL: MemoryPool = MemoryPool::new(2 * PIPELINE_BYTES_MAX);
        let full = |budget: &mut MemoryBudget, bytes| {
            budget.add("$sort", bytes).err().map(|error| error.to_string()).unwrap_or_default()
        };
        let mut first = MemoryBudget(HeldBytes::of(&POOL));
        assert_eq!(full(&mut first, PIPELINE_BYTES_MAX), "");
        assert!(full(&mut first, 1).contains("it would hold more than 104857600 bytes"));
        let (mut second, mut third) = (first.clone(), first.clone());
        assert_eq!(full(&mut second, PIPELINE_BYTES_MAX), "");
        assert!(full(&mut third, PIPELINE_BYTES_MAX).contains("all running commands together"));
        drop((first, third));
        assert_eq!(full(&mut second.clone(), PIPELINE_BYTES_MAX), "");
    }
}
