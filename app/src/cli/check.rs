//! `mayfly check`.

use mayfly_engine::store::Store;

use super::{Failure, args::Check, job_line::JobLine, verify::found};

/// Checks the structure of a backup or a data file without opening it.
pub(super) fn run(args: &Check) -> Result<(), Failure> {
    let mut line = JobLine::new()?;
    let done = Store::check_file(&args.file, &mut |at| line.watch(at));
    drop(line);
    let report = done.map_err(Failure::from_error)?;
    for finding in &report.findings {
        println!("{finding}");
    }
    if !report.findings.is_empty() {
        return Err(found(report.findings.len() as u64, "file"));
    }
    let (used, free) = (report.pages_used, report.pages_free);
    println!("checked {used} pages in use and {free} free: nothing is wrong");
    Ok(())
}
