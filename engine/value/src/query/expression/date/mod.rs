//! Dates: their parts, arithmetic, and text, in any time zone.

mod arguments;
mod arithmetic;
mod format;
mod free;
mod operators;
mod parse;
mod parts;
mod text;
mod unit;

pub(super) use arguments::{date_of, refuse_count, refuse_dated};
pub(super) use format::{clock_text, iso_text};
pub(super) use operators::OPERATORS as ARITHMETIC;
pub(super) use parse::utc_text;
pub(super) use parts::OPERATORS as PARTS;
pub(super) use text::OPERATORS as TEXT;
