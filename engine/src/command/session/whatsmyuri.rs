//! `whatsmyuri`: the client's address as the server sees it.

use bson::doc;

use crate::command::core::{Answer, Command, Context, Request, raw};

/// `{whatsmyuri: 1}`
pub static COMMAND: Command = Command::any("whatsmyuri", &[], run);

fn run(_: &Context, request: &Request<'_>) -> Answer {
    raw(&doc! { "you": &request.client.address })
}
