//! A plan in one line, as MongoDB writes it.

use std::sync::Arc;

use bson::Bson;

use crate::catalog::IndexMeta;

/// The way of a search. Most commands end before anybody asks, so it is put into words only then.
#[derive(Debug, Clone)]
pub(super) enum PlanSummary {
    /// A stage without an index.
    Stage(&'static str),
    /// A stage over an index.
    Index(&'static str, Arc<IndexMeta>),
}

impl PlanSummary {
    /// In one line, as MongoDB writes it: `IXSCAN { a: 1, b: -1 }`.
    pub(super) fn summary(&self) -> String {
        match self {
            Self::Stage(stage) => (*stage).to_owned(),
            Self::Index(stage, index) => index_stage(stage, index),
        }
    }
}

/// A scan of an index in one line, as MongoDB writes it: `IXSCAN { a: 1, b: -1 }`.
#[must_use]
pub fn index_summary(index: &IndexMeta) -> String {
    index_stage("IXSCAN", index)
}

/// A stage over an index in one line.
pub(super) fn index_stage(stage: &str, index: &IndexMeta) -> String {
    let part = |(path, direction): (&String, &Bson)| format!("{path}: {direction}");
    let parts: Vec<String> = index.key.source.iter().map(part).collect();
    format!("{stage} {{ {} }}", parts.join(", "))
}
