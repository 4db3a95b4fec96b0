//! `$sample` by pages of the disk: it gives runs of documents that were inserted one after the other.

use bson::{Bson, Document, doc};
use mayfly_engine::value::whole;

use super::Server;

/// Documents in one run.
const RUN: usize = 90;

/// The pipeline with its `$sample` replaced by the documents that it chose; `None` where the pipeline
/// does not begin with one, or it takes all documents.
pub fn chosen(server: &Server, db: &str, command: &Document) -> Option<Document> {
    let collection = command.get_str("aggregate").ok()?;
    let pipeline = command.get_array("pipeline").ok()?;
    let stage = |at: usize, name: &str| pipeline.get(at)?.as_document()?.get_document(name).ok();
    let (at, filter) = match stage(0, "$match") {
        Some(filter) => (1, filter.clone()),
        None => (0, Document::new()),
    };
    let size = usize::try_from(stage(at, "$sample")?.get("size").and_then(whole)?).ok()?;
    let find = doc! {
        "find": collection, "filter": filter, "sort": { "$natural": 1 }, "projection": { "_id": 1 },
        "batchSize": i32::MAX, "singleBatch": true,
    };
    let found = server.engine_run(db, &find);
    let batch = found.get_document("cursor").ok()?.get_array("firstBatch").ok()?;
    let ids: Vec<&Bson> = batch.iter().filter_map(|one| one.as_document()?.get("_id")).collect();
    if size >= ids.len() {
        return None;
    }
    let turn = server.next_sample();
    let sample: Vec<Bson> =
        runs(ids.len(), size, turn).into_iter().map(|at| ids[at].clone()).collect();
    let mut stages = pipeline.clone();
    stages[at] = doc! { "$match": { "_id": { "$in": sample } } }.into();
    let mut chosen = command.clone();
    chosen.insert("pipeline", stages);
    Some(chosen)
}

/// Different places of `count`, as many as asked for, in runs that depend on how many samples there were before, and
/// on nothing else. Each place is as likely as any other.
fn runs(count: usize, size: usize, turn: u64) -> Vec<usize> {
    let blocks = count.div_ceil(RUN);
    // A step that has no factor in common with the number of blocks meets each block once.
    let step = (blocks * 5 / 13).max(1);
    let step = (step..=step + blocks).find(|step| gcd(*step, blocks) == 1).unwrap_or(1);
    let order = (0..blocks).map(|at| (at * step + blocks / 3) % blocks);
    let places = order.flat_map(|block| block * RUN..((block + 1) * RUN).min(count));
    let shift = usize::try_from(mixed(turn) >> 33).unwrap_or(0) % count;
    places.take(size).map(|place| (place + shift) % count).collect()
}

/// The mixer of `SplitMix64`: numbers in a row have nothing in common, whatever they are divided by.
fn mixed(turn: u64) -> u64 {
    let mut mixed = turn.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
