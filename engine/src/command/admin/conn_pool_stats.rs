//! `connPoolStats`: connections to other servers, of which there are none.

use bson::{Document, doc};

use crate::command::core::{
    command::{Command, Scope},
    context::Context,
    error::Answer,
    reply::raw,
    request::Request,
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
