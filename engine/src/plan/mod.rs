//! From a filter to index bounds to documents that match.
