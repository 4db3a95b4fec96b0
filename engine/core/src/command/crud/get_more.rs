//! `getMore`: the next batch of a cursor.

use bson::raw::RawBsonRef;

use crate::command::core::{
    Answer, Code, Command, CommandError, Context, Request, fields, missing_field,
    monitor::registration::time_limit,
};

fields! {
    struct GetMoreFields<'r> from Request<'r> {
        required "collection": text => collection Option<&'r str>,
        optional "batchSize": count => batch_size Option<u64>,
        ignored "term": integer,
    }
}

/// `{getMore: id, collection, batchSize, maxTimeMS}`
pub static COMMAND: Command = Command::any("getMore", GetMoreFields::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let first = request.first()?;
    if first == RawBsonRef::Null {
        return Err(missing_field("getMore", "getMore"));
    }
    // A cursor id is a long. MongoDB refuses an int of the same value, too.
    let RawBsonRef::Int64(id) = first else {
        return Err(request.wrong_type("getMore", first, "long"));
    };
    let GetMoreFields { collection, batch_size } = GetMoreFields::read(request)?;
    let Some(collection) = collection else {
        return Err(missing_field("getMore", "collection"));
    };
    if collection.is_empty() {
        return Err(CommandError::new(Code::INVALID_NAMESPACE, "Collection names cannot be empty"));
    }
    let ns = format!("{}.{collection}", request.db);
    // `maxTimeMS` of getMore is the time to wait for new documents, not a limit of the operation.
    let wait = time_limit(request)?;
    context.cursors.next_batch(context, id, &ns, batch_size, wait)
}
