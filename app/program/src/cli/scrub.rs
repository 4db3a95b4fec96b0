//! `mayfly scrub`.

use mayfly_engine::engine::maintenance;

use super::{
    Failure,
    args::Scrub,
    job_line::on_folder,
    verify::{found, print},
};

/// Checks every checksum in a data folder and prints the damage.
pub(super) fn run(args: &Scrub) -> Result<(), Failure> {
    let report = on_folder(&args.data, maintenance::scrub)?;
    print(&report.findings);
    let (status, findings) = (&report.status, report.status.findings);
    println!(
        "read {} documents, {} index entries: {}",
        status.documents,
        status.entries,
        if findings == 0 { "no damage found" } else { "see above" }
    );
    if findings == 0 { Ok(()) } else { Err(found(findings, "data folder")) }
}
