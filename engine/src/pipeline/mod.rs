//! Aggregation pipelines: stages over streams of documents.
