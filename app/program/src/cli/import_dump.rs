//! `mayfly import` of a folder that `mayfly export` or mongodump wrote.

use mayfly_engine::{
    catalog::Namespace,
    clock::SystemClock,
    transfer::{
        Dump, DumpChoice, DumpCollection, DumpImport, DumpOutcome, DumpTarget, ImportFormat,
        ImportMode, ImportReport, ImportRequest, Progress, TransferError, UnfinishedImport,
        create_dump_indexes, import_dump, is_dump_archive, looks_like_dump, metadata_path,
        read_dump, rehearse_dump, unfinished_imports, visit_in_file_order,
    },
};

use super::{
    Failure, args::Import, import::import_mode, progress_line::with_progress, server, store,
};
use crate::limits::REHEARSED_DOCS_MAX;
use crate::state::number;

/// The advice after an import that stopped.
const CHOICES: &str = "Run the same command with --resume to continue.";

/// The same where no import is known to have stopped.
const AGAIN: &str =
    "If an earlier import of it stopped, add --resume, which skips the documents that are stored.";

/// Whether the only path is a folder, an archive, or a file of mongodump that names its collection.
pub(super) fn is_dump(args: &Import) -> bool {
    let [path] = args.files.as_slice() else { return false };
    let names_collection = || args.collection.is_none() && looks_like_dump(path);
    path.is_dir() || is_dump_archive(path) || names_collection()
}

/// Imports. The last line of standard output has the count.
pub(super) fn run(args: &Import) -> Result<(), Failure> {
    check_options(args)?;
    let path = args.files.first().map(std::path::PathBuf::as_path);
    let dump = read_dump(path.unwrap_or(std::path::Path::new(""))).map_err(Failure::from_error)?;
    if let Some(variable) = &args.uri_env {
        return into_server(variable, args, &dump.for_server());
    }
    let (request, refused) = request(args, &dump)?;
    let engine = store::open(store::folder(args.data.as_ref())?, true)?;
    let unfinished = unfinished_imports(engine.collections()).map_err(Failure::from_error);
    let outcomes = unfinished.and_then(|unfinished| {
        check_unfinished(&request, &unfinished)?;
        warn_of_overdue(&request, engine.clock().now_ms());
        let progress = Progress::new();
        let import = || import_dump(engine.collections(), &request, &progress);
        let imported = with_progress(engine.clock().as_ref(), &progress, import)?;
        imported.map_err(Failure::from_error)
    });
    engine.close().map_err(Failure::from_error)?;
    report(&dump, &outcomes?, &request, refused)
}

fn into_server(variable: &str, args: &Import, dump: &Dump) -> Result<(), Failure> {
    let (request, refused) = request(args, dump)?;
    let (source, string) = server::attach(variable, true)?;
    let mut dbs: Vec<&str> = request.choices.iter().map(|choice| &*choice.into.db).collect();
    dbs.dedup();
    server::check_confirmed(args, &string, &dbs.join(","))?;
    let transfers = server::transfers(source.as_ref())?;
    check_unfinished(&request, &transfers.unfinished().map_err(Failure::from_error)?)?;
    warn_of_overdue(&request, source.now_ms());
    source.set_locked(false);
    let progress = Progress::new();
    let outcomes =
        with_progress(&SystemClock, &progress, || transfers.import_dump(&request, &progress))?;
    source.close();
    report(dump, &outcomes.map_err(Failure::from_error)?, &request, refused)
}

/// The request, and the names of the collections that are left out of it because they are refused.
fn request(args: &Import, dump: &Dump) -> Result<(DumpImport, Vec<String>), Failure> {
    let (choices, refused) = choices(args, dump)?;
    let request = DumpImport {
        choices,
        mode: import_mode(args.mode),
        drop: args.drop,
        stop_on_error: args.stop_on_error,
        rejects_max: args.max_rejects,
        resume: args.resume,
        ..DumpImport::default()
    };
    Ok((request, refused))
}

