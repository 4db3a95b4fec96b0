//! `mayfly restore`.

use std::sync::Arc;

use mayfly_engine::{
    clock::{Clock, SystemClock},
    engine::maintenance,
};

use super::{Failure, args::Restore, job_line::JobLine, verify, walk::itself};

/// Restores a backup to a data folder.
pub(super) fn run(args: &Restore) -> Result<(), Failure> {
    let mut line = JobLine::new()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let watch = &mut |at| line.watch(at);
    let walker = itself();
    let done =
        maintenance::restore(&args.from, &args.data, args.replace, &clock, walker.as_ref(), watch);
    drop(line);
    let report = done.map_err(Failure::from_error)?;
    verify::print(&report.verified.findings);
    println!("restored {} documents to {}", report.verified.documents, report.folder.display());
    if let Some(before) = &report.before {
        println!("kept the previous store as {}", before.display());
    }
    println!("documents that expired since the backup are kept until you release removals");
    Ok(())
}
