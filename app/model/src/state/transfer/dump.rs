//! An import of a folder that mongodump wrote, as drafted.

use std::path::PathBuf;
use std::time::Duration;

use mayfly_engine::transfer::{
    Dump, DumpChoice, DumpCollection, DumpImport, DumpOutcome, ImportMode, Rehearsal,
};

use super::import::Loadable;
use crate::state::Namespace;

/// An import of a dump, as drafted.
#[derive(Debug, Clone, PartialEq)]
pub struct DumpDraft {
    /// The folder or file.
    pub path: PathBuf,
    pub dump: Dump,
    /// The choices for each collection, in the order of the dump.
    pub rows: Vec<DumpRow>,
    /// The database to import into. Not used when the dump has several.
    pub db: String,
    /// How a document whose `_id` already exists is treated.
    pub mode: ImportMode,
    /// Documents past their threshold already, for each collection.
    pub rehearsals: Loadable<Vec<Rehearsal>>,
    /// Why the import could not begin.
    pub error: Option<String>,
}

/// The choices for a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DumpRow {
    /// Whether it is imported.
    pub take: bool,
    /// Whether its indexes without a TTL are created.
    pub indexes: bool,
    /// Whether its TTL indexes are created.
    pub ttl: bool,
}

/// How an import of a dump ended.
#[derive(Debug, Clone, PartialEq)]
pub struct DumpResult {
    pub outcomes: Vec<DumpOutcome>,
    /// Collections that were chosen.
    pub chosen: usize,
    /// How long it took.
    pub took: Duration,
}

impl DumpDraft {
    /// Everything that can be imported, with its indexes; `db` is for a path that names no database.
    pub fn new(path: PathBuf, dump: Dump, db: &str) -> Self {
        let rows = dump.collections.iter().map(|found| DumpRow {
            take: found.refused.is_none(),
            indexes: true,
            ttl: true,
        });
        let known = dump.collections.first().and_then(|found| found.db.clone());
        Self {
            rows: rows.collect(),
            db: known.unwrap_or_else(|| db.to_owned()),
            path,
            dump,
            mode: ImportMode::Insert,
            rehearsals: Loadable::Nothing,
            error: None,
        }
    }

    /// Whether all collections go into one database, which can be chosen.
    pub fn is_one_database(&self) -> bool {
        let mut dbs = self.dump.collections.iter().map(|found| &found.db);
        let first = dbs.next();
        dbs.all(|db| Some(db) == first)
    }

    pub fn target(&self, of: &DumpCollection) -> Namespace {
        let own = of.db.as_deref().filter(|_| !self.is_one_database());
        Namespace::new(own.unwrap_or(self.db.trim()), &of.name)
    }

    /// The collections with their choices.
    pub fn chosen(&self) -> impl Iterator<Item = (usize, &DumpCollection, DumpRow)> {
        let rows = self.dump.collections.iter().zip(&self.rows).enumerate();
        rows.filter(|(_, (found, row))| row.take && found.refused.is_none())
            .map(|(at, (found, row))| (at, found, *row))
    }

    /// Documents that the next pass would remove.
    pub fn overdue(&self) -> u64 {
        let Some(rehearsals) = self.rehearsals.here() else { return 0 };
        let chosen = self.chosen().filter(|(.., row)| row.ttl);
        chosen.filter_map(|(at, ..)| rehearsals.get(at)).map(|found| found.overdue).sum()
    }

    /// The request for the store.
    ///
    /// # Errors
    /// One sentence that says what is missing.
    pub fn request(&self) -> Result<DumpImport, String> {
        let mut choices = Vec::new();
        for (_, collection, row) in self.chosen() {
            let Namespace { db, collection: name } = self.target(collection);
            choices.push(DumpChoice {
                into: Namespace::checked(&db, &name).map_err(|error| error.to_string())?,
                collection: collection.clone(),
                indexes: row.indexes,
                ttl: row.ttl,
            });
        }
        if choices.is_empty() {
            return Err("Select a collection".to_owned());
        }
        Ok(DumpImport { choices, mode: self.mode, ..DumpImport::default() })
    }

    /// The name of the operation.
    pub fn title(&self) -> String {
        format!("Import {}", self.path.display())
    }
}

impl DumpResult {
    /// Documents that were imported.
    pub fn documents(&self) -> u64 {
        let reports = self.outcomes.iter().filter_map(|outcome| outcome.documents.as_ref().ok());
        reports.map(|report| report.imported).sum()
    }

    /// Whether everything that was chosen is there.
    pub fn is_complete(&self) -> bool {
        self.outcomes.len() == self.chosen && self.outcomes.iter().all(DumpOutcome::is_complete)
    }

    /// The operation's end in words.
    pub fn words(&self) -> String {
        let documents = crate::state::number::counted(self.documents(), "document", "documents");
        let of = self.outcomes.len() as u64;
        let collections = crate::state::number::counted(of, "collection", "collections");
        format!("{documents} imported into {collections}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(dbs: &[&str]) -> DumpDraft {
        let collections = dbs.iter().enumerate().map(|(number, db)| DumpCollection {
            db: Some((*db).to_owned()),
            name: format!("c{number}"),
            files: vec![PathBuf::from("/c.bson")],
            bytes: 9,
            listed: None,
            options: bson::Document::new(),
            indexes: Vec::new(),
            foreign_indexes: Vec::new(),
            refused: (number == 2).then(|| "no".to_owned()),
            metadata_error: None,
            notes: Vec::new(),
        });
        let dump = Dump { collections: collections.collect(), notes: Vec::new() };
        DumpDraft::new(PathBuf::from("/dump"), dump, "test")
    }

    #[test]
    fn what_is_chosen_goes_to_its_database() {
        let targets = |draft: &DumpDraft| {
            let request = draft.request().expect("a request");
            request.choices.iter().map(|choice| choice.into.to_string()).collect::<Vec<_>>()
        };
        let mut one = draft(&["a", "a", "a"]);
        assert_eq!(targets(&one), ["a.c0", "a.c1"]);
        "other".clone_into(&mut one.db);
        one.rows[1].take = false;
        assert_eq!(targets(&one), ["other.c0"]);
        assert_eq!(targets(&draft(&["a", "b"])), ["a.c0", "b.c1"]);
        one.rows[0].take = false;
        assert!(one.request().is_err());
        let mut wrong = draft(&["a"]);
        "a b".clone_into(&mut wrong.db);
        assert!(wrong.request().is_err());
    }

    #[test]
    fn documents_of_indexes_that_are_not_created_do_not_expire() {
        let mut draft = draft(&["a", "a"]);
        let found = Rehearsal { documents: 5, overdue: 2, ..Rehearsal::default() };
        draft.rehearsals = Loadable::Here(vec![found.clone(), found]);
        assert_eq!(draft.overdue(), 4);
        draft.rows[0].ttl = false;
        assert_eq!(draft.overdue(), 2);
        draft.rows[1].take = false;
        assert_eq!(draft.overdue(), 0);
    }
}
