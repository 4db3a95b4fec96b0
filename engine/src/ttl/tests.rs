//! Expiry, by tables.
