//! An export, as drafted.

use std::path::{Path, PathBuf};

use bson::{Document, RawDocumentBuf};
use mayfly_engine::query::{Filter, VariableNames};
use mayfly_engine::transfer::{ExportFormat, ExportRequest, file_name};
use mayfly_engine::value::extjson::{self, Layout, Style};

use super::import::{WHOLE_PATH, typed_path};
use crate::state::Namespace;
use crate::state::documents::relative_time;

/// The form of an exported file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExportForm {
    /// One document a line; numbers keep their types.
    #[default]
    Typed,
    /// One document a line, as mongoexport writes it.
    Relaxed,
    /// One document a line, every type spelled out.
    Canonical,
    /// One array.
    Array,
    /// CSV that a spreadsheet opens safely.
    Spreadsheet,
    /// CSV with every character as it is.
    Csv,
}

impl ExportForm {
    /// Every form.
    pub const ALL: [Self; 6] =
        [Self::Typed, Self::Relaxed, Self::Canonical, Self::Array, Self::Spreadsheet, Self::Csv];

    /// A few words.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Typed => "NDJSON with types",
            Self::Relaxed => "NDJSON, relaxed",
            Self::Canonical => "NDJSON, canonical",
            Self::Array => "JSON array",
            Self::Spreadsheet => "CSV for spreadsheets",
            Self::Csv => "CSV, exact text",
        }
    }

    /// What it is for and what it loses.
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
            Self::Array => {
                "A single JSON array. A long that fits in an int is reimported as an int"
            }
            Self::Spreadsheet => {
                "Keeps only text and numbers, and adds ' before text that looks like a formula. \
                 Not for reimport"
            }
            Self::Csv => {
                "Keeps only text and numbers; dates, ObjectIds and nested values become text. \
                 Missing fields and empty strings look the same"
            }
        }
    }

    /// The extension of its files.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Typed | Self::Relaxed | Self::Canonical => "ndjson",
            Self::Array => "json",
            Self::Spreadsheet | Self::Csv => "csv",
        }
    }

    fn format(self) -> ExportFormat {
        match self {
            Self::Typed => ExportFormat::Ndjson(Style::Typed),
            Self::Relaxed => ExportFormat::Ndjson(Style::Relaxed),
            Self::Canonical => ExportFormat::Ndjson(Style::Canonical),
            Self::Array => ExportFormat::Array(Style::Typed),
            Self::Spreadsheet => ExportFormat::Csv { fields: None, escape_formulas: true },
            Self::Csv => ExportFormat::Csv { fields: None, escape_formulas: false },
        }
    }
}

/// An export, as drafted.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of the dialog")]
pub struct ExportDraft {
    /// The collection.
    pub namespace: Namespace,
    /// Distinguishes its file from those of other collections, see [`number_among`].
    pub number: usize,
    /// The form of the file.
    pub form: ExportForm,
    /// Pack it with gzip.
    pub gzip: bool,
    /// Write the indexes beside it.
    pub indexes: bool,
    /// The filter of the view, as typed; empty: there is none.
    pub filter: String,
    /// What `now` and `new Date()` in the filter mean, in ms since 1970.
    pub now_ms: i64,
    /// Whether only documents that match it are written.
    pub use_filter: bool,
    /// The path as typed.
    pub path: String,
    /// Whether the user chose the path.
    pub is_named: bool,
    /// Existing files that would be overwritten.
    pub exists: Vec<PathBuf>,
    /// Why the export could not begin.
    pub error: Option<String>,
    /// The command whose results are written, in place of documents of the collection.
    pub results: Option<Document>,
}

impl ExportDraft {
    /// A draft for a collection.
    #[must_use]
    pub fn new(namespace: Namespace, filter: String, now_ms: i64) -> Self {
        let use_filter = !filter.trim().is_empty() && filter.trim() != "{}";
        let filter = if use_filter { filter } else { String::new() };
        let mut draft = Self {
            namespace,
            number: 1,
            form: ExportForm::Typed,
            gzip: false,
            indexes: false,
            filter,
            now_ms,
            use_filter,
            path: String::new(),
            is_named: false,
            exists: Vec::new(),
            error: None,
            results: None,
        };
        draft.name_file(None);
        draft
    }

    /// A draft for the results of a command on a collection.
    #[must_use]
    pub fn of_results(namespace: Namespace, command: Document, now_ms: i64) -> Self {
        let mut draft = Self::new(namespace, String::new(), now_ms);
        draft.results = Some(command);
        draft.name_file(None);
        draft
    }

