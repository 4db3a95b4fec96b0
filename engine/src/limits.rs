//! Every bound of the engine, with its unit and what happens at the bound.

/// Documents that one write transaction touches at most. LMDB has one writer and a person may be
/// waiting, so longer work is cut into several transactions.
pub const BATCH_DOCS_MAX: usize = 1_000;

/// Milliseconds after which a write transaction stops taking more documents.
pub const BATCH_MS_MAX: u64 = 50;
