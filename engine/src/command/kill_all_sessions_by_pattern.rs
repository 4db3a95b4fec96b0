//! `killAllSessionsByPattern`: sessions change nothing here.

use bson::RawDocumentBuf;

use super::{
    context::Context,
    error::Answer,
    request::Request,
    table::{Command, Scope},
};

/// `{killAllSessionsByPattern: [session]}`
pub static COMMAND: Command =
    Command { name: "killAllSessionsByPattern", aliases: &[], scope: Scope::Any, fields: &[], run };

fn run(_: &Context, request: &Request<'_>) -> Answer {
    super::end_sessions::check_list(request)?;
    Ok(RawDocumentBuf::new())
}
