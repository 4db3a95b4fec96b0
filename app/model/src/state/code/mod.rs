//! A query in other languages, to be pasted into a program.

mod csharp;
mod java;
mod node;
mod parts;
mod python;
mod rust;
mod shell;
#[cfg(test)]
mod tests;

use bson::Bson;
use mayfly_engine::value::named;

use super::Namespace;
use super::documents::Query;

named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Language {
        /// mongosh.
        Shell => "mongosh",
        /// Extended JSON: the filter alone.
        Json => "Extended JSON",
        /// Python with `PyMongo`.
        Python => "Python",
        Node => "Node.js",
        /// Java with the synchronous driver.
        Java => "Java",
        CSharp => "C#",
        /// Rust with the driver and bson.
        Rust => "Rust",
    }
    /// Its name.
    pub fn label;
}

impl Language {
    /// The part of a query that is copied.
    #[must_use]
    pub fn scope(self) -> &'static str {
        if self == Self::Json { "the filter" } else { "the query" }
    }

    /// A query of a collection as a piece of a program, with what it has to import.
    #[must_use]
    pub fn find(self, namespace: &Namespace, query: &Query) -> String {
        match self {
            Self::Shell => shell::find(namespace, query),
            Self::Json => shell::json(&query.filter),
            Self::Python => python::find(namespace, query),
            Self::Node => node::find(namespace, query),
            Self::Java => java::find(namespace, query),
            Self::CSharp => csharp::find(namespace, query),
            Self::Rust => rust::find(namespace, query),
        }
    }

    /// A value as a literal of the language, for documents and pipelines.
    #[must_use]
    pub fn value(self, value: &Bson) -> String {
        match self {
            Self::Shell => shell::value(value),
            Self::Json => shell::json_value(value),
            Self::Python => python::value(value, 0),
            Self::Node => node::value(value, 0),
            Self::Java => java::value(value, 0),
            Self::CSharp => csharp::value(value, 0),
            Self::Rust => rust::value(value, 0),
        }
    }
}
