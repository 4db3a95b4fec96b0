//! `mayfly import`.

use std::{collections::BTreeSet, path::PathBuf};

use mayfly_engine::{
    catalog::Namespace,
    clock::Clock,
    engine::Engine,
    transfer::{
        self as engine_transfer, CsvReading, DiskSpace, DumpChoice, FieldType, ImportEnd,
        ImportFormat, ImportMode, ImportReport, ImportRequest, Leniency, Nonstandard, PathSample,
        Preview, Progress, ReadOptions, ResumeRequest, RollBackReport, TextEncoding, TransferError,
        Types, Unconverted, UnfinishedImport, Zone, import, leave_import, preview, rehearse,
        resume_import, roll_back_import, unfinished_imports,
    },
    value::date_text::{DateForm, Order},
};

use super::{
    Failure,
    args::{ConflictMode, Import, InputFormat, UnconvertedMode},
    import_columns, import_dump, import_indexes,
    progress_line::with_progress,
    server, standard_io, store,
};
use crate::limits::REHEARSED_DOCS_MAX;
use crate::state::transfer::{command_line::quoted, disk_space::lack_of_space};

/// The ways to end an unfinished import.
const CHOICES: &str = "Run the same command with --resume to continue, --roll-back to remove its \
                       documents, or --leave to keep them and discard the import.";

/// Ends the sentence of an import that stopped because of its rejected documents.
const MORE_REJECTS: &str =
    "Add --max-rejects with a higher number, or with 0 for no limit, to read all documents.";

/// Imports. The last line of standard output has the counts.
pub(super) fn run(args: &Import) -> Result<(), Failure> {
    if args.files.iter().any(|file| standard_io::is_standard(file)) {
        return standard_io::import(args, run);
    }
    if import_dump::is_dump(args) {
        if args.uri_env.is_none() {
            store::folder(args.data.as_ref())?;
        }
        return import_dump::run(args);
    }
    let request = request(args.format, args.mode, args)?;
    let beside = import_dump::beside(&request, args);
    for (option, is_given) in [
        ("--only", !args.only.is_empty()),
        ("--except", !args.except.is_empty()),
        ("--no-ttl", args.no_ttl && beside.is_none()),
    ] {
        if is_given {
            return Err(Failure(format!("{option} needs a folder with collections; remove it.")));
        }
    }
    match &args.uri_env {
        Some(variable) => server::import(variable, args, request, beside),
        None => into_store(args, request, beside),
    }
}

fn into_store(
    args: &Import,
    mut request: ImportRequest,
    beside: Option<DumpChoice>,
) -> Result<(), Failure> {
    let engine = store::open(store::folder(args.data.as_ref())?, true)?;
    let (collections, clock) = (engine.collections(), engine.clock().as_ref());
    keep_distance(&args.keep_distance, clock.now_ms(), &mut request.types)?;
    let known = newest_unfinished(&engine, &request)?;
    let done = Way::of(args, known, &request).and_then(|way| match way {
        Way::Resume(known) => {
            let mut is_whole = false;
            let done = transfer(args, clock, |progress| {
                let resumed = resume_import(collections, resumption(&known, args), progress)?;
                is_whole = resumed.end == ImportEnd::Complete;
                Ok(resumed)
            });
            if let Some(choice) = beside.filter(|_| is_whole) {
                import_dump::finish(collections.as_ref(), &choice);
            }
            done
        }
        Way::RollBack(known) => {
            roll_back(clock, |progress| roll_back_import(collections, known.id, progress))
        }
        Way::Leave(known) => leave(&known, leave_import(collections, known.id)),
        Way::Begin => {
            if !args.no_space_check {
                check_disk_space(&engine, &request)?;
            }
            warn_of_overdue(&engine, &request)?;
            check_fields(&request)?;
            if let Some(choice) = beside {
                let now_ms = clock.now_ms();
                return transfer(args, clock, |progress| {
                    import_dump::with_metadata(&request, choice, now_ms, |wanted| {
                        engine_transfer::import_dump(collections, wanted, progress)
                    })
                });
            }
            let definitions = import_indexes::definitions(&engine, &request, args);
            let definitions = definitions?;
            transfer(args, clock, |progress| import(collections, &request, progress))?;
            import_indexes::create(&engine, &request.namespace, definitions)
        }
    });
    if args.rejects.is_some()
        && let Some(known) = newest_unfinished(&engine, &request)?
    {
        // Standard input can't be read again, so nothing could resume its import.
        leave_import(collections, known.id).map_err(Failure::from_error)?;
    }
    engine.close().map_err(Failure::from_error)?;
    done
}

