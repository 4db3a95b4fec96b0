//! Requested against existing indexes.
