//! `mayfly lesson progress`: a learner's record, and the table of a class.

use std::path::PathBuf;

use super::lesson::print;
use super::lesson_args::LessonProgress;
use super::standard_io::is_standard;
use super::{Failure, server};
use crate::lessons::class::{self, LearnerRecord};
use crate::lessons::handout;
use crate::lessons::progress::KeptProgress;
use crate::source::kept_file::data_file;
use crate::worker::transfer::check_absent;

pub(super) fn run(args: &LessonProgress) -> Result<(), Failure> {
    if !args.files.is_empty() {
        let class = class::read_all(&args.files).map_err(Failure)?;
        if !class.records.is_empty() {
            print(&class::table(&class.records))?;
        }
        return if class.failed.is_empty() {
            Ok(())
        } else {
            Err(Failure(class.failed.join("\n")))
        };
    }
    check_absent(args.export.clone(), args.overwrite).map_err(server::sentence)?;
    let name = match &args.export {
        Some(_) => name(args)?,
        None => "You".to_owned(),
    };
    run_in(args, name, data_file("lessons.json"))
}

/// The same with the progress that is kept in this file.
fn run_in(args: &LessonProgress, name: String, file: Option<PathBuf>) -> Result<(), Failure> {
    let mut kept = KeptProgress::open(file);
    for note in kept.take_notes() {
        eprintln!("{note}.");
    }
    let record = LearnerRecord::own(name, &args.dir, &kept.progress);
    match args.export.as_deref().filter(|path| !is_standard(path)) {
        None if args.export.is_some() => print(&record.to_json()),
        Some(path) => handout::save(&record.to_json(), path).map_err(Failure),
        None => print(&class::table(&[record])),
    }
}

/// The name of the learner: that of the option, or of the account.
fn name(args: &LessonProgress) -> Result<String, Failure> {
    let account = || ["USER", "USERNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    let name = args.name.clone().or_else(account).unwrap_or_default();
    let name = name.trim();
    if name.is_empty() {
        return Err(Failure("Whose progress is it? Add --name NAME.".to_owned()));
    }
    Ok(name.to_owned())
}