/// The request to resume an import with the options of the command.
pub(super) fn resumption(known: &UnfinishedImport, args: &Import) -> ResumeRequest {
    ResumeRequest { id: known.id, rejects_max: args.max_rejects }
}

pub(super) enum Way {
    Begin,
    Resume(UnfinishedImport),
    RollBack(UnfinishedImport),
    Leave(UnfinishedImport),
}

impl Way {
    /// The way that the options ask for. `known` is the unfinished import of the same files.
    ///
    /// # Errors
    /// There is none, or an import must not begin before something is done with it.
    pub(super) fn of(
        args: &Import,
        known: Option<UnfinishedImport>,
        request: &ImportRequest,
    ) -> Result<Self, Failure> {
        match known {
            None if args.resume || args.roll_back || args.leave => {
                let into = &request.namespace;
                Err(Failure(format!("There is no unfinished import of these files into {into}.")))
            }
            Some(known) if args.resume => {
                check_same_options(&known.request, request).map(|()| Self::Resume(known))
            }
            Some(known) if args.roll_back => Ok(Self::RollBack(known)),
            Some(known) if args.leave => Ok(Self::Leave(known)),
            // A new import would store the documents again, or reject them as duplicates.
            Some(known) if request.mode == ImportMode::Insert && !request.drop => {
                Err(Failure(format!("{} {CHOICES}", known.sentence())))
            }
            _ => Ok(Self::Begin),
        }
    }
}

fn request(
    format: InputFormat,
    mode: ConflictMode,
    args: &Import,
) -> Result<ImportRequest, Failure> {
    let (Some(db), Some(collection)) = (&args.db, &args.collection) else {
        return Err(Failure("Files need a target: add --db and --collection.".to_owned()));
    };
    let namespace = Namespace::checked(db, collection)
        .map_err(|error| Failure(format!("Can't import into {db}.{collection}: {error}.")))?;
    check_named_once(&args.files)?;
    Ok(ImportRequest {
        format: match format {
            InputFormat::Auto => ImportFormat::Auto,
            InputFormat::Json => ImportFormat::Json,
            InputFormat::Csv => ImportFormat::Csv,
            InputFormat::Bson => ImportFormat::Bson,
        },
        mode: import_mode(mode),
        encoding: encoding(args)?,
        leniency: leniency(args)?,
        types: types(args)?,
        renames: import_columns::renames(&args.renames)?,
        sheet: args.sheet.clone(),
        csv: CsvReading {
            decimal_comma: args.decimal_comma,
            backslash_escapes: args.backslash_escapes,
        },
        drop: args.drop,
        stop_on_error: args.stop_on_error,
        rejects: args.rejects.clone(),
        rejects_max: args.max_rejects,
        ..ImportRequest::new(args.files.clone(), namespace)
    })
}

/// Refuses a file that is named twice: its documents would be rejected as duplicates.
fn check_named_once(files: &[PathBuf]) -> Result<(), Failure> {
    let mut known = BTreeSet::new();
    let mut is_new =
        |file: &PathBuf| known.insert(file.canonicalize().unwrap_or_else(|_| file.clone()));
    match files.iter().find(|file| !is_new(file)) {
        None => Ok(()),
        Some(file) => Err(Failure(format!("{} is named twice; name it once.", file.display()))),
    }
}

pub(super) fn import_mode(mode: ConflictMode) -> ImportMode {
    match mode {
        ConflictMode::Insert => ImportMode::Insert,
        ConflictMode::Skip => ImportMode::Skip,
        ConflictMode::Replace => ImportMode::Replace,
        ConflictMode::Merge => ImportMode::Merge,
    }
}

fn encoding(args: &Import) -> Result<Option<TextEncoding>, Failure> {
    let wrong = |error: String| Failure(format!("--encoding: {error}."));
    args.encoding.as_deref().map(TextEncoding::parse).transpose().map_err(wrong)
}

