//! `mayflyReap`: one full pass now, whatever the schedule and the guard say. Then everything whose
//! time in the trash is up is moved to its archive.

use bson::doc;

use crate::command::core::{
    Answer, Command, Context, Request, long, monitor::ttl_status::failing_archives, raw,
};

/// `{mayflyReap: 1}`
pub static COMMAND: Command = Command::admin("mayflyReap", &[], run);

fn run(context: &Context, _: &Request<'_>) -> Answer {
    let report = context.reaper.run_pass();
    context.reaper.drain_now();
    raw(&doc! {
        "deletedDocuments": long(report.deleted),
        "passes": long(report.sub_passes),
        "durationMillis": long(report.duration_micros / 1_000),
        "failing": failing_archives(context),
    })
}
