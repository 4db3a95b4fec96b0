//! The MongoDB commands that the window sends, as documents.

pub mod aggregate;
pub mod archive;
pub mod bulk;
pub mod clock;
pub mod collation;
pub mod convert;
pub mod documents;
pub mod expiry;
pub mod explain;
pub mod indexes;
pub mod listener;
pub mod maintenance;
pub mod query;
pub mod reaper;
pub mod rollout;
pub mod schema;
pub mod store;
pub mod trash;

#[cfg(test)]
mod tests;

use bson::Bson;

/// A number in the smallest integer type that holds it, as in mongosh.
pub fn smallest_int(number: i64) -> Bson {
    i32::try_from(number).map_or(Bson::Int64(number), Bson::Int32)
}
