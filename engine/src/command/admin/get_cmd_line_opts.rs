//! `getCmdLineOpts`: how the program was started.

use bson::{Document, doc};

use crate::command::core::{
    command::{Command, Scope},
    context::Context,
    error::Answer,
    reply::raw,
    request::Request,
};

/// `{getCmdLineOpts: 1}`. Arguments may contain private paths, so clients see only the
/// program's name.
pub static COMMAND: Command =
    Command { name: "getCmdLineOpts", aliases: &[], scope: Scope::Admin, fields: &[], run };

fn run(_: &Context, _: &Request<'_>) -> Answer {
    raw(&doc! { "argv": ["mayfly"], "parsed": Document::new() })
}
