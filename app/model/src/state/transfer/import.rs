//! An import, as drafted.

use std::path::{Path, PathBuf};

use mayfly_engine::transfer::{
    Compression, CsvReading, ImportFormat, ImportMode, ImportRequest, Leniency, Nonstandard,
    ReadOptions, RecordFormat, Rehearsal, TextEncoding, Zone,
};

use super::types::TypesDraft;
use crate::job::FileLook;
use crate::limits::IMPORT_FILES_MAX;
use crate::state::{Namespace, StoreTree};

/// A value that another thread loads.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Loadable<T> {
    /// Not asked for.
    #[default]
    Nothing,
    /// Asked for; the job's generation.
    Waiting(u64),
    Here(T),
    /// It failed: one sentence.
    Failed(String),
}

impl<T> Loadable<T> {
    /// The value, once it is loaded.
    pub fn here(&self) -> Option<&T> {
        match self {
            Self::Here(found) => Some(found),
            _ => None,
        }
    }

    /// Takes the answer to the question of this generation, unless a newer one is asked.
    pub fn answer(&mut self, generation: u64, answer: Result<Option<T>, String>) {
        if matches!(self, Self::Waiting(asked) if *asked == generation) {
            let found = |found: Option<T>| found.map_or(Self::Nothing, Self::Here);
            *self = answer.map_or_else(Self::Failed, found);
        }
    }
}

/// The inputs of a rehearsal: another one is due when they change.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RehearsedFor {
    pub into: Option<Namespace>,
    pub files: Vec<PathBuf>,
    pub options: ReadOptions,
}

#[derive(Debug, Clone, PartialEq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of the dialog")]
pub struct ImportDraft {
    pub files: Vec<PathBuf>,
    /// Which of them is previewed.
    pub shown: usize,
    /// The path that is being typed.
    pub typed: String,
    pub db: String,
    pub collection: String,
    /// Whether the user typed the collection name.
    pub is_named: bool,
    /// Whether each of several files becomes a collection.
    pub is_apart: bool,
    /// Whether the user chose that, or one collection.
    pub is_apart_chosen: bool,
    /// Where each file goes then.
    pub targets: Vec<FileTarget>,
    /// The file that is looked into though it is not shown, and the job's generation.
    pub ahead: Option<(PathBuf, u64)>,
    /// The format that the user chose.
    pub format: ImportFormat,
    /// The encoding of text that the user chose.
    pub encoding: Option<TextEncoding>,
    /// Whether the options of JSON are shown.
    pub shows_options: bool,
    /// The non-standard forms of Extended JSON that are accepted.
    pub leniency: Leniency,
    /// How CSV is written.
    pub csv: CsvReading,
    /// The zone of dates without one, as typed.
    pub zone: String,
    /// The types that fields get.
    pub types: TypesDraft,
    /// How a document whose `_id` already exists is treated.
    pub mode: ImportMode,
    /// Drop the collection first.
    pub drop: bool,
    /// The collection name, typed to confirm dropping it.
    pub drop_typed: String,
    /// Create the indexes of the definitions next to the files.
    pub create_indexes: bool,
    /// Stop at the first rejected document.
    pub stop_on_error: bool,
    pub pause_reaper: bool,
    /// Whether the documents are shown once all of them are imported.
    pub shows_documents: bool,
    /// The beginning of the shown file.
    pub look: Loadable<FileLook>,
    /// Documents past their threshold already.
    pub rehearsal: Loadable<Rehearsal>,
    pub rehearsed_for: RehearsedFor,
    /// Why the import could not begin.
    pub error: Option<String>,
}

impl ImportDraft {
    /// A draft for files into a database; the collection is named after the first file.
    pub fn new(files: Vec<PathBuf>, db: &str) -> Self {
        let (db, zone) = (db.to_owned(), Leniency::default().zone.to_string());
        let mut draft = Self { files, db, zone, ..Self::default() };
        draft.name_collection();
        draft
    }

