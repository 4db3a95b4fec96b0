//! `killSessions`: sessions change nothing here.

use bson::RawDocumentBuf;

use super::session_list::check_list;
use crate::command::core::{
    command::{Command, Scope},
    context::Context,
    error::Answer,
    request::Request,
};

/// `{killSessions: [session]}`
pub static COMMAND: Command =
    Command { name: "killSessions", aliases: &[], scope: Scope::Any, fields: &[], run };

fn run(_: &Context, request: &Request<'_>) -> Answer {
    check_list(request)?;
    Ok(RawDocumentBuf::new())
}
