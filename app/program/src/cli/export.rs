//! `mayfly export`.

use std::path::Path;

use bson::{Bson, Document};
use mayfly_engine::{
    catalog::Namespace,
    clock::SystemClock,
    transfer::{
        Compression, CsvForm, CsvOptions, DumpExport, ExportFormat, ExportQuery, ExportRequest,
        Losses, Progress, export_dump, export_warning, indexes_path,
    },
    value::extjson::{Style, read_document},
};

use super::{
    Failure,
    args::{EjsonFormat, Export, OutputFormat},
    progress_line::{say, with_progress},
    server, standard_io, store,
};
use crate::worker::transfer::check_absent;

/// Exports. The last line of standard output is the count.
pub(super) fn run(args: &Export) -> Result<(), Failure> {
    if standard_io::is_standard(&args.output) {
        return standard_io::export(args, run);
    }
    let Some((db, collection)) = args.db.as_deref().zip(args.collection.as_deref()) else {
        return folder(args);
    };
    let namespace = Namespace::checked(db, collection)
        .map_err(|error| Failure(format!("Can't export {db}.{collection}: {error}.")))?;
    let query = query(args)?;
    let format = format(args)?;
    let indexes = args.indexes.then(|| indexes_path(&args.output));
    let files = std::iter::once(args.output.clone()).chain(indexes);
    check_absent(files, args.overwrite).map_err(server::sentence)?;
    if let Some(variable) = &args.uri_env {
        return server::export(variable, args, &namespace, find(args, collection)?, format);
    }
    let request = ExportRequest {
        namespace,
        path: args.output.clone(),
        format,
        query,
        compression: compression(args),
        indexes: args.indexes,
    };
    let engine = store::open(store::folder(args.data.as_ref())?, false)?;
    let progress = Progress::new();
    let report = with_progress(engine.clock().as_ref(), &progress, || {
        let mut warn = |losses: &Losses| warn_of(losses, &request.format);
        export_warning(engine.collections(), &request, &progress, &mut warn)
    })?
    .map_err(Failure::from_error)?;
    engine.close().map_err(Failure::from_error)?;
    if let Some(lookalikes) = report.lookalikes {
        eprintln!("Warning: {lookalikes}");
    }
    say_count(args, report.exported);
    report.left_out.map_or(Ok(()), |left_out| Err(Failure(format!("{left_out}."))))
}

/// Says how many documents were exported, on the stream that has no documents.
pub(super) fn say_count(args: &Export, exported: u64) {
    if args.is_piped {
        eprintln!("exported {exported}");
    } else {
        println!("exported {exported}");
    }
}

/// Says what an import of the file will change, and which option keeps it.
pub(super) fn warn_of(losses: &Losses, format: &ExportFormat) {
    if losses.is_empty() {
        return;
    }
    let mut lines = vec!["Warning: when the file is imported,".to_owned()];
    lines.extend(losses.sentences().into_iter().map(|sentence| format!("  {sentence}")));
    match format {
        ExportFormat::Csv(CsvOptions { form: CsvForm::Exact, .. }) => {
            lines.push("--typed-header keeps the types of all values.".to_owned());
        }
        ExportFormat::Ndjson(_) | ExportFormat::Array(_) => {
            lines.push("--ejson canonical keeps them.".to_owned());
        }
        ExportFormat::Csv(_) | ExportFormat::Bson => {}
    }
    say(&lines.join("\n"));
}

/// Exports databases to a folder. The last line of standard output is the count.
fn folder(args: &Export) -> Result<(), Failure> {
    let request = DumpExport {
        db: args.db.clone(),
        collections: (!args.only.is_empty()).then(|| args.only.clone()),
        folder: args.output.clone(),
        compression: compression(args),
    };
    let progress = Progress::new();
    let report = if let Some(variable) = &args.uri_env {
        let (source, _) = server::attach(variable, true)?;
        let transfers = server::transfers(source.as_ref())?;
        let report =
            with_progress(&SystemClock, &progress, || transfers.export_dump(&request, &progress))?;
        source.close();
        report.map_err(Failure::from_error)?
    } else {
        let engine = store::open(store::folder(args.data.as_ref())?, false)?;
        let report = with_progress(engine.clock().as_ref(), &progress, || {
            export_dump(engine.collections(), &request, &progress)
        })?
        .map_err(Failure::from_error)?;
        engine.close().map_err(Failure::from_error)?;
        report
    };
    for note in &report.notes {
        eprintln!("Warning: {note}");
    }
    for (namespace, written) in &report.collections {
        println!("{namespace}: {}", written.exported);
    }
    println!("exported {}", report.documents());
    let is_whole = report.collections.iter().all(|(_, written)| written.left_out.is_none());
    if is_whole { Ok(()) } else { Err(Failure("Damaged documents were not exported.".to_owned())) }
}