    /// A draft for files that were dropped or chosen: into the database of the shown collection,
    /// into a collection named after the first file.
    pub fn of_files(files: Vec<PathBuf>, shown: Option<&Namespace>, tree: &StoreTree) -> Self {
        let db = shown.map(|namespace| namespace.db.as_str());
        let db = db.or_else(|| tree.databases.first().map(|first| first.name.as_str()));
        let mut draft = Self::new(Vec::new(), db.unwrap_or("test"));
        draft.add(files, IMPORT_FILES_MAX);
        draft.show(0);
        draft
    }

    /// Takes a collection as the target, whatever the files are called.
    pub fn go_into(&mut self, target: Namespace) {
        (self.db, self.collection) = (target.db, target.collection);
        (self.is_named, self.is_apart, self.is_apart_chosen) = (true, false, true);
        self.target_changed();
    }

    /// The file that is previewed.
    pub fn shown_file(&self) -> Option<&PathBuf> {
        self.files.get(self.shown)
    }

    /// Adds files that are not there yet, and shows the first of them.
    pub fn add(&mut self, files: Vec<PathBuf>, files_max: usize) {
        for (number, file) in files.into_iter().enumerate() {
            if !self.files.contains(&file) && self.files.len() < files_max {
                self.files.push(file);
                if number == 0 {
                    self.update_targets();
                    self.show(self.files.len() - 1);
                }
            }
        }
        self.error = None;
        self.name_collection();
    }

    /// Takes a file out.
    pub fn remove(&mut self, at: usize) {
        if at < self.files.len() {
            if at == self.shown && self.splits() {
                // Its types go with it.
                self.show(if at == 0 { 1 } else { at - 1 });
            }
            self.files.remove(at);
            let after = self.shown > at || self.shown == self.files.len();
            self.shown = self.shown.saturating_sub(usize::from(after));
            self.name_collection();
        }
    }

    /// The collection as the window names it.
    pub fn target(&self) -> Namespace {
        Namespace::new(self.db.trim(), self.shown_collection().trim())
    }

    /// The collection of the shown file.
    pub fn shown_collection(&self) -> &str {
        let own = self.targets.get(self.shown).filter(|_| self.splits());
        own.map_or(&self.collection, |target| &target.collection)
    }

    /// The mistake in the names, in one sentence.
    pub fn name_error(&self) -> Option<String> {
        if self.db.trim().is_empty() {
            return Some("Enter a database name".to_owned());
        }
        let names = if self.splits() { self.names() } else { [self.collection.trim()].into() };
        if names.contains("") {
            return Some("Enter a collection name".to_owned());
        }
        let check = |name| Namespace::checked(self.db.trim(), name).err();
        names.into_iter().find_map(check).map(|error| error.to_string())
    }

    /// Whether the options of JSON mean something.
    pub fn may_be_json(&self) -> bool {
        let is_json = |form| match form {
            RecordFormat::Empty
            | RecordFormat::Lines
            | RecordFormat::Objects
            | RecordFormat::Array => true,
            RecordFormat::Csv { .. }
            | RecordFormat::Bson
            | RecordFormat::Parquet
            | RecordFormat::Arrow
            | RecordFormat::Workbook => false,
        };
        !matches!(self.format, ImportFormat::Csv | ImportFormat::Bson)
            && self.look.here().is_none_or(|look| is_json(look.preview.detected.form))
    }

    /// Whether the options of CSV mean something.
    pub fn may_be_csv(&self) -> bool {
        let is_csv = |form| matches!(form, RecordFormat::Csv { .. });
        self.format == ImportFormat::Csv
            || self.look.here().is_some_and(|look| is_csv(look.preview.detected.form))
    }

    /// Has a nonstandard form read, or refused.
    pub fn set_read(&mut self, nonstandard: Nonstandard, is_read: bool) {
        self.leniency.set(nonstandard, is_read);
        self.zone_typed();
    }

    /// Takes the zone that was typed, if it is one.
    pub fn zone_typed(&mut self) {
        if let Ok(zone) = Leniency::read_zone(&self.zone) {
            self.leniency.zone = zone;
            self.types.types.zone = zone;
        }
    }

    /// The mistake in the zone, in one sentence. `None` if dates can be read, or need no zone.
    pub fn zone_error(&self) -> Option<String> {
        let is_needed = self.leniency.takes(Nonstandard::NoZone) || self.types.types.has_dates();
        is_needed.then(|| Leniency::read_zone(&self.zone).err()).flatten()
    }

