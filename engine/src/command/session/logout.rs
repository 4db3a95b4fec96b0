//! `logout`: the listener ends the login itself; for the program, which never logs in, nothing
//! ends.

use bson::RawDocumentBuf;

use crate::command::core::{Answer, Command, Context, Request};

/// `{logout: 1}`
pub static COMMAND: Command = Command::any("logout", &[], run);

#[expect(clippy::unnecessary_wraps, reason = "the signature of every command")]
fn run(_: &Context, request: &Request<'_>) -> Answer {
    request.client.log_in(None);
    Ok(RawDocumentBuf::new())
}
