//! The winning plan of an `explain` reply.

use bson::{Bson, Document};
use mayfly_engine::value::{Layout, shell};

use crate::job::reply::number;

/// Levels of a plan that are read.
const DEPTH_MAX: usize = 64;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlanStage {
    /// MongoDB's name, such as `COLLSCAN` or `$group`.
    pub name: String,
    pub title: String,
    /// More about it: index bounds, filter, sort.
    pub details: Vec<String>,
    pub docs: Option<u64>,
    pub keys: Option<u64>,
    /// Documents or keys that it gave to the next stage.
    pub returned: Option<u64>,
    /// Milliseconds, if the store measures them.
    pub millis: Option<u64>,
    /// How deep it is below the result: branches of one stage are equally deep.
    pub depth: usize,
}

/// The winning plan, from what is read first to the result.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    /// The stages; the last one gives the result.
    pub stages: Vec<PlanStage>,
    /// The filter as the store understood it.
    pub filter: Document,
    /// The order of a sort in memory.
    pub sort: Option<Document>,
    /// The keys of the index that is used, as far as the reply tells them.
    pub index: Option<Document>,
    pub docs: u64,
    pub keys: u64,
    /// Documents that the search returned, before the stages of a pipeline.
    pub returned: u64,
    pub millis: u64,
    /// The collation. Empty for comparison by bytes, or as the collection says.
    pub collation: Document,
    /// Whether it is a pipeline with stages after the search.
    pub is_pipeline: bool,
}

fn text(value: &Bson) -> String {
    shell::write_value(value, Layout::OneLine)
}

impl Plan {
    /// Reads the reply to a command; `None` if it holds no plan.
    pub fn read(reply: &Document, command: &Document) -> Option<Self> {
        let asked = command.get_document("explain").unwrap_or(command);
        let mut plan = Self::of_reply(reply)?;
        // Not every server repeats in its reply what was asked, so the filter and the order may be
        // those of the command.
        if !has_filter(reply) {
            plan.filter = asked_filter(asked).cloned().unwrap_or_default();
        }
        if let Some(sort) = plan.sort.as_mut().filter(|sort| sort.is_empty()) {
            *sort = asked.get_document("sort").cloned().unwrap_or_default();
        }
        Some(plan)
    }

    fn of_reply(reply: &Document) -> Option<Self> {
        let Ok(stages) = reply.get_array("stages") else { return Self::of_search(reply) };
        let mut stages = stages.iter().filter_map(Bson::as_document);
        let cursor = stages.next()?.get_document("$cursor").ok()?;
        let mut plan = Self::of_search(cursor)?;
        let rest: Vec<&Document> = stages.collect();
        plan.is_pipeline = !rest.is_empty();
        let last = rest.len().saturating_sub(1);
        for (at, stage) in rest.into_iter().enumerate() {
            let Some((name, value)) = stage.iter().next() else { continue };
            plan.stages.push(PlanStage {
                name: name.clone(),
                title: name.clone(),
                details: vec![text(value)],
                // The store counts only what comes out at the end.
                returned: number(stage, "nReturned").filter(|_| at == last),
                millis: number(stage, "executionTimeMillisEstimate").filter(|millis| *millis > 0),
                ..PlanStage::default()
            });
        }
        Some(plan)
    }

