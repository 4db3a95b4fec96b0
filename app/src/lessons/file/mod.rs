//! Reads a lesson file. Everything that is wrong is found at once, each problem with its place.

mod problems;

pub use problems::Problems;
