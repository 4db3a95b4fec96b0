//! `mayfly backup`.

use mayfly_engine::store::{BackupStage, Store, StoreOptions};

use super::{Failure, args::Backup};

/// Writes a consistent copy of a data folder that nobody has open.
pub(super) fn run(args: &Backup) -> Result<(), Failure> {
    if !args.data.is_dir() {
        return Err(Failure(format!("There is no data folder {}.", args.data.display())));
    }
    let (store, report) =
        Store::open(&args.data, &StoreOptions::default()).map_err(Failure::from_error)?;
    for warning in &report.warnings {
        eprintln!("{warning}");
    }
    let mut copied = 0;
    store
        .backup_to(&args.dest, &mut |stage| {
            if let BackupStage::Done { bytes } = stage {
                copied = bytes;
            }
        })
        .map_err(Failure::from_error)?;
    println!("backed up {copied} bytes to {}", args.dest.display());
    Ok(())
}
