//! `ping`: answers.

use bson::RawDocumentBuf;

use crate::command::core::{Answer, Command, Context, Request};

/// `{ping: 1}`
pub static COMMAND: Command = Command::any("ping", &[], run);

#[expect(clippy::unnecessary_wraps, reason = "the signature of every command")]
fn run(_: &Context, _: &Request<'_>) -> Answer {
    Ok(RawDocumentBuf::new())
}
