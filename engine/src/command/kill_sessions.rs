//! `killSessions`: sessions change nothing here.

use bson::RawDocumentBuf;

use super::{
    context::Context,
    error::Answer,
    request::Request,
    table::{Command, Scope},
};

/// `{killSessions: [session]}`
pub static COMMAND: Command =
    Command { name: "killSessions", aliases: &[], scope: Scope::Any, fields: &[], run };

fn run(_: &Context, request: &Request<'_>) -> Answer {
    super::end_sessions::check_list(request)?;
    Ok(RawDocumentBuf::new())
}
