//! `insert`: new documents, in bounded transactions.

use bson::{Document, raw::RawDocument};

use crate::command::core::{
    Answer, Command, Context, Request, fields,
    write::{
        insert_documents::{check_batch_size, insert_all},
        write_reply::WriteReply,
    },
};

fields! {
    struct InsertFields<'r> from Request<'r> {
        required "documents": documents => documents Vec<&'r RawDocument>,
        optional "ordered": bool_or(true) => is_ordered bool,
        ignored "bypassDocumentValidation": flag,
        ignored "bypassEmptyTsReplacement",
        ignored "stmtId",
        ignored "stmtIds",
        ignored "isTimeseriesNamespace",
    }
}

/// `{insert: collection, documents, ordered}`
pub static COMMAND: Command = Command::any("insert", InsertFields::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let InsertFields { documents, is_ordered } = InsertFields::read(request)?;
    check_batch_size(documents.len())?;
    let done = insert_all(context, request, &namespace, documents, is_ordered)?;
    let errors =
        done.errors.into_iter().map(|(index, error)| error.to_write_error(index)).collect();
    WriteReply { n: done.n, errors }.answer(Document::new())
}