fn leniency(args: &Import) -> Result<Leniency, Failure> {
    let mut leniency = Leniency::default();
    for (nonstandard, is_read) in [
        (Nonstandard::DuplicateField, args.last_duplicate),
        (Nonstandard::BigInteger, args.big_integers),
        (Nonstandard::NotFinite, args.nan),
        (Nonstandard::NoZone, args.zone.is_some()),
        (Nonstandard::BrokenText, args.replace_broken_text),
    ] {
        leniency.set(nonstandard, is_read);
    }
    if let Some(zone) = &args.zone {
        leniency.zone = Leniency::read_zone(zone).map_err(|error| Failure(format!("{error}.")))?;
    }
    Ok(leniency)
}

/// The types of fields.
fn types(args: &Import) -> Result<Types, Failure> {
    let wrong = |error: String| Failure(format!("{error}."));
    let mut types = Types {
        unconverted: match args.unconverted {
            UnconvertedMode::Keep => Unconverted::Keep,
            UnconvertedMode::Null => Unconverted::Null,
            UnconvertedMode::Reject => Unconverted::Reject,
        },
        ..Types::default()
    };
    for text in &args.types {
        types.add(FieldType::parse(text).map_err(wrong)?);
    }
    if let Some(zone) = &args.zone {
        types.zone = Leniency::read_zone(zone).map_err(wrong)?;
    }
    types.check().map_err(wrong)?;
    Ok(types)
}

/// Moves the dates of fields: `PATH=DATE`, where the date becomes now.
pub(super) fn keep_distance(all: &[String], now_ms: i64, types: &mut Types) -> Result<(), Failure> {
    for text in all {
        let anchor = text.split_once('=').and_then(|(path, date)| {
            let date = date.trim_end_matches(" UTC");
            Some((path, DateForm::Iso.read(date, Zone::UTC).ok()?))
        });
        let Some((path, anchor_ms)) = anchor else {
            let what = "is not PATH=DATE, such as at=2026-01-31";
            return Err(Failure(format!("--keep-distance: {text:?} {what}.")));
        };
        let Some(field) = types.fields.iter_mut().find(|field| field.path == path) else {
            return Err(Failure(format!(
                "--keep-distance: {path} has no --type; add --type {}.",
                quoted(&format!("{path}=date"))
            )));
        };
        field.shift_ms = now_ms.saturating_sub(anchor_ms);
    }
    Ok(())
}

/// Says which fields hold text that looks like dates, and which columns have other names or types
/// than the file suggests.
///
/// # Errors
/// A type is chosen for a column that isn't there.
pub(super) fn check_fields(request: &ImportRequest) -> Result<(), Failure> {
    let Some(file) = request.files.first() else { return Ok(()) };
    let options = ReadOptions { types: Types::default(), ..request.read_options() };
    let Ok(found) = preview(file, &options) else { return Ok(()) };
    import_columns::check_types(request, &found.columns)?;
    if let Some(hint) = sheets_hint(&found, request) {
        eprintln!("{hint}");
    }
    for hint in import_columns::hints(&found.columns, request) {
        eprintln!("{hint}");
    }
    for sample in &found.paths {
        if request.types.field(&sample.path).is_none()
            && let Some(hint) = hint(sample)
        // MongoDB never expires a text that looks like a date.
        {
            eprintln!("{hint}");
        }
    }
    Ok(())
}

/// Names the sheets of a workbook that are not imported, unless one was chosen.
fn sheets_hint(found: &Preview, request: &ImportRequest) -> Option<String> {
    let taken = found.sheet.as_deref().filter(|_| request.sheet.is_none())?;
    let others = found.sheets.iter().filter(|sheet| *sheet != taken);
    let others: Vec<String> = others.map(|sheet| quoted(sheet)).collect();
    (!others.is_empty()).then(|| {
        format!(
            "Only the sheet {} is imported; to import another, add --sheet with its name: {}.",
            quoted(taken),
            others.join(", ")
        )
    })
}

