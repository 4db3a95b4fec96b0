//! `mayfly export`.

use mayfly_engine::{
    catalog::Namespace,
    query::Filter,
    transfer::{ExportFormat, ExportRequest, Progress, export},
    value::extjson::{Style, read_document},
};

use super::{
    Failure,
    args::{Export, OutEjson, OutFormat},
    progress_line::with_progress,
    store,
};

/// Exports; the last line of standard output says how much.
pub(super) fn run(args: Export) -> Result<(), Failure> {
    let namespace = Namespace::new(&args.db, &args.collection).map_err(Failure::from_error)?;
    let filter = args.filter.as_deref().map(filter).transpose()?;
    let style = match args.ejson {
        None => Style::Typed,
        Some(OutEjson::Relaxed) => Style::Relaxed,
        Some(OutEjson::Canonical) => Style::Canonical,
    };
    let request = ExportRequest {
        namespace,
        path: args.output,
        format: match args.format {
            OutFormat::Ndjson => ExportFormat::Ndjson(style),
            OutFormat::Json => ExportFormat::Array(style),
            OutFormat::Csv => {
                let escape_formulas = args.escape_formulas;
                ExportFormat::Csv { fields: args.fields, escape_formulas }
            }
        },
        filter,
        gzip: args.gzip,
        indexes: args.indexes,
    };
    let engine = store::open(&args.data, false, false)?;
    let progress = Progress::new();
    let report = with_progress(engine.clock().as_ref(), &progress, || {
        export(engine.collections(), &request, &progress)
    })?
    .map_err(Failure::from_error)?;
    engine.close().map_err(Failure::from_error)?;
    if let Some(lookalikes) = report.lookalikes {
        eprintln!("Warning: {lookalikes}");
    }
    println!("exported {}", report.exported);
    report.left_out.map_or(Ok(()), |left_out| Err(Failure(format!("{left_out}."))))
}

fn filter(text: &str) -> Result<Filter, Failure> {
    let wrong = |reason: String| Failure(format!("The filter can't be used: {reason}."));
    let document = read_document(text).map_err(|error| wrong(error.to_string()))?;
    Filter::parse(&document).map_err(|error| wrong(error.to_string()))
}
