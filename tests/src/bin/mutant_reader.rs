//! The victim of the damage test: opens a data folder with a changed file and reports what it sees.
//!
//! `mutant_reader FOLDER [write | wait] [unwalked]` opens it as a store that the user chose, and reads all
//! documents by all access paths; with `write` it also writes. With `wait` it prints that the store
//! is open and waits for a line before it reads. With `unwalked` it opens the store before its file was
//! walked. It prints one line per document. Its exit code is 0 when nothing was reported, 3 when the store
//! was refused, 4 when damage was reported, 5 when a write into a file with damaged pages succeeded, and 6 when a read
//! by an index gave other documents than one of the whole collection, without an error.

use std::error::Error;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use bson::{Bson, Document, doc};
use mayfly_engine::engine::Engine;
use mayfly_tests::steps::{COLLECTION, DB, document};
use mayfly_tests::store::{is_ok, open_as_found, open_unwalked};

/// The exit codes.
const REFUSED: u8 = 3;
const REPORTED: u8 = 4;
const WROTE_INTO_DAMAGE: u8 = 5;
const DIFFERS_BY_INDEX: u8 = 6;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let usage = "usage: mutant_reader FOLDER [write | wait] [unwalked]";
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or(usage)?);
    let words: Vec<String> = arguments.collect();
    let has = |word: &str| words.iter().any(|found| found == word);
    let open = if has("unwalked") { open_unwalked } else { open_as_found };
    let engine = match open(&folder) {
        Ok(engine) => engine,
        Err(refusal) => {
            eprintln!("refused: {refusal}");
            return Ok(ExitCode::from(REFUSED));
        }
    };
    if has("wait") {
        println!("open");
        std::io::stdin().read_line(&mut String::new())?;
    }
    let warnings = &engine.open_report().warnings;
    for warning in warnings {
        eprintln!("warning: {warning}");
    }
    let mut is_whole = warnings.is_empty();
    let all = read(&engine, doc! { "$natural": 1 }.into());
    let mut out = BufWriter::new(std::io::stdout().lock());
    for document in &all.documents {
        writeln!(out, "{document}")?;
    }
    out.flush()?;
    is_whole &= all.is_whole;
    for index in ["_id_", "at_1", "tags_1"] {
        let found = read(&engine, index.into());
        if all.is_whole && found.is_whole && found.sorted() != all.sorted() {
            let (found, all) = (found.documents.len(), all.documents.len());
            eprintln!("{index}: {found} documents, not the {all} of the collection");
            return Ok(ExitCode::from(DIFFERS_BY_INDEX));
        }
        is_whole &= found.is_whole;
    }
    let checked = engine.run(DB, &doc! { "validate": COLLECTION, "full": true });
    is_whole &= is_ok(&checked) && checked.get_bool("valid").unwrap_or(false);
    if has("write") {
        let more: Vec<Document> = (1_000_000..1_000_200).map(document).collect();
        let inserted = is_ok(&engine.run(DB, &doc! { "insert": COLLECTION, "documents": more }));
        let all = doc! { "q": {}, "limit": 0 };
        is_whole &= is_ok(&engine.run(DB, &doc! { "delete": COLLECTION, "deletes": [all] }));
        let checked = engine.collections().store().check()?;
        if inserted && !checked.findings.is_empty() {
            eprintln!("wrote into damage: {:?}", checked.findings);
            return Ok(ExitCode::from(WROTE_INTO_DAMAGE));
        }
        is_whole &= inserted;
    }
    is_whole &= engine.close().is_ok();
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(REPORTED) })
}

/// The result of a search for all documents.
struct Found {
    documents: Vec<String>,
    /// False when reading ended with an error.
    is_whole: bool,
}

impl Found {
    fn sorted(&self) -> Vec<&str> {
        let mut documents: Vec<&str> = self.documents.iter().map(String::as_str).collect();
        documents.sort_unstable();
        documents
    }
}

fn read(engine: &Engine, hint: Bson) -> Found {
    let find = doc! { "find": COLLECTION, "hint": hint, "batchSize": 10_000 };
    let reply = engine.run(DB, &find);
    if !is_ok(&reply) {
        eprintln!("reported: {}", reply.get("errmsg").unwrap_or(&Bson::Null));
    }
    let batch = reply.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
    let documents = batch.into_iter().flatten().filter_map(Bson::as_document);
    Found { documents: documents.map(Document::to_string).collect(), is_whole: is_ok(&reply) }
}