/// Refuses to begin while an import of one of the collections is unfinished: its documents would be
/// rejected as duplicates.
fn check_unfinished(request: &DumpImport, unfinished: &[UnfinishedImport]) -> Result<(), Failure> {
    if request.resume || request.drop || request.mode != ImportMode::Insert {
        return Ok(());
    }
    let is_of = |known: &&UnfinishedImport| {
        request.choices.iter().any(|choice| {
            let files = choice.collection.files.clone();
            known.is_of(&ImportRequest::new(files, choice.into.clone()))
        })
    };
    unfinished.iter().rev().find(is_of).map_or(Ok(()), |known| {
        Err(Failure(format!("{} {CHOICES} To start over, use --drop.", known.sentence())))
    })
}

/// The collection that the metadata next to the only file describes, for an import into the collection
/// of the request. `None` without metadata.
pub(super) fn beside(request: &ImportRequest, args: &Import) -> Option<DumpChoice> {
    let [path] = request.files.as_slice() else { return None };
    let is_bson = matches!(request.format, ImportFormat::Auto | ImportFormat::Bson);
    metadata_path(path).filter(|_| is_bson && path.is_file())?;
    let collection = read_dump(path).ok()?.collections.into_iter().next()?;
    // The file is imported under another name than the one because of which it may be refused.
    let collection = DumpCollection { refused: None, ..collection };
    let (into, indexes) = (request.namespace.clone(), !args.no_indexes);
    Some(DumpChoice { collection, into, indexes, ttl: indexes && !args.no_ttl })
}

/// Imports the only file of a request with its metadata, as `import_dump` of a target does. Prints the
/// indexes, and what of the metadata is left out.
///
/// # Errors
/// As the import of the file.
pub(super) fn with_metadata(
    request: &ImportRequest,
    choice: DumpChoice,
    now_ms: i64,
    import: impl FnOnce(&DumpImport) -> Result<Vec<DumpOutcome>, TransferError>,
) -> Result<ImportReport, TransferError> {
    let wanted = DumpImport {
        choices: vec![choice],
        mode: request.mode,
        drop: request.drop,
        stop_on_error: request.stop_on_error,
        rejects_max: request.rejects_max,
        resume: false,
        read: request.read_options(),
    };
    warn_of_overdue(&wanted, now_ms);
    let outcome = import(&wanted)?.into_iter().next();
    let outcome = outcome.ok_or(TransferError::Cancelled)?;
    say(&outcome);
    outcome.documents.map_err(|what| TransferError::Elsewhere { what })
}

/// The same for a server, which decides itself which indexes it can have.
pub(super) fn for_server(choice: DumpChoice) -> DumpChoice {
    let dump = Dump { collections: vec![choice.collection], notes: Vec::new() };
    let collection = dump.for_server().collections.remove(0);
    DumpChoice { collection, ..choice }
}

/// Names the indexes that a resumed import into a server doesn't create.
pub(super) fn say_left_out(choice: &DumpChoice) {
    let names: Vec<&str> = choice.wanted().iter().map(|index| index.name.as_str()).collect();
    if !names.is_empty() {
        let names = names.join(", ");
        eprintln!("--resume creates no indexes; create these with mayfly shell: {names}.");
    }
}

/// Creates the indexes of a file whose import was resumed and is complete now.
pub(super) fn finish(target: &dyn DumpTarget, choice: &DumpChoice) {
    let mut outcome = DumpOutcome {
        into: choice.into.clone(),
        documents: Err(String::new()),
        indexes: Vec::new(),
        notes: choice.collection.notes.clone(),
    };
    create_dump_indexes(target, choice, &Progress::new(), &mut outcome);
    say(&outcome);
}

/// Names the indexes that were created, and what was left out.
fn say(outcome: &DumpOutcome) {
    if !outcome.indexes.is_empty() {
        eprintln!("Indexes created from the metadata file: {}.", outcome.indexes.join(", "));
    }
    for note in &outcome.notes {
        eprintln!("Warning: {note}");
    }
}

