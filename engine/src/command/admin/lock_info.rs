//! `lockInfo`: who holds and waits for locks. Readers need none, and writers wait inside a call.

use bson::{Bson, doc};

use crate::command::core::{
    command::{Command, Scope},
    context::Context,
    error::Answer,
    reply::raw,
    request::Request,
};

/// `{lockInfo: 1}`
pub static COMMAND: Command =
    Command { name: "lockInfo", aliases: &[], scope: Scope::Admin, fields: &[], run };

fn run(_: &Context, _: &Request<'_>) -> Answer {
    raw(&doc! { "lockInfo": Vec::<Bson>::new() })
}
