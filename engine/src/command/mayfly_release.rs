//! `mayflyRelease`: trusts the clock as it is and lets removals go on.

use bson::doc;

use super::{
    context::Context,
    error::Answer,
    request::Request,
    run::raw,
    table::{Command, Scope},
};

/// `{mayflyRelease: 1}`
pub static COMMAND: Command =
    Command { name: "mayflyRelease", aliases: &[], scope: Scope::Admin, fields: &[], run };

fn run(context: &Context, _: &Request<'_>) -> Answer {
    let was_held = context.reaper.release()?;
    raw(&doc! { "released": was_held })
}
