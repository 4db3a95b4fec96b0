//! The only writer of documents, index entries and counters.
