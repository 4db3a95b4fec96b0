//! `mayfly verify`.

use mayfly_engine::{engine::maintenance, event::Finding};

use super::{Failure, args::Verify, job_line::on_folder};

/// Checks a data folder and prints the findings.
pub(super) fn run(args: &Verify) -> Result<(), Failure> {
    let report = on_folder(&args.data, maintenance::check)?;
    for finding in &report.structure {
        println!("{finding}");
    }
    print(&report.contents.findings);
    let findings = report.findings();
    if report.structure.is_empty() {
        let contents = &report.contents;
        println!(
            "checked {} collections, {} documents, {} index entries: {}",
            contents.collections,
            contents.documents,
            contents.entries,
            if findings == 0 { "no problems found" } else { "see above" }
        );
    }
    if findings == 0 { Ok(()) } else { Err(found(findings, "data folder")) }
}

/// Prints findings about the contents.
pub(super) fn print(findings: &[Finding]) {
    for finding in findings {
        let index = finding.index.as_ref().map(|index| format!(", index {index}"));
        let record = finding.record.map(|record| format!(", document {record}"));
        println!(
            "{}{}{}: {}",
            finding.namespace,
            index.unwrap_or_default(),
            record.unwrap_or_default(),
            finding.sentence
        );
    }
}

/// The failure with the number of findings.
pub(super) fn found(findings: u64, place: &str) -> Failure {
    match findings {
        1 => Failure(format!("1 problem found in the {place}.")),
        n => Failure(format!("{n} problems found in the {place}.")),
    }
}
