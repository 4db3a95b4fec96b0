//! `mayfly check`.

use mayfly_engine::store::Store;

use super::{Failure, args::Check, job_line::JobLine, verify::found, walk::itself};

/// Checks the structure and checksums of a backup or data file without opening it.
pub(super) fn run(args: &Check) -> Result<(), Failure> {
    let mut line = JobLine::new()?;
    let done = Store::check_file(&args.file, itself().as_ref(), &mut |at| line.watch(at));
    drop(line);
    let report = done.map_err(Failure::from_error)?;
    for finding in &report.findings {
        println!("{finding}");
    }
    for row in &report.rows.first {
        println!("{row} does not match its checksum");
    }
    let findings = report.findings.len() as u64 + report.rows.count;
    if findings > 0 {
        return Err(found(findings, "file"));
    }
    let (used, free) = (report.pages_used, report.pages_free);
    println!("checked {used} used and {free} free pages: no problems found");
    Ok(())
}
