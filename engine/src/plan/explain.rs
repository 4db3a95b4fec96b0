//! The plan and what it cost, in the form of MongoDB's explain.

use bson::{Bson, Document, doc};

use super::{
    choose::{Access, Plan},
    search::Stats,
};
use crate::store::Scan;

/// `queryPlanner.winningPlan`
#[must_use]
pub fn winning_plan(plan: &Plan, filter: &Document, sort: Option<&Document>) -> Document {
    let found = match &plan.access {
        Access::Nothing => doc! { "stage": "EOF" },
        Access::Collection(direction) => {
            let mut stage = doc! { "stage": "COLLSCAN" };
            if !filter.is_empty() {
                stage.insert("filter", filter.clone());
            }
            stage.insert("direction", name(*direction));
            stage
        }
        Access::Index { index, bounds, direction } => {
            let shown: Document = bounds
                .shown
                .iter()
                .map(|(field, ranges)| (field.clone(), Bson::from(ranges.clone())))
                .collect();
            let scan = doc! {
                "stage": "IXSCAN",
                "keyPattern": index.key.source.clone(),
                "indexName": &index.name,
                "isMultiKey": index.multikey,
                "isUnique": index.unique || index.is_id(),
                "isSparse": index.sparse,
                "isPartial": index.partial.is_some(),
                "indexVersion": 2,
                "direction": name(*direction),
                "indexBounds": shown,
            };
            let mut fetch = doc! { "stage": "FETCH" };
            if !filter.is_empty() {
                fetch.insert("filter", filter.clone());
            }
            fetch.insert("inputStage", scan);
            fetch
        }
    };
    match sort {
        Some(sort) if plan.sort_in_memory => {
            doc! { "stage": "SORT", "sortPattern": sort.clone(), "inputStage": found }
        }
        _ => found,
    }
}

/// `executionStats`
#[must_use]
pub fn execution_stats(winning_plan: &Document, stats: Stats, millis: i64) -> Document {
    doc! {
        "executionSuccess": true,
        "nReturned": int(stats.returned),
        "executionTimeMillis": i32::try_from(millis).unwrap_or(i32::MAX),
        "totalKeysExamined": int(stats.keys_examined),
        "totalDocsExamined": int(stats.docs_examined),
        "executionStages": staged(winning_plan, stats),
    }
}

/// The stages with their numbers.
fn staged(stage: &Document, stats: Stats) -> Document {
    let mut out = Document::new();
    for (field, value) in stage {
        match value {
            Bson::Document(inner) if field == "inputStage" => {
                out.insert("inputStage", staged(inner, stats));
            }
            value => {
                out.insert(field, value.clone());
            }
        }
        if field == "stage" {
            match value.as_str() {
                Some("IXSCAN") => {
                    out.insert("nReturned", int(stats.keys_examined));
                    out.insert("keysExamined", int(stats.keys_examined));
                }
                Some("COLLSCAN" | "FETCH") => {
                    out.insert("nReturned", int(stats.returned));
                    out.insert("docsExamined", int(stats.docs_examined));
                }
                _ => {
                    out.insert("nReturned", int(stats.returned));
                }
            }
        }
    }
    out
}

fn int(number: u64) -> Bson {
    i32::try_from(number)
        .map_or_else(|_| Bson::Int64(i64::try_from(number).unwrap_or(i64::MAX)), Bson::Int32)
}

fn name(direction: Scan) -> &'static str {
    match direction {
        Scan::Forward => "forward",
        Scan::Backward => "backward",
    }
}