/// The argument that makes dates of a field's text.
fn hint(sample: &PathSample) -> Option<String> {
    let dates = sample.dates.as_ref().filter(|dates| !dates.are_numbers)?;
    let options = |forms: &[DateForm]| {
        let field =
            FieldType::new(&sample.path, mayfly_engine::transfer::TargetType::Date(forms.to_vec()));
        let all = field.arguments();
        let all: Vec<String> = all.iter().map(|it| format!("--type {}", quoted(it))).collect();
        all.join(" ")
    };
    let how = match &dates.order {
        Order::Ask(ways) => {
            let ways = ways.iter().map(|way| {
                format!("{} ({})", options(&way.forms), way.order.label().to_lowercase())
            });
            ways.collect::<Vec<_>>().join(" or ")
        }
        Order::Clear | Order::Decided { .. } => options(&dates.forms),
    };
    Some(format!(
        "{}: text that looks like dates stays text and never expires; to convert it, add {how}.",
        sample.path
    ))
}

/// The newest unfinished import of the same files into the same collection.
fn newest_unfinished(
    engine: &Engine,
    request: &ImportRequest,
) -> Result<Option<UnfinishedImport>, Failure> {
    let all = unfinished_imports(engine.collections()).map_err(Failure::from_error)?;
    Ok(all.into_iter().rev().find(|known| known.is_of(request)))
}

/// Refuses other options than those.
fn check_same_options(begun: &ImportRequest, request: &ImportRequest) -> Result<(), Failure> {
    // An import resumes with the options that it was started with.
    let (was, is) = (begun.leniency, request.leniency);
    let has_other_zone = is.takes(Nonstandard::NoZone) && is.zone != was.zone;
    let odd = Nonstandard::ALL
        .into_iter()
        .filter(|nonstandard| is.takes(*nonstandard) && !was.takes(*nonstandard));
    let mut new: Vec<&str> = odd.map(Nonstandard::flag).collect();
    for (flag, is_new) in [
        ("--zone", has_other_zone && was.takes(Nonstandard::NoZone)),
        ("--format", request.format != ImportFormat::Auto && request.format != begun.format),
        ("--encoding", request.encoding.is_some() && request.encoding != begun.encoding),
        ("--mode", request.mode != ImportMode::Insert && request.mode != begun.mode),
        ("--stop-on-error", request.stop_on_error && !begun.stop_on_error),
        ("--type", has_other_types(&request.types, &begun.types)),
        ("--sheet", request.sheet.is_some() && request.sheet != begun.sheet),
        ("--decimal-comma", request.csv.decimal_comma && !begun.csv.decimal_comma),
        ("--backslash-escapes", request.csv.backslash_escapes && !begun.csv.backslash_escapes),
        ("--rename", !request.renames.is_empty() && request.renames != begun.renames),
    ] {
        if is_new {
            new.push(flag);
        }
    }
    if new.is_empty() {
        return Ok(());
    }
    Err(Failure(format!(
        "The import was started without {}. Remove that option, or use --roll-back and start over.",
        new.join(", ")
    )))
}

/// Whether types were chosen that are not those of the import. A shift depends on when it began.
fn has_other_types(is: &Types, was: &Types) -> bool {
    let fields = |types: &Types| -> Vec<String> {
        types.fields.iter().flat_map(FieldType::arguments).collect()
    };
    !is.is_empty() && (fields(is) != fields(was) || is.unconverted != was.unconverted)
}

/// Refuses files that don't fit on the disk.
fn check_disk_space(engine: &Engine, request: &ImportRequest) -> Result<(), Failure> {
    let space = DiskSpace::of(engine.collections(), &request.files).map_err(Failure::from_error)?;
    match space.as_ref().and_then(lack_of_space) {
        None => Ok(()),
        Some(lack) => Err(Failure(format!("{lack}. Free disk space, or use --no-space-check."))),
    }
}

/// Warns how many of the first documents the collection's TTL indexes would remove in the next
/// pass.
fn warn_of_overdue(engine: &Engine, request: &ImportRequest) -> Result<(), Failure> {
    let catalog = engine.collections().catalog();
    let has_ttl = catalog.collection(&request.namespace).is_some_and(|collection| {
        collection.indexes.iter().any(|index| index.ttl_rule().is_some())
    });
    if request.drop || !has_ttl {
        return Ok(());
    }
    for file in &request.files {
        let found = rehearse(
            engine.collections(),
            &request.namespace,
            file,
            &request.read_options(),
            REHEARSED_DOCS_MAX,
            &Progress::new(),
        )
        .map_err(Failure::from_error)?;
        if found.overdue > 0 {
            eprintln!(
                "{} of the first {} documents in {} are already expired in {} and will be removed \
                 by the next pass.",
                found.overdue,
                found.documents,
                file.display(),
                request.namespace
            );
        }
    }
    Ok(())
}

