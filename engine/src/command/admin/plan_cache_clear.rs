//! `planCacheClear`: every query plans from scratch, so there is no cache to clear.

use bson::RawDocumentBuf;

use crate::command::core::{Answer, Command, Context, Request, ignored};

/// `{planCacheClear: collection, query, sort, projection}`
pub static COMMAND: Command = Command::any(
    "planCacheClear",
    &[ignored("query"), ignored("sort"), ignored("projection"), ignored("collation")],
    run,
);

fn run(_: &Context, request: &Request<'_>) -> Answer {
    request.namespace()?;
    Ok(RawDocumentBuf::new())
}