    /// How the files are read. A zone for text is also that of `$date` values without one.
    pub fn read_options(&self) -> ReadOptions {
        let mut leniency = self.leniency;
        let types = self.types.types.clone();
        if types.has_dates() && types.zone != Zone::UTC {
            leniency.set(Nonstandard::NoZone, true);
        }
        let renames = self.types.columns.renames();
        let sheet = self.types.columns.sheet.clone();
        let (format, encoding) = (self.format, self.encoding);
        ReadOptions { format, encoding, leniency, types, renames, sheet, csv: self.csv }
    }

    /// The look that is shown: the latest one of the file while a newer one is awaited.
    pub fn shown_look(&self) -> Option<&FileLook> {
        let seen = self.types.seen.as_ref();
        let seen = seen.filter(|(path, _)| Some(path) == self.shown_file());
        match &self.look {
            Loadable::Here(look) => Some(look),
            Loadable::Waiting(_) => seen.map(|(_, look)| look),
            Loadable::Nothing | Loadable::Failed(_) => None,
        }
    }

    /// Why the shown file can't be read, and so none of those that go where it goes. Files that become
    /// collections of their own don't wait for each other.
    pub fn refusal(&self) -> Option<&str> {
        match &self.look {
            Loadable::Failed(error) if !self.splits() => Some(error),
            _ => None,
        }
    }

    /// Whether nothing is dropped, or its name was typed.
    pub fn is_drop_confirmed(&self) -> bool {
        !self.drop || self.drop_typed == self.collection.trim()
    }

    /// Another collection is named: what was said about dropping was about the one before.
    pub fn target_changed(&mut self) {
        self.drop = false;
        self.drop_typed.clear();
    }

    /// The request for the store.
    ///
    /// # Errors
    /// One sentence that says what is missing.
    pub fn request(&self) -> Result<ImportRequest, String> {
        if self.files.is_empty() {
            return Err("Select a file first".to_owned());
        }
        let error = self.name_error().or_else(|| self.zone_error());
        let refusal = || self.refusal().map(|error| error.trim_end_matches('.').to_owned());
        if let Some(error) = error.or_else(|| self.types.error()).or_else(refusal) {
            return Err(error);
        }
        if !self.is_drop_confirmed() {
            return Err("Enter the collection name to confirm dropping it".to_owned());
        }
        let ReadOptions { format, encoding, leniency, types, renames, sheet, csv } =
            self.read_options();
        Ok(ImportRequest {
            format,
            encoding,
            leniency,
            types,
            renames,
            sheet,
            csv,
            mode: self.mode,
            drop: self.drop,
            stop_on_error: self.stop_on_error,
            keeps_inserted: true,
            ..ImportRequest::new(self.files.clone(), self.target())
        })
    }

    /// Documents that are past their threshold already, as far as is known.
    pub fn overdue(&self) -> u64 {
        if self.drop { 0 } else { self.rehearsal.here().map_or(0, |found| found.overdue) }
    }

    /// The inputs of a rehearsal now. Without a collection there is nothing to rehearse: a new one
    /// has no TTL index, and dropping takes the indexes too.
    pub fn rehearsal_due_for(&self, exists: bool) -> RehearsedFor {
        if !exists || self.drop || self.files.is_empty() {
            return RehearsedFor::default();
        }
        RehearsedFor {
            into: Some(self.target()),
            files: self.shown_files(),
            options: self.read_options(),
        }
    }

    /// The files that go where the shown one goes.
    pub fn shown_files(&self) -> Vec<PathBuf> {
        if !self.splits() {
            return self.files.clone();
        }
        let name = self.shown_collection().trim();
        let own = self.targets.iter().filter(|target| target.collection.trim() == name);
        own.map(|target| target.path.clone()).collect()
    }

    /// The name of the operation.
    pub fn title(&self) -> String {
        if self.splits() && self.names().len() > 1 {
            return format!("Import {}", self.apart_words());
        }
        let into = self.target();
        match self.files.as_slice() {
            [file] => format!("Import {} into {into}", file_name(file)),
            files => format!("Import {} files into {into}", files.len()),
        }
    }

