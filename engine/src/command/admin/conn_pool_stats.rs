//! `connPoolStats`: connections to other servers, of which there are none.

use bson::{Document, doc};

use crate::command::core::{Answer, Command, Context, Request, raw};

/// `{connPoolStats: 1}`
pub static COMMAND: Command = Command::any("connPoolStats", &[], run);

fn run(_: &Context, _: &Request<'_>) -> Answer {
    raw(&doc! {
        "numClientConnections": 0,
        "numAScopedConnections": 0,
        "totalInUse": 0,
        "totalAvailable": 0,
        "totalLeased": 0,
        "totalCreated": 0,
        "totalRefreshing": 0,
        "pools": Document::new(),
        "hosts": Document::new(),
    })
}