pub(super) fn transfer(
    args: &Import,
    clock: &dyn Clock,
    work: impl FnOnce(&Progress) -> Result<ImportReport, TransferError> + Send,
) -> Result<(), Failure> {
    let progress = Progress::new();
    let report =
        with_progress(clock, &progress, || work(&progress))?.map_err(Failure::from_error)?;
    let notes = report.notes().into_iter().map(|sentence| format!("{sentence}."));
    for sentence in report.nothing_read().into_iter().chain(notes) {
        eprintln!("{sentence}");
    }
    println!(
        "imported {}, skipped {}, rejected {}",
        report.imported, report.skipped, report.rejected
    );
    let Some(mut sentence) = report.sentence() else { return Ok(()) };
    let choices = if args.rejects.is_some() { standard_io::INPUT_CHOICES } else { CHOICES };
    for (ending, is_said) in [
        (MORE_REJECTS, report.end == ImportEnd::TooManyRejects),
        (choices, report.unfinished.is_some()),
    ] {
        if is_said {
            sentence = format!("{sentence} {ending}");
        }
    }
    Err(Failure(sentence))
}

pub(super) fn roll_back(
    clock: &dyn Clock,
    work: impl FnOnce(&Progress) -> Result<RollBackReport, TransferError> + Send,
) -> Result<(), Failure> {
    let progress = Progress::new();
    let report =
        with_progress(clock, &progress, || work(&progress))?.map_err(Failure::from_error)?;
    println!(
        "removed {}, changed {}, already removed {}, replaced {}",
        report.removed, report.changed, report.gone, report.replaced
    );
    if report.cancelled {
        return Err(Failure(report.sentence()));
    }
    eprintln!("{}", report.sentence());
    Ok(())
}

