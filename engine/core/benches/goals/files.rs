//! Files in and out.

use std::{fs, hint::black_box, io::Write, path::Path};

use bson::{Bson, RawDocumentBuf, doc};
use mayfly_engine::{
    catalog::Namespace,
    transfer::{
        Compression, ExportFormat, ExportQuery, ExportRequest, ImportRequest, Progress, export,
        import,
    },
    value::extjson::Style,
};
use tempfile::tempdir;

use super::{
    Settings,
    documents::{Order, documents},
    measure::{Cost, float, own_megabytes},
    ours, table,
};

/// Megabytes a second of [`read_as_usual`] on a machine that does what is wanted of Mayfly: an import of 120
/// on one core and of 200 on two, and an export of 200.
const USUAL_RATE: f64 = 60.0;

pub fn run(settings: &Settings) {
    let folder = tempdir().expect("a folder");
    let file = folder.path().join("documents.ndjson");
    write_lines(&file, settings.documents);
    let megabytes = float(fs::metadata(&file).expect("the file").len()) / 1e6;
    let namespace = || Namespace { db: "db".to_owned(), collection: "c".to_owned() };
    let (mut imports, mut exports, mut memory) = (Vec::new(), Vec::new(), None);
    let mut usual = Vec::new();
    for _ in 0..settings.runs {
        let data = tempdir().expect("a folder");
        let engine = ours::open(data.path());
        ours::create_indexes(&engine, &["createdAt"]);
        let request = ImportRequest::new(vec![file.clone()], namespace());
        let mut cost = Cost::default();
        memory = own_megabytes(|| {
            cost = Cost::of(|| {
                let report = import(engine.collections(), &request, &Progress::new());
                assert_eq!(report.expect("imports").imported, settings.documents);
            });
        });
        imports.push(cost);
        usual.push(Cost::of(|| read_as_usual(&file)));
        let request = ExportRequest {
            namespace: namespace(),
            path: folder.path().join("out.ndjson"),
            format: ExportFormat::Ndjson(Style::Relaxed),
            query: ExportQuery::default(),
            compression: Compression::None,
            indexes: false,
        };
        exports.push(Cost::of(|| {
            let report = export(engine.collections(), &request, &Progress::new());
            assert_eq!(report.expect("exports").exported, settings.documents);
        }));
    }
    let figure = |cost: Cost| {
        format!("{:.0} MB/s ({:.0} MB/CPU s)", megabytes / cost.wall, megabytes / cost.cpu)
    };
    let (import, export) = (Cost::median(&imports), Cost::median(&exports));
    let usual = Cost::median(&usual);
    let ratios = |cost: Cost| (cost.wall / usual.wall, cost.cpu / usual.cpu);
    let (wall, cpu) = ratios(import);
    table::line(
        "import NDJSON, one TTL index",
        &figure(import),
        &format!("libraries {:.0} MB/CPU s", megabytes / usual.cpu),
        (wall, cpu),
        "CPU ≤ 0.5×, wall ≤ 0.3×",
        cpu <= USUAL_RATE / 120.0 && wall <= USUAL_RATE / 200.0,
    );
    if let Some(memory) = memory {
        let figure = format!("{memory:.1} MB");
        table::alone("own memory during that import", &figure, "≤ 200 MB", memory <= 200.0);
    }
    let (wall, cpu) = ratios(export);
    table::line(
        "export NDJSON",
        &figure(export),
        "the same libraries",
        (wall, cpu),
        "wall ≤ 0.3×",
        wall <= USUAL_RATE / 200.0,
    );
}

/// Each line through the libraries, into BSON that is kept nowhere.
fn read_as_usual(file: &Path) {
    for line in fs::read_to_string(file).expect("the file").lines() {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let Ok(Bson::Document(document)) = Bson::try_from(value) else { panic!("{line}") };
        black_box(document.to_vec().expect("BSON"));
    }
}

/// Writes all documents to a file, one a line.
pub fn write_lines(file: &Path, total: u64) {
    let mut out = std::io::BufWriter::new(fs::File::create(file).expect("a file"));
    for document in documents(total, Order::Ascending, Order::Ascending) {
        writeln!(out, "{}", line(&document)).expect("writes");
    }
    out.flush().expect("writes");
}

fn line(document: &RawDocumentBuf) -> String {
    let document = doc! { "d": bson::Document::try_from(document.clone()).expect("a document") };
    let value = Bson::Document(document.get_document("d").expect("it").clone());
    value.into_relaxed_extjson().to_string()
}
