//! Databases of a server as a folder that mongorestore and `mayfly import` read.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use bson::{Bson, Document, RawDocumentBuf, doc};
use mayfly_engine::catalog::Namespace;
use mayfly_engine::clock::SystemClock;
use mayfly_engine::transfer::{ExportFormat, Progress, file_name};
use mayfly_engine::value::extjson::{Layout, Style, write_document};

use super::Failure;
use super::args::Export;
use super::progress_line::with_progress;
use super::server::{attach, sentence};
use crate::commands::store;
use crate::job::Cancel;
use crate::source::Source;
use crate::worker::result_file::{ResultFile, write_text};

/// Databases of a server that hold no data of users.
const OWN: [&str; 3] = ["admin", "config", "local"];

/// Exports databases of a server to a folder. The last line of standard output is the count.
///
/// # Errors
/// One sentence; the folder is then as it was.
pub(super) fn export(variable: &str, args: &Export) -> Result<(), Failure> {
    for (option, is_given) in [("--gzip", args.gzip), ("--zstd", args.zstd)] {
        if is_given {
            return Err(Failure(format!("{option} is not supported for a server.")));
        }
    }
    let (source, _) = attach(variable, true)?;
    let progress = Progress::new();
    let written = with_progress(&SystemClock, &progress, || {
        let only = (!args.only.is_empty()).then_some(args.only.as_slice());
        write(source.as_ref(), args.db.as_deref(), only, &args.output, &progress)
    })?;
    source.close();
    let written = written?;
    for (namespace, documents) in &written {
        println!("{namespace}: {documents}");
    }
    println!("exported {}", written.iter().map(|(_, documents)| documents).sum::<u64>());
    Ok(())
}

/// Writes the files under a hidden name, then moves them into place. Returns the collections and how many
/// documents of each were written.
fn write(
    source: &dyn Source,
    db: Option<&str>,
    only: Option<&[String]>,
    folder: &Path,
    progress: &Progress,
) -> Result<Vec<(Namespace, u64)>, Failure> {
    let io = |error: std::io::Error| Failure(format!("{}: {error}.", folder.display()));
    let is_new = !folder.exists();
    fs::create_dir_all(folder).map_err(io)?;
    let folder = &fs::canonicalize(folder).map_err(io)?;
    let written = write_in(source, db, only, folder, progress);
    if is_new && written.is_err() {
        // Only if it is empty: another program may use it already.
        let _ = fs::remove_dir(folder);
    }
    written
}

fn write_in(
    source: &dyn Source,
    db: Option<&str>,
    only: Option<&[String]>,
    folder: &Path,
    progress: &Progress,
) -> Result<Vec<(Namespace, u64)>, Failure> {
    let io = |error: std::io::Error| Failure(format!("{}: {error}.", folder.display()));
    if fs::read_dir(folder).map_err(io)?.next().is_some() {
        let what = "the folder has files; choose an empty or a new folder";
        return Err(Failure(format!("{}: {what}.", folder.display())));
    }
    let part = tempfile::Builder::new().prefix(".mayfly-dump-").tempdir_in(folder).map_err(io)?;
    let dbs = match db {
        Some(db) => vec![db.to_owned()],
        None => databases(source)?,
    };
    let mut written = Vec::new();
    for db in &dbs {
        let inside = part.path().join(file_name(db));
        fs::create_dir(&inside).map_err(io)?;
        for listed in wanted(source, db, only)? {
            written.extend(collection(source, db, &listed, &inside, progress)?);
        }
    }
    if let Some(db) = db.filter(|_| written.is_empty()) {
        return Err(Failure(format!("The database {db} has no collections.")));
    }
    for db in dbs.iter().map(|db| file_name(db)) {
        fs::rename(part.path().join(&db), folder.join(&db)).map_err(io)?;
    }
    Ok(written)
}

fn databases(source: &dyn Source) -> Result<Vec<String>, Failure> {
    let reply = source.run("admin", &store::databases());
    let Ok(databases) = reply.get_array("databases") else { return Err(Failure(refusal(&reply))) };
    let names = databases.iter().filter_map(|one| one.as_document()?.get_str("name").ok());
    Ok(names.filter(|name| !OWN.contains(name)).map(str::to_owned).collect())
}

fn refusal(reply: &Document) -> String {
    format!("{}.", reply.get_str("errmsg").unwrap_or("The server gave no reason"))
}

/// All documents that a command's cursor gives.
fn all(source: &dyn Source, db: &str, command: &Document) -> Result<Vec<Document>, Failure> {
    let mut found = Vec::new();
    let read = source.read_batches(db, command, &Cancel::default(), &mut |batch| {
        let documents = batch.iter().map(|one| Document::try_from(*one));
        found.extend(documents.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?);
        Ok(())
    });
    read.map(|()| found).map_err(|sentence| Failure(format!("{sentence}.")))
}