    fn of_search(reply: &Document) -> Option<Self> {
        let planner = reply.get_document("queryPlanner").ok()?;
        let stats = reply.get_document("executionStats").ok();
        let executed = stats.and_then(|stats| stats.get_document("executionStages").ok());
        let top = executed.or_else(|| planner.get_document("winningPlan").ok())?;
        // A server may put the stages one level deeper.
        let top = top.get_document("queryPlan").unwrap_or(top);
        let total = |name: &str| stats.and_then(|stats| number(stats, name)).unwrap_or_default();
        let given = reply.get_document("command").and_then(|given| given.get_document("collation"));
        let collation = given.or_else(|_| planner.get_document("collation"));
        let mut plan = Self {
            collation: collation.cloned().unwrap_or_default(),
            filter: planner.get_document("parsedQuery").cloned().unwrap_or_default(),
            docs: total("totalDocsExamined"),
            keys: total("totalKeysExamined"),
            returned: total("nReturned"),
            millis: total("executionTimeMillis"),
            ..Self::default()
        };
        plan.add(top, 0);
        if plan.index.is_none() {
            // The stages that ran may not say again what was planned for them.
            plan.index =
                planner.get_document("winningPlan").ok().and_then(|plan| index_of(plan, 0));
        }
        if top.contains_key("totalDocsExamined") {
            // Each stage has its own totals, and those of the whole are the top one's.
            let sum =
                |read: fn(&PlanStage) -> Option<u64>| plan.stages.iter().filter_map(read).sum();
            plan.docs = sum(|stage| stage.docs);
            plan.keys = sum(|stage| stage.keys);
        }
        // Not every store counts the documents that pass through a sort in memory.
        for stage in plan.stages.iter_mut().filter(|stage| stage.returned == Some(0)) {
            stage.returned = (plan.returned == 0).then_some(0);
        }
        plan.stages.reverse();
        Some(plan)
    }

    /// Adds a stage, then those below it.
    fn add(&mut self, stage: &Document, depth: usize) {
        if depth >= DEPTH_MAX {
            return;
        }
        let name = stage.get_str("stage").unwrap_or("?").to_owned();
        match name.as_str() {
            "SORT" => {
                self.sort = Some(stage.get_document("sortPattern").cloned().unwrap_or_default());
            }
            "IXSCAN" | "COUNT_SCAN" => {
                self.index = index_of(stage, depth);
            }
            _ => {}
        }
        self.stages.push(PlanStage {
            title: title(&name, stage),
            details: details(stage),
            docs: number(stage, "docsExamined").or_else(|| {
                let reads = matches!(name.as_str(), "COLLSCAN" | "FETCH");
                number(stage, "totalDocsExamined").filter(|_| reads)
            }),
            keys: number(stage, "keysExamined")
                .or_else(|| number(stage, "totalKeysExamined").filter(|_| name == "IXSCAN")),
            returned: number(stage, "nReturned").or_else(|| number(stage, "nCounted")),
            millis: number(stage, "executionTimeMillisEstimate").filter(|millis| *millis > 0),
            depth,
            name,
        });
        if let Ok(input) = stage.get_document("inputStage") {
            self.add(input, depth + 1);
        }
        for input in stage.get_array("inputStages").into_iter().flatten() {
            if let Some(input) = input.as_document() {
                self.add(input, depth + 1);
            }
        }
    }

    /// The stage that reads: the first one.
    pub fn access(&self) -> &str {
        self.stages.first().map_or("", |stage| stage.name.as_str())
    }
}

/// Whether a reply tells the filter, be it an empty one.
fn has_filter(reply: &Document) -> bool {
    let first = reply.get_array("stages").ok().and_then(|stages| stages.first()?.as_document());
    let search = first.and_then(|first| first.get_document("$cursor").ok()).unwrap_or(reply);
    search.get_document("queryPlanner").is_ok_and(|planner| planner.contains_key("parsedQuery"))
}

/// The filter of a command that is explained: its own, or that of its first stage.
fn asked_filter(asked: &Document) -> Option<&Document> {
    let stages = asked.get_array("pipeline").ok();
    let first =
        stages.and_then(|stages| stages.first()?.as_document()?.get_document("$match").ok());
    first.or_else(|| asked.get_document("filter").ok())
}

/// The keys of the first index that a stage or one below it reads.
fn index_of(stage: &Document, depth: usize) -> Option<Document> {
    if matches!(stage.get_str("stage"), Ok("IXSCAN" | "COUNT_SCAN")) {
        let keys = stage.get_document("keyPattern").ok().cloned();
        return keys.or_else(|| fields_of_set(stage));
    }
    let input = stage.get_document("inputStage").ok().filter(|_| depth < DEPTH_MAX);
    input.and_then(|input| index_of(input, depth + 1))
}

