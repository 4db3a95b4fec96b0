//! `planCacheClear`: every query plans from scratch, so there is no cache to clear.

use bson::RawDocumentBuf;

use crate::command::core::{
    command::{Command, Scope},
    context::Context,
    error::Answer,
    field::ignored,
    request::Request,
};

/// `{planCacheClear: collection, query, sort, projection}`
pub static COMMAND: Command = Command {
    name: "planCacheClear",
    aliases: &[],
    scope: Scope::Any,
    fields: &[ignored("query"), ignored("sort"), ignored("projection"), ignored("collation")],
    run,
};

fn run(_: &Context, request: &Request<'_>) -> Answer {
    request.namespace()?;
    Ok(RawDocumentBuf::new())
}
