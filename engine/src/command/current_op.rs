//! `currentOp`: what is being done now.

use bson::{Bson, doc};

use super::{
    context::Context,
    error::Answer,
    field::any,
    request::Request,
    run::raw,
    table::{Command, Scope},
};
use crate::reaper::THREAD_NAME;

/// `{currentOp: 1}`. The removals of a pass show as the monitor's own operation; commands end before
/// anybody could see them.
pub static COMMAND: Command =
    Command { name: "currentOp", aliases: &[], scope: Scope::Admin, fields: &[any()], run };

fn run(context: &Context, _: &Request<'_>) -> Answer {
    let mut in_progress: Vec<Bson> = Vec::new();
    if let Some(namespace) = context.reaper.current_namespace() {
        in_progress.push(Bson::Document(doc! {
            "type": "op",
            "desc": THREAD_NAME,
            "active": true,
            "op": "remove",
            "ns": namespace.to_string(),
        }));
    }
    raw(&doc! { "inprog": in_progress })
}
