//! Filters, by tables.
