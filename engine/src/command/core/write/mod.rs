//! Machinery of the write commands.

pub mod insert_documents;
pub mod new_document;
pub mod statement_fields;
pub mod update_statement;
pub mod write_matching;
pub mod write_reply;
