//! The meaning of a plan in one sentence, and the index that would help.

use bson::{Bson, Document};

use super::plan::Plan;
use crate::state::number::{count, counted};

/// Up to this many documents read for each one returned need no other index.
const READ_FOR_EACH: u64 = 2;

/// Fields of an index that is suggested.
const FIELDS_MAX: usize = 4;

/// An index that would help: its fields, and whether they descend.
pub type SuggestedIndex = Vec<(String, bool)>;

/// The meaning of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Advice {
    pub sentence: String,
    pub is_warning: bool,
    pub index: Option<SuggestedIndex>,
}

/// The fields of a filter by how an index serves them.
#[derive(Debug, Default)]
struct FilterFields {
    equal: Vec<String>,
    range: Vec<String>,
    /// Whether there are parts that no index on one field serves.
    has_other: bool,
}

impl FilterFields {
    fn add(&mut self, filter: &Document) {
        for (field, test) in filter {
            match (field.as_str(), test) {
                ("$and", Bson::Array(parts)) => {
                    parts.iter().filter_map(Bson::as_document).for_each(|part| self.add(part));
                }
                (field, _) if !can_be_indexed(field) => self.has_other = true,
                (field, Bson::Document(test)) => self.add_test(field, test),
                (field, _) => put(&mut self.equal, field),
            }
        }
    }

    fn add_test(&mut self, field: &str, test: &Document) {
        for operator in test.keys() {
            match operator.as_str() {
                "$eq" | "$in" => put(&mut self.equal, field),
                "$gt" | "$gte" | "$lt" | "$lte" | "$regex" => put(&mut self.range, field),
                _ => self.has_other = true,
            }
        }
    }
}

/// Whether an index can have this key: no name in it is empty or begins with a dollar sign.
fn can_be_indexed(field: &str) -> bool {
    field.split('.').all(|name| !name.is_empty() && !name.starts_with('$'))
}

fn put(fields: &mut Vec<String>, field: &str) {
    if !fields.iter().any(|known| known == field) {
        fields.push(field.to_owned());
    }
}

/// The index that serves a plan best: equal values first, then the order, then a range.
fn suggested(plan: &Plan) -> (SuggestedIndex, bool) {
    let mut filter = FilterFields::default();
    filter.add(&plan.filter);
    let mut fields: SuggestedIndex = Vec::new();
    let mut add = |field: &str, descends| {
        let is_new = can_be_indexed(field) && !fields.iter().any(|(known, _)| known == field);
        if is_new && fields.len() < FIELDS_MAX {
            fields.push((field.to_owned(), descends));
        }
    };
    filter.equal.iter().for_each(|field| add(field, false));
    for (field, order) in plan.sort.iter().flatten() {
        let descends = matches!(order, Bson::Int32(-1) | Bson::Int64(-1))
            || order.as_f64().is_some_and(|order| order < 0.0);
        add(field, descends);
    }
    if let Some(field) = filter.range.first() {
        add(field, false);
    }
    (fields, filter.has_other)
}

