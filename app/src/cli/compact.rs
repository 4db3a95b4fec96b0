//! `mayfly compact`.

use std::sync::Arc;

use mayfly_engine::{
    clock::{Clock, SystemClock},
    engine::upkeep,
};

use super::{Failure, args::Compact, job_line::JobLine};

/// Writes the data file of a folder that nobody has open anew, without its free pages.
pub(super) fn run(args: &Compact) -> Result<(), Failure> {
    if !args.data.is_dir() {
        return Err(Failure(format!("There is no data folder {}.", args.data.display())));
    }
    let mut line = JobLine::new()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let done = upkeep::compact(&args.data, &clock, &mut |at| line.watch(at));
    drop(line);
    let report = done.map_err(Failure::from_error)?;
    println!("compacted {} bytes to {}", report.bytes_before, report.bytes_after);
    Ok(())
}
