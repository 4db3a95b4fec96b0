//! `mayfly scrub`.

use std::sync::Arc;

use mayfly_engine::{
    clock::{Clock, SystemClock},
    engine::upkeep,
};

use super::{
    Failure,
    args::Scrub,
    job_line::JobLine,
    verify::{found, print},
};

/// Reads everything in a data folder and prints what is damaged.
pub(super) fn run(args: &Scrub) -> Result<(), Failure> {
    if !args.data.is_dir() {
        return Err(Failure(format!("There is no data folder {}.", args.data.display())));
    }
    let mut line = JobLine::new()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let done = upkeep::scrub(&args.data, &clock, &mut |at| line.watch(at));
    drop(line);
    let report = done.map_err(Failure::from_error)?;
    print(&report.findings);
    let (status, findings) = (&report.status, report.status.findings);
    println!(
        "read {} documents, {} index entries: {}",
        status.documents,
        status.entries,
        if findings == 0 { "nothing is damaged" } else { "see above" }
    );
    if findings == 0 { Ok(()) } else { Err(found(findings, "data folder")) }
}
