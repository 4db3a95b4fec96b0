//! Pipelines over a collection.

use bson::{Bson, Document, doc};

use crate::limits::{RESULTS_PAGE, STAGE_TIME};

/// Runs a pipeline; the first documents come with the reply, the others with [`more`].
pub fn run(collection: &str, pipeline: Vec<Document>) -> Document {
    doc! { "aggregate": collection, "pipeline": pipeline, "cursor": { "batchSize": RESULTS_PAGE } }
}

/// Runs a pipeline whose last stage writes.
pub fn write(collection: &str, pipeline: Vec<Document>) -> Document {
    doc! { "aggregate": collection, "pipeline": pipeline, "cursor": {} }
}

/// Reads the next documents of a cursor.
pub fn more(collection: &str, cursor: i64) -> Document {
    doc! { "getMore": cursor, "collection": collection, "batchSize": RESULTS_PAGE }
}

/// Counts the results of a pipeline, up to one more than `most`, within the time of a stage.
pub fn count(collection: &str, mut pipeline: Vec<Document>, most: i64) -> Document {
    pipeline.push(doc! { "$limit": most + 1 });
    pipeline.push(doc! { "$count": "n" });
    within(collection, pipeline)
}

/// Reads the first results of a pipeline, within the time of a stage.
pub fn first(collection: &str, mut pipeline: Vec<Document>, most: i64) -> Document {
    pipeline.push(doc! { "$limit": most });
    within(collection, pipeline)
}

fn within(collection: &str, pipeline: Vec<Document>) -> Document {
    let ms = i64::try_from(STAGE_TIME.as_millis()).unwrap_or(i64::MAX);
    doc! { "aggregate": collection, "pipeline": pipeline, "cursor": {}, "maxTimeMS": ms }
}

/// Creates a view of the results of a pipeline.
pub fn create_view(name: &str, on: &str, pipeline: Vec<Document>) -> Document {
    let pipeline: Vec<Bson> = pipeline.into_iter().map(Bson::Document).collect();
    doc! { "create": name, "viewOn": on, "pipeline": pipeline }
}
