//! The contents of a store and their future, from documents and counts that others have read. Pure.

pub mod audit;
pub mod schema;