    /// The suggested name of the file.
    #[must_use]
    pub fn file_name(&self) -> String {
        let name = file_name(&self.namespace.to_string());
        let number = if self.number > 1 { format!("~{}", self.number) } else { String::new() };
        let results = if self.results.is_some() { "-results" } else { "" };
        let gz = if self.gzip { ".gz" } else { "" };
        format!("{name}{number}{results}.{}{gz}", self.form.extension())
    }

    /// Gives the file its suggested name in a folder, or in its present one, unless the user
    /// chose the path. A chosen path only follows the form with its extension.
    pub fn name_file(&mut self, folder: Option<&Path>) {
        self.exists.clear();
        if self.is_named {
            self.path = with_ending(self.path.trim(), self.form, self.gzip);
            return;
        }
        let old = Path::new(&self.path).parent().map(Path::to_owned);
        let folder = folder.map(Path::to_owned).or(old).unwrap_or_default();
        self.path = folder.join(self.file_name()).to_string_lossy().into_owned();
    }

    /// The filter that is used, read as the filter line reads it.
    ///
    /// # Errors
    /// One sentence.
    pub fn chosen_filter(&self) -> Result<Option<(RawDocumentBuf, Filter)>, String> {
        if !self.use_filter || self.filter.trim().is_empty() {
            return Ok(None);
        }
        let wrong = |reason: String| format!("The filter can't be used: {reason}");
        let document: Document = relative_time::read_document(&self.filter, self.now_ms)
            .map_err(|error| wrong(error.message))?;
        let document =
            RawDocumentBuf::try_from(&document).map_err(|error| wrong(error.to_string()))?;
        let filter = Filter::parse_query(&document, &VariableNames::default())
            .map_err(|error| wrong(error.to_string()))?;
        Ok(Some((document, filter)))
    }

    /// The filter that is used, as Extended JSON for a command line.
    #[must_use]
    pub fn filter_text(&self) -> Option<String> {
        let (document, _) = self.chosen_filter().ok()??;
        Some(extjson::write_document(&document, Style::Typed, Layout::OneLine))
    }

    /// The file to write, and its format.
    ///
    /// # Errors
    /// One sentence that says what is missing.
    pub fn target(&self) -> Result<(PathBuf, ExportFormat), String> {
        let path = typed_path(&self.path).ok_or("Enter the file path")?;
        if path.file_name().is_none() {
            return Err("The path has no file name; add one".to_owned());
        }
        if path.is_relative() {
            return Err(WHOLE_PATH.to_owned());
        }
        Ok((path, self.form.format()))
    }

    /// Ready for the store.
    ///
    /// # Errors
    /// One sentence that says what is missing.
    pub fn request(&self) -> Result<ExportRequest, String> {
        let (path, format) = self.target()?;
        let Namespace { db, collection } = &self.namespace;
        let namespace = Namespace::checked(db, collection).map_err(|error| error.to_string())?;
        Ok(ExportRequest {
            namespace,
            path,
            format,
            filter: self.chosen_filter()?.map(|(_, filter)| filter),
            gzip: self.gzip,
            indexes: self.indexes,
        })
    }
}

/// Says which files already exist.
#[must_use]
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
fn with_ending(path: &str, form: ExportForm, gzip: bool) -> String {
    let bare = path.strip_suffix(".gz").unwrap_or(path);
    let known = [".ndjson", ".jsonl", ".json", ".csv"];
    let Some(stem) = known.iter().find_map(|ending| bare.strip_suffix(ending)) else {
        return path.to_owned();
    };
    format!("{stem}.{}{}", form.extension(), if gzip { ".gz" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(filter: &str) -> ExportDraft {
        ExportDraft::new(Namespace::new("shop", "carts"), filter.to_owned(), 0)
    }

    #[test]
    fn collections_whose_names_differ_by_case_alone_have_files_of_their_own() {
        let all = ["carts", "CARTS", "Carts", "a b"].map(|name| Namespace::new("shop", name));
        let name = |at: usize| {
            let number = number_among(&all[at], all.iter().cloned());
            ExportDraft { number, ..ExportDraft::new(all[at].clone(), String::new(), 0) }
                .file_name()
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
        draft.gzip = true;
        draft.name_file(None);
        assert_eq!(draft.path, "/home/a/shop.carts.csv.gz");
        draft.path = "/tmp/mine.csv".to_owned();
        draft.is_named = true;
        draft.form = ExportForm::Array;
        draft.gzip = false;
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
    fn an_empty_filter_is_none() {
        assert!(!draft(" {} ").use_filter);
        assert_eq!(draft("{a: 1}").filter_text().as_deref(), Some("{\"a\":1}"));
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
