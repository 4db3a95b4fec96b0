//! `$graphLookup`, by tables.

use super::refused;
use crate::command::testing::Lab;

/// A line of four who report to each other, one without a superior, and a circle of two.
const STAFF: &str = "{insert: 'staff', documents: [\
    {_id: 1, name: 'Dev'}, {_id: 2, name: 'Eliot', to: 'Dev'}, {_id: 3, name: 'Ron', to: 'Eliot'},\
    {_id: 4, name: 'Andrew', to: 'Eliot'}, {_id: 5, name: 'Asya', to: 'Ron'},\
    {_id: 6, name: 'Dan', to: 'Andrew'}, {_id: 7, name: 'x', to: ['y', 'none']},\
    {_id: 8, name: 'y', to: 'x'}, {_id: 9, to: null}, {_id: 10, name: null, to: 'lost'}]}";

fn lab() -> Lab {
    let lab = Lab::new();
    lab.ok(STAFF);
    lab
}

/// The `_id`s that a search from one document reaches, each with its depth.
fn check(lab: &Lab, id: i32, options: &str, expected: &str) {
    lab.check(
        &format!(
            "{{aggregate: 'staff', cursor: {{}}, pipeline: [{{$match: {{_id: {id}}}}}, \
             {{$graphLookup: {{from: 'staff', startWith: '$to', connectFromField: 'to', \
               connectToField: 'name', as: 'found', depthField: 'depth'{options}}}}}, \
             {{$project: {{_id: 0, found: {{$map: {{input: '$found', \
               in: ['$$this._id', {{$toInt: '$$this.depth'}}]}}}}}}}}]}}"
        ),
        &format!("{{'cursor.firstBatch': [{{found: {expected}}}]}}"),
    );
}

#[test]
fn documents_are_reached_over_any_number_of_steps() {
    let lab = lab();
    check(&lab, 1, "", "[]");
    check(&lab, 2, "", "[[1, 0]]");
    check(&lab, 6, "", "[[4, 0], [2, 1], [1, 2]]");
    check(&lab, 6, ", maxDepth: 0", "[[4, 0]]");
    check(&lab, 6, ", maxDepth: Long('1')", "[[4, 0], [2, 1]]");
    check(&lab, 6, ", restrictSearchWithMatch: {_id: {$ne: 2}}", "[[4, 0]]");
    lab.ok("{createIndexes: 'staff', indexes: [{key: {name: 1}, name: 'name'}]}");
    check(&lab, 6, "", "[[4, 0], [2, 1], [1, 2]]");
}

#[test]
fn a_circle_ends_and_an_array_leads_to_each_of_its_elements() {
    let lab = lab();
    check(&lab, 7, "", "[[8, 0], [7, 1]]");
    check(&lab, 8, "", "[[7, 0], [8, 1]]");
    // Null leads to a null, and not to a document without the field.
    check(&lab, 9, "", "[[10, 0]]");
    lab.check(
        "{aggregate: 'staff', cursor: {}, pipeline: [{$match: {_id: 1}}, {$graphLookup: \
          {from: 'staff', startWith: ['Eliot', 'x'], connectFromField: 'none', \
           connectToField: 'name', as: 'a.found'}}, {$project: {n: {$size: '$a.found'}}}]}",
        "{'cursor.firstBatch': [{_id: 1, n: 2}]}",
    );
}

#[test]
fn more_values_than_one_search_looks_for_are_found_too() {
    let lab = Lab::new();
    let count = i32::try_from(crate::limits::GRAPH_VALUES_PER_SEARCH_MAX).expect("small") + 5;
    for first in (0..count).step_by(5_000) {
        let last = (first + 5_000).min(count);
        let documents: Vec<_> = (first..last).map(|n| bson::doc! { "_id": n }).collect();
        lab.run_document(&bson::doc! { "insert": "c", "documents": documents });
    }
    lab.check(
        &format!(
            "{{aggregate: 1, cursor: {{}}, pipeline: [{{$documents: [{{}}]}}, {{$graphLookup: \
              {{from: 'c', startWith: {{$range: [0, {count}]}}, connectFromField: 'none', \
              connectToField: '_id', as: 'found'}}}}, {{$project: {{n: {{$size: '$found'}}}}}}]}}"
        ),
        &format!("{{'cursor.firstBatch': [{{n: {count}}}]}}"),
    );
}

