//! `getMore`: the next batch of a cursor.

use bson::raw::RawBsonRef;

use crate::command::core::{
    command::{Command, Scope},
    context::Context,
    error::{Answer, Code, CommandError},
    field::{ignored, optional, required},
    field_value::missing_field,
    monitor::registration::time_limit,
    request::Request,
};

/// `{getMore: id, collection, batchSize, maxTimeMS}`
pub static COMMAND: Command = Command {
    name: "getMore",
    aliases: &[],
    scope: Scope::Any,
    fields: &[required("collection"), optional("batchSize"), ignored("term")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let first = request.first()?;
    if first == RawBsonRef::Null {
        return Err(missing_field("getMore", "getMore"));
    }
    let RawBsonRef::Int64(id) = first else {
        return Err(request.wrong_type("getMore", first, "long"));
    };
    let Some(collection) = request.text("collection")? else {
        return Err(missing_field("getMore", "collection"));
    };
    if collection.is_empty() {
        return Err(CommandError::new(Code::INVALID_NAMESPACE, "Collection names cannot be empty"));
    }
    let ns = format!("{}.{collection}", request.db);
    let batch_size = request.count("batchSize")?;
    // Here it is the time to wait for new documents, not a limit for the operation.
    let wait = time_limit(request)?;
    context.cursors.next_batch(context, id, &ns, batch_size, wait)
}
