//! Machinery of the write commands.

pub(crate) mod insert_documents;
mod meta_update;
pub(crate) mod new_document;
pub(crate) mod statement_fields;
pub(crate) mod update_statement;
pub(crate) mod write_matching;
pub(crate) mod write_reply;
