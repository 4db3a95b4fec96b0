//! `fsyncUnlock`: nothing is ever locked.

use crate::command::core::{Answer, Code, Command, CommandError, Context, Request};

/// `{fsyncUnlock: 1}`
pub static COMMAND: Command = Command::admin("fsyncUnlock", &[], run);

fn run(_: &Context, _: &Request<'_>) -> Answer {
    Err(CommandError::new(Code::ILLEGAL_OPERATION, "fsyncUnlock called when not locked"))
}
