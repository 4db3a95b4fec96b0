//! `renameCollection`.

use bson::{RawDocumentBuf, raw::RawBsonRef};

use super::{
    context::Context,
    error::{Answer, Code, CommandError},
    field::{ignored, optional, required},
    request::Request,
    table::{Command, Scope},
};
use crate::catalog::{Dialect, Namespace};

/// `{renameCollection: "db.from", to: "db.to", dropTarget}`
pub static COMMAND: Command = Command {
    name: "renameCollection",
    aliases: &[],
    scope: Scope::Admin,
    fields: &[required("to"), optional("dropTarget"), ignored("stayTemp")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let first = request.first()?;
    let RawBsonRef::String(from) = first else {
        return Err(request.wrong_type("renameCollection", first, "string"));
    };
    let from = Namespace::parse(from)?;
    let to = Namespace::parse(request.text("to")?.unwrap_or_default())?;
    let drop_target = request.flag("dropTarget")?;
    let catalog = context.collections.catalog();
    if [&from.db, &to.db].iter().any(|db| catalog.dialect(db) == Dialect::Cosmos) {
        return Err(not_in_cosmos("renameCollection", "copy it with $out and drop it"));
    }
    context.collections.rename(&from, &to, drop_target)?;
    Ok(RawDocumentBuf::new())
}

/// The refusal of a command that Cosmos DB does not have; `instead` says what to do.
#[must_use]
pub fn not_in_cosmos(command: &str, instead: &str) -> CommandError {
    CommandError::new(
        Code::COMMAND_NOT_SUPPORTED,
        format!(
            "Command {command} is not supported in a database with the cosmos dialect; {instead}"
        ),
    )
}
