//! `connPoolStats`: connections to other servers, of which there are none.

use bson::{Document, doc};

use super::{
    context::Context,
    error::Answer,
    request::Request,
    run::raw,
    table::{Command, Scope},
};

/// `{connPoolStats: 1}`
pub static COMMAND: Command =
    Command { name: "connPoolStats", aliases: &[], scope: Scope::Any, fields: &[], run };

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
