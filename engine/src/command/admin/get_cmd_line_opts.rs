//! `getCmdLineOpts`: how the program was started.

use bson::{Document, doc};

use crate::command::core::{Answer, Command, Context, Request, raw};

/// `{getCmdLineOpts: 1}`. Arguments may contain private paths, so clients see only the
/// program's name.
pub static COMMAND: Command = Command::admin("getCmdLineOpts", &[], run);

fn run(_: &Context, _: &Request<'_>) -> Answer {
    raw(&doc! { "argv": ["mayfly"], "parsed": Document::new() })
}
