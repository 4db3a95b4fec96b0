//! `ping`: answers.

use bson::RawDocumentBuf;

use super::{
    context::Context,
    error::Answer,
    request::Request,
    table::{Command, Scope},
};

/// `{ping: 1}`
pub static COMMAND: Command =
    Command { name: "ping", aliases: &[], scope: Scope::Any, fields: &[], run };

#[expect(clippy::unnecessary_wraps, reason = "the signature of every command")]
fn run(_: &Context, _: &Request<'_>) -> Answer {
    Ok(RawDocumentBuf::new())
}
