//! A lesson while it is played.

pub mod members;
