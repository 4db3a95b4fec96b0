//! The line for a terminal that does the same.

use std::path::Path;

use bson::{Bson, Document, RawDocumentBuf};
use mayfly_engine::transfer::{Compression, ImportFormat, ImportMode, Nonstandard, Unconverted};
use mayfly_engine::value::extjson::{Layout, Style, write_document};

use super::dump_export::DumpExportDraft;
use super::export::{ExportDraft, ExportForm};
use super::import::ImportDraft;
use crate::state::documents::query::Query;

/// `mayfly import …` for a draft: one line for each collection.
pub fn import(draft: &ImportDraft, folder: Option<&Path>) -> String {
    let lines = draft.parts().iter().map(|part| import_one(part, folder)).collect::<Vec<_>>();
    lines.join("\n")
}

fn import_one(draft: &ImportDraft, folder: Option<&Path>) -> String {
    let mut line = Line::new("import", folder, draft.db.trim());
    line.option("--collection", draft.collection.trim());
    match draft.format {
        ImportFormat::Auto => {}
        ImportFormat::Json => line.option("--format", "json"),
        ImportFormat::Csv => line.option("--format", "csv"),
        ImportFormat::Bson => line.option("--format", "bson"),
    }
    let options = draft.read_options();
    if let Some(encoding) = options.encoding {
        line.option("--encoding", encoding.name());
    }
    for nonstandard in
        Nonstandard::ALL.into_iter().filter(|nonstandard| options.leniency.takes(*nonstandard))
    {
        match nonstandard {
            Nonstandard::NoZone => {
                line.option(nonstandard.flag(), &options.leniency.zone.to_string());
            }
            _ => line.flag(nonstandard.flag()),
        }
    }
    if options.csv.decimal_comma {
        line.flag("--decimal-comma");
    }
    if options.csv.backslash_escapes {
        line.flag("--backslash-escapes");
    }
    if let Some(sheet) = &options.sheet {
        line.option("--sheet", sheet);
    }
    for (from, to) in &options.renames {
        line.option("--rename", &format!("{from}={to}"));
    }
    for field in &options.types.fields {
        for argument in field.arguments() {
            line.option("--type", &argument);
        }
        if let Some(anchor) = draft.types.anchors.get(&field.path).filter(|_| field.shift_ms != 0) {
            line.option("--keep-distance", &format!("{}={anchor}", field.path));
        }
    }
    if !options.types.is_empty() && options.types.unconverted != Unconverted::Keep {
        line.option("--unconverted", options.types.unconverted.name());
    }
    match draft.mode {
        ImportMode::Insert => {}
        ImportMode::Skip => line.option("--mode", "skip"),
        ImportMode::Replace => line.option("--mode", "replace"),
        ImportMode::Merge => line.option("--mode", "merge"),
    }
    if draft.drop {
        line.flag("--drop");
    }
    if draft.stop_on_error {
        line.flag("--stop-on-error");
    }
    if !draft.indexes().is_empty() {
        line.flag("--indexes");
    }
    if draft.lack_of_space().is_some() {
        line.flag("--no-space-check");
    }
    for file in &draft.files {
        line.argument(&file.to_string_lossy());
    }
    line.0
}

/// `mayfly export …` for a draft and its query.
pub fn export(draft: &ExportDraft, query: &Query, folder: Option<&Path>) -> String {
    let namespace = &draft.namespace;
    let mut line = Line::new("export", folder, &namespace.db);
    line.option("--collection", &namespace.collection);
    match draft.form {
        ExportForm::Typed => {}
        ExportForm::Relaxed => line.option("--ejson", "relaxed"),
        ExportForm::Canonical => line.option("--ejson", "canonical"),
        ExportForm::Array => line.option("--format", "json"),
        ExportForm::Spreadsheet => {
            line.option("--format", "csv");
            line.flag("--escape-formulas");
        }
        ExportForm::Csv => line.option("--format", "csv"),
        ExportForm::TypedCsv => {
            line.option("--format", "csv");
            line.flag("--typed-header");
        }
        ExportForm::Bson => line.option("--format", "bson"),
    }
    let Query { filter, sort, projection, skip, limit, hint, collation, .. } = query;
    for (option, part) in [
        ("--filter", filter),
        ("--sort", sort),
        ("--projection", projection),
        ("--collation", collation),
    ] {
        if !part.is_empty() {
            line.option(option, &one_line(part));
        }
    }
    if *skip > 0 {
        line.option("--skip", &skip.to_string());
    }
    if let Some(limit) = limit {
        line.option("--limit", &limit.to_string());
    }
    match hint {
        Some(Bson::Document(keys)) => line.option("--hint", &one_line(keys)),
        Some(Bson::String(name)) => line.option("--hint", name),
        _ => {}
    }
    let hidden = draft.hidden();
    if !hidden.is_empty() {
        line.option("--exclude-fields", &hidden.join(","));
    }
    line.compression(draft.compression);
    if draft.indexes {
        line.flag("--indexes");
    }
    line.option("-o", draft.path.trim());
    line.0
}

