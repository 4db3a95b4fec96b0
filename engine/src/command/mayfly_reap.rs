//! `mayflyReap`: one full pass now, whatever the schedule and the guard say.

use bson::doc;

use super::{
    context::Context,
    error::Answer,
    mayfly_archive,
    request::Request,
    run::raw,
    table::{Command, Scope},
};

/// `{mayflyReap: 1}`
pub static COMMAND: Command =
    Command { name: "mayflyReap", aliases: &[], scope: Scope::Admin, fields: &[], run };

fn run(context: &Context, _: &Request<'_>) -> Answer {
    for archive in context.reaper.archives().all() {
        archive.retry_now();
    }
    let report = context.reaper.run_pass();
    raw(&doc! {
        "deletedDocuments": long(report.deleted),
        "passes": long(report.sub_passes),
        "durationMillis": long(report.duration_micros / 1_000),
        // An explicit command is not held back by the guard, but by an archive that fails.
        "held": mayfly_archive::held(context),
    })
}

/// A count as an int64.
pub(super) fn long(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
