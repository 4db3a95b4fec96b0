//! `getMore`: the next batch of a cursor.

use bson::raw::RawBsonRef;

use super::{
    context::Context,
    error::{Answer, Code, CommandError},
    field::{ignored, optional, required},
    operations::time_limit,
    request::Request,
    table::{Command, Scope},
};

/// `{getMore: id, collection, batchSize}`
pub static COMMAND: Command = Command {
    name: "getMore",
    aliases: &[],
    scope: Scope::Any,
    fields: &[required("collection"), optional("batchSize"), ignored("term")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let first = request.first()?;
    let RawBsonRef::Int64(id) = first else {
        return Err(request.wrong_type("getMore", first, "long"));
    };
    let collection = request.text("collection")?.unwrap_or_default();
    let ns = format!("{}.{collection}", request.db);
    // The limit of the command that opened the cursor holds; only a cursor that waits takes another.
    if time_limit(request)?.is_some() && context.cursors.is_open(context, id) {
        return Err(CommandError::new(
            Code::BAD_VALUE,
            "cannot set maxTimeMS on getMore command for a non-awaitData cursor",
        ));
    }
    context.cursors.next_batch(context, id, &ns, request.count("batchSize")?)
}
