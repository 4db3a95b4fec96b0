//! `getCmdLineOpts`: how the program was started.

use bson::{Document, doc};

use super::{
    context::Context,
    error::Answer,
    request::Request,
    run::raw,
    table::{Command, Scope},
};

/// `{getCmdLineOpts: 1}`. Arguments may hold paths of the user and are nobody's business on the wire,
/// so only the program's name stands there.
pub static COMMAND: Command =
    Command { name: "getCmdLineOpts", aliases: &[], scope: Scope::Admin, fields: &[], run };

fn run(_: &Context, _: &Request<'_>) -> Answer {
    raw(&doc! { "argv": ["mayfly"], "parsed": Document::new() })
}
