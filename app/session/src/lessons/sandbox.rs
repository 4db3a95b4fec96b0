//! Reads an open sandbox for a lesson, within the bounds of one file, and writes that file.

use std::io::{ErrorKind, Write as _};
use std::path::Path;

use bson::{Document, doc};
use mayfly_engine::store::shared_part;

use super::handout;
use super::write::{self, SandboxCollection, SandboxLesson};
use crate::job::lesson::{LessonToSave, NotSaved};
use crate::job::reply::{self, refusal};
use crate::limits::{LESSON_FILE_BYTES_MAX, LESSON_SAVED_DOCUMENTS_MAX};
use crate::source::Source;

/// Bytes of the documents as text; the rest of the file is for indexes and commands.
const DOCUMENTS_BYTES: usize = LESSON_FILE_BYTES_MAX / 8 * 5;

/// Bytes of the commands as text.
const COMMANDS_BYTES: usize = LESSON_FILE_BYTES_MAX / 8;

/// Writes a lesson. Returns what the lesson does not have, in one sentence each.
///
/// # Errors
/// The file is there already, or the sandbox can't be read or written as a lesson.
pub fn save(to_save: &LessonToSave, source: &dyn Source) -> Result<Vec<String>, NotSaved> {
    if !to_save.replaces && to_save.file.exists() {
        return Err(NotSaved::Exists);
    }
    let mut left_out = Vec::new();
    let collections = collections(source, &to_save.db, &mut left_out).map_err(NotSaved::Failed)?;
    let lesson = SandboxLesson {
        title: to_save.title.clone(),
        start_ms: source.now_ms(),
        dialect: to_save.dialect,
        collections,
        before: latest(&to_save.commands, &mut left_out),
    };
    let slug = to_save.file.file_stem().unwrap_or_default().to_string_lossy();
    let text = write::write(&slug, &lesson).map_err(NotSaved::Failed)?;
    if to_save.replaces {
        handout::save(&text, &to_save.file).map_err(NotSaved::Failed)?;
    } else {
        save_new(&text, &to_save.file)?;
    }
    Ok(left_out)
}

