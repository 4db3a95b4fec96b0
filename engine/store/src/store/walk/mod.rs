//! The check of a data file before LMDB follows its pages.
//!
//! LMDB trusts every number in its file; a wrong one makes it read or write outside the map. This module
//! reads the file with plain reads, trusts nothing, and accepts only the shape that the store itself writes:
//! two header pages, the tree of free pages, the tree of tables, and five tables with plain keys. LMDB can
//! safely traverse any file that passes.
//!
//! [`read_watched`] also verifies the checksum of each row, so that a copy can be judged without opening it.
//! Each opening does so. For a file of more than [`OPEN_WALK_BYTES`](crate::limits::OPEN_WALK_BYTES) it happens
//! while the store is open, and [`PageGuard`] checks what each read needs before LMDB reads it.
//! [`walk_picked`] does so in a subprocess, for an untrusted file.
//!
//! A sound file may end before its last counted page, because pages that one transaction allocated and freed
//! again need never be written. So only a *reachable* page past the end is damage.

mod check;
mod guard;
mod header;
mod page;
mod protocol;
mod source;
mod subprocess;
mod tree;

pub use check::StructureReport;
pub(super) use check::{
    check_begin, check_header, header_damage, is_last_commit_lost, read_watched, walk, walk_watched,
};
pub(super) use guard::{Neighbors, PageGuard, Place, Span, WalkState};
pub(super) use header::{DATA_VERSION, HEADER_BEGIN_BYTES, begins_like_a_store};
pub(super) use subprocess::walk_picked;
pub use subprocess::{WalkProgram, walk_standard_input};
