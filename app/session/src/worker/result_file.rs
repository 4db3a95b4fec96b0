//! Files of the documents that a command gives, such as those of a pipeline.

use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use bson::raw::{RawBsonRef, RawDocument};
use bson::{Bson, Document, RawDocumentBuf};
use mayfly_engine::transfer::{
    ExportFormat, ExportReport, Progress, append_csv_line, csv_cell, without_formula,
};
use mayfly_engine::value::extjson::{Layout, Style, append_document};
use mayfly_engine::value::shell::write_value;
use mayfly_engine::value::{Limits, scan};
use tempfile::NamedTempFile;

use super::transfer::Failure;
use crate::job::Cancel;
use crate::limits::{RESULT_COLUMNS_MAX, RESULT_DOC_BYTES_MAX, SERVER_LEVELS_MAX};
use crate::source::Source;

/// Documents to write to a file.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultFile {
    pub db: String,
    /// The command whose cursor gives them.
    pub command: Document,
    pub path: PathBuf,
    pub format: ExportFormat,
}

fn failed(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::Failed(format!("{}: {error}", path.display()))
}

/// Writes a file, whole or not at all.
fn save<T>(
    path: &Path,
    overwrite: bool,
    write: impl FnOnce(&mut BufWriter<NamedTempFile>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let is_there = std::fs::symlink_metadata(path).is_ok_and(|at| at.is_file());
    if is_there && !overwrite {
        return Err(Failure::Exists(vec![path.to_owned()]));
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let io = |error: std::io::Error| failed(path, error);
    let mut out = BufWriter::new(NamedTempFile::new_in(folder).map_err(io)?);
    let written = write(&mut out)?;
    let file = out.into_inner().map_err(|error| io(error.into_error()))?;
    file.as_file().sync_all().map_err(io)?;
    file.persist(path).map_err(|error| io(error.error))?;
    Ok(written)
}

/// Writes a text with a final newline to a file, whole or not at all.
///
/// # Errors
/// Why there is no new file.
pub fn write_text(path: &Path, text: &str, overwrite: bool) -> Result<ExportReport, Failure> {
    save(path, overwrite, |out| {
        writeln!(out, "{}", text.trim_end()).map_err(|error| failed(path, error))
    })?;
    Ok(ExportReport { exported: 0, indexes_file: None, lookalikes: None, left_out: None })
}

impl ResultFile {
    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// Why there is no new file.
    pub fn write(
        &self,
        source: &dyn Source,
        overwrite: bool,
        progress: &Progress,
    ) -> Result<ExportReport, Failure> {
        let exported = save(&self.path, overwrite, |out| match &self.format {
            ExportFormat::Ndjson(style) => self.lines(source, progress, *style, out),
            ExportFormat::Array(style) => self.array(source, progress, *style, out),
            ExportFormat::Bson => {
                self.each(source, progress, &mut |document, _| out.write_all(document.as_bytes()))
            }
            ExportFormat::Csv { escape_formulas, hidden, .. } => {
                self.csv(source, progress, (*escape_formulas, hidden), out)
            }
        })?;
        Ok(ExportReport { exported, indexes_file: None, lookalikes: None, left_out: None })
    }

    fn lines(
        &self,
        source: &dyn Source,
        progress: &Progress,
        style: Style,
        out: &mut impl Write,
    ) -> Result<u64, Failure> {
        self.each(source, progress, &mut |document, _| {
            let mut line = Vec::new();
            append_document(&mut line, document, style);
            line.push(b'\n');
            out.write_all(&line)
        })
    }

    fn array(
        &self,
        source: &dyn Source,
        progress: &Progress,
        style: Style,
        out: &mut impl Write,
    ) -> Result<u64, Failure> {
        let io = |error: std::io::Error| failed(&self.path, error);
        out.write_all(b"[").map_err(io)?;
        let count = self.each(source, progress, &mut |document, is_first| {
            let mut line = if is_first { b"\n".to_vec() } else { b",\n".to_vec() };
            append_document(&mut line, document, style);
            out.write_all(&line)
        })?;
        out.write_all(b"\n]\n").map_err(io)?;
        Ok(count)
    }

    /// The columns are known at the end, and a pipeline is not run twice: its results wait in a
    /// file without a name.
    fn csv(
        &self,
        source: &dyn Source,
        progress: &Progress,
        (escape_formulas, hidden): (bool, &[String]),
        out: &mut impl Write,
    ) -> Result<u64, Failure> {
        let io = |error: std::io::Error| failed(&self.path, error);
        let is_hidden = |path: &str| {
            hidden.iter().any(|name| {
                let rest = path.strip_prefix(&**name);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        };
        let mut kept = BufWriter::new(tempfile::tempfile().map_err(io)?);
        let mut columns: Vec<String> = Vec::new();
        let mut is_too_wide = false;
        let count = self.each(source, progress, &mut |document, _| {
            for (path, _) in leaves(document) {
                if !columns.contains(&path) && !is_hidden(&path) {
                    columns.push(path);
                }
            }
            is_too_wide |= columns.len() > RESULT_COLUMNS_MAX;
            kept.write_all(document.as_bytes())
        })?;
        if is_too_wide {
            let text =
                "the documents have too many different fields for CSV; choose another format";
            return Err(failed(&self.path, text));
        }
        let mut kept = kept.into_inner().map_err(|error| io(error.into_error()))?;
        kept.seek(SeekFrom::Start(0)).map_err(io)?;
        let mut kept = BufReader::new(kept);
        let mut line = Vec::new();
        let names = columns.iter().cloned();
        append_csv_line(
            &mut line,
            names.map(|name| Some(if escape_formulas { without_formula(name) } else { name })),
        );
        out.write_all(&line).map_err(io)?;
        for _ in 0..count {
            if progress.is_cancelled() {
                return Err(Failure::Cancelled);
            }
            let document = next(&mut kept).map_err(io)?;
            let values = leaves(&document);
            let cell = |column: &String| {
                let (_, value) = values.iter().find(|(path, _)| path == column)?;
                csv_cell(*value, escape_formulas)
            };
            line.clear();
            append_csv_line(&mut line, columns.iter().map(cell));
            out.write_all(&line).map_err(io)?;
        }
        Ok(count)
    }

    /// Hands over every document, and whether it is the first. Returns how many there were.
    fn each(
        &self,
        source: &dyn Source,
        progress: &Progress,
        visit: &mut dyn FnMut(&RawDocument, bool) -> std::io::Result<()>,
    ) -> Result<u64, Failure> {
        let cancel = Cancel::of(progress);
        let mut count = 0;
        let read = source.read_batches(&self.db, &self.command, &cancel, &mut |documents| {
            if progress.is_cancelled() {
                return Err(String::new());
            }
            for document in documents {
                if !matches!(self.format, ExportFormat::Bson) {
                    self.check(document)?;
                }
                visit(document, count == 0)
                    .map_err(|error| format!("{}: {error}", self.path.display()))?;
                count += 1;
                progress.add_documents(1);
            }
            Ok(())
        });
        match read {
            Err(_) if progress.is_cancelled() => Err(Failure::Cancelled),
            Err(sentence) => Err(Failure::Failed(sentence)),
            Ok(()) => Ok(count),
        }
    }
}

impl ResultFile {
    /// A document as a text would lack the rest from the first value on that can't be read.
    fn check(&self, document: &RawDocument) -> Result<(), String> {
        scan::check_with(
            document.as_bytes(),
            &Limits {
                bytes_max: RESULT_DOC_BYTES_MAX,
                depth_max: SERVER_LEVELS_MAX,
                allow_duplicate_names: true,
            },
        )
        .map(drop)
        .map_err(|error| {
            let id = document.get("_id").ok().flatten().and_then(|id| Bson::try_from(id).ok());
            let id = id.map_or_else(
                || "without an _id".to_owned(),
                |id| format!("with _id {}", write_value(&id, Layout::OneLine)),
            );
            format!(
                "{}: the document {id} can't be written as text: {error}. Export as BSON, which \
                 keeps every byte",
                self.path.display()
            )
        })
    }
}

/// The next of documents that stand one after the other.
fn next(from: &mut impl Read) -> std::io::Result<RawDocumentBuf> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let bytes = usize::try_from(i32::from_le_bytes(length)).unwrap_or(0);
    if !(5..=RESULT_DOC_BYTES_MAX).contains(&bytes) {
        return Err(std::io::ErrorKind::InvalidData.into());
    }
    let mut document = vec![0; bytes];
    document[..4].copy_from_slice(&length);
    from.read_exact(&mut document[4..])?;
    RawDocumentBuf::from_bytes(document).map_err(std::io::Error::other)
}

/// Every value but documents with fields, with its dotted path.
fn leaves(document: &RawDocument) -> Vec<(String, RawBsonRef<'_>)> {
    let mut found = Vec::new();
    for (name, value) in document.iter().filter_map(Result::ok) {
        match value {
            RawBsonRef::Document(inner) if !inner.is_empty() => {
                let inner = leaves(inner).into_iter();
                found.extend(inner.map(|(path, value)| (format!("{name}.{path}"), value)));
            }
            value => found.push((name.to_string(), value)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use bson::{Bson, DateTime, doc};

    use super::*;
    use crate::job::{Capabilities, Event};
    use crate::source::{Events, TakeBatch};

    /// Gives three documents in two batches.
    struct Fake;

    impl Source for Fake {
        fn run(&self, _: &str, command: &Document) -> Document {
            match command.keys().next().map_or("", String::as_str) {
                "aggregate" => doc! {"ok": 1, "cursor": {"id": 7_i64, "firstBatch": [
                    {"_id": 1, "a": {"b": "x,\"y\""}}, {"_id": 2, "at": DateTime::from_millis(0)},
                ]}},
                "getMore" => doc! {"ok": 1, "cursor": {"id": 0_i64, "nextBatch": [
                    {"_id": 3, "a": {"b": "=1+1"}, "n": 2.5, "z": Bson::Null},
                ]}},
                _ => doc! {"ok": 0, "errmsg": "no"},
            }
        }

        fn subscribe(&self) -> Events {
            Box::new(std::iter::empty::<Event>())
        }

        fn capabilities(&self) -> Capabilities {
            Capabilities::default()
        }
    }

    fn written(format: ExportFormat, name: &str) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results");
        let command = doc! {name: "c", "pipeline": [], "cursor": {}};
        let file = ResultFile { db: "d".to_owned(), command, path: path.clone(), format };
        let progress = Progress::new();
        match file.write(&Fake, false, &progress) {
            Ok(report) => assert_eq!(report.exported, 3),
            Err(failure) => return format!("{failure:?}"),
        }
        let exists = file.write(&Fake, false, &progress);
        assert_eq!(exists.err(), Some(Failure::Exists(vec![path.clone()])));
        assert!(file.write(&Fake, true, &progress).is_ok());
        std::fs::read_to_string(path).expect("a file")
    }

    /// Gives a document whose second field has a name that isn't UTF-8, at the top or within.
    struct Odd(bool);

    impl Odd {
        fn document(&self) -> RawDocumentBuf {
            let inner = doc! {"a": 1, "K?": 2, "b": 3};
            let whole = if self.0 {
                doc! {"_id": 7, "in": inner}
            } else {
                inner
            };
            let mut bytes = RawDocumentBuf::try_from(&whole).expect("bytes").into_bytes();
            let at = bytes.iter().position(|byte| *byte == b'?').expect("it is there");
            bytes[at] = 0xff;
            RawDocumentBuf::from_bytes(bytes).expect("a document")
        }
    }

    impl Source for Odd {
        fn run(&self, _: &str, _: &Document) -> Document {
            Document::new()
        }

        fn read_batches(
            &self,
            _: &str,
            _: &Document,
            _: &Cancel,
            take: &mut TakeBatch<'_>,
        ) -> Result<(), String> {
            take(&[&self.document()])
        }

        fn subscribe(&self) -> Events {
            Box::new(std::iter::empty::<Event>())
        }

        fn capabilities(&self) -> Capabilities {
            Capabilities::default()
        }
    }

    #[test]
    fn no_text_lacks_what_can_not_be_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results");
        let csv = ExportFormat::Csv { fields: None, escape_formulas: false, hidden: Vec::new() };
        for is_inner in [false, true] {
            let source = Odd(is_inner);
            let write = |format: &ExportFormat| {
                let (command, format) = (doc! {"find": "c"}, format.clone());
                let file = ResultFile { db: "d".to_owned(), command, path: path.clone(), format };
                file.write(&source, true, &Progress::new())
            };
            let texts = [Style::Typed, Style::Canonical];
            let texts =
                texts.map(|style| [ExportFormat::Ndjson(style), ExportFormat::Array(style)]);
            for format in texts.iter().flatten().chain([&csv]) {
                let said = match write(format) {
                    Err(Failure::Failed(said)) => said,
                    other => panic!("{other:?}"),
                };
                assert!(said.contains("not valid UTF-8") && said.contains("BSON"), "{said}");
                assert!(said.contains(if is_inner { "_id 7" } else { "without an _id" }), "{said}");
            }
            assert!(write(&ExportFormat::Bson).is_ok());
            let written = std::fs::read(&path).expect("a file");
            assert_eq!(written, source.document().as_bytes());
        }
    }

    #[test]
    fn every_batch_is_in_the_file() {
        let lines = written(ExportFormat::Ndjson(Style::Typed), "aggregate");
        assert_eq!(lines.lines().count(), 3, "{lines}");
        let array = written(ExportFormat::Array(Style::Typed), "aggregate");
        assert!(array.starts_with("[\n{") && array.ends_with("}\n]\n"), "{array}");
    }

    #[test]
    fn a_spreadsheet_gets_empty_cells_and_no_formulas() {
        let (fields, hidden) = (None, Vec::new());
        let format = ExportFormat::Csv { fields, escape_formulas: true, hidden };
        let expected = "_id,a.b,at,n,z\r\n1,\"x,\"\"y\"\"\",,,\r\n2,,1970-01-01T00:00:00Z,,\r\n\
                        3,'=1+1,,2.5,\r\n";
        assert_eq!(written(format, "aggregate"), expected);
    }

    #[test]
    fn a_text_replaces_a_file_only_when_asked_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.schema.json");
        assert!(write_text(&path, "{}", false).is_ok());
        assert_eq!(write_text(&path, "[]", false), Err(Failure::Exists(vec![path.clone()])));
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), "{}\n");
        assert!(write_text(&path, "[]\n", true).is_ok());
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), "[]\n");
        let nowhere = folder.path().join("none").join("a.json");
        assert!(matches!(write_text(&nowhere, "{}", false), Err(Failure::Failed(_))));
    }

    #[test]
    fn a_refused_command_leaves_no_file() {
        let text = written(ExportFormat::Ndjson(Style::Typed), "find");
        assert!(text.contains("no"), "{text}");
    }
}
