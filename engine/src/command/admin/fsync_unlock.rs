//! `fsyncUnlock`: nothing is ever locked.

use crate::command::core::{
    command::{Command, Scope},
    context::Context,
    error::{Answer, Code, CommandError},
    request::Request,
};

/// `{fsyncUnlock: 1}`
pub static COMMAND: Command =
    Command { name: "fsyncUnlock", aliases: &[], scope: Scope::Admin, fields: &[], run };

fn run(_: &Context, _: &Request<'_>) -> Answer {
    Err(CommandError::new(Code::ILLEGAL_OPERATION, "fsyncUnlock called when not locked"))
}
