//! `aggregate`: a pipeline over a collection, a view or the server itself.

mod command;
mod explained;
mod out;
mod rows;
#[cfg(test)]
mod tests;

pub use command::COMMAND;
pub use explained::explain;
pub(in crate::command) use rows::ServerFacts;
