//! Options of a collection.

use bson::{Bson, Document, doc};

use super::Validation;
use crate::value::Collation;

/// The options given at creation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CollectionOptions {
    /// Bounds on size and number of documents; the oldest are removed first.
    pub capped: Option<Capped>,
    /// The documents are clustered by `_id`.
    pub clustered: Option<Clustered>,
    /// The collection's own TTL in seconds; only with `clustered` or `time_series`.
    pub expire_after_secs: Option<i64>,
    /// A time-series collection, with its options as given.
    pub time_series: Option<Document>,
    /// The definition of a view.
    pub view: Option<View>,
    /// How text compares in its queries and indexes unless they say otherwise; `None` is by bytes.
    pub collation: Option<Collation>,
    /// Document validation.
    pub validation: Validation,
    /// Options that are stored and shown but have no effect.
    pub extra: Document,
}

/// Bounds of a capped collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capped {
    /// Most bytes of BSON; `None` for a clustered collection that is bounded by time alone.
    pub size_bytes: Option<i64>,
    /// Most documents.
    pub docs_max: Option<i64>,
}

/// A clustered collection's index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clustered {
    /// Its name.
    pub name: String,
}

/// The definition of a view.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// The collection or view that it reads.
    pub on: String,
    /// The aggregation pipeline.
    pub pipeline: Vec<Document>,
}

impl CollectionOptions {
    /// Its type in `listCollections`: `collection`, `view` or `timeseries`.
    pub fn type_name(&self) -> &'static str {
        if self.view.is_some() {
            "view"
        } else if self.time_series.is_some() {
            "timeseries"
        } else {
            "collection"
        }
    }

    /// As `listCollections` shows them.
    pub fn to_document(&self) -> Document {
        let mut options = Document::new();
        if let Some(capped) = &self.capped {
            options.insert("capped", true);
            if let Some(size) = capped.size_bytes {
                options.insert("size", shortest(size));
            }
            if let Some(max) = capped.docs_max {
                options.insert("max", shortest(max));
            }
        }
        if let Some(clustered) = &self.clustered {
            options.insert(
                "clusteredIndex",
                doc! { "v": 2, "key": { "_id": 1 }, "name": &clustered.name, "unique": true },
            );
        }
        if let Some(secs) = self.expire_after_secs {
            options.insert("expireAfterSeconds", secs);
        }
        if let Some(time_series) = &self.time_series {
            options.insert("timeseries", time_series.clone());
        }
        if let Some(view) = &self.view {
            options.insert("viewOn", view.on.clone());
            options.insert("pipeline", view.pipeline.clone());
        }
        if let Some(collation) = &self.collation {
            options.insert("collation", collation.spec().clone());
        }
        options.extend(self.validation.to_document());
        options.extend(self.extra.clone());
        options
    }
}

fn shortest(number: i64) -> Bson {
    i32::try_from(number).map_or(Bson::Int64(number), Bson::Int32)
}
