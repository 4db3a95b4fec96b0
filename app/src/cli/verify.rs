//! `mayfly verify`.

use mayfly_engine::store::Store;

use super::{Failure, args::Verify, stop::Stop, store};

/// Checks a data folder and prints what is wrong.
pub(super) fn run(args: &Verify) -> Result<(), Failure> {
    let stop = Stop::listen()?;
    if !args.data.is_dir() {
        return Err(Failure(format!("There is no data folder {}.", args.data.display())));
    }
    let structure = Store::check_structure(&args.data).map_err(Failure::from_error)?;
    for finding in &structure.findings {
        println!("{finding}");
    }
    let mut findings = structure.findings.len() as u64;
    if findings > 0 {
        return Err(found(findings));
    }
    let engine = store::open(&args.data, false, false)?;
    let report =
        engine.collections().verify(&mut |_| !stop.is_wanted()).map_err(Failure::from_error)?;
    engine.close().map_err(Failure::from_error)?;
    for finding in &report.findings {
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
    findings += report.findings.len() as u64 + report.findings_not_listed;
    if stop.is_wanted() {
        return Err(Failure("Stopped before everything was checked.".to_owned()));
    }
    println!(
        "checked {} collections, {} documents, {} index entries: {}",
        report.collections,
        report.documents,
        report.entries,
        if findings == 0 { "nothing is wrong" } else { "see above" }
    );
    if findings == 0 { Ok(()) } else { Err(found(findings)) }
}

fn found(findings: u64) -> Failure {
    match findings {
        1 => Failure("1 thing is wrong in the data folder.".to_owned()),
        n => Failure(format!("{n} things are wrong in the data folder.")),
    }
}
