//! An export, as drafted.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bson::Document;
use mayfly_engine::transfer::{
    Compression, CsvForm, CsvOptions, ExportFile, ExportFormat, ExportQuery, ExportRequest, Losses,
    Progress, file_name,
};
use mayfly_engine::value::extjson::Style;
use mayfly_engine::value::named;

use super::import::{Loadable, WHOLE_PATH, typed_path};
use crate::state::Namespace;
use crate::state::documents::query::{Query, QueryField, QueryText};

named! {
    /// The form of an exported file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum ExportForm {
        /// One document a line; numbers keep their types.
        #[default]
        Typed => "NDJSON with types",
        /// One document a line, as mongoexport writes it.
        Relaxed => "NDJSON, relaxed",
        /// One document a line, every type spelled out.
        Canonical => "NDJSON, canonical",
        Array => "JSON array",
        /// CSV that a spreadsheet opens safely.
        Spreadsheet => "CSV for spreadsheets",
        /// CSV with every character as it is.
        Csv => "CSV, exact text",
        /// CSV whose header has types.
        TypedCsv => "CSV, typed header",
        /// One BSON document after another.
        Bson => "BSON",
    }
    /// A few words.
    pub fn label;
}

impl ExportForm {
    /// Its purpose and its losses.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Typed => {
                "One document per line, compact. A long that fits in an int is reimported as an int"
            }
            Self::Relaxed => {
                "One document per line, like mongoexport. Longs lose their type, and some tools \
                 round integers above 2^53"
            }
            Self::Canonical => "One document per line with all types. Lossless; best for backups",
            Self::Bson => {
                "The documents as they are stored, as in the files of mongodump. Lossless"
            }
            Self::Array => {
                "A single JSON array. A long that fits in an int is reimported as an int"
            }
            Self::Spreadsheet => {
                "Keeps only text and numbers, and adds ' before text that looks like a formula. \
                 Not for reimport"
            }
            Self::Csv => "Keeps only text and numbers; dates, ObjectIds and arrays become text",
            Self::TypedCsv => {
                "The header has types, as for mongoimport --columnsHaveTypes. Lossless, but only \
                 Mayfly reads ejson(), the type of mixed columns"
            }
        }
    }

    /// The extension of its files.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Typed | Self::Relaxed | Self::Canonical => "ndjson",
            Self::Array => "json",
            Self::Spreadsheet | Self::Csv | Self::TypedCsv => "csv",
            Self::Bson => "bson",
        }
    }

    /// Whether it has columns.
    #[must_use]
    pub fn is_csv(self) -> bool {
        matches!(self, Self::Spreadsheet | Self::Csv | Self::TypedCsv)
    }

    /// Whether some value may not come back from its files.
    #[must_use]
    pub fn may_lose(self) -> bool {
        !matches!(self, Self::Canonical | Self::Bson)
    }

    /// `hidden` are the fields that get no column.
    fn format(self, hidden: Vec<String>) -> ExportFormat {
        match self {
            Self::Typed => ExportFormat::Ndjson(Style::Typed),
            Self::Relaxed => ExportFormat::Ndjson(Style::Relaxed),
            Self::Canonical => ExportFormat::Ndjson(Style::Canonical),
            Self::Array => ExportFormat::Array(Style::Typed),
            Self::Bson => ExportFormat::Bson,
            Self::Spreadsheet | Self::Csv | Self::TypedCsv => {
                let form = match self {
                    Self::Spreadsheet => CsvForm::Spreadsheet,
                    Self::TypedCsv => CsvForm::Typed,
                    _ => CsvForm::Exact,
                };
                ExportFormat::Csv(CsvOptions { fields: None, form, hidden })
            }
        }
    }
}

/// The contents of a list of documents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownDocuments {
    /// The query, as typed.
    pub query: QueryText,
    /// Columns that the user hid, by their path.
    pub hidden: BTreeSet<String>,
}

/// Stops a count when the dialog that shows it closes.
#[derive(Debug)]
pub struct Counting(pub Arc<Progress>);

