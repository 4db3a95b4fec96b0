//! `startSession`: a session's id. Sessions change nothing here, so none is kept.

use bson::{Uuid, doc};

use super::{
    context::Context,
    error::Answer,
    hello::SESSION_TIMEOUT_MINUTES,
    request::Request,
    run::raw,
    table::{Command, Scope},
};

/// `{startSession: 1}`
pub static COMMAND: Command =
    Command { name: "startSession", aliases: &[], scope: Scope::Any, fields: &[], run };

fn run(_: &Context, _: &Request<'_>) -> Answer {
    raw(&doc! { "id": { "id": Uuid::new() }, "timeoutMinutes": SESSION_TIMEOUT_MINUTES })
}
