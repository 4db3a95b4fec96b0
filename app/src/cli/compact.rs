//! `mayfly compact`.

use mayfly_engine::engine::maintenance;

use super::{Failure, args::Compact, job_line::on_folder};

/// Writes the data file of a folder that nobody has open anew, without its free pages.
pub(super) fn run(args: &Compact) -> Result<(), Failure> {
    let report = on_folder(&args.data, maintenance::compact)?;
    println!("compacted {} bytes to {}", report.bytes_before, report.bytes_after);
    Ok(())
}
