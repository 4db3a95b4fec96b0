//! `ping`: answers.

use bson::RawDocumentBuf;

use crate::command::core::{
    command::{Command, Scope},
    context::Context,
    error::Answer,
    request::Request,
};

/// `{ping: 1}`
pub static COMMAND: Command =
    Command { name: "ping", aliases: &[], scope: Scope::Any, fields: &[], run };

#[expect(clippy::unnecessary_wraps, reason = "the signature of every command")]
fn run(_: &Context, _: &Request<'_>) -> Answer {
    Ok(RawDocumentBuf::new())
}
