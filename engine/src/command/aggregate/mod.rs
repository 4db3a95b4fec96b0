//! `aggregate` and `explain`: pipelines, their output and the plans of commands.

pub mod aggregation;
pub mod command;
pub mod explain;
pub mod explain_pipeline;
pub mod explain_query;
pub mod explain_reply;
pub mod merge;
pub mod out;

#[cfg(test)]
mod tests;
