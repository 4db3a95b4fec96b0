//! Index definitions next to imported files, in words, and the results of creating them.

use bson::Document;

use crate::job::IndexFile;
use crate::state::duration;
use crate::state::number::{count, counted};
use crate::state::transfer::import::{ImportDraft, file_name};

/// The results of creating indexes after an import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CreatedIndexes {
    /// Definitions that the store has not answered yet.
    pub waiting: usize,
    pub created: u64,
    /// Indexes that were there before.
    pub present: u64,
    /// The refusals: the name of the index and why.
    pub refused: Vec<(String, String)>,
}

impl CreatedIndexes {
    /// Notes what `createIndexes` answered about one definition.
    pub fn note(&mut self, name: &str, reply: Result<&Document, &str>) {
        self.waiting = self.waiting.saturating_sub(1);
        match reply {
            Ok(reply) => {
                let number = |field| reply.get(field).and_then(mayfly_engine::value::whole);
                if number("numIndexesBefore") == number("numIndexesAfter") {
                    self.present += 1;
                } else {
                    self.created += 1;
                }
            }
            Err(why) => self.refused.push((name.to_owned(), why.to_owned())),
        }
    }

    /// The results, one sentence each.
    pub fn sentences(&self) -> Vec<String> {
        let mut all = Vec::new();
        if self.waiting > 0 {
            all.push("Creating indexes…".to_owned());
        }
        if self.created > 0 {
            all.push(format!("Created {}", counted(self.created, "index", "indexes")));
        }
        if self.present > 0 {
            let already = counted(self.present, "index was", "indexes were");
            all.push(format!("{already} there already"));
        }
        let refused = self.refused.iter();
        all.extend(refused.map(|(name, why)| format!("Index {name} was not created: {why}")));
        all
    }
}

impl ImportDraft {
    /// The index definitions to create after the documents.
    pub fn indexes(&self) -> Vec<Document> {
        let look = self.shown_look().filter(|_| self.create_indexes);
        look.map_or_else(Vec::new, |look| definitions(&look.indexes))
    }
}

/// All definitions next to the files, each name once.
pub fn definitions(files: &[IndexFile]) -> Vec<Document> {
    let mut all: Vec<Document> = Vec::new();
    for index in files.iter().filter_map(|file| file.indexes.as_ref().ok()).flatten() {
        if !all.iter().any(|known| known.get("name") == index.get("name")) {
            all.push(index.clone());
        }
    }
    all
}

/// Indexes in words: `3 indexes (1 TTL: expiresAt, 1 h)`.
pub fn words(indexes: &[Document]) -> String {
    let ttl: Vec<String> = indexes.iter().filter_map(ttl_of).collect();
    let all = counted(indexes.len() as u64, "index", "indexes");
    if ttl.is_empty() {
        return all;
    }
    format!("{all} ({} TTL: {})", ttl.len(), ttl.join("; "))
}

fn ttl_of(index: &Document) -> Option<String> {
    let secs = mayfly_engine::value::whole(index.get("expireAfterSeconds")?)?;
    let keys: Vec<&str> = index.get_document("key").ok()?.keys().map(String::as_str).collect();
    let after = match secs {
        0 => "at the stored date".to_owned(),
        _ => duration::span(secs.saturating_mul(1_000)),
    };
    Some(format!("{}, {after}", keys.join(" ")))
}

/// The effect of the next pass by the TTL indexes, one sentence for each.
pub fn overdue(files: &[IndexFile]) -> Vec<String> {
    let sentences = |file: &IndexFile| -> Vec<String> {
        let all = counted(file.documents, "document", "documents");
        let of = if file.documents >= crate::limits::INDEX_FILE_DOCS_MAX {
            format!("the first {all}")
        } else {
            all
        };
        let one = |(name, overdue): &(String, u64)| {
            format!("By {name}, the next pass removes {} of {of}", count(*overdue))
        };
        file.overdue.iter().map(one).collect()
    };
    files.iter().flat_map(sentences).collect()
}

/// The mistakes in files of definitions, one sentence for each.
pub fn unreadable(files: &[IndexFile]) -> Vec<String> {
    let sentence = |file: &IndexFile| {
        let why = file.indexes.as_ref().err()?;
        let name = file_name(&file.path);
        Some(format!("{name} can't be read, so no index is created from it: {why}"))
    };
    files.iter().filter_map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn indexes_are_named_by_their_ttl() {
        let plain = doc! {"key": {"a": 1}, "name": "a_1"};
        let ttl = doc! {"key": {"expiresAt": 1}, "name": "t", "expireAfterSeconds": 3_600};
        assert_eq!(words(std::slice::from_ref(&plain)), "1 index");
        assert_eq!(
            words(&[plain.clone(), ttl.clone(), doc! {"key": {"b": 1}, "name": "b"}]),
            "3 indexes (1 TTL: expiresAt, 1 h)"
        );
        let file = |indexes| IndexFile {
            path: "/a/b.indexes.json".into(),
            indexes,
            overdue: vec![("t".to_owned(), 2)],
            documents: 5,
        };
        let files =
            [file(Ok(vec![plain.clone(), ttl])), file(Ok(vec![plain])), file(Err("why".into()))];
        assert_eq!(definitions(&files).len(), 2);
        assert_eq!(overdue(&files[..1]), ["By t, the next pass removes 2 of 5 documents"]);
        assert_eq!(
            unreadable(&files),
            ["b.indexes.json can't be read, so no index is created from it: why"]
        );
    }

    #[test]
    fn what_became_of_definitions_is_said() {
        let mut made = CreatedIndexes { waiting: 3, ..CreatedIndexes::default() };
        made.note("a", Ok(&doc! {"numIndexesBefore": 1, "numIndexesAfter": 2}));
        made.note("b", Ok(&doc! {"numIndexesBefore": 2, "numIndexesAfter": 2}));
        assert_eq!(made.sentences()[0], "Creating indexes…");
        made.note("c", Err("no"));
        assert_eq!(
            made.sentences(),
            ["Created 1 index", "1 index was there already", "Index c was not created: no"]
        );
    }
}