    fn name_collection(&mut self) {
        self.update_targets();
        if self.is_named {
            return;
        }
        let name = self.files.first().map(|f| collection_for(f)).unwrap_or_default();
        if self.collection != name {
            self.collection = name;
            self.target_changed();
        }
    }
}

/// The name of a file without its folder.
pub fn file_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned())
}

/// The collection that a file is named after: its name without `.gz` or `.zst` and without the last
/// extension, with nothing in it that a collection's name can't have.
pub(super) fn collection_for(path: &Path) -> String {
    let name = file_name(path);
    let name = Compression::bare_name(&name);
    let stem = match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    };
    let kept: String = stem.chars().filter(|c| !matches!(c, '$' | '\0')).collect();
    let kept = kept.trim_matches('.').trim();
    if kept.starts_with("system.") { kept.replacen('.', "_", 1) } else { kept.to_owned() }
}

/// A typed path: `~/` is the home folder, quotes around it are not part of it.
pub fn typed_path(typed: &str) -> Option<PathBuf> {
    let text = typed.trim();
    let text = text.strip_prefix("file://").unwrap_or(text);
    let quoted = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    let text = quoted('\'').or_else(|| quoted('"')).unwrap_or(text);
    if text.is_empty() {
        return None;
    }
    if let Some(rest) = text.strip_prefix("~/")
        && let Some(home) = std::env::home_dir()
    {
        return Some(home.join(rest));
    }
    Some(PathBuf::from(text))
}

/// Said when a path does not begin at the root.
pub const WHOLE_PATH: &str = "Enter an absolute path or one that starts with ~/";

/// The path that was typed, if it begins at the root: a window has no working folder for another
/// path to begin at.
pub fn whole_path(typed: &str) -> Option<PathBuf> {
    typed_path(typed).filter(|path| path.is_absolute())
}

/// Where a file of the import goes while each has its own collection.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FileTarget {
    pub path: PathBuf,
    pub collection: String,
    /// Whether the user typed its name.
    pub is_named: bool,
    /// The types that its fields get, while another file is shown.
    pub types: TypesDraft,
    /// Whether its beginning was read, so that its dates are known.
    pub is_looked: bool,
}

