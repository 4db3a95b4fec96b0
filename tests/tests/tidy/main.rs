//! The house rules, read from the source: what may name what, and how long a file may be.

mod cycles;
mod guide;
mod imports;
mod invariants;
mod layers;
mod licences;
mod project;
mod reachable;
mod source;
mod voice;
