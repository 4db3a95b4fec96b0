//! `aggregate` and `explain`: pipelines, their output and the plans of commands.

pub(crate) mod aggregation;
pub(crate) mod command;
pub(crate) mod explain;
pub(crate) mod explain_pipeline;
pub(crate) mod explain_query;
pub(crate) mod explain_reply;
pub(crate) mod merge;
pub(crate) mod out;

#[cfg(test)]
mod tests;
