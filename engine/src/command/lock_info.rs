//! `lockInfo`: who holds and waits for locks. Readers need none, and writers wait inside a call.

use bson::{Bson, doc};

use super::{
    context::Context,
    error::Answer,
    request::Request,
    run::raw,
    table::{Command, Scope},
};

/// `{lockInfo: 1}`
pub static COMMAND: Command =
    Command { name: "lockInfo", aliases: &[], scope: Scope::Admin, fields: &[], run };

fn run(_: &Context, _: &Request<'_>) -> Answer {
    raw(&doc! { "lockInfo": Vec::<Bson>::new() })
}