/// Refuses what has no meaning for a dump.
fn check_options(args: &Import) -> Result<(), Failure> {
    let given = [
        ("--roll-back", args.roll_back),
        ("--leave", args.leave),
        ("--type", !args.types.is_empty()),
        ("--encoding", args.encoding.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => Err(Failure(format!(
            "{option} has no meaning for a folder or an archive; remove it, or import .bson files one by one."
        ))),
    }
}

/// The collections to import, and where to. Also the names of those that are refused, without those
/// that belong to the server: no import has them.
fn choices(args: &Import, dump: &Dump) -> Result<(Vec<DumpChoice>, Vec<String>), Failure> {
    let is_wanted = |found: &&DumpCollection| {
        let is_named = args.only.is_empty() || args.only.contains(&found.name);
        is_named && !args.except.contains(&found.name)
    };
    let is_known = |name: &&String| dump.collections.iter().any(|found| found.name == **name);
    if let Some(name) = args.only.iter().chain(&args.except).find(|name| !is_known(name)) {
        return Err(Failure(format!("There is no collection {name} in it.")));
    }
    let mut dbs: Vec<&str> = dump.collections.iter().filter_map(|of| of.db.as_deref()).collect();
    dbs.dedup();
    let importable = dump.collections.iter().filter(is_wanted).filter(|it| it.refused.is_none());
    let importable = importable.count();
    if args.collection.is_some() && importable != 1 {
        return Err(Failure(format!(
            "--collection needs one collection, but there are {importable}; remove it, or choose one \
             with --only."
        )));
    }
    if args.db.is_some() && dbs.len() > 1 {
        let dbs = dbs.join(", ");
        return Err(Failure(format!(
            "--db needs collections of one database; these are of {dbs}."
        )));
    }
    let (mut choices, mut refused) = (Vec::new(), Vec::new());
    for found in dump.collections.iter().filter(is_wanted) {
        if let Some(why) = &found.refused {
            eprintln!("Warning: {} is not imported: {why}.", found.name);
            refused.extend((!found.belongs_to_server()).then(|| found.name.clone()));
            continue;
        }
        let Some(db) = args.db.as_deref().or(found.db.as_deref()) else {
            return Err(Failure("The path names no database: add --db.".to_owned()));
        };
        let name = args.collection.as_deref().unwrap_or(&found.name);
        let into = match Namespace::checked(db, name) {
            Ok(into) => into,
            Err(error) => {
                eprintln!("Warning: {} is not imported: {error}.", found.name);
                refused.push(found.name.clone());
                continue;
            }
        };
        choices.push(DumpChoice {
            into,
            collection: found.clone(),
            indexes: !args.no_indexes,
            ttl: !args.no_indexes && !args.no_ttl,
        });
    }
    if choices.is_empty() {
        return Err(Failure("Nothing was imported: no collection of it can be.".to_owned()));
    }
    Ok((choices, refused))
}

/// Says how many documents the next pass would remove.
fn warn_of_overdue(request: &DumpImport, now_ms: i64) {
    let choices = request.choices.iter();
    let choices = choices.filter(|choice| choice.ttl && choice.collection.has_ttl());
    let choices: Vec<&DumpChoice> = choices.collect();
    let progress = Progress::new();
    visit_in_file_order(choices.iter().map(|choice| &choice.collection), &progress, |at| {
        let Some(choice) = choices.get(at) else { return };
        let (collection, max) = (&choice.collection, REHEARSED_DOCS_MAX);
        let found = rehearse_dump(collection, &request.read, now_ms, max, &progress);
        // A file that can't be read is reported by its import.
        let Some(found) = found.ok().filter(|found| found.overdue > 0) else { return };
        let by = found.indexes.iter().filter(|index| index.overdue > 0);
        let by: Vec<String> = by.map(|index| index.index.clone()).collect();
        eprintln!(
            "Warning: {} of {} documents are already expired in {} by {}, and the next pass \
             removes them. Use --no-ttl to keep them.",
            found.overdue,
            found.documents,
            choice.into,
            by.join(", ")
        );
    });
}

fn report(
    dump: &Dump,
    outcomes: &[DumpOutcome],
    request: &DumpImport,
    refused: Vec<String>,
) -> Result<(), Failure> {
    for note in &dump.notes {
        eprintln!("Warning: {note}");
    }
    let all = request.choices.len() + refused.len();
    let (mut imported, mut incomplete) = (0, refused);
    let is_begun = |into: &Namespace| outcomes.iter().any(|outcome| outcome.into == *into);
    let left = request.choices.iter().map(|choice| &choice.into).filter(|into| !is_begun(into));
    incomplete.extend(left.map(ToString::to_string));
    let has_stopped = |outcome: &DumpOutcome| {
        outcome.documents.as_ref().is_ok_and(|report| report.unfinished.is_some())
    };
    let is_resumable = outcomes.len() < request.choices.len() || outcomes.iter().any(has_stopped);
    for outcome in outcomes {
        let into = &outcome.into;
        match &outcome.documents {
            Ok(report) => {
                imported += report.imported;
                let documents = number::counted(report.imported, "document", "documents");
                let indexes = outcome.indexes.len() as u64;
                let indexes = number::counted(indexes, "index", "indexes");
                println!("{into}: {documents}, {indexes}");
                if let Some(sentence) = report.sentence() {
                    eprintln!("{into}: {sentence}");
                    incomplete.push(into.to_string());
                }
            }
            Err(error) => {
                eprintln!("{into}: {error}");
                incomplete.push(into.to_string());
            }
        }
        for note in &outcome.notes {
            eprintln!("Warning: {into}: {note}");
        }
    }
    println!("imported {imported}");
    if incomplete.is_empty() {
        return Ok(());
    }
    let number = incomplete.len();
    let were = if number == 1 { "was" } else { "were" };
    let names = incomplete.join(", ");
    let sentence =
        format!("{number} of {all} collections {were} not imported completely: {names}.");
    Err(Failure(if is_resumable {
        format!("{sentence} {CHOICES}")
    } else if !request.resume && outcomes.iter().any(is_there_already) {
        format!("{sentence} {AGAIN}")
    } else {
        sentence
    }))
}

/// Whether nothing of a collection was new, as after an import that was killed between two of them.
fn is_there_already(outcome: &DumpOutcome) -> bool {
    let refused = |report: &ImportReport| report.imported == 0 && report.rejected > 0;
    outcome.documents.as_ref().is_ok_and(refused)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use bson::{RawDocumentBuf, doc};
    use clap::Parser as _;

    use super::super::{Args, Command, import::run, store};
    use super::*;

    const METADATA: &str = r#"{"options": {"validationLevel": "moderate"}, "indexes": [
        {"v": 2, "key": {"_id": 1}, "name": "_id_"}, {"v": 2, "key": {"n": 1}, "name": "n_1"},
        {"v": 2, "key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60}]}"#;

    #[test]
    fn a_dump_of_which_every_collection_is_refused_fails() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = folder.path().join("store");
        let dump = folder.path().join("shop");
        std::fs::create_dir(&dump).expect("a folder");
        let document = RawDocumentBuf::try_from(&doc! { "_id": 1 }).expect("a document");
        let import = |options: &[&str]| {
            let words = [OsStr::new("mayfly"), OsStr::new("import"), OsStr::new("--data")];
            let line = words.into_iter().chain([store.as_os_str(), dump.as_os_str()]);
            let line = line.chain(options.iter().map(OsStr::new));
            let args = Args::try_parse_from(line).expect("arguments");
            let Some(Command::Import(args)) = args.command else { panic!() };
            run(&args)
        };
        for refused in ["system.users.bson", "$admin.system.roles.bson"] {
            std::fs::write(dump.join(refused), document.as_bytes()).expect("written");
        }
        let Failure(sentence) = import(&[]).expect_err("nothing to import");
        assert_eq!(sentence, "Nothing was imported: no collection of it can be.");
        std::fs::write(dump.join("carts.bson"), document.as_bytes()).expect("written");
        assert_eq!(import(&[]), Ok(()), "users and roles are of no import");
    }

    #[test]
    fn a_dump_of_which_some_collections_are_refused_names_them_and_fails() {
        let folder = tempfile::tempdir().expect("a folder");
        let dump = folder.path().join("shop");
        std::fs::create_dir(&dump).expect("a folder");
        let document = RawDocumentBuf::try_from(&doc! { "_id": 1 }).expect("a document");
        for name in ["carts.bson", "system.buckets.runs.bson", "system.users.bson"] {
            std::fs::write(dump.join(name), document.as_bytes()).expect("written");
        }
        let import = |number: u32, options: &[&str]| {
            let store = folder.path().join(number.to_string());
            let words = [OsStr::new("mayfly"), OsStr::new("import"), OsStr::new("--data")];
            let line = words.into_iter().chain([store.as_os_str(), dump.as_os_str()]);
            let line = line.chain(options.iter().map(OsStr::new));
            let Some(Command::Import(args)) =
                Args::try_parse_from(line).expect("arguments").command
            else {
                panic!()
            };
            let done = run(&args);
            let engine = store::open(&store, true).expect("a store");
            let carts = engine.collections().catalog().collection(&Namespace::new("shop", "carts"));
            engine.close().expect("closed");
            assert!(carts.is_some(), "{options:?}");
            done
        };
        let sentence =
            "1 of 2 collections was not imported completely: system.buckets.runs.".to_owned();
        assert_eq!(import(1, &[]), Err(Failure(sentence)));
        assert_eq!(import(2, &["--only", "carts"]), Ok(()));
        assert_eq!(import(3, &["--except", "system.buckets.runs"]), Ok(()));
    }

    #[test]
    fn metadata_beside_a_bson_file_is_applied_under_every_name() {
        let document = RawDocumentBuf::try_from(&doc! { "_id": 1, "n": 1 }).expect("a document");
        let data = document.as_bytes().to_vec();
        for (name, options, expected) in [
            ("runs", vec![], vec!["_id_", "at_1", "n_1"]),
            ("other", vec![], vec!["_id_", "at_1", "n_1"]),
            ("other", vec!["--mode", "replace"], vec!["_id_", "at_1", "n_1"]),
            ("other", vec!["--drop", "--stop-on-error"], vec!["_id_", "at_1", "n_1"]),
            ("other", vec!["--no-ttl"], vec!["_id_", "n_1"]),
            ("other", vec!["--no-indexes"], vec!["_id_"]),
            ("other", vec!["--type", "n=text"], vec!["_id_", "at_1", "n_1"]),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("runs.bson");
            let store = folder.path().join("store");
            std::fs::write(&path, &data).expect("written");
            std::fs::write(folder.path().join("runs.metadata.json"), METADATA).expect("written");
            let words = ["mayfly", "import", "--db", "d", "--collection", name, "--data"];
            let line = words.iter().map(OsStr::new).chain([store.as_os_str(), path.as_os_str()]);
            let args = Args::try_parse_from(line.chain(options.iter().map(OsStr::new)));
            let Some(Command::Import(args)) = args.expect("arguments").command else { panic!() };
            run(&args).expect("imported");
            let engine = store::open(&store, true).expect("a store");
            let collection = engine.collections().catalog().collection(&Namespace::new("d", name));
            let collection = collection.expect("a collection");
            let mut names: Vec<_> =
                collection.indexes.iter().map(|index| index.name.clone()).collect();
            names.sort();
            assert_eq!(names, expected, "{name} {options:?}");
            let level = collection.options.to_document();
            assert_eq!(level.get_str("validationLevel").ok(), Some("moderate"));
            engine.close().expect("closed");
        }
    }
}
