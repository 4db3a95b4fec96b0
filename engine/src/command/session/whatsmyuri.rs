//! `whatsmyuri`: the client's address as the server sees it.

use bson::doc;

use crate::command::core::{
    command::{Command, Scope},
    context::Context,
    error::Answer,
    reply::raw,
    request::Request,
};

/// `{whatsmyuri: 1}`
pub static COMMAND: Command =
    Command { name: "whatsmyuri", aliases: &[], scope: Scope::Any, fields: &[], run };

fn run(_: &Context, request: &Request<'_>) -> Answer {
    raw(&doc! { "you": &request.client.address })
}
