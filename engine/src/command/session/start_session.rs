//! `startSession`: a session's id. Sessions change nothing here, so none is kept.

use bson::{Uuid, doc};

use crate::command::core::{
    Answer, Command, Context, Request, raw, server::SESSION_TIMEOUT_MINUTES,
};

/// `{startSession: 1}`
pub static COMMAND: Command = Command::any("startSession", &[], run);

fn run(_: &Context, _: &Request<'_>) -> Answer {
    raw(&doc! { "id": { "id": Uuid::new() }, "timeoutMinutes": SESSION_TIMEOUT_MINUTES })
}
