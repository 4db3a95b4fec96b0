//! `aggregate`: a pipeline over a collection, a view or the server itself.

#[cfg(test)]
mod bounds_tests;
mod command;
mod explained;
mod merge;
mod out;
#[cfg(test)]
mod out_tests;
mod rows;
#[cfg(test)]
mod tests;
pub(in crate::command) mod view;

pub use command::COMMAND;
pub(in crate::command) use command::read_let;
pub use explained::{explain, explain_view};
pub(in crate::command) use rows::ServerFacts;