/// The collections to write, as the server lists them, by name.
fn wanted(
    source: &dyn Source,
    db: &str,
    only: Option<&[String]>,
) -> Result<Vec<Document>, Failure> {
    let mut listed = all(source, db, &doc! { "listCollections": 1 })?;
    let is_wanted = |name: &str| match only {
        Some(only) => only.iter().any(|wanted| wanted == name),
        None => !name.starts_with("system."),
    };
    listed.retain(|one| one.get_str("name").is_ok_and(is_wanted));
    listed.sort_by(|a, b| a.get_str("name").ok().cmp(&b.get_str("name").ok()));
    let is_there = |name: &&String| {
        listed.iter().any(|one| one.get_str("name").is_ok_and(|known| known == name.as_str()))
    };
    match only.into_iter().flatten().find(|name| !is_there(name)) {
        Some(name) => Err(Failure(format!("There is no collection {db}.{name}."))),
        None => Ok(listed),
    }
}

/// Writes the files of a collection; of a view, its definition alone.
fn collection(
    source: &dyn Source,
    db: &str,
    listed: &Document,
    folder: &Path,
    progress: &Progress,
) -> Result<Option<(Namespace, u64)>, Failure> {
    let name = listed.get_str("name").unwrap_or_default();
    let kind = listed.get_str("type").unwrap_or("collection");
    let namespace = Namespace::checked(db, name).map_err(Failure::from_error)?;
    let stem = free_stem(folder, &file_name(name));
    let indexes =
        if kind == "view" { Vec::new() } else { all(source, db, &doc! { "listIndexes": name })? };
    let options = listed.get_document("options").cloned().unwrap_or_default();
    let metadata = doc! {
        "indexes": indexes, "uuid": uuid(listed), "collectionName": name, "type": kind,
        "options": options,
    };
    let bytes = RawDocumentBuf::try_from(&metadata).map_err(Failure::from_error)?;
    let text = write_document(&bytes, Style::Canonical, Layout::OneLine);
    write_text(&folder.join(format!("{stem}.metadata.json")), &text, true).map_err(sentence)?;
    if kind == "view" {
        return Ok(None);
    }
    let file = ResultFile {
        db: db.to_owned(),
        command: doc! { "find": name },
        path: folder.join(format!("{stem}.bson")),
        format: ExportFormat::Bson,
    };
    let report = file.write(source, true, progress).map_err(sentence)?;
    Ok(Some((namespace, report.exported)))
}

/// The id of a collection, as mongodump writes it; empty where the server has none.
fn uuid(listed: &Document) -> String {
    let id = listed.get_document("info").ok().and_then(|info| info.get("uuid"));
    let Some(Bson::Binary(id)) = id else { return String::new() };
    id.bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A name that no other collection has, also where upper and lower case are the same.
fn free_stem(folder: &Path, stem: &str) -> String {
    let is_free = |stem: &String| !folder.join(format!("{stem}.metadata.json")).exists();
    let numbered = (2..).map(|number| format!("{stem}~{number}"));
    std::iter::once(stem.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use mayfly_tests::documentdb::{DocumentDb, Habits};

    use super::*;
    use crate::source::remote::open;

    #[test]
    fn a_database_of_each_kind_of_server_becomes_a_folder() {
        for habits in [Habits::documentdb(), Habits::mongodb()] {
            let server = DocumentDb::start(habits);
            let documents: Vec<Document> = (0..1_500).map(|id| doc! { "_id": id }).collect();
            server.prepare("shop", &doc! { "insert": "orders", "documents": documents });
            server.prepare("shop", &doc! { "insert": "users", "documents": [{ "_id": "ann" }] });
            let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 10 };
            server.prepare("shop", &doc! { "createIndexes": "users", "indexes": [index] });
            let (source, _) = open(&server.uri()).expect("it connects");
            let folder = tempfile::tempdir().expect("a folder");
            let out = folder.path().join("out");
            let run = |only: Option<&[String]>| {
                write(source.as_ref(), Some("shop"), only, &out, &Progress::new())
            };
            let missing = run(Some(&["none".to_owned()])).map_err(|Failure(sentence)| sentence);
            assert_eq!(missing.err().as_deref(), Some("There is no collection shop.none."));
            assert!(!out.exists());
            let written = run(None).map_err(|Failure(sentence)| sentence).expect("a folder");
            let counts: Vec<(String, u64)> =
                written.iter().map(|(namespace, count)| (namespace.to_string(), *count)).collect();
            assert_eq!(counts, [("shop.orders".to_owned(), 1_500), ("shop.users".to_owned(), 1)]);
            let read = |name: &str| fs::read(out.join("shop").join(name)).expect(name);
            let expected: Vec<u8> = server
                .stored("shop", "orders")
                .iter()
                .flat_map(|one| one.as_bytes().to_vec())
                .collect();
            assert_eq!(read("orders.bson"), expected);
            let metadata = String::from_utf8(read("users.metadata.json")).expect("text");
            assert!(metadata.contains("expireAfterSeconds"), "{metadata}");
            let again = run(None).map_err(|Failure(sentence)| sentence);
            assert!(again.is_err_and(|sentence| sentence.contains("the folder has files")));
            assert_eq!(server.writes(), [""; 0]);
        }
    }
}
