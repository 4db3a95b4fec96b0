//! `mayfly export`.

use mayfly_engine::{
    catalog::Namespace,
    query::{Filter, VariableNames},
    transfer::{ExportFormat, ExportRequest, Progress, export},
    value::extjson::{Style, read_document},
};

use super::{
    Failure,
    args::{EjsonFormat, Export, OutputFormat},
    progress_line::with_progress,
    store,
};

/// Exports. The last line of standard output is the count.
pub(super) fn run(args: Export) -> Result<(), Failure> {
    let namespace = Namespace::checked(&args.db, &args.collection).map_err(Failure::from_error)?;
    let filter = args.filter.as_deref().map(filter).transpose()?;
    let format = format(&args)?;
    let request = ExportRequest {
        namespace,
        path: args.output,
        format,
        filter,
        gzip: args.gzip,
        indexes: args.indexes,
    };
    let engine = store::open(&args.data, false)?;
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

/// The output format. Refuses options of another format, which would have no effect.
fn format(args: &Export) -> Result<ExportFormat, Failure> {
    let is_csv = args.format == OutputFormat::Csv;
    for (option, is_given, belongs_to_csv) in [
        ("--ejson", args.ejson.is_some(), false),
        ("--fields", args.fields.is_some(), true),
        ("--escape-formulas", args.escape_formulas, true),
    ] {
        if is_given && belongs_to_csv != is_csv {
            let form = if belongs_to_csv { "CSV" } else { "JSON" };
            return Err(Failure(format!(
                "{option} requires {form}; remove it or change --format."
            )));
        }
    }
    let style = match args.ejson {
        None => Style::Typed,
        Some(EjsonFormat::Relaxed) => Style::Relaxed,
        Some(EjsonFormat::Canonical) => Style::Canonical,
    };
    Ok(match args.format {
        OutputFormat::Ndjson => ExportFormat::Ndjson(style),
        OutputFormat::Json => ExportFormat::Array(style),
        OutputFormat::Csv => {
            ExportFormat::Csv { fields: args.fields.clone(), escape_formulas: args.escape_formulas }
        }
    })
}

fn filter(text: &str) -> Result<Filter, Failure> {
    let wrong = |reason: String| Failure(format!("The filter can't be used: {reason}."));
    let document = read_document(text).map_err(|error| wrong(error.to_string()))?;
    Filter::parse_query(&document, &VariableNames::default())
        .map_err(|error| wrong(error.to_string()))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::{
        super::{Args, Command},
        *,
    };

    #[track_caller]
    fn check(options: &str, refused: Option<&str>) {
        let line = format!("mayfly export --data d --db d --collection c -o o {options}");
        let args = Args::try_parse_from(line.split_whitespace()).expect("arguments");
        let Some(Command::Export(args)) = args.command else { panic!("{line}") };
        let found = format(&args).err().map(|Failure(sentence)| sentence);
        let found = found.as_deref().and_then(|sentence| sentence.split_once(';'));
        assert_eq!(found.map(|(first, _)| first), refused, "{line}");
    }

    #[test]
    fn an_option_that_would_change_nothing_is_refused() {
        check("", None);
        check("--ejson canonical", None);
        check("--format csv --fields a,b --escape-formulas", None);
        check("--fields a", Some("--fields requires CSV"));
        check("--format json --fields a", Some("--fields requires CSV"));
        check("--escape-formulas", Some("--escape-formulas requires CSV"));
        check("--format csv --ejson relaxed", Some("--ejson requires JSON"));
    }
}