/// The fields that an index is searched by, where a server gives no keys: `[{$eq: {a: 1}}]`.
fn fields_of_set(stage: &Document) -> Option<Document> {
    let set = stage.get_array("indexFilterSet").ok()?.iter().filter_map(Bson::as_document);
    let tests = set.flat_map(Document::values).filter_map(Bson::as_document);
    let fields: Document =
        tests.flat_map(Document::keys).map(|field| (field.clone(), Bson::Int32(1))).collect();
    (!fields.is_empty()).then_some(fields)
}

/// A stage's work, in words.
fn title(name: &str, stage: &Document) -> String {
    let index = || stage.get_str("indexName").unwrap_or("an index");
    match name {
        "COLLSCAN" => "Read every document".to_owned(),
        "IXSCAN" => format!("Read the index {}", index()),
        "COUNT_SCAN" => format!("Count in the index {}", index()),
        "FETCH" => "Read the documents of the keys".to_owned(),
        "SORT" => "Sort in memory".to_owned(),
        "SKIP" => "Skip".to_owned(),
        "LIMIT" => "Limit".to_owned(),
        "COUNT" => "Count".to_owned(),
        "RECORD_STORE_FAST_COUNT" => "Take the count that is kept".to_owned(),
        "EOF" => "Read nothing".to_owned(),
        _ if name.starts_with("PROJECT") => "Choose fields".to_owned(),
        _ if name.starts_with("EXPRESS") => "Find by _id".to_owned(),
        other => other.to_owned(),
    }
}

