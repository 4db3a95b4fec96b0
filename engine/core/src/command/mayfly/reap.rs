//! `mayflyReap`: one full pass now, whatever the schedule and the guard say.

use bson::doc;

use crate::command::core::{
    Answer, Command, Context, Request, long, monitor::ttl_status::archive_holds, raw,
};

/// `{mayflyReap: 1}`
pub static COMMAND: Command = Command::admin("mayflyReap", &[], run);

fn run(context: &Context, _: &Request<'_>) -> Answer {
    for archive in context.reaper.archives().all() {
        archive.retry_now();
    }
    let report = context.reaper.run_pass();
    raw(&doc! {
        "deletedDocuments": long(report.deleted),
        "passes": long(report.sub_passes),
        "durationMillis": long(report.duration_micros / 1_000),
        // An explicit pass ignores the guard, but a failing archive still blocks removals.
        "held": archive_holds(context),
    })
}
