//! Documents against index entries, counters and checksums.

use crate::catalog::Namespace;

/// Something wrong in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The collection.
    pub namespace: Namespace,
    /// The index, if it is about one.
    pub index: Option<String>,
    /// The record number, if it is about one document.
    pub record: Option<u64>,
    /// What is wrong, one sentence.
    pub sentence: String,
}

/// The result of a full check.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerifyReport {
    /// Collections checked.
    pub collections: u64,
    /// Documents checked.
    pub documents: u64,
    /// Index entries checked.
    pub entries: u64,
    /// What is wrong; empty for a sound store.
    pub findings: Vec<Finding>,
    /// Findings beyond the list's bound.
    pub findings_not_listed: u64,
}

/// Where the check stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyProgress {
    /// The collection that is being checked.
    pub namespace: Namespace,
    /// Documents checked so far, in all collections.
    pub documents: u64,
}
