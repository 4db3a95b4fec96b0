//! The core of the readers and writers of text: one parser for Extended JSON and mongosh literals
//! that writes BSON as it reads, and one walk over BSON that writes either.

mod base;
mod constructors;
mod date;
mod elements;
mod error;
mod names;
mod nonstandard;
mod numbers;
mod parser;
mod read;
mod runs;
mod strings;
mod tree;
mod wrappers;

pub use date::{JAVASCRIPT_MS_MAX, iso_ms, iso_text};
pub use error::TextError;
pub use nonstandard::{Leniency, Nonstandard, Tally};

pub(super) use base::{append_hex, base64_text};
pub(super) use date::{append_iso, append_iso_string};
pub(super) use error::{Fault, SourcePosition};
pub(super) use parser::{Dialect, Parser, Work, skip_space};
pub(super) use read::{read_document, read_value, read_values};
pub(super) use strings::append_quoted;
pub use tree::Layout;
pub(super) use tree::{Notation, write_document as append_document, write_value as append_value};
pub(super) use wrappers::WRAPPERS;