/// `mayfly export` of a database for a draft.
pub fn export_database(draft: &DumpExportDraft, folder: Option<&Path>) -> String {
    let mut line = Line::new("export", folder, &draft.db);
    line.compression(draft.compression);
    line.option("-o", draft.path.trim());
    line.0
}

fn one_line(document: &Document) -> String {
    RawDocumentBuf::try_from(document)
        .map(|document| write_document(&document, Style::Typed, Layout::OneLine))
        .unwrap_or_default()
}

struct Line(String);

impl Line {
    fn new(command: &str, folder: Option<&Path>, db: &str) -> Self {
        let mut line = Self(format!("mayfly {command}"));
        match folder {
            Some(folder) => line.option("--data", &folder.to_string_lossy()),
            // The connection string itself is never in a command.
            None => line.option("--uri-env", "MAYFLY_URI"),
        }
        line.option("--db", db);
        line
    }

    fn compression(&mut self, chosen: Compression) {
        match chosen {
            Compression::None => {}
            Compression::Gzip => self.flag("--gzip"),
            Compression::Zstd => self.flag("--zstd"),
        }
    }

    fn flag(&mut self, name: &str) {
        self.0.push(' ');
        self.0.push_str(name);
    }

    fn option(&mut self, name: &str, value: &str) {
        self.flag(name);
        self.argument(value);
    }

    fn argument(&mut self, value: &str) {
        self.0.push(' ');
        self.0.push_str(&quoted(value));
    }
}

/// `text` as one word of a POSIX shell.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,@%+=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use bson::doc;

    use super::*;
    use crate::state::Namespace;
    use crate::state::transfer::export::ShownDocuments;

    #[test]
    fn words_are_quoted_for_a_shell() {
        let check = |text: &str, expected: &str| assert_eq!(quoted(text), expected);
        check("a.json", "a.json");
        check("/a/b-c_1", "/a/b-c_1");
        check("my file", "'my file'");
        check("it's", "'it'\\''s'");
        check("", "''");
        check("$HOME", "'$HOME'");
        check("~/x", "'~/x'");
    }

    #[test]
    fn an_import() {
        let mut draft = ImportDraft::new(vec![PathBuf::from("/tmp/a b.json")], "demo");
        let folder = Path::new("/data");
        assert_eq!(
            import(&draft, Some(folder)),
            "mayfly import --data /data --db demo --collection 'a b' '/tmp/a b.json'"
        );
        draft.collection = "c".to_owned();
        draft.format = ImportFormat::Csv;
        draft.mode = ImportMode::Merge;
        draft.drop = true;
        draft.stop_on_error = true;
        assert_eq!(
            import(&draft, None),
            "mayfly import --uri-env MAYFLY_URI --db demo --collection c --format csv --mode merge --drop \
             --stop-on-error '/tmp/a b.json'"
        );
    }

    #[test]
    fn an_export_of_a_database() {
        let mut draft = DumpExportDraft::new("shop".to_owned(), Some(Path::new("/tmp/my dumps")));
        draft.compression = Compression::Gzip;
        assert_eq!(
            export_database(&draft, Some(Path::new("/data"))),
            "mayfly export --data /data --db shop --gzip -o '/tmp/my dumps/shop'"
        );
    }

    #[test]
    fn an_export() {
        let namespace = Namespace::new("shop", "carts");
        let mut draft = ExportDraft::new(namespace, ShownDocuments::default(), 0);
        draft.path = "/tmp/x.json".to_owned();
        let check = |draft: &ExportDraft, query: &Query, expected: &str| {
            let start = "mayfly export --uri-env MAYFLY_URI --db shop --collection carts";
            assert_eq!(export(draft, query, None), format!("{start}{expected} -o /tmp/x.json"));
        };
        check(&draft, &Query::default(), "");
        draft.form = ExportForm::Canonical;
        draft.compression = Compression::Gzip;
        draft.indexes = true;
        let mut query = Query { filter: doc! {"a": 1}, ..Query::default() };
        check(&draft, &query, " --ejson canonical --filter '{\"a\":1}' --gzip --indexes");
        let (form, compression) = (ExportForm::Csv, Compression::Zstd);
        draft = ExportDraft { form, compression, indexes: false, ..draft };
        draft.shown.hidden.insert("a.b".to_owned());
        query = Query {
            sort: doc! {"a": -1},
            projection: doc! {"b": 0},
            skip: 2,
            limit: Some(3),
            hint: Some("a_1".into()),
            ..Query::default()
        };
        check(
            &draft,
            &query,
            " --format csv --sort '{\"a\":-1}' --projection '{\"b\":0}' --skip 2 --limit 3 \
             --hint a_1 --exclude-fields a.b --zstd",
        );
    }
}
