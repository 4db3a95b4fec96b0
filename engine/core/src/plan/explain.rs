//! A plan and its cost, in the form of MongoDB's `explain`.

use bson::{Bson, Document, doc};

use super::{
    choose::{Access, Plan},
    count::{CountedBy, counting_stage},
    parsed::{left_to_check, parsed_query, shape_hash},
    source::Stats,
};
use crate::{
    catalog::IndexMeta,
    limits::SORT_BYTES_MAX,
    store::Scan,
    value::{Collation, shortest},
};

/// A plan and what the command does with its documents.
#[derive(Debug)]
pub struct PlanExplanation<'p> {
    pub plan: &'p Plan,
    pub filter: Document,
    pub sort: Option<Document>,
    /// The projection as given, and the name of its stage.
    pub projection: Option<(&'static str, Document)>,
    pub skip: u64,
    pub limit: Option<u64>,
    pub purpose: Purpose,
    pub collation: Option<&'p Collation>,
    /// The collection does not exist.
    pub is_missing: bool,
}

/// The command's use of the documents of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Read,
    Count(CountedBy),
    Update,
    Delete,
}

/// The counts of one execution of the plan.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExecutionSummary {
    pub stats: Stats,
    pub would_modify: u64,
    /// Whether an update would insert a document.
    pub would_upsert: bool,
    /// Whether the command returns documents; updates and deletes don't.
    pub returns_documents: bool,
    /// How long it took, in milliseconds.
    pub millis: i64,
}