pub(super) fn compression(args: &Export) -> Compression {
    let by_name = || args.collection.is_some().then(|| ends(&args.output)).and_then(|(_, end)| end);
    match (args.gzip, args.zstd) {
        (true, _) => Compression::Gzip,
        (_, true) => Compression::Zstd,
        _ => by_name().unwrap_or(Compression::None),
    }
}

/// The last two ends of a file's name: the format and the compression that it says.
fn ends(file: &Path) -> (Option<OutputFormat>, Option<Compression>) {
    let name = file.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let ends = [(".gz", Compression::Gzip), (".zst", Compression::Zstd)];
    let (name, compression) = ends
        .into_iter()
        .find_map(|(end, compression)| Some((name.strip_suffix(end)?, Some(compression))))
        .unwrap_or((&name, None));
    let format = match name.rsplit_once('.') {
        Some((_, "csv")) => Some(OutputFormat::Csv),
        Some((_, "bson")) => Some(OutputFormat::Bson),
        _ => None,
    };
    (format, compression)
}

/// The output format.
fn format(args: &Export) -> Result<ExportFormat, Failure> {
    let format = args.format.or(ends(&args.output).0).unwrap_or(OutputFormat::Ndjson);
    let is_csv = format == OutputFormat::Csv;
    let is_json = matches!(format, OutputFormat::Ndjson | OutputFormat::Json);
    for (option, is_given, form, is_form) in [
        ("--ejson", args.ejson.is_some(), "JSON", is_json),
        ("--fields", args.fields.is_some(), "CSV", is_csv),
        ("--exclude-fields", !args.exclude_fields.is_empty(), "CSV", is_csv),
        ("--escape-formulas", args.escape_formulas, "CSV", is_csv),
        ("--typed-header", args.typed_header, "CSV", is_csv),
    ] {
        // An option of another format would have no effect, so it is refused.
        if is_given && !is_form {
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
    Ok(match format {
        OutputFormat::Ndjson => ExportFormat::Ndjson(style),
        OutputFormat::Json => ExportFormat::Array(style),
        OutputFormat::Bson => ExportFormat::Bson,
        OutputFormat::Csv => {
            let (fields, hidden) = (args.fields.clone(), args.exclude_fields.clone());
            let form = match (args.typed_header, args.escape_formulas) {
                (true, _) => CsvForm::Typed,
                (_, true) => CsvForm::Spreadsheet,
                _ => CsvForm::Exact,
            };
            ExportFormat::Csv(CsvOptions { fields, form, hidden })
        }
    })
}

/// The command that reads the documents from a server.
fn find(args: &Export, collection: &str) -> Result<Document, Failure> {
    let mut find = bson::doc! { "find": collection };
    let parts = [
        ("filter", &args.filter),
        ("sort", &args.sort),
        ("projection", &args.projection),
        ("collation", &args.collation),
    ];
    for (name, text) in parts {
        find.insert(name, document(name, text.as_deref())?);
    }
    for (name, number) in [("skip", args.skip), ("limit", args.limit)] {
        if number > 0 {
            find.insert(name, i64::try_from(number).unwrap_or(i64::MAX));
        }
    }
    if let Some(hint) = hint(args)? {
        find.insert("hint", hint);
    }
    Ok(find)
}

/// The index to use: its name, or its keys.
fn hint(args: &Export) -> Result<Option<Bson>, Failure> {
    Ok(match args.hint.as_deref() {
        Some(keys) if keys.trim_start().starts_with('{') => {
            Some(Bson::Document(document("hint", Some(keys))?))
        }
        name => name.map(Bson::from),
    })
}

/// Which documents, as `find` reads its parts.
fn query(args: &Export) -> Result<ExportQuery, Failure> {
    let filter = document("filter", args.filter.as_deref())?;
    let sort = document("sort", args.sort.as_deref())?;
    let projection = document("projection", args.projection.as_deref())?;
    let hint = hint(args)?;
    let collation = document("collation", args.collation.as_deref())?;
    let query = ExportQuery::parse(&filter, &sort, &projection, hint.as_ref(), &collation)
        .map_err(|error| Failure(format!("The query can't be used: {error}.")))?;
    let limit = Some(args.limit).filter(|limit| *limit > 0);
    Ok(ExportQuery { skip: args.skip, limit, ..query })
}

fn document(name: &str, text: Option<&str>) -> Result<Document, Failure> {
    let wrong = |reason: String| Failure(format!("The {name} can't be used: {reason}."));
    let Some(text) = text else { return Ok(Document::new()) };
    let read = read_document(text).map_err(|error| wrong(error.to_string()))?;
    Document::try_from(&*read).map_err(|error| wrong(error.to_string()))
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
        check("--format csv --typed-header", None);
        check("--typed-header", Some("--typed-header requires CSV"));
        check("--format csv --ejson relaxed", Some("--ejson requires JSON"));
        check("--format bson --zstd", None);
        check("--format bson --ejson relaxed", Some("--ejson requires JSON"));
        check("--exclude-fields a", Some("--exclude-fields requires CSV"));
    }

    #[test]
    fn the_name_of_the_file_says_its_format_and_compression() {
        let check = |name: &str, options: &str, expected: (&str, Compression)| {
            let line = format!("mayfly export --data d --db d --collection c -o {name} {options}");
            let args = Args::try_parse_from(line.split_whitespace()).expect("arguments");
            let Some(Command::Export(args)) = args.command else { panic!("{line}") };
            let format = match format(&args).expect("a format") {
                ExportFormat::Csv(_) => "csv",
                ExportFormat::Bson => "bson",
                ExportFormat::Array(_) => "json",
                ExportFormat::Ndjson(_) => "ndjson",
            };
            assert_eq!((format, compression(&args)), expected, "{line}");
        };
        check("carts.csv", "", ("csv", Compression::None));
        check("Carts.CSV.gz", "--fields a", ("csv", Compression::Gzip));
        check("carts.bson.zst", "", ("bson", Compression::Zstd));
        check("carts.csv", "--format json", ("json", Compression::None));
        check("carts.json", "", ("ndjson", Compression::None));
        check("carts.gz", "--zstd", ("ndjson", Compression::Zstd));
        check("-", "", ("ndjson", Compression::None));
    }

    #[test]
    fn without_a_collection_only_what_a_folder_has_is_accepted() {
        let check = |options: &str, is_good: bool| {
            let line = format!("mayfly export --data d -o o {options}");
            let args = Args::try_parse_from(line.split_whitespace());
            assert_eq!(args.is_ok(), is_good, "{line}");
        };
        check("", true);
        check("--db d --gzip", true);
        check("--db d --only a,b", true);
        check("--db d --collection c --format csv --limit 3", true);
        let of_server = ["mayfly", "export", "--uri-env", "U", "--db", "d", "-o", "o"];
        assert!(Args::try_parse_from(of_server).is_ok());
        for refused in [
            "--only a",
            "--collection c",
            "--db d --collection c --only a",
            "--db d --format csv",
            "--db d --filter {}",
            "--db d --limit 3",
            "--indexes",
        ] {
            check(refused, false);
        }
    }

    #[test]
    fn the_part_of_the_query_that_is_wrong_is_named() {
        let check = |options: &[&str], refused: Option<&str>| {
            let line = "mayfly export --data d --db d --collection c -o o";
            let line = line.split_whitespace().chain(options.iter().copied());
            let args = Args::try_parse_from(line).expect("arguments");
            let Some(Command::Export(args)) = args.command else { panic!("{options:?}") };
            let found = query(&args).err().map(|Failure(sentence)| sentence);
            let found = found.as_deref().and_then(|sentence| sentence.split_once(':'));
            assert_eq!(found.map(|(first, _)| first), refused, "{options:?}");
        };
        check(&["--sort", "{\"a\":-1}", "--skip", "2", "--limit", "3", "--hint", "a_1"], None);
        check(&["--hint", "{\"a\":1}", "--projection", "{\"a\":1}"], None);
        check(&["--sort", "{a"], Some("The sort can't be used"));
        check(&["--projection", "1"], Some("The projection can't be used"));
        check(&["--filter", "{\"a\":{\"$x\":1}}"], Some("The query can't be used"));
    }
}
