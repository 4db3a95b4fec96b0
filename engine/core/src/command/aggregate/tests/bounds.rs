//! Pipelines hold no more than they may, whatever their stages make of a document.

use crate::command::testing::Lab;

const MIB: usize = 1 << 20;
const EXCEEDED_MEMORY_LIMIT: i32 = 146;
const NO_DISK_USE_ALLOWED: i32 = 292;

/// Documents with the `_id`s from 0 on and this many bytes of text.
fn lab(documents: usize, bytes: usize) -> Lab {
    let (lab, text) = (Lab::new(), "x".repeat(bytes));
    for id in 0..documents {
        lab.ok(&format!("{{insert: 'c', documents: [{{_id: {id}, t: '{text}'}}]}}"));
    }
    lab
}

fn check(lab: &Lab, stages: &str, expected: &str) {
    let pipeline = format!("[{stages}, {{$project: {{_id: 1}}}}, {{$limit: 1}}]");
    lab.check(&format!("{{aggregate: 'c', pipeline: {pipeline}, cursor: {{}}}}"), expected);
}

fn refused(lab: &Lab, stages: &str, code: i32) {
    check(lab, stages, &format!("{{ok: 0, code: {code}}}"));
}

#[test]
fn the_fields_of_a_stage_together_are_bounded() {
    let lab = lab(1, 10 * MIB);
    let fields = |count: usize| {
        let fields = (0..count).map(|n| format!("f{n}: '$t'"));
        fields.collect::<Vec<_>>().join(", ")
    };
    check(&lab, &format!("{{$set: {{{}}}}}", fields(5)), "{'cursor.firstBatch': [{_id: 0}]}");
    refused(&lab, &format!("{{$set: {{{}}}}}", fields(10)), EXCEEDED_MEMORY_LIMIT);
    refused(&lab, &format!("{{$project: {{{}}}}}", fields(10)), EXCEEDED_MEMORY_LIMIT);
    // Each element of an array gets the text.
    let array = "{$set: {a: {$map: {input: {$range: [0, 20]}, in: {n: '$$this'}}}}}";
    refused(&lab, &format!("{array}, {{$set: {{'a.t': '$t'}}}}"), EXCEEDED_MEMORY_LIMIT);
    lab.check(
        &format!("{{update: 'c', updates: [{{q: {{}}, u: [{{$set: {{{}}}}}]}}]}}", fields(10)),
        &format!("{{'writeErrors.0.code': {EXCEEDED_MEMORY_LIMIT}}}"),
    );
}

#[test]
fn a_document_is_bounded_between_two_stages() {
    let lab = lab(6, 13 * MIB);
    let lookups = |count: usize| {
        let lookup = |n| format!("{{$lookup: {{from: 'c', pipeline: [], as: 'f{n}'}}}}");
        format!("{{$match: {{_id: 0}}}}, {}", (0..count).map(lookup).collect::<Vec<_>>().join(", "))
    };
    check(&lab, &lookups(2), "{'cursor.firstBatch': [{_id: 0}]}");
    refused(&lab, &lookups(3), NO_DISK_USE_ALLOWED);
}

#[test]
fn values_by_which_buckets_are_made_count_as_held() {
    let lab = lab(12, MIB);
    let texts = ["'$t'"; 10].join(", ");
    let stage = format!("{{$bucketAuto: {{groupBy: {{$concat: [{texts}]}}, buckets: 2}}}}");
    refused(&lab, &stage, NO_DISK_USE_ALLOWED);
}
