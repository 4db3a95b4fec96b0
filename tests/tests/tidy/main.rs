//! The house rules, read from the source: what may name what, and how long a file may be.

mod invariants;
mod licences;
mod project;
mod source;
