//! Rows: how keys and values are laid out in the tables, and runs of rows in key order.

pub(super) mod append;
pub(super) mod codec;
pub(super) mod damaged;
pub(super) mod entry_rows;
pub(super) mod key_varint;
pub(super) mod range;
pub(super) mod record;
pub(super) mod whole_scan;

/// The names of the tables in the file.
pub(super) const TABLE_NAMES: [&str; 5] = ["meta", "catalog", "documents", "entries", "counters"];
