//! `mayflyReap`: one full pass now, whatever the schedule and the guard say.

use bson::{Bson, doc};

use super::{
    context::Context,
    error::Answer,
    request::Request,
    run::raw,
    table::{Command, Scope},
};

/// `{mayflyReap: 1}`
pub static COMMAND: Command =
    Command { name: "mayflyReap", aliases: &[], scope: Scope::Admin, fields: &[], run };

fn run(context: &Context, _: &Request<'_>) -> Answer {
    let report = context.reaper.run_pass();
    // An explicit command is never held back; the field is there for those who look at it.
    let held: Vec<Bson> = Vec::new();
    raw(&doc! {
        "deletedDocuments": long(report.deleted),
        "passes": long(report.sub_passes),
        "durationMillis": long(report.duration_micros / 1_000),
        "held": held,
    })
}

/// A count as an int64.
pub(super) fn long(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
