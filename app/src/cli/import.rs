//! `mayfly import`.

use mayfly_engine::{
    catalog::Namespace,
    transfer::{Format, ImportRequest, Mode, Progress, import},
};

use super::{
    Failure,
    args::{Import, InFormat, InMode},
    progress_line::with_progress,
    store,
};

/// Imports; the last line of standard output says how much.
pub(super) fn run(args: Import) -> Result<(), Failure> {
    let namespace = Namespace::new(&args.db, &args.collection).map_err(Failure::from_error)?;
    let request = ImportRequest {
        format: match args.format {
            InFormat::Auto => Format::Auto,
            InFormat::Json => Format::Json,
            InFormat::Csv => Format::Csv,
        },
        mode: match args.mode {
            InMode::Insert => Mode::Insert,
            InMode::Skip => Mode::Skip,
            InMode::Replace => Mode::Replace,
            InMode::Merge => Mode::Merge,
        },
        drop: args.drop,
        stop_on_error: args.stop_on_error,
        ..ImportRequest::new(args.files, namespace)
    };
    let engine = store::open(&args.data, true, false)?;
    let progress = Progress::new();
    let report = with_progress(engine.clock().as_ref(), &progress, || {
        import(engine.collections(), &request, &progress)
    })?
    .map_err(Failure::from_error)?;
    engine.close().map_err(Failure::from_error)?;
    if report.legacy_values > 0 {
        eprintln!("{} values were in the older form of Extended JSON.", report.legacy_values);
    }
    println!(
        "imported {}, skipped {}, rejected {}",
        report.imported, report.skipped, report.rejected
    );
    match report.sentence() {
        Some(sentence) => Err(Failure(sentence)),
        None => Ok(()),
    }
}
