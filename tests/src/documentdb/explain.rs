//! The shape of DocumentDB's `explain`.

use bson::{Bson, Document, doc};
use mayfly_engine::value::whole;

use super::answer::smallest;

/// An estimate is this share of the documents, whatever the filter.
const ESTIMATED_PART: i64 = 4;

/// The reply of an engine in that shape.
pub fn shaped(db: &str, command: &Document, reply: &Document) -> Document {
    let inner = command.get_document("explain").unwrap_or(command);
    let is_pipeline = inner.contains_key("aggregate");
    let mut shaped = match reply.get_array("stages") {
        Ok(stages) => {
            doc! { "stages": stages.iter().filter_map(Bson::as_document).map(stage).collect::<Vec<_>>() }
        }
        Err(_) if is_pipeline => {
            let limit = None;
            doc! { "stages": [{ "$cursor": search(reply, limit) }] }
        }
        Err(_) => search(reply, inner.get("limit").and_then(whole).filter(|limit| *limit > 0)),
    };
    shaped.insert("explainVersion", 2.0);
    shaped.insert("command", format!("db.runCommand({{explain:{inner}}}) of {db}"));
    shaped.insert("ok", 1.0);
    shaped
}

/// A stage of a pipeline with its own totals.
fn stage(stage: &Document) -> Document {
    if let Ok(cursor) = stage.get_document("$cursor") {
        return doc! { "$cursor": search(cursor, None) };
    }
    let mut shaped: Document =
        stage.iter().take(1).map(|(name, value)| (name.clone(), value.clone())).collect();
    if let Some(returned) = stage.get("nReturned").and_then(whole) {
        shaped.insert("nReturned", smallest(returned));
        shaped.insert("totalDocsExamined", smallest(returned));
    }
    shaped
}

/// `queryPlanner` and `executionStats` of a search.
fn search(reply: &Document, limit: Option<i64>) -> Document {
    let planner = reply.get_document("queryPlanner").cloned().unwrap_or_default();
    let filter = filters(planner.get_document("parsedQuery").unwrap_or(&Document::new()));
    let plan = planner.get_document("winningPlan").cloned().unwrap_or_default();
    let namespace = planner.get_str("namespace").unwrap_or_default();
    let plan = with_limit(planned(&plan, &filter), limit, None);
    let mut shaped = doc! { "queryPlanner": { "namespace": namespace, "winningPlan": plan } };
    let Ok(stats) = reply.get_document("executionStats") else { return shaped };
    let number = |name: &str| stats.get(name).and_then(whole).unwrap_or(0);
    let stages = stats.get_document("executionStages").cloned().unwrap_or_default();
    let returned = number("nReturned");
    let stages = with_limit(executed(&stages), limit, Some(returned));
    let top = |name: &str| stages.get(name).and_then(whole).unwrap_or(returned);
    let (docs, keys) = (top("totalDocsExamined"), top("totalKeysExamined"));
    shaped.insert(
        "executionStats",
        doc! {
            "nReturned": returned, "executionTimeMillis": number("executionTimeMillis"),
            "totalDocsExamined": docs, "totalKeysExamined": keys, "executionStages": stages,
        },
    );
    shaped
}

/// A stage that ends after a number of documents, over the one that gives them.
fn with_limit(input: Document, limit: Option<i64>, returned: Option<i64>) -> Document {
    if limit.is_none() || input.get_str("stage").is_ok_and(|name| name == "LIMIT") {
        return input;
    }
    let mut over = doc! { "stage": "LIMIT" };
    if let Some(returned) = returned {
        over.insert("nReturned", smallest(returned));
        over.insert("totalDocsExamined", smallest(returned));
    }
    over.insert("inputStage", input);
    over
}

/// One test of a filter after the other: `{a: {$gt: 1}}` is `{$gt: {a: 1}}`.
fn filters(parsed: &Document) -> Vec<Document> {
    let mut found = Vec::new();
    for (field, value) in parsed {
        match (field.as_str(), value) {
            ("$and", Bson::Array(all)) => {
                found.extend(all.iter().filter_map(Bson::as_document).flat_map(filters));
            }
            (_, Bson::Document(tests)) if !field.starts_with('$') => {
                let tests = tests.iter();
                found.extend(tests.map(|(test, value)| doc! { test: { field: value.clone() } }));
            }
            _ => found.push(doc! { field: value.clone() }),
        }
    }
    found
}

/// A stage of a plan.
fn planned(stage: &Document, filter: &[Document]) -> Document {
    let name = stage.get_str("stage").unwrap_or("?");
    if name.starts_with("EXPRESS") {
        let scan =
            doc! { "stage": "IXSCAN", "indexName": "_id_", "indexFilterSet": filter.to_vec() };
        return doc! { "stage": "FETCH", "inputStage": scan };
    }
    let mut shaped = doc! { "stage": name };
    match name {
        "COLLSCAN" if !filter.is_empty() => {
            shaped.insert("runtimeFilterSet", filter.to_vec());
        }
        "IXSCAN" | "COUNT_SCAN" => {
            shaped.insert("stage", "IXSCAN");
            shaped.insert("indexName", stage.get_str("indexName").unwrap_or_default());
            shaped.insert("indexFilterSet", filter.to_vec());
        }
        "SORT" => {
            let keys = stage.get_document("sortPattern").map_or(1, Document::len);
            shaped.insert("sortKeysCount", i32::try_from(keys).unwrap_or(1));
        }
        _ if name.starts_with("PROJECTION") => {
            shaped.insert("stage", "PROJECT");
        }
        _ => {}
    }
    shaped.insert("estimatedTotalKeysExamined", smallest(12_000 / ESTIMATED_PART));
    if let Ok(input) = stage.get_document("inputStage") {
        shaped.insert("inputStage", planned(input, filter));
    }
    shaped
}

/// A stage that ran, with its own totals.
fn executed(stage: &Document) -> Document {
    let name = stage.get_str("stage").unwrap_or("?");
    let number = |name: &str| stage.get(name).and_then(whole);
    let returned = number("nReturned").unwrap_or(0);
    let (docs, keys) = (number("docsExamined"), number("keysExamined"));
    if name.starts_with("EXPRESS") {
        let scan = doc! { "stage": "IXSCAN", "nReturned": smallest(returned), "indexName": "_id_",
        "totalKeysExamined": smallest(keys.unwrap_or(0)) };
        return doc! { "stage": "FETCH", "nReturned": smallest(returned),
        "totalDocsExamined": smallest(docs.unwrap_or(0)), "inputStage": scan };
    }
    let shown = if name.starts_with("PROJECTION") { "PROJECT" } else { name };
    let mut shaped = doc! { "stage": shown, "nReturned": smallest(returned) };
    match name {
        "IXSCAN" | "COUNT_SCAN" => {
            shaped.insert("stage", "IXSCAN");
            shaped.insert("indexName", stage.get_str("indexName").unwrap_or_default());
            shaped.insert("totalKeysExamined", smallest(keys.unwrap_or(0)));
        }
        _ => {
            shaped.insert("totalDocsExamined", smallest(docs.unwrap_or(returned)));
        }
    }
    if let Ok(input) = stage.get_document("inputStage") {
        shaped.insert("inputStage", executed(input));
    }
    shaped
}
