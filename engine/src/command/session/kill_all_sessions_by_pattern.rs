//! `killAllSessionsByPattern`: sessions change nothing here.

use bson::RawDocumentBuf;

use super::session_list::check_list;
use crate::command::core::{
    command::{Command, Scope},
    context::Context,
    error::Answer,
    request::Request,
};

/// `{killAllSessionsByPattern: [session]}`
pub static COMMAND: Command =
    Command { name: "killAllSessionsByPattern", aliases: &[], scope: Scope::Any, fields: &[], run };

fn run(_: &Context, request: &Request<'_>) -> Answer {
    check_list(request)?;
    Ok(RawDocumentBuf::new())
}
