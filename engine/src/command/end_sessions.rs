//! `endSessions`: sessions change nothing here.

use bson::RawDocumentBuf;

use super::{
    context::Context,
    error::Answer,
    request::Request,
    table::{Command, Scope},
};

/// `{endSessions: [session]}`
pub static COMMAND: Command =
    Command { name: "endSessions", aliases: &[], scope: Scope::Any, fields: &[], run };

#[expect(clippy::unnecessary_wraps, reason = "the signature of every command")]
fn run(_: &Context, _: &Request<'_>) -> Answer {
    Ok(RawDocumentBuf::new())
}
