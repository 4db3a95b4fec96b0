//! Conversion between types: `$convert` and its short forms.

mod binary;
mod operators;
mod target;
pub(super) mod text;
mod value;

pub(super) use operators::OPERATORS;
