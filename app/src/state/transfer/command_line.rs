//! The line for a terminal that does the same.

use std::path::Path;

use mayfly_engine::transfer::{ImportFormat, ImportMode, Nonstandard, Unconverted};

use super::export::{ExportDraft, ExportForm};
use super::import::ImportDraft;

/// `mayfly import …` for a draft.
#[must_use]
pub fn import(draft: &ImportDraft, folder: Option<&Path>) -> String {
    let mut line = Line::new("import", folder, draft.db.trim(), draft.collection.trim());
    match draft.format {
        ImportFormat::Auto => {}
        ImportFormat::Json => line.option("--format", "json"),
        ImportFormat::Csv => line.option("--format", "csv"),
    }
    let options = draft.read_options();
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
    if draft.lack_of_space().is_some() {
        line.flag("--no-space-check");
    }
    for file in &draft.files {
        line.argument(&file.to_string_lossy());
    }
    line.0
}

/// `mayfly export …` for a draft; `filter` is the filter as Extended JSON.
#[must_use]
pub fn export(draft: &ExportDraft, filter: Option<&str>, folder: Option<&Path>) -> String {
    let namespace = &draft.namespace;
    let mut line = Line::new("export", folder, &namespace.db, &namespace.collection);
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
    }
    if let Some(filter) = filter {
        line.option("--filter", filter);
    }
    if draft.gzip {
        line.flag("--gzip");
    }
    if draft.indexes {
        line.flag("--indexes");
    }
    line.option("-o", draft.path.trim());
    line.0
}

struct Line(String);

impl Line {
    fn new(command: &str, folder: Option<&Path>, db: &str, collection: &str) -> Self {
        let mut line = Self(format!("mayfly {command}"));
        if let Some(folder) = folder {
            line.option("--data", &folder.to_string_lossy());
        }
        line.option("--db", db);
        line.option("--collection", collection);
        line
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
#[must_use]
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

    use super::*;
    use crate::state::Namespace;

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
            "mayfly import --db demo --collection c --format csv --mode merge --drop \
             --stop-on-error '/tmp/a b.json'"
        );
    }

    #[test]
    fn an_export() {
        let mut draft = ExportDraft::new(Namespace::new("shop", "carts"), String::new(), 0);
        draft.path = "/tmp/x.json".to_owned();
        let check = |draft: &ExportDraft, filter: Option<&str>, expected: &str| {
            let start = "mayfly export --db shop --collection carts";
            assert_eq!(export(draft, filter, None), format!("{start}{expected} -o /tmp/x.json"));
        };
        check(&draft, None, "");
        draft.form = ExportForm::Canonical;
        draft.gzip = true;
        draft.indexes = true;
        check(
            &draft,
            Some("{\"a\":1}"),
            " --ejson canonical --filter '{\"a\":1}' --gzip --indexes",
        );
    }
}