impl FileTarget {
    pub(super) fn of(path: &Path) -> Self {
        Self { path: path.to_owned(), collection: collection_for(path), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_can_not_be_read_is_not_imported() {
        let mut draft = draft(&["/a.pdf"]);
        assert!(draft.request().is_ok());
        draft.look = Loadable::Failed("/a.pdf: the file is a PDF.".to_owned());
        assert_eq!(draft.request(), Err("/a.pdf: the file is a PDF".to_owned()));
        draft.add(vec![PathBuf::from("/b.json")], 9);
        draft.look = Loadable::Failed("/b.json: it is gone.".to_owned());
        assert!(draft.splits() && draft.refusal().is_none(), "the other one can be imported");
    }

    fn draft(files: &[&str]) -> ImportDraft {
        ImportDraft::new(files.iter().map(PathBuf::from).collect(), "demo")
    }

    #[test]
    fn a_collection_is_named_after_its_file() {
        let check =
            |file: &str, expected: &str| assert_eq!(collection_for(Path::new(file)), expected);
        check("/tmp/events.json", "events");
        check("/tmp/events.v2.jsonl.gz", "events.v2");
        check("carts.csv", "carts");
        check("/dump/shop/carts.bson.zst", "carts");
        check("/tmp/.hidden", "hidden");
        check("/tmp/no-extension", "no-extension");
        check("/tmp/a$b.json", "ab");
        check("/tmp/system.users.json", "system_users");
        check("/tmp/Müll 7.ndjson", "Müll 7");
    }

    #[test]
    fn a_typed_name_stays() {
        let mut draft = draft(&["/a/one.json"]);
        assert_eq!(draft.collection, "one");
        draft.add(vec![PathBuf::from("/a/two.json")], 9);
        assert_eq!((draft.collection.as_str(), draft.shown), ("one", 1));
        draft.remove(0);
        assert_eq!((draft.collection.as_str(), draft.shown), ("two", 0));
        draft.collection = "mine".to_owned();
        draft.is_named = true;
        draft.remove(0);
        assert_eq!((draft.collection.as_str(), draft.shown), ("mine", 0));
    }

    #[test]
    fn files_are_bounded_and_stand_once() {
        let mut draft = draft(&["/a/one.json"]);
        let more = |name: &str| vec![PathBuf::from(name)];
        draft.add(more("/a/one.json"), 9);
        draft.add(more("/a/two.json"), 2);
        draft.add(more("/a/three.json"), 2);
        assert_eq!(draft.files.len(), 2);
    }

    #[test]
    fn names_are_checked_before_anything_begins() {
        let check = |db: &str, collection: &str, good: bool| {
            let (db, collection) = (db.to_owned(), collection.to_owned());
            let draft = ImportDraft { db, collection, ..draft(&["/a/one.json"]) };
            assert_eq!(draft.name_error().is_none(), good, "{:?}", draft.name_error());
            assert_eq!(draft.request().is_ok(), good);
        };
        check("demo", "events", true);
        check(" demo ", " events ", true);
        check("", "events", false);
        check("demo", "", false);
        check("de mo", "events", false);
        check("demo", "a$b", false);
        assert!(draft(&[]).request().is_err());
    }

    #[test]
    fn a_zone_is_needed_where_dates_are_read_in_it() {
        let mut draft = draft(&["/a/one.json"]);
        assert_eq!(draft.zone, "UTC");
        "Nowhere".clone_into(&mut draft.zone);
        draft.zone_typed();
        assert!(draft.request().is_ok());
        draft.set_read(Nonstandard::NoZone, true);
        assert!(draft.request().expect_err("no zone").contains("+05:45"));
        " +05:45 ".clone_into(&mut draft.zone);
        draft.zone_typed();
        let leniency = draft.request().expect("a zone").leniency;
        assert_eq!(leniency.zone.to_string(), "+05:45");
        assert_eq!(draft.rehearsal_due_for(true).options.leniency, leniency);
    }

    #[test]
    fn only_what_was_named_is_dropped() {
        let mut draft = draft(&["/a/one.json", "/a/two.json"]);
        draft.drop = true;
        for (typed, is_confirmed) in [("", false), ("On", false), ("two", false), ("one", true)] {
            typed.clone_into(&mut draft.drop_typed);
            assert_eq!(draft.request().is_ok(), is_confirmed, "{typed}");
        }
        assert!(draft.request().expect("the name was typed").drop);
        draft.remove(0);
        assert_eq!((draft.collection.as_str(), draft.drop), ("two", false));
        assert_eq!(draft.drop_typed, "");
    }

    #[test]
    fn a_new_collection_is_not_rehearsed() {
        let mut draft = draft(&["/a/one.json"]);
        assert_eq!(draft.rehearsal_due_for(false), RehearsedFor::default());
        assert_eq!(draft.rehearsal_due_for(true).into, Some(Namespace::new("demo", "one")));
        draft.drop = true;
        assert_eq!(draft.rehearsal_due_for(true), RehearsedFor::default());
    }

    #[test]
    fn typed_paths() {
        let check = |typed: &str, expected: Option<&str>| {
            assert_eq!(typed_path(typed), expected.map(PathBuf::from));
        };
        check("  ", None);
        check(" /a/b.json ", Some("/a/b.json"));
        check("'/a/b c.json'", Some("/a/b c.json"));
        check("\"/a/b.json\"", Some("/a/b.json"));
        check("file:///a/b.json", Some("/a/b.json"));
        check("b.json", Some("b.json"));
    }

    #[test]
    fn a_whole_path_begins_at_the_root() {
        let check = |typed: &str, expected: bool| {
            assert_eq!(whole_path(typed).is_some_and(|path| path.is_absolute()), expected);
        };
        check("/a", true);
        check("~/a", std::env::home_dir().is_some());
        for wrong in ["", "a", "./a", "~", "~a"] {
            check(wrong, false);
        }
    }
}