pub(super) fn leave(
    known: &UnfinishedImport,
    left: Result<(), TransferError>,
) -> Result<(), Failure> {
    left.map_err(Failure::from_error)?;
    println!("kept {}", known.imported);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use clap::Parser as _;

    use super::*;
    use crate::cli::args::{Args, Command};
    use crate::state::transfer::{ImportDraft, command_line};

    #[test]
    fn an_import_continues_with_the_options_it_began_with() {
        let request = |line: &str| {
            let line = format!("mayfly import --data /d --db db --collection c a.json {line}");
            let args = Args::try_parse_from(line.split_whitespace());
            let Some(Command::Import(args)) = args.expect(&line).command else { panic!("{line}") };
            request(args.format, args.mode, &args).expect(&line)
        };
        let begun = request("--nan --zone +05:45 --mode replace");
        for same in ["", "--nan", "--zone +05:45 --mode replace", "--nan --zone +05:45"] {
            assert_eq!(check_same_options(&begun, &request(same)), Ok(()), "{same}");
        }
        for (other, named) in [
            ("--zone +05:30", "without --zone."),
            ("--nan --big-integers", "without --big-integers."),
            (
                "--mode merge --stop-on-error --format csv --encoding latin1",
                "without --format, --encoding, --mode, --stop-on-error.",
            ),
        ] {
            let Failure(sentence) = check_same_options(&begun, &request(other)).expect_err(other);
            assert!(sentence.contains(named), "{sentence}");
        }
        let Failure(sentence) =
            check_same_options(&request(""), &request("--zone UTC")).expect_err("a zone");
        assert!(sentence.contains("without --zone."), "{sentence}");
    }

    fn parsed(line: &str) -> Import {
        let line = format!("mayfly import --data /d --db db --collection c a.csv {line}");
        let args = Args::try_parse_from(line.split('|').flat_map(|part| {
            if part.starts_with("at=") { vec![part] } else { part.split_whitespace().collect() }
        }));
        let Some(Command::Import(args)) = args.expect(&line).command else { panic!("{line}") };
        args
    }

    #[test]
    fn types_are_read_with_their_zone_and_distance() {
        let args = parsed(
            "--type|at=date:%d/%m/%Y %H:%M|--type|at=date|--type n=text --zone Europe/Berlin \
             --unconverted reject",
        );
        let mut types = types(&args).expect("types");
        let all: Vec<_> = types.fields.iter().flat_map(FieldType::arguments).collect();
        assert_eq!(all, ["at=date:%d/%m/%Y %H:%M", "at=date", "n=text"]);
        assert_eq!(types.zone.to_string(), "Europe/Berlin");
        assert_eq!(types.unconverted, Unconverted::Reject);
        let keep = |text: &str| vec![text.to_owned()];
        keep_distance(&keep("at=2020-01-01 00:00:00Z"), 1_577_836_800_005, &mut types)
            .expect("a date");
        assert_eq!(types.fields[0].shift_ms, 5);
        for wrong in ["at", "at=soon", "x=2020-01-01"] {
            assert!(keep_distance(&keep(wrong), 0, &mut types).is_err(), "{wrong}");
        }
        for wrong in ["at=day", "at=date:%Y", "a=text|--type|a.b=text"] {
            let args = parsed(&format!("--type|{wrong}"));
            assert!(super::types(&args).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_sheets_that_are_left_are_named() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let check = |sheets: &[&str], chosen: Option<&str>, expected: Option<&str>| {
            let mut found = preview(file.path(), &ReadOptions::default()).expect("a preview");
            found.sheets = sheets.iter().map(ToString::to_string).collect();
            found.sheet = found.sheets.first().cloned();
            let namespace = Namespace::new("d", "c");
            let mut request = ImportRequest::new(Vec::new(), namespace);
            request.sheet = chosen.map(str::to_owned);
            assert_eq!(sheets_hint(&found, &request).as_deref(), expected);
        };
        check(&[], None, None);
        check(&["2024"], None, None);
        check(&["2024", "2023"], Some("2024"), None);
        check(
            &["2024", "2023", "a b"],
            None,
            Some(
                "Only the sheet 2024 is imported; to import another, add --sheet with its name: \
                  2023, 'a b'.",
            ),
        );
    }

    #[test]
    fn text_that_looks_like_dates_is_named_with_the_option_that_converts_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let check = |csv: &str, expected: &[&str]| {
            let path = folder.path().join("a.csv");
            std::fs::write(&path, csv).expect("written");
            let found = preview(&path, &ReadOptions::default()).expect("a preview");
            let hints: Vec<_> = found.paths.iter().filter_map(hint).collect();
            assert_eq!(hints, expected);
        };
        check(
            "at,n\nJun 12 1998,1709280000\n",
            &["at: text that looks like dates stays text and never expires; to convert it, add \
               --type 'at=date:%b %d %Y'."],
        );
        check(
            "at,n\n03/04/2020,x\n",
            &["at: text that looks like dates stays text and never expires; to convert it, add \
               --type at=date:%d/%m/%Y (day first) or --type at=date:%m/%d/%Y (month first)."],
        );
    }

    #[test]
    fn the_options_of_the_window_are_those_of_the_terminal() {
        let mut draft = ImportDraft::new(vec![PathBuf::from("/tmp/a.json")], "demo");
        draft.encoding = TextEncoding::parse("shift_jis").ok();
        "-03:30".clone_into(&mut draft.zone);
        for nonstandard in Nonstandard::ALL {
            draft.set_read(nonstandard, true);
            let line = command_line::import(&draft, Some(Path::new("/data")));
            assert!(line.contains(nonstandard.flag()), "{line}");
            let args = Args::try_parse_from(line.split(' '));
            let Some(Command::Import(args)) = args.expect(&line).command else { panic!("{line}") };
            assert_eq!(encoding(&args).expect(&line), draft.encoding, "{line}");
            let read = leniency(&args).expect(&line);
            for nonstandard in Nonstandard::ALL {
                assert_eq!(read.takes(nonstandard), draft.leniency.takes(nonstandard), "{line}");
            }
            let has_zone = read.takes(Nonstandard::NoZone);
            assert_eq!(read.zone == draft.leniency.zone, has_zone, "{line}");
        }
    }
}