impl PlanExplanation<'_> {
    /// `queryPlanner`
    pub fn planner(&self, namespace: &str) -> Document {
        let parsed = parsed_query(&self.filter);
        let shape = self.shape(namespace);
        let hash = shape_hash(&shape);
        let key = shape_hash(&doc! { "shape": shape, &hash: { self.plan.summary(): 1 } });
        let mut planner = doc! {
            "namespace": namespace,
            "parsedQuery": parsed,
        };
        if let Some(collation) = self.collation {
            planner.insert("collation", collation.spec().clone());
        }
        planner.extend(doc! {
            "indexFilterSet": false,
            "queryHash": &hash,
            "planCacheShapeHash": hash,
            "planCacheKey": key,
            "optimizationTimeMillis": 0,
            "maxIndexedOrSolutionsReached": false,
            "maxIndexedAndSolutionsReached": false,
            "maxScansToExplodeReached": false,
            "prunedSimilarIndexes": false,
            "winningPlan": self.winning_plan(),
            "rejectedPlans": [],
        });
        planner
    }

    /// The query shape, from which the hashes are computed.
    pub fn shape(&self, namespace: &str) -> Document {
        doc! {
            "namespace": namespace,
            "query": parsed_query(&self.filter),
            "sort": self.sort.clone().unwrap_or_default(),
            "projection": self.projection.clone().map(|(_, given)| given).unwrap_or_default(),
        }
    }

    /// `queryPlanner.winningPlan`
    pub fn winning_plan(&self) -> Document {
        let mut plan = doc! { "isCached": false };
        plan.extend(self.stages());
        plan
    }

    fn stages(&self) -> Document {
        if let Some(express) = self.express() {
            return express;
        }
        if self.purpose == Purpose::Count(CountedBy::Counter) {
            return doc! { "stage": "RECORD_STORE_FAST_COUNT" };
        }
        let mut tree = self.access();
        if matches!(self.plan.access, Access::Nothing) && self.purpose == Purpose::Read {
            return tree;
        }
        let mut over = |mut stage: Document| {
            stage.insert("inputStage", std::mem::take(&mut tree));
            tree = stage;
        };
        let reads = self.purpose == Purpose::Read;
        if self.plan.sort_in_memory {
            let mut stage = doc! {
                "stage": "SORT",
                "sortPattern": self.sort.clone().unwrap_or_default(),
                "memLimit": shortest(SORT_BYTES_MAX as u64),
            };
            if let Some(limit) = self.limit {
                stage.insert("limitAmount", shortest(limit.saturating_add(self.skip)));
            }
            stage.insert("type", "simple");
            over(stage);
        }
        if reads && self.skip > 0 {
            over(doc! { "stage": "SKIP", "skipAmount": shortest(self.skip) });
        }
        if let Some((stage, given)) = &self.projection {
            over(doc! { "stage": *stage, "transformBy": given.clone() });
        }
        if let Some(limit) = self.limit
            && reads
            && !self.plan.sort_in_memory
        {
            over(doc! { "stage": "LIMIT", "limitAmount": shortest(limit) });
        }
        match self.purpose {
            Purpose::Read => {}
            Purpose::Count(_) => over(doc! { "stage": "COUNT" }),
            Purpose::Update => over(doc! { "stage": "UPDATE" }),
            Purpose::Delete => over(doc! { "stage": "DELETE" }),
        }
        tree
    }

    /// A lookup by `_id`, for which MongoDB shows a special stage.
    fn express(&self) -> Option<Document> {
        let Access::Index { index, .. } = &self.plan.access else { return None };
        let parsed = parsed_query(&self.filter);
        let mut fields = parsed.iter();
        let (field, test) = fields.next()?;
        let (op, value) = test.as_document()?.iter().next()?;
        let is_simple = index.is_id() && field == "_id" && op == "$eq" && fields.next().is_none();
        let is_whole = matches!(value, Bson::Array(_) | Bson::Null | Bson::Undefined);
        if !is_simple || is_whole || self.sort.is_some() || self.skip > 0 {
            return None;
        }
        let stage = match (self.purpose, index.clustered) {
            (Purpose::Read, false) => "EXPRESS_IXSCAN",
            (Purpose::Read, true) => "EXPRESS_CLUSTERED_IXSCAN",
            (Purpose::Update, _) => "EXPRESS_UPDATE",
            (Purpose::Delete, _) => "EXPRESS_DELETE",
            (Purpose::Count(_), _) => return None,
        };
        let mut shown = doc! { "stage": stage };
        if !index.clustered {
            shown.extend(doc! { "keyPattern": "{ _id: 1 }", "indexName": &index.name });
        }
        if let Some((_, given)) = &self.projection {
            shown.extend(doc! { "projection": given.clone(), "projectionCovered": false });
        }
        Some(shown)
    }

    fn access(&self) -> Document {
        match &self.plan.access {
            Access::Nothing if self.is_missing => {
                doc! { "stage": "EOF", "type": "nonExistentNamespace" }
            }
            Access::Nothing => doc! { "stage": "EOF", "type": "predicateEvalsToFalse" },
            Access::Collection(direction) => {
                let mut stage = doc! { "stage": "COLLSCAN" };
                if !self.filter.is_empty() {
                    stage.insert("filter", parsed_query(&self.filter));
                }
                stage.insert("direction", name(*direction));
                stage
            }
            Access::Index { index, bounds, direction } => {
                let shown: Document = bounds
                    .shown(&index.key, index.collation.as_ref())
                    .map(|(field, ranges)| (field.to_owned(), Bson::from(ranges)))
                    .collect();
                let mut scan = index_scan(index);
                scan.insert("direction", name(*direction));
                scan.insert("indexBounds", shown);
                if self.purpose == Purpose::Count(CountedBy::Entries) {
                    scan.insert("stage", counting_stage(bounds));
                    return scan;
                }
                let left = left_to_check(&self.filter, bounds, index);
                let mut fetch = doc! { "stage": "FETCH" };
                if !left.is_empty() {
                    fetch.insert("filter", left);
                }
                fetch.insert("inputStage", scan);
                fetch
            }
        }
    }

    /// `executionStats`
    pub fn execution_stats(&self, executed: &ExecutionSummary) -> Document {
        let stats = executed.stats;
        let returned = if executed.returns_documents { stats.returned } else { 0 };
        doc! {
            "executionSuccess": true,
            "nReturned": shortest(returned),
            "executionTimeMillis": i32::try_from(executed.millis).unwrap_or(i32::MAX),
            "totalKeysExamined": shortest(stats.keys_examined),
            "totalDocsExamined": shortest(stats.docs_examined),
            "executionStages": self.staged(&self.winning_plan(), executed),
        }
    }

    /// A stage with its statistics, and its input stages.
    fn staged(&self, stage: &Document, executed: &ExecutionSummary) -> Document {
        let kind = stage.get_str("stage").unwrap_or_default();
        let stats = executed.stats;
        let kept = self.limit.map_or(u64::MAX, |limit| limit.saturating_add(self.skip));
        let (returned, worked) = match kind {
            "IXSCAN" | "COUNT_SCAN" => (stats.keys_examined, stats.keys_examined),
            "COLLSCAN" => (stats.matched, stats.docs_examined),
            "FETCH" => (stats.matched, stats.keys_examined),
            "SORT" => (stats.matched.min(kept), stats.matched.saturating_mul(2)),
            _ if executed.returns_documents => (stats.returned, stats.matched),
            _ => (0, stats.matched),
        };
        let works = worked.max(returned).saturating_add(1);
        let mut out = Document::new();
        for (field, value) in stage.iter().filter(|(field, _)| *field != "inputStage") {
            out.insert(field, value.clone());
            if field == "stage" {
                out.insert("nReturned", shortest(returned));
                out.insert("executionTimeMillisEstimate", 0);
                out.insert("works", shortest(works));
                out.insert("advanced", shortest(returned));
                out.insert("needTime", shortest(works.saturating_sub(returned.saturating_add(1))));
                out.extend(doc! { "needYield": 0, "saveState": 0, "restoreState": 0, "isEOF": 1 });
            }
        }
        out.extend(own_numbers(kind, executed, self.skip));
        if let Ok(input) = stage.get_document("inputStage") {
            out.insert("inputStage", self.staged(input, executed));
        }
        out
    }
}

