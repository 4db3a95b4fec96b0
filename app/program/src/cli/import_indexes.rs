//! Index definitions next to the files that `mayfly import` reads.

use bson::{Bson, Document};
use mayfly_engine::{catalog::Namespace, engine::Engine, transfer::ImportRequest};

use super::{Failure, args::Import};
use crate::commands;
use crate::state::number::counted;
use crate::state::transfer::{CreatedIndexes, import::file_name, index_file as words};
use crate::worker::index_file;

/// The index definitions to create. Without an option they are only named.
///
/// # Errors
/// They are asked for and can't be read; nothing is imported then.
pub(super) fn definitions(
    engine: &Engine,
    request: &ImportRequest,
    args: &Import,
) -> Result<Vec<Document>, Failure> {
    if args.no_indexes {
        return Ok(Vec::new());
    }
    let (options, now_ms) = (request.read_options(), engine.clock().now_ms());
    let files = request.files.iter();
    let files: Vec<_> =
        files.filter_map(|file| index_file::beside(file, &options, now_ms)).collect();
    let unreadable = words::unreadable(&files);
    if let Some(first) = unreadable.first().filter(|_| args.indexes) {
        return Err(Failure(format!("Nothing was imported: {first}.")));
    }
    for sentence in unreadable {
        eprintln!("{sentence}.");
    }
    let found = words::definitions(&files);
    if found.is_empty() {
        return Ok(found);
    }
    if args.indexes {
        for sentence in words::overdue(&files) {
            eprintln!("{sentence}.");
        }
        return Ok(found);
    }
    let names: Vec<_> = files.iter().map(|file| file_name(&file.path)).collect();
    eprintln!(
        "{}: {}. Add --indexes to create them, or --no-indexes to leave this line out.",
        names.join(", "),
        words::words(&found)
    );
    Ok(Vec::new())
}

/// Creates indexes; one that is refused is said, and not in the way of the others.
///
/// # Errors
/// When one is refused.
pub(super) fn create(
    engine: &Engine,
    into: &Namespace,
    definitions: Vec<Document>,
) -> Result<(), Failure> {
    let mut made = CreatedIndexes::default();
    for index in definitions {
        let name = index.get_str("name").unwrap_or_default().to_owned();
        let reply = engine.run(&into.db, &commands::indexes::create(&into.collection, index));
        let is_ok = mayfly_engine::value::whole(reply.get("ok").unwrap_or(&Bson::Null)) == Some(1);
        let why = reply.get_str("errmsg").unwrap_or("the store refused it");
        made.note(&name, if is_ok { Ok(&reply) } else { Err(why) });
    }
    for sentence in made.sentences() {
        eprintln!("{sentence}.");
    }
    match made.refused.len() as u64 {
        0 => Ok(()),
        refused => Err(Failure(format!(
            "The documents are imported, but {} not created.",
            counted(refused, "index was", "indexes were")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::super::{Args, Command, Failure, import::run, store};

    #[test]
    fn indexes_beside_a_file_are_created_when_asked_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("store");
        let file = folder.path().join("a.ndjson");
        std::fs::write(&file, "{\"_id\": 1, \"at\": {\"$date\": 0}}\n").expect("written");
        let beside = r#"[{"key": {"n": 1}, "name": "n_1"},
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60}]"#;
        std::fs::write(folder.path().join("a.ndjson.indexes.json"), beside).expect("written");
        let imported = |options: &[&str]| {
            let line = ["mayfly", "import", "--db", "d", "--collection", "c", "--mode", "skip"];
            let paths = [data.as_os_str(), file.as_os_str()];
            let line = line.iter().map(|word| std::ffi::OsStr::new(*word));
            let line = line.chain(["--data".as_ref()]).chain(paths);
            let line = line.chain(options.iter().map(|word| std::ffi::OsStr::new(*word)));
            let args = Args::try_parse_from(line).expect("arguments");
            let Some(Command::Import(args)) = args.command else { panic!("{options:?}") };
            let done = run(&args);
            let engine = store::open(&data, true).expect("a store");
            let reply = engine.run("d", &bson::doc! {"listIndexes": "c"});
            engine.close().expect("closed");
            let cursor = reply.get_document("cursor").expect("a cursor");
            let indexes = cursor.get_array("firstBatch").expect("a batch").len();
            (indexes, done.err().map(|Failure(sentence)| sentence))
        };
        assert_eq!(imported(&[]), (1, None));
        assert_eq!(imported(&["--no-indexes"]), (1, None));
        assert_eq!(imported(&["--indexes"]), (3, None));
        assert_eq!(imported(&["--indexes"]), (3, None));
        let write = |text: &str| {
            std::fs::write(folder.path().join("a.ndjson.indexes.json"), text).expect("written");
        };
        write(r#"[{"key": {"n": 1}, "name": "other"}, {"key": {"b": 1}, "name": "b_1"}]"#);
        let (indexes, refused) = imported(&["--indexes"]);
        assert_eq!(indexes, 4, "the other one is created");
        assert_eq!(
            refused.as_deref(),
            Some("The documents are imported, but 1 index was not created.")
        );
        write("broken");
        let (indexes, refused) = imported(&["--indexes"]);
        assert!(refused.is_some_and(|what| what.starts_with("Nothing was imported: a.ndjson")));
        assert_eq!((indexes, imported(&[])), (4, (4, None)));
    }
}
