//! `lockInfo`: who holds and waits for locks. Readers need none, and writers wait inside a call.

use bson::{Bson, doc};

use crate::command::core::{Answer, Command, Context, Request, raw};

/// `{lockInfo: 1}`
pub static COMMAND: Command = Command::admin("lockInfo", &[], run);

fn run(_: &Context, _: &Request<'_>) -> Answer {
    raw(&doc! { "lockInfo": Vec::<Bson>::new() })
}