fn index_scan(index: &IndexMeta) -> Document {
    let mut scan = doc! {
        "stage": "IXSCAN",
        "keyPattern": index.key.source.clone(),
        "indexName": &index.name,
        "isMultiKey": index.multikey,
    };
    // The catalog does not record which field has arrays.
    let paths: Vec<&str> = index.key.parts.iter().map(|part| part.path.as_str()).collect();
    let arrays = |path: &&str| if index.multikey { vec![(*path).to_owned()] } else { Vec::new() };
    if !index.multikey || (paths.len() == 1 && !paths.concat().contains('.')) {
        let of_fields: Document =
            paths.iter().map(|path| ((*path).to_owned(), Bson::from(arrays(path)))).collect();
        scan.insert("multiKeyPaths", of_fields);
    }
    scan.extend(doc! {
        "isUnique": index.unique || index.is_id(),
        "isSparse": index.sparse,
        "isPartial": index.partial.is_some(),
        "indexVersion": 2,
    });
    if let Some(collation) = &index.collation {
        scan.insert("collation", collation.spec().clone());
    }
    scan
}

/// The statistics that only one kind of stage has.
fn own_numbers(kind: &str, executed: &ExecutionSummary, skip: u64) -> Document {
    let stats = executed.stats;
    match kind {
        "IXSCAN" => doc! {
            "keysExamined": shortest(stats.keys_examined),
            "seeks": i32::from(stats.keys_examined > 0),
            "dupsTested": 0,
            "dupsDropped": 0,
        },
        "COUNT_SCAN" => doc! { "keysExamined": shortest(stats.keys_examined) },
        "COLLSCAN" => doc! { "docsExamined": shortest(stats.docs_examined) },
        "FETCH" => doc! { "docsExamined": shortest(stats.docs_examined), "alreadyHasObj": 0 },
        "EXPRESS_IXSCAN" | "EXPRESS_CLUSTERED_IXSCAN" => doc! {
            "keysExamined": shortest(stats.keys_examined),
            "docsExamined": shortest(stats.docs_examined),
        },
        "SORT" => doc! { "usedDisk": false, "spills": 0 },
        "COUNT" | "RECORD_STORE_FAST_COUNT" => doc! {
            "nCounted": shortest(stats.returned),
            "nSkipped": shortest(stats.matched.min(skip)),
        },
        "UPDATE" | "EXPRESS_UPDATE" => doc! {
            "nMatched": shortest(stats.returned),
            "nWouldModify": shortest(executed.would_modify),
            "nWouldUpsert": i32::from(executed.would_upsert),
        },
        "DELETE" | "EXPRESS_DELETE" => doc! { "nWouldDelete": shortest(stats.returned) },
        _ => Document::new(),
    }
}

fn name(direction: Scan) -> &'static str {
    match direction {
        Scan::Forward => "forward",
        Scan::Backward => "backward",
    }
}
