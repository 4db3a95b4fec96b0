//! The check of a data file before LMDB maps it.
//!
//! LMDB believes every number in its file; a wrong one makes it read or write outside the map. This
//! module reads the file with plain reads, believes nothing, and accepts only the shape that the store
//! itself writes: the two headers, the tree of free pages, the tree of tables, and five tables with
//! plain keys. What it accepts, LMDB can walk safely.
//!
//! [`read_watched`] looks at the checksum of each row too as it passes, so that a copy can be judged
//! without being opened.
//!
//! A file that a person picked can be walked in a process of its own (`subprocess`).
//!
//! A sound file may end before its last counted page, because pages that were taken and given back
//! within one transaction need never be written. So only a *reachable* page past the end is damage.

mod check;
mod header;
mod page;
mod protocol;
mod sample;
mod source;
mod subprocess;
mod tree;

pub(super) use check::{
    check_begin, check_header, is_taken_back, read_watched, walk, walk_watched,
};
pub(super) use header::{DATA_VERSION, HEADER_BEGIN_BYTES, begins_like_a_store};
pub(super) use sample::sample;
pub(super) use subprocess::walk_picked;
pub use subprocess::{WalkProgram, walk_standard_input};