#[test]
fn a_view_and_a_collation_are_those_of_the_command() {
    let lab = lab();
    let loose = "collation: {locale: 'en', strength: 2}";
    let view = |name: &str, rest: &str| {
        let pipeline = "pipeline: [{$match: {_id: {$ne: 1}}}]";
        lab.ok(&format!("{{create: '{name}', viewOn: 'staff', {pipeline}{rest}}}"));
    };
    view("strict", "");
    view("v", &format!(", {loose}"));
    let graph = |from: &str| {
        format!(
            "pipeline: [{{$match: {{_id: 6}}}}, {{$graphLookup: {{from: '{from}', \
              startWith: 'ANDREW', connectFromField: 'to', connectToField: 'name', as: 'f'}}}}, \
              {{$project: {{f: '$f._id'}}}}]"
        )
    };
    let staff = graph("staff");
    lab.check(
        &format!("{{aggregate: 'staff', cursor: {{}}, {staff}}}"),
        "{'cursor.firstBatch': [{_id: 6, f: []}]}",
    );
    lab.check(
        &format!("{{aggregate: 'staff', cursor: {{}}, {loose}, {staff}}}"),
        "{'cursor.firstBatch': [{_id: 6, f: [4, 2, 1]}]}",
    );
    lab.check(
        &format!("{{aggregate: 'staff', cursor: {{}}, {loose}, {}}}", graph("v")),
        "{'cursor.firstBatch': [{_id: 6, f: [4, 2]}]}",
    );
    // The view would compare text by other rules than the rest of the command.
    let refused = |stage: &str, collation: &str| {
        lab.check(
            &format!("{{aggregate: 'staff', cursor: {{}}{collation}, pipeline: [{stage}]}}"),
            "{code: 167}",
        );
    };
    let lookup = "{$lookup: {from: 'strict', localField: 'to', foreignField: 'name', as: 'f'}}";
    refused(lookup, &format!(", {loose}"));
    refused("{$unionWith: 'v'}", "");
    refused("{$unionWith: {coll: 'strict', pipeline: []}}", &format!(", {loose}"));
}

#[test]
fn refusals() {
    let with = |change: &str| {
        let all = "from: 'c', startWith: '$a', connectFromField: 'a', connectToField: 'b', as: 'x'";
        let field = change.split(':').next().unwrap_or_default();
        let kept: Vec<&str> =
            all.split(", ").filter(|given| !given.starts_with(&format!("{field}:"))).collect();
        format!("[{{$graphLookup: {{{}, {change}}}}}]", kept.join(", "))
    };
    refused("[{$graphLookup: 1}]", 9);
    refused("[{$graphLookup: {from: 'c', as: 'x'}}]", 40105);
    refused(&with("from: 1"), 9);
    refused(&with("as: 1"), 40103);
    refused(&with("depthField: 1"), 40103);
    refused(&with("maxDepth: 'x'"), 40100);
    refused(&with("maxDepth: -1"), 40101);
    refused(&with("maxDepth: 1.5"), 40102);
    refused(&with("restrictSearchWithMatch: 1"), 40185);
    refused(&with("other: 1"), 40104);
    refused(&with("as: '$x'"), 16410);
    refused(&with("depthField: 'a.'"), 40353);
}

#[test]
fn a_search_holds_no_more_than_a_stage_may() {
    let lab = Lab::new();
    let text = "x".repeat(1 << 20);
    for n in 0..110 {
        lab.run_document(
            &bson::doc! { "insert": "c", "documents": [{ "_id": n, "g": 1, "t": &text }] },
        );
    }
    lab.check(
        "{aggregate: 'c', cursor: {}, pipeline: [{$match: {_id: 1}}, {$graphLookup: {from: 'c', \
          startWith: 1, connectFromField: 'g', connectToField: 'g', as: 'f'}}]}",
        "{code: 292}",
    );
}
