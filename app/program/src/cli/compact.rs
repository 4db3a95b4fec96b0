//! `mayfly compact`.

use mayfly_engine::engine::maintenance;

use super::{Failure, args::Compact, job_line::on_folder};

/// Rewrites the data file of a closed store without its free pages.
pub(super) fn run(args: &Compact) -> Result<(), Failure> {
    let report = on_folder(&args.data, maintenance::compact)?;
    println!("compacted {} bytes to {}", report.bytes_before, report.bytes_after);
    Ok(())
}