fn on(index: &SuggestedIndex) -> String {
    let names: Vec<&str> = index.iter().map(|(field, _)| field.as_str()).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

impl Advice {
    /// The meaning of a plan.
    pub fn of(plan: &Plan) -> Self {
        let read = counted(plan.docs, "document", "documents");
        let returned = count(plan.returned);
        let is_scan = plan.access() == "COLLSCAN";
        let reads_too_much = plan.docs > plan.returned.saturating_mul(READ_FOR_EACH);
        let good = |sentence: String| Self { sentence, is_warning: false, index: None };
        match plan.access() {
            "EOF" => return good("Nothing has to be read: no document can match".to_owned()),
            "RECORD_STORE_FAST_COUNT" => {
                return good("The count is kept; no document was read".to_owned());
            }
            name if name.starts_with("EXPRESS") => {
                return good(format!("Found by _id: read {read} to return {returned}"));
            }
            _ => {}
        }
        if is_scan && plan.filter.is_empty() && plan.sort.is_none() {
            let why = if plan.is_pipeline {
                "the pipeline begins with no $match"
            } else {
                "the query has no filter"
            };
            return good(format!("Read {read}: {why}"));
        }
        let how = if is_scan || plan.index.is_none() {
            format!("Read {read}")
        } else {
            format!("Read {} and {read}", counted(plan.keys, "key", "keys"))
        };
        let sorts = plan.sort.as_ref().map_or("", |_| ", and sorted them in memory");
        let did = format!("{how} to return {returned}{sorts}");
        if !reads_too_much && plan.sort.is_none() {
            let end = if is_scan { "; an index would not change much" } else { "" };
            return good(format!("{did}{end}"));
        }
        let (index, has_other) = suggested(plan);
        let used: Option<Vec<&String>> = plan.index.as_ref().map(|keys| keys.keys().collect());
        let is_used =
            used.is_some_and(|used| used.iter().copied().eq(index.iter().map(|(f, _)| f)));
        if index.is_empty() || is_used {
            let why = if has_other {
                "no index serves the rest of this filter"
            } else {
                "no other index would help"
            };
            return Self {
                sentence: format!("{did}: {why}"),
                is_warning: reads_too_much,
                index: None,
            };
        }
        // An index with another collation has text in another order.
        let same = if plan.collation.is_empty() { "" } else { " with this collation" };
        let sentence = format!("{did}: an index on {}{same} would help", on(&index));
        Self { sentence, is_warning: true, index: Some(index) }
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;
    use crate::state::explain::PlanStage;

    fn plan(access: &str, filter: Document, docs: u64, returned: u64) -> Plan {
        let stage = PlanStage { name: access.to_owned(), ..PlanStage::default() };
        Plan { stages: vec![stage], filter, docs, returned, ..Plan::default() }
    }

    fn check(plan: &Plan, sentence: &str, index: Option<&[(&str, bool)]>) {
        let advice = Advice::of(plan);
        assert_eq!(advice.sentence, sentence);
        let found = advice.index.as_ref().map(|index| {
            index.iter().map(|(field, down)| (field.as_str(), *down)).collect::<Vec<_>>()
        });
        assert_eq!(found.as_deref(), index);
        assert_eq!(advice.is_warning, index.is_some(), "{sentence}");
    }

    #[test]
    fn a_scan_of_everything_names_the_index_that_would_help() {
        let filter = doc! {"user": {"$eq": "ann"}};
        check(
            &plan("COLLSCAN", filter, 200_000, 12),
            "Read 200,000 documents to return 12: an index on user would help",
            Some(&[("user", false)]),
        );
    }

    #[test]
    fn an_index_needs_the_collation_of_the_query() {
        let collation = doc! {"locale": "de"};
        let filter = doc! {"user": {"$eq": "ann"}};
        check(
            &Plan { collation, ..plan("COLLSCAN", filter, 200_000, 12) },
            "Read 200,000 documents to return 12: an index on user with this collation would help",
            Some(&[("user", false)]),
        );
    }

    #[test]
    fn equal_values_come_first_then_the_order_then_a_range() {
        let filter = doc! {"$and": [
            {"at": {"$gte": 1}}, {"at": {"$lt": 9}}, {"kind": {"$in": [1, 2]}}, {"user": {"$eq": 1}},
        ]};
        let found = Plan { sort: Some(doc! {"n": -1}), ..plan("COLLSCAN", filter, 100, 60) };
        check(
            &found,
            "Read 100 documents to return 60, and sorted them in memory: an index on kind, \
             user, n and at would help",
            Some(&[("kind", false), ("user", false), ("n", true), ("at", false)]),
        );
    }

    #[test]
    fn a_good_plan_is_left_alone() {
        let filter = doc! {"a": {"$eq": 1}};
        let used = Plan { index: Some(doc! {"a": 1}), keys: 3, ..plan("IXSCAN", filter, 3, 3) };
        check(&used, "Read 3 keys and 3 documents to return 3", None);
        check(&plan("COLLSCAN", doc! {}, 5, 5), "Read 5 documents: the query has no filter", None);
        check(
            &Plan { is_pipeline: true, ..plan("COLLSCAN", doc! {}, 5, 5) },
            "Read 5 documents: the pipeline begins with no $match",
            None,
        );
        check(
            &plan("COLLSCAN", doc! {"a": {"$gt": 1}}, 100, 90),
            "Read 100 documents to return 90; an index would not change much",
            None,
        );
        check(
            &plan("EXPRESS_IXSCAN", doc! {"_id": {"$eq": 1}}, 1, 1),
            "Found by _id: read 1 document to return 1",
            None,
        );
    }

    #[test]
    fn a_longer_index_is_suggested_where_the_used_one_reads_too_much() {
        let filter = doc! {"$and": [{"a": {"$eq": 1}}, {"b": {"$eq": 2}}]};
        let used = Plan { index: Some(doc! {"a": 1}), keys: 90, ..plan("IXSCAN", filter, 90, 2) };
        check(
            &used,
            "Read 90 keys and 90 documents to return 2: an index on a and b would help",
            Some(&[("a", false), ("b", false)]),
        );
    }

    #[test]
    fn what_no_index_serves_is_said() {
        let advice = Advice::of(&plan("COLLSCAN", doc! {"$expr": {"$gt": ["$a", 1]}}, 90, 2));
        let expected = "Read 90 documents to return 2: no index serves the rest of this filter";
        assert_eq!((advice.sentence.as_str(), advice.index), (expected, None));
        assert!(advice.is_warning);
    }
}
