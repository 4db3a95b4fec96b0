//! `$jsonSchema`: draft 4 of JSON Schema, less references, plus `bsonType`.

mod matching;
mod node;
mod parse;

#[cfg(test)]
mod tests;

pub use node::Schema;