fn details(stage: &Document) -> Vec<String> {
    let mut found = Vec::new();
    let mut say = |words: &str, name: &str| {
        let value = stage.get(name);
        let is_empty = value.and_then(Bson::as_document).is_some_and(Document::is_empty);
        if let Some(value) = value.filter(|_| !is_empty) {
            found.push(format!("{words} {}", text(value)));
        }
    };
    say("Keys", "keyPattern");
    say("Bounds", "indexBounds");
    say("Filter", "filter");
    // DocumentDB.
    say("Filter", "runtimeFilterSet");
    say("Bounds", "indexFilterSet");
    say("By", "sortPattern");
    say("Skips", "skipAmount");
    say("At most", "limitAmount");
    say("Fields", "transformBy");
    if stage.get_str("direction").is_ok_and(|direction| direction == "backward") {
        found.push("From the end".to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use bson::doc;
    use mayfly_tests::documentdb::{DocumentDb, Habits};

    use super::*;
    use crate::state::explain::Advice;

    fn names(plan: &Plan) -> Vec<&str> {
        plan.stages.iter().map(|stage| stage.name.as_str()).collect()
    }

    #[test]
    fn a_plan_is_read_from_what_is_read_first_to_the_result() {
        let scan = doc! {"stage": "IXSCAN", "indexName": "a_1", "keyPattern": {"a": 1},
        "nReturned": 9, "keysExamined": 10, "indexBounds": {"a": ["[1, 1]"]}};
        let fetch = doc! {"stage": "FETCH", "nReturned": 4, "docsExamined": 9, "inputStage": scan,
        "filter": {"b": {"$eq": 1}}};
        let sort = doc! {"stage": "SORT", "nReturned": 4, "sortPattern": {"c": 1},
        "inputStage": fetch};
        let reply = doc! {
            "queryPlanner": {"parsedQuery": {"a": {"$eq": 1}}, "winningPlan": {"stage": "?"}},
            "executionStats": {"nReturned": 4, "executionTimeMillis": 3, "totalKeysExamined": 10,
                "totalDocsExamined": 9, "executionStages": sort},
        };
        let plan = Plan::read(&reply, &doc! {}).expect("a plan");
        assert_eq!(names(&plan), ["IXSCAN", "FETCH", "SORT"]);
        assert_eq!((plan.docs, plan.keys, plan.returned, plan.millis), (9, 10, 4, 3));
        assert_eq!((plan.sort, plan.index), (Some(doc! {"c": 1}), Some(doc! {"a": 1})));
        let [scan, fetch, _] = plan.stages.as_slice() else { panic!("three stages") };
        assert_eq!(scan.title, "Read the index a_1");
        assert_eq!((scan.keys, scan.returned, fetch.docs), (Some(10), Some(9), Some(9)));
        assert_eq!(fetch.details, ["Filter { b: { $eq: 1 } }"]);
    }

    #[test]
    fn branches_and_pipelines_are_read_too() {
        let branch = |name: &str| doc! {"stage": "IXSCAN", "indexName": name};
        let or = doc! {"stage": "OR", "inputStages": [branch("a_1"), branch("b_1")]};
        let cursor = doc! {"queryPlanner": {"winningPlan": or}};
        let reply = doc! {"stages": [
            {"$cursor": cursor, "nReturned": 5_i64},
            {"$unwind": "$x", "nReturned": 2_i64},
            {"$group": {"_id": 1}, "nReturned": 2_i64},
        ]};
        let plan = Plan::read(&reply, &doc! {}).expect("a plan");
        assert_eq!(names(&plan), ["IXSCAN", "IXSCAN", "OR", "$unwind", "$group"]);
        let returned: Vec<_> = plan.stages.iter().map(|stage| stage.returned).collect();
        assert_eq!(returned, [None, None, None, None, Some(2)]);
        assert!(plan.is_pipeline);
        assert_eq!(Plan::read(&doc! {"ok": 1}, &doc! {}), None);
    }

    /// The reply of each kind of server to the same question.
    fn explained(command: &Document) -> [Plan; 2] {
        [Habits::documentdb(), Habits::mongodb()].map(|habits| {
            let server = DocumentDb::start(habits);
            let document = |id: i32| doc! {"_id": id, "a": id % 10, "b": id % 7};
            let documents: Vec<Document> = (0..200).map(document).collect();
            server.prepare("d", &doc! {"insert": "c", "documents": documents});
            let index = doc! {"key": {"a": 1}, "name": "a_1"};
            server.prepare("d", &doc! {"createIndexes": "c", "indexes": [index]});
            let command = doc! {"explain": command.clone(), "verbosity": "executionStats"};
            Plan::read(&server.run("d", &command), &command).expect("a plan")
        })
    }

    #[test]
    fn both_kinds_of_server_read_as_much() {
        let check = |command: Document, docs: u64, keys: u64, sentence: &str| {
            for plan in explained(&command) {
                let filter = plan.filter.to_string();
                assert!(filter.contains(['a', 'b']), "{command}: {filter}");
                assert_eq!((plan.docs, plan.keys), (docs, keys), "{command}: {:?}", plan.stages);
                let advice = Advice::of(&plan).sentence;
                assert_eq!(advice, sentence, "{command}");
            }
        };
        check(
            doc! {"find": "c", "filter": {"b": 3}},
            200,
            0,
            "Read 200 documents to return 29: an index on b would help",
        );
        check(
            doc! {"find": "c", "filter": {"b": 3}, "limit": 2},
            11,
            0,
            "Read 11 documents to return 2: an index on b would help",
        );
        check(
            doc! {"find": "c", "filter": {"a": 3}},
            20,
            20,
            "Read 20 keys and 20 documents to return 20",
        );
        check(
            doc! {"aggregate": "c", "cursor": {}, "pipeline": [
                {"$match": {"b": 3}}, {"$group": {"_id": "$a"}},
            ]},
            200,
            0,
            "Read 200 documents to return 29: an index on b would help",
        );
    }

    #[test]
    fn a_sort_without_its_order_has_that_of_the_question() {
        let command = doc! {"find": "c", "filter": {"b": 3}, "sort": {"a": -1, "_id": 1}};
        for plan in explained(&command) {
            if let Some(sort) = plan.sort {
                assert_eq!(sort, doc! {"a": -1, "_id": 1});
            }
        }
    }
}
