//! `refreshSessions`: sessions change nothing here.

use bson::RawDocumentBuf;

use super::{
    context::Context,
    error::Answer,
    request::Request,
    table::{Command, Scope},
};

/// `{refreshSessions: [session]}`
pub static COMMAND: Command =
    Command { name: "refreshSessions", aliases: &[], scope: Scope::Any, fields: &[], run };

fn run(_: &Context, request: &Request<'_>) -> Answer {
    super::end_sessions::check_list(request)?;
    Ok(RawDocumentBuf::new())
}
