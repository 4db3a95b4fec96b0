//! `startSession`: a session's id. Sessions change nothing here, so none is kept.

use bson::{Uuid, doc};

use crate::command::core::{
    command::{Command, Scope},
    context::Context,
    error::Answer,
    reply::raw,
    request::Request,
    server::SESSION_TIMEOUT_MINUTES,
};

/// `{startSession: 1}`
pub static COMMAND: Command =
    Command { name: "startSession", aliases: &[], scope: Scope::Any, fields: &[], run };

fn run(_: &Context, _: &Request<'_>) -> Answer {
    raw(&doc! { "id": { "id": Uuid::new() }, "timeoutMinutes": SESSION_TIMEOUT_MINUTES })
}
