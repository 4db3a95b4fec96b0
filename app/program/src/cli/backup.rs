//! `mayfly backup`.

use mayfly_engine::{
    archive::missing_from_backup,
    clock::{Clock as _, SystemClock},
    collection::backup_damage,
    store::{Store, StoreOptions, damaged_copy},
};

use super::{Failure, args::Backup, job_line::JobLine, store::check_exists, walk::store_options};
use crate::source::open::notices;

/// Backs up a closed store to a file.
pub(super) fn run(args: &Backup) -> Result<(), Failure> {
    check_exists(&args.data)?;
    let mut line = JobLine::new()?;
    let options = StoreOptions { now_ms: SystemClock.now_ms(), ..store_options() };
    let (store, report) = Store::open(&args.data, &options).map_err(Failure::from_error)?;
    for warning in notices(&report) {
        eprintln!("{warning}");
    }
    let done = store.backup_to(&args.dest, &mut |at| line.watch(at));
    drop(line);
    let report = done.map_err(Failure::from_error)?;
    println!("backed up {} bytes to {}", report.bytes, report.file.display());
    for older in report.kept.iter().filter(|kept| **kept != report.file) {
        println!("kept {}", older.display());
    }
    if let Some(copy) = damaged_copy(&args.dest).filter(|copy| *copy != report.file) {
        println!("kept {}, an older copy with damaged documents", copy.display());
    }
    if let Some(sentence) = missing_from_backup(&store).map_err(Failure::from_error)? {
        println!("{sentence}");
    }
    backup_damage(&store, &report).map_or(Ok(()), |sentence| Err(Failure(sentence)))
}