impl Drop for Counting {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl PartialEq for Counting {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The choices that decide what a file loses: another count is due when they change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LossesFor {
    pub form: ExportForm,
    pub as_shown: bool,
}

/// The contents of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Content {
    /// Documents of the collection.
    #[default]
    Documents,
    /// The documents that this command gives.
    Results(Document),
    /// Removed documents of the collection, by the command that lists them. It returns all of them,
    /// more than the view shows.
    Removals(Document),
    /// The JSON Schema of the collection, as text.
    JsonSchema(String),
    /// The audit of the store, as a page.
    Audit(String),
}

impl Content {
    /// Whether it is a text that is there already.
    pub fn is_text(&self) -> bool {
        matches!(self, Self::JsonSchema(_) | Self::Audit(_))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct ExportDraft {
    pub namespace: Namespace,
    /// Distinguishes its file from those of other collections, see [`number_among`].
    pub number: usize,
    /// The form of the file.
    pub form: ExportForm,
    /// How the file is compressed.
    pub compression: Compression,
    /// Write the index definitions to another file next to it.
    pub indexes: bool,
    pub shown: ShownDocuments,
    /// The time of `now` and `new Date()` in the filter, in ms since 1970.
    pub now_ms: i64,
    /// Whether that is written, and not everything in the collection.
    pub as_shown: bool,
    /// How many documents that is.
    pub count: Loadable<u64>,
    /// The path as typed.
    pub path: String,
    /// Whether the user chose the path.
    pub is_named: bool,
    /// Existing files that would be overwritten.
    pub exists: Vec<PathBuf>,
    /// Why the export could not begin.
    pub error: Option<String>,
    pub content: Content,
    /// The values that an import of the file would change.
    pub losses: Loadable<Losses>,
    pub losses_for: Option<LossesFor>,
    pub counting: Option<Arc<Counting>>,
}

impl ExportDraft {
    pub fn new(namespace: Namespace, mut shown: ShownDocuments, now_ms: i64) -> Self {
        if shown.query.filter.trim() == "{}" {
            shown.query.filter.clear();
        }
        // An export takes as long as the file is long.
        shown.query.time_limit.clear();
        let mut draft = Self {
            namespace,
            number: 1,
            form: ExportForm::Typed,
            compression: Compression::None,
            indexes: false,
            shown,
            now_ms,
            as_shown: true,
            count: Loadable::Nothing,
            path: String::new(),
            is_named: false,
            exists: Vec::new(),
            error: None,
            content: Content::Documents,
            losses: Loadable::Nothing,
            losses_for: None,
            counting: None,
        };
        draft.name_file(None);
        draft
    }

    /// A draft for something else about a collection than its documents.
    pub fn of(namespace: Namespace, content: Content, now_ms: i64) -> Self {
        let mut draft = Self::new(namespace, ShownDocuments::default(), now_ms);
        draft.content = content;
        draft.name_file(None);
        draft
    }

    /// The suggested name of the file.
    pub fn file_name(&self) -> String {
        let name = file_name(&self.namespace.to_string());
        let number = if self.number > 1 { format!("~{}", self.number) } else { String::new() };
        let (extension, ending) = (self.form.extension(), self.compression.ending());
        match &self.content {
            Content::Documents => format!("{name}{number}.{extension}{ending}"),
            Content::Results(_) => format!("{name}{number}-results.{extension}{ending}"),
            Content::Removals(_) => format!("{name}{number}-removed.{extension}{ending}"),
            Content::JsonSchema(_) => format!("{name}{number}.schema.json"),
            Content::Audit(_) => format!("{name}{number}.html"),
        }
    }

    /// Gives the file its suggested name in a folder, or in its present one, unless the user
    /// chose the path. A chosen path only follows the form with its extension.
    pub fn name_file(&mut self, folder: Option<&Path>) {
        self.exists.clear();
        if self.is_named {
            if self.content.is_text() {
                return;
            }
            self.path = with_ending(self.path.trim(), self.form, self.compression);
            return;
        }
        let old = Path::new(&self.path).parent().map(Path::to_owned);
        let folder = folder.map(Path::to_owned).or(old).unwrap_or_default();
        self.path = folder.join(self.file_name()).to_string_lossy().into_owned();
    }

    /// Whether the view shows anything else than every document as it is stored.
    pub fn has_choice(&self) -> bool {
        let QueryText { filter, project, sort, skip, limit, .. } = &self.shown.query;
        let parts = [filter, project, sort, skip, limit];
        self.content == Content::Documents
            && (!self.shown.hidden.is_empty() || parts.iter().any(|part| !part.trim().is_empty()))
    }

    /// The query that is used, read as the filter line reads it.
    pub fn query(&self) -> Result<Query, String> {
        if !self.as_shown {
            return Ok(Query::default());
        }
        self.shown.query.read(self.now_ms).map_err(|error| {
            let part = match error.field {
                QueryField::Filter | QueryField::TimeLimit => "filter",
                QueryField::Project => "projection",
                QueryField::Sort => "sort",
                QueryField::Skip => "skip",
                QueryField::Limit => "limit",
                QueryField::Hint => "hint",
                QueryField::Collation => "language",
            };
            format!("The {part} can't be used: {}", error.message)
        })
    }

    /// The query that is used, ready for the store.
    pub fn export_query(&self) -> Result<ExportQuery, String> {
        let Query { filter, projection, sort, skip, limit, hint, collation, .. } = self.query()?;
        let query = ExportQuery::parse(&filter, &sort, &projection, hint.as_ref(), &collation)
            .map_err(|error| format!("The query can't be used: {error}"))?;
        Ok(ExportQuery { skip, limit, ..query })
    }

    /// The choices that [`Self::losses`] is due for; `None` if nothing can be lost, or only a command
    /// reads the documents.
    pub fn losses_due_for(&self) -> Option<LossesFor> {
        let is_due = self.content == Content::Documents && self.form.may_lose();
        is_due.then_some(LossesFor { form: self.form, as_shown: self.as_shown })
    }

    /// The fields that get no column.
    pub fn hidden(&self) -> Vec<String> {
        let is_used = self.as_shown && self.form.is_csv();
        self.shown.hidden.iter().filter(|_| is_used).cloned().collect()
    }

    /// The file to write.
    ///
    /// # Errors
    /// One sentence that says what is missing.
    pub fn target(&self) -> Result<ExportFile, String> {
        let path = typed_path(&self.path).ok_or("Enter the file path")?;
        if path.file_name().is_none() {
            return Err("The path has no file name; add one".to_owned());
        }
        if path.is_relative() {
            return Err(WHOLE_PATH.to_owned());
        }
        let (format, compression) = (self.form.format(self.hidden()), self.compression);
        Ok(ExportFile { path, format, compression })
    }

    /// Ready for the store.
    ///
    /// # Errors
    /// One sentence that says what is missing.
    pub fn request(&self) -> Result<ExportRequest, String> {
        let ExportFile { path, .. } = self.target()?;
        Ok(ExportRequest { path, ..self.content_request()? })
    }

    /// The same without a file, to count what it would lose.
    ///
    /// # Errors
    /// One sentence that says what is missing.
    pub fn content_request(&self) -> Result<ExportRequest, String> {
        let Namespace { db, collection } = &self.namespace;
        let namespace = Namespace::checked(db, collection).map_err(|error| error.to_string())?;
        Ok(ExportRequest {
            namespace,
            path: PathBuf::new(),
            format: self.form.format(self.hidden()),
            query: self.export_query()?,
            compression: self.compression,
            indexes: self.indexes,
        })
    }
}

/// Says which files already exist.
pub fn already_exist(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let exist = if names.len() == 1 { "exists" } else { "exist" };
    format!("{} already {exist}", names.join(" and "))
}

/// Which one of the collections it is that have the same file name but for upper and lower case,
/// which some systems take for the same; from 1.
pub fn number_among(namespace: &Namespace, all: impl Iterator<Item = Namespace>) -> usize {
    let folded = |name: &Namespace| file_name(&name.to_string()).to_lowercase();
    let own = folded(namespace);
    let is_before = |name: &Namespace| name.to_string() < namespace.to_string();
    1 + all.filter(|name| is_before(name) && folded(name) == own).count()
}

/// `path` with the ending of a form, in place of an ending of another form.
fn with_ending(path: &str, form: ExportForm, compression: Compression) -> String {
    let bare = Compression::bare_name(path);
    let known = [".ndjson", ".jsonl", ".json", ".csv", ".bson"];
    let Some(stem) = known.iter().find_map(|ending| bare.strip_suffix(ending)) else {
        return path.to_owned();
    };
    format!("{stem}.{}{}", form.extension(), compression.ending())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(filter: &str) -> ExportDraft {
        let shown = ShownDocuments { query: QueryText::of_filter(filter), ..Default::default() };
        ExportDraft::new(Namespace::new("shop", "carts"), shown, 0)
    }

    #[test]
    fn collections_whose_names_differ_by_case_alone_have_files_of_their_own() {
        let all = ["carts", "CARTS", "Carts", "a b"].map(|name| Namespace::new("shop", name));
        let name = |at: usize| {
            let number = number_among(&all[at], all.iter().cloned());
            let shown = ShownDocuments::default();
            ExportDraft { number, ..ExportDraft::new(all[at].clone(), shown, 0) }.file_name()
        };
        assert_eq!(name(0), "shop.carts~3.ndjson");
        assert_eq!(name(1), "shop.CARTS.ndjson");
        assert_eq!(name(2), "shop.Carts~2.ndjson");
        assert_eq!(name(3), "shop.a%20b.ndjson");
    }

    #[test]
    fn the_path_follows_the_form() {
        let mut draft = draft("");
        draft.name_file(Some(Path::new("/home/a")));
        assert_eq!(draft.path, "/home/a/shop.carts.ndjson");
        draft.form = ExportForm::Csv;
        draft.compression = Compression::Zstd;
        draft.name_file(None);
        assert_eq!(draft.path, "/home/a/shop.carts.csv.zst");
        draft.path = "/tmp/mine.csv".to_owned();
        draft.is_named = true;
        draft.form = ExportForm::Array;
        draft.compression = Compression::None;
        draft.name_file(None);
        assert_eq!(draft.path, "/tmp/mine.json");
        draft.path = "/tmp/other".to_owned();
        draft.name_file(None);
        assert_eq!(draft.path, "/tmp/other");
    }

    #[test]
    fn requests_are_checked_before_anything_begins() {
        let check = |path: &str, filter: &str, good: bool| {
            let mut draft = draft(filter);
            draft.path = path.to_owned();
            assert_eq!(draft.request().is_ok(), good, "{path} {filter}");
        };
        check("/tmp/x.json", "", true);
        check("/tmp/x.json", "{a: {$lt: ISODate('2026-01-01')}}", true);
        check("/tmp/x.json", "{$expr: {$gt: ['$a', '$$NOW']}}", true);
        check("/tmp/x.json", "{a: {$gt: now - 2h}}", true);
        check("/tmp/x.json", "{a: {$nonsense: 1}}", false);
        check("/tmp/x.json", "{a:", false);
        check("", "", false);
        check("x.json", "", false);
        check("/", "", false);
    }

    #[test]
    fn a_list_that_shows_everything_leaves_no_choice() {
        assert!(!draft("").has_choice());
        assert!(!draft(" {} ").has_choice());
        assert!(draft("{a: 1}").has_choice());
        let check = |change: &dyn Fn(&mut ShownDocuments), expected: bool| {
            let mut shown = ShownDocuments::default();
            change(&mut shown);
            let draft = ExportDraft::new(Namespace::new("shop", "carts"), shown, 0);
            assert_eq!(draft.has_choice(), expected, "{draft:?}");
        };
        check(&|shown| shown.query.sort = "{a: 1}".to_owned(), true);
        check(&|shown| shown.query.project = "{a: 1}".to_owned(), true);
        check(&|shown| shown.query.limit = "5".to_owned(), true);
        check(&|shown| shown.hidden = BTreeSet::from(["a".to_owned()]), true);
        check(&|shown| shown.query.time_limit = "5".to_owned(), false);
        check(&|shown| shown.query.hint = "a_1".to_owned(), false);
    }

    #[test]
    fn hidden_columns_are_left_out_of_csv_alone() {
        let mut draft = draft("");
        draft.shown.hidden.insert("a.b".to_owned());
        assert!(draft.hidden().is_empty());
        draft.form = ExportForm::Csv;
        assert_eq!(draft.hidden(), ["a.b"]);
        draft.as_shown = false;
        assert!(draft.hidden().is_empty());
    }

    #[test]
    fn the_part_that_is_wrong_is_named() {
        let mut draft = draft("{a: 1}");
        draft.shown.query.sort = "{a:".to_owned();
        assert!(draft.query().is_err_and(|error| error.starts_with("The sort can't be used: ")));
        draft.shown.query.sort = "{a: 7}".to_owned();
        let error = draft.export_query().map(|_| ()).unwrap_err();
        assert!(error.starts_with("The query can't be used: "), "{error}");
        draft.as_shown = false;
        assert!(draft.export_query().is_ok());
    }

    #[test]
    fn every_form_says_what_it_loses() {
        for form in ExportForm::ALL {
            let said = form.sentence();
            let words = ["Lossless", "Keeps only", "lose their type", "reimported as"];
            assert!(words.iter().any(|word| said.contains(word)), "{said}");
        }
    }
}
