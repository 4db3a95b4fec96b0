//! Finds and reads index definitions next to files of documents.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use bson::Document;
use mayfly_engine::store::open_chosen;
use mayfly_engine::transfer::{
    ReadOptions, indexes_path, metadata_path, read_dump, visit_documents,
};

use crate::job::IndexFile;
use crate::job::due::{Due, TtlIndex, due};
use crate::job::index_file::parse;
use crate::limits::{INDEX_FILE_BYTES_MAX, INDEX_FILE_DOCS_MAX};

/// The index definitions next to a file of documents, with the effect of their TTL indexes at
/// `now_ms`. `None` if there are none.
pub fn beside(file: &Path, options: &ReadOptions, now_ms: i64) -> Option<IndexFile> {
    let path = candidates(file).into_iter().find(|path| path.is_file());
    let indexes = path.as_deref().map(read);
    let (path, indexes) = path.zip(indexes).or_else(|| of_dump(file))?;
    let mut found = IndexFile { path, indexes, overdue: Vec::new(), documents: 0 };
    if let Ok(indexes) = &found.indexes {
        let ttl: Vec<TtlIndex> = indexes.iter().filter_map(TtlIndex::read).collect();
        if !ttl.is_empty() {
            let counted = overdue(file, options, &ttl, now_ms);
            (found.overdue, found.documents) = counted;
        }
    }
    found.indexes.as_ref().map_or(true, |indexes| !indexes.is_empty()).then_some(found)
}

/// Where the definitions may be: `carts.ndjson.gz.indexes.json`, then without `.gz` or `.zst`,
/// then without
/// any ending.
fn candidates(file: &Path) -> Vec<PathBuf> {
    let mut names = vec![file.to_owned()];
    let is_packed =
        |ending: &str| file.extension().is_some_and(|it| it.eq_ignore_ascii_case(ending));
    if is_packed("gz") || is_packed("zst") {
        names.push(file.with_extension(""));
    }
    if let Some(last) = names.last().filter(|last| last.extension().is_some()) {
        names.push(last.with_extension(""));
    }
    names.iter().map(|name| indexes_path(name)).collect()
}

/// The indexes in the metadata next to a `.bson` file of mongodump.
fn of_dump(file: &Path) -> Option<(PathBuf, Result<Vec<Document>, String>)> {
    let path = metadata_path(file)?;
    let dump = read_dump(file).ok()?;
    let found = dump.collections.into_iter().next()?;
    let indexes = found.indexes.into_iter().map(|index| index.spec).collect();
    Some((path, found.metadata_error.map_or(Ok(indexes), Err)))
}

fn read(path: &Path) -> Result<Vec<Document>, String> {
    let mut text = String::new();
    let read = open_chosen(path)
        .and_then(|file| file.take(INDEX_FILE_BYTES_MAX + 1).read_to_string(&mut text));
    match read {
        Ok(bytes) if bytes as u64 <= INDEX_FILE_BYTES_MAX => parse(&text),
        Ok(_) => Err("it is too large for index definitions".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// How many of the first documents each index would remove, and how many there are.
fn overdue(
    file: &Path,
    options: &ReadOptions,
    ttl: &[TtlIndex],
    now_ms: i64,
) -> (Vec<(String, u64)>, u64) {
    let mut counts: Vec<(String, u64)> = ttl.iter().map(|it| (it.name.clone(), 0)).collect();
    let mut visit = |raw: &bson::RawDocument| {
        let Ok(document) = Document::try_from(raw) else { return };
        for (index, (_, count)) in ttl.iter().zip(&mut counts) {
            let found = due(std::slice::from_ref(index), &document);
            let is_overdue =
                matches!(found, Some(Due::At { threshold_ms, .. }) if threshold_ms <= now_ms);
            *count += u64::from(is_overdue);
        }
    };
    // A file that can't be read is reported where it is shown.
    let documents = visit_documents(file, options, INDEX_FILE_DOCS_MAX, &mut visit).unwrap_or(0);
    counts.retain(|(_, count)| *count > 0);
    (counts, documents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_found_beside_their_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("carts.ndjson.gz");
        let check = |name: &str, text: &str, is_found: bool| {
            let beside_it = folder.path().join(name);
            std::fs::write(&beside_it, text).expect("written");
            let found = beside(&file, &ReadOptions::default(), 0);
            assert_eq!(found.map(|found| found.path), is_found.then(|| beside_it.clone()));
            std::fs::remove_file(beside_it).expect("removed");
        };
        let one = r#"[{"key": {"a": 1}, "name": "a_1"}]"#;
        check("carts.ndjson.gz.indexes.json", one, true);
        check("carts.ndjson.indexes.json", one, true);
        check("carts.indexes.json", one, true);
        check("other.indexes.json", one, false);
        check("carts.indexes.json", "[]", false);
        check("carts.indexes.json", "broken", true);
    }

    #[test]
    fn the_metadata_of_mongodump_is_found_beside_its_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let metadata = r#"{"options": {}, "indexes": [{"v": 2, "key": {"_id": 1}, "name": "_id_"},
            {"v": 2, "key": {"a": 1}, "name": "a_1", "ns": "d.runs"}]}"#;
        std::fs::write(folder.path().join("runs.metadata.json"), metadata).expect("written");
        for name in ["runs.bson", "runs.bson.gz", "runs.bson.zst"] {
            let file = folder.path().join(name);
            std::fs::write(&file, "").expect("written");
            let found = beside(&file, &ReadOptions::default(), 0);
            let indexes = found.map(|found| found.indexes);
            let expected = bson::doc! { "key": { "a": 1 }, "name": "a_1" };
            assert_eq!(indexes, Some(Ok(vec![expected])), "{name}");
        }
        std::fs::write(folder.path().join("runs.metadata.json"), "{").expect("written");
        let file = folder.path().join("runs.bson");
        let found = beside(&file, &ReadOptions::default(), 0).map(|found| found.indexes);
        assert!(matches!(&found, Some(Err(why)) if why.contains("unexpected end")), "{found:?}");
        assert_eq!(beside(&folder.path().join("other.bson"), &ReadOptions::default(), 0), None);
    }

    #[test]
    fn what_a_ttl_index_would_remove_is_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.ndjson");
        let text = "{\"at\": {\"$date\": 0}}\n{\"at\": {\"$date\": 90000}}\n{}\n";
        std::fs::write(&file, text).expect("written");
        let indexes = r#"[{"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60},
            {"key": {"b": 1}, "name": "b_1", "expireAfterSeconds": 0}]"#;
        std::fs::write(folder.path().join("a.ndjson.indexes.json"), indexes).expect("written");
        let leniency = ReadOptions::default();
        let found = beside(&file, &leniency, 100_000).expect("definitions");
        assert_eq!((found.overdue, found.documents), (vec![("at_1".to_owned(), 1)], 3));
    }
}
