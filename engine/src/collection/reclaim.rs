//! Dropped ranges are removed in bounded steps.

/// What one step did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReclaimStep {
    /// Documents and entries removed.
    pub removed: usize,
    /// Ranges that are still to be removed; 0 when all is done.
    pub pending: usize,
}
