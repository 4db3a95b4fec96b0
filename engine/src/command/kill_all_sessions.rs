//! `killAllSessions`: sessions change nothing here.

use bson::RawDocumentBuf;

use super::{
    context::Context,
    error::Answer,
    request::Request,
    table::{Command, Scope},
};

/// `{killAllSessions: [session]}`
pub static COMMAND: Command =
    Command { name: "killAllSessions", aliases: &[], scope: Scope::Any, fields: &[], run };

fn run(_: &Context, request: &Request<'_>) -> Answer {
    super::end_sessions::check_list(request)?;
    Ok(RawDocumentBuf::new())
}
