//! Files of the documents that a command gives, such as those of a pipeline or of a server's collection.

use std::path::{Path, PathBuf};

use bson::raw::RawDocument;
use bson::{Bson, Document};
use mayfly_engine::transfer::{
    DocumentSink, ExportDocuments, ExportFile, ExportFormat, ExportReport, Progress, TransferError,
    Warn, export_documents, export_text,
};
use mayfly_engine::value::extjson::Layout;
use mayfly_engine::value::shell::write_value;
use mayfly_engine::value::{Limits, scan};

use super::transfer::{Failure, check_absent};
use crate::job::Cancel;
use crate::limits::{RESULT_DOC_BYTES_MAX, SERVER_LEVELS_MAX};
use crate::source::Source;

/// Documents to write to a file.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultFile {
    pub db: String,
    /// The command whose cursor gives them.
    pub command: Document,
    pub file: ExportFile,
}

/// Writes a text with a final newline to a file, whole or not at all.
///
/// # Errors
/// Why there is no new file.
pub fn write_text(path: &Path, text: &str, overwrite: bool) -> Result<ExportReport, Failure> {
    check_absent([path.to_owned()], overwrite)?;
    Ok(export_text(path, text)?)
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
        warn: Warn<'_>,
    ) -> Result<ExportReport, Failure> {
        check_absent([self.file.path.clone()], overwrite)?;
        let mut results = Results { of: self, source, progress };
        Ok(export_documents(&mut results, &self.file, progress, warn)?)
    }

    fn path(&self) -> &PathBuf {
        &self.file.path
    }

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
                 keeps every byte.",
                self.path().display()
            )
        })
    }
}

/// The documents of the command. A pipeline is not run twice.
struct Results<'r> {
    of: &'r ResultFile,
    source: &'r dyn Source,
    progress: &'r Progress,
}

impl ExportDocuments for Results<'_> {
    fn read(&mut self, sink: &mut dyn DocumentSink) -> Result<(), TransferError> {
        let Self { of, source, progress } = self;
        let is_text = !matches!(of.file.format, ExportFormat::Bson);
        let mut failed = None;
        let mut take = |documents: &[&RawDocument]| -> Result<(), TransferError> {
            for document in documents {
                if is_text {
                    of.check(document).map_err(|what| TransferError::Elsewhere { what })?;
                }
                if !sink.take(document)? {
                    sink.flush()?;
                }
            }
            sink.flush()
        };
        let cancel = Cancel::of(progress);
        let read = source.read_batches(&of.db, &of.command, &cancel, &mut |documents| {
            take(documents).map_err(|error| {
                failed = Some(error);
                String::new()
            })
        });
        match (failed, read) {
            _ if progress.is_cancelled() => Err(TransferError::Cancelled),
            (Some(error), _) => Err(error),
            (None, Err(sentence)) => Err(TransferError::Elsewhere { what: format!("{sentence}.") }),
            (None, Ok(())) => Ok(()),
        }
    }

    fn can_repeat(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use bson::{Bson, DateTime, RawDocumentBuf, doc};
    use mayfly_engine::transfer::{Compression, CsvForm, CsvOptions};
    use mayfly_engine::value::extjson::Style;

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

    fn of(command: Document, path: &Path, format: ExportFormat) -> ResultFile {
        let (path, compression) = (path.to_owned(), Compression::None);
        let file = ExportFile { path, format, compression };
        ResultFile { db: "d".to_owned(), command, file }
    }

    fn written(format: ExportFormat, name: &str) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results");
        let command = doc! {name: "c", "pipeline": [], "cursor": {}};
        let file = of(command, &path, format);
        let progress = Progress::new();
        let write = |overwrite| file.write(&Fake, overwrite, &progress, &mut |_| {});
        match write(false) {
            Ok(report) => assert_eq!(report.exported, 3),
            Err(failure) => return format!("{failure:?}"),
        }
        assert_eq!(write(false).err(), Some(Failure::Exists(vec![path.clone()])));
        assert!(write(true).is_ok());
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
        let csv = ExportFormat::Csv(CsvOptions::default());
        for is_inner in [false, true] {
            let source = Odd(is_inner);
            let write = |format: &ExportFormat| {
                let (command, format) = (doc! {"find": "c"}, format.clone());
                of(command, &path, format).write(&source, true, &Progress::new(), &mut |_| {})
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
        let form = CsvForm::Spreadsheet;
        let format = ExportFormat::Csv(CsvOptions { form, ..CsvOptions::default() });
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
