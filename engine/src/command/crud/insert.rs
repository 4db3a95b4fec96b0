//! `insert`: new documents, in bounded transactions.

use bson::Document;

use crate::command::core::{
    command::{Command, Scope},
    context::Context,
    error::Answer,
    field::{ignored, optional, required},
    request::Request,
    write::{
        insert_documents::{check_batch_size, insert_all},
        write_reply::WriteReply,
    },
};

/// `{insert: collection, documents, ordered}`
pub static COMMAND: Command = Command {
    name: "insert",
    aliases: &[],
    scope: Scope::Any,
    fields: &[
        required("documents"),
        optional("ordered"),
        ignored("bypassDocumentValidation"),
        ignored("bypassEmptyTsReplacement"),
        ignored("stmtId"),
        ignored("stmtIds"),
        ignored("isTimeseriesNamespace"),
    ],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let documents = request.documents("documents")?;
    let is_ordered = request.bool_at("insert", "ordered", true)?;
    request.flag("bypassDocumentValidation")?;
    check_batch_size(documents.len())?;
    let done = insert_all(context, request, &namespace, documents, is_ordered)?;
    let errors =
        done.errors.into_iter().map(|(index, error)| error.to_write_error(index)).collect();
    WriteReply { n: done.n, errors }.answer(Document::new())
}
