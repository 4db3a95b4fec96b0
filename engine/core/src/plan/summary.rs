//! A plan in one line, as MongoDB writes it.

use std::sync::Arc;

use bson::Bson;

use crate::catalog::IndexMeta;

/// Formatted only on demand: most commands end before it is requested.
#[derive(Debug, Clone)]
pub(super) enum PlanSummary {
    Stage(&'static str),
    Index(&'static str, Arc<IndexMeta>),
}

impl PlanSummary {
    /// Such as `IXSCAN { a: 1, b: -1 }`.
    pub(super) fn summary(&self) -> String {
        match self {
            Self::Stage(stage) => (*stage).to_owned(),
            Self::Index(stage, index) => index_stage(stage, index),
        }
    }
}

/// The summary of an index scan, such as `IXSCAN { a: 1, b: -1 }`.
pub fn index_summary(index: &IndexMeta) -> String {
    index_stage("IXSCAN", index)
}

pub(super) fn index_stage(stage: &str, index: &IndexMeta) -> String {
    let part = |(path, direction): (&String, &Bson)| format!("{path}: {direction}");
    let parts: Vec<String> = index.key.source.iter().map(part).collect();
    format!("{stage} {{ {} }}", parts.join(", "))
}