/// Writes a text to a file that appears whole, unless there is one.
fn save_new(text: &str, path: &Path) -> Result<(), NotSaved> {
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::AlreadyExists => NotSaved::Exists,
        _ => NotSaved::Failed(format!("Can't write {}: {error}.", path.display())),
    };
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    let mut file = shared_part().tempfile_in(folder).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.persist_noclobber(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// The last commands that fit, the oldest first.
fn latest(commands: &[String], left_out: &mut Vec<String>) -> Vec<String> {
    let mut bytes = 0;
    let fits = commands.iter().rev().take_while(|text| {
        bytes += text.len() + 1;
        bytes <= COMMANDS_BYTES
    });
    let first = commands.len() - fits.count();
    if first > 0 {
        left_out.push(format!("The first {first} of {} commands are left out.", commands.len()));
    }
    commands.iter().skip(first).cloned().collect()
}

/// The collections of a database with the documents that fit.
fn collections(
    source: &dyn Source,
    db: &str,
    left_out: &mut Vec<String>,
) -> Result<Vec<SandboxCollection>, String> {
    let list = doc! { "listCollections": 1, "cursor": { "batchSize": LESSON_SAVED_DOCUMENTS_MAX } };
    let mut found = first_batch(source, db, &list)?;
    found.retain(|it| !it.get_str("name").unwrap_or_default().starts_with("system."));
    let all = found.len();
    found.retain(|it| it.get_str("type").is_ok_and(|kind| kind == "collection"));
    if found.len() < all {
        left_out.push("Views and time series are left out.".to_owned());
    }
    found.sort_by(|a, b| a.get_str("name").ok().cmp(&b.get_str("name").ok()));
    let (mut bytes_left, mut count) = (DOCUMENTS_BYTES, found.len());
    let mut collections = Vec::new();
    for it in found {
        let name = it.get_str("name").unwrap_or_default().to_owned();
        let options = it.get_document("options").cloned().unwrap_or_default();
        let documents = documents(source, db, &name, bytes_left / count.max(1), left_out)?;
        let used: usize = documents.iter().map(text_bytes).sum();
        (bytes_left, count) = (bytes_left.saturating_sub(used), count.saturating_sub(1));
        let mut indexes = first_batch(source, db, &doc! { "listIndexes": &name })?;
        indexes.retain(|index| !index.get_str("name").is_ok_and(|name| name == "_id_"));
        collections.push(SandboxCollection { name, options, indexes, documents });
    }
    Ok(collections)
}

/// The first documents of a collection whose text takes no more than `bytes`.
fn documents(
    source: &dyn Source,
    db: &str,
    name: &str,
    bytes: usize,
    left_out: &mut Vec<String>,
) -> Result<Vec<Document>, String> {
    let limit = LESSON_SAVED_DOCUMENTS_MAX;
    let find = doc! { "find": name, "limit": limit, "batchSize": limit, "singleBatch": true };
    let mut documents = first_batch(source, db, &find)?;
    let mut used = 0;
    let fits = documents.iter().take_while(|document| {
        used += text_bytes(document);
        used <= bytes
    });
    let (kept, read) = (fits.count(), documents.len());
    documents.truncate(kept);
    let reply = source.run(db, &doc! { "count": name });
    let counted = reply.get_i32("n").map(i64::from).or_else(|_| reply.get_i64("n")).unwrap_or(0);
    let all = usize::try_from(counted).unwrap_or(0).max(read);
    if kept < all {
        left_out.push(format!("Of {name} it has the first {kept} of {all} documents."));
    }
    Ok(documents)
}

/// Bytes of a document in the file.
fn text_bytes(document: &Document) -> usize {
    write::literal(document).len() + 4
}

/// The first batch of a command with a cursor.
fn first_batch(source: &dyn Source, db: &str, command: &Document) -> Result<Vec<Document>, String> {
    let reply = source.run(db, command);
    match refusal(&reply) {
        None => Ok(reply::documents(&reply)),
        Some(refusal) => Err(format!("The sandbox can't be read: {refusal}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Dialect, OpenRequest, Sandbox};
    use crate::lessons::file;
    use crate::source::embedded;

    fn to_save(folder: &Path) -> LessonToSave {
        LessonToSave {
            title: "Mine".to_owned(),
            db: "shop".to_owned(),
            dialect: Dialect::Open,
            commands: vec!["db.getSiblingDB(\"shop\").carts.insertOne({ n: 1 })".to_owned()],
            file: folder.join("mine.md"),
            replaces: false,
        }
    }

    #[test]
    fn a_sandbox_is_written_as_far_as_a_file_goes_and_nothing_is_replaced_unasked() {
        let request = OpenRequest { sandbox: Some(Sandbox::Empty), ..OpenRequest::default() };
        let source = embedded::opener()(&request).expect("a sandbox opens").source;
        let run = |command| {
            let reply = source.run("shop", &command);
            assert!(reply.get_f64("ok").is_ok_and(|ok| ok > 0.0), "{reply}");
        };
        let large: Vec<Document> =
            (0..100).map(|n| doc! { "n": n, "t": "x".repeat(900) }).collect();
        run(doc! { "insert": "carts", "documents": [{ "_id": 1, "at": bson::DateTime::MIN }] });
        run(doc! { "insert": "large", "documents": large });
        let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 60 };
        run(doc! { "createIndexes": "carts", "indexes": [index] });
        let folder = tempfile::tempdir().unwrap();
        let lesson = to_save(folder.path());
        let left_out = save(&lesson, source.as_ref()).unwrap();
        assert_eq!(left_out.len(), 1, "{left_out:?}");
        assert!(left_out[0].ends_with("of 100 documents."), "{left_out:?}");
        let text = std::fs::read_to_string(&lesson.file).unwrap();
        let read = file::parse("mine", &text).unwrap();
        assert_eq!(read.show, ["carts", "large"]);
        assert!(text.contains("expireAfterSeconds: 60") && text.contains("## What was done"));
        assert_eq!(save(&lesson, source.as_ref()), Err(NotSaved::Exists));
        assert_eq!(save_new("other", &lesson.file), Err(NotSaved::Exists));
        assert_eq!(std::fs::read_to_string(&lesson.file).unwrap(), text);
        let again = LessonToSave { replaces: true, title: "Again".to_owned(), ..lesson };
        save(&again, source.as_ref()).unwrap();
        assert!(std::fs::read_to_string(&again.file).unwrap().contains("\"Again\""));
    }

    #[test]
    fn the_latest_commands_stay() {
        let commands = vec!["x".repeat(COMMANDS_BYTES / 2); 3];
        let mut left_out = Vec::new();
        assert_eq!(latest(&commands, &mut left_out).len(), 1);
        assert_eq!(left_out, ["The first 2 of 3 commands are left out."]);
    }
}
