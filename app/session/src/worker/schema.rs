//! Reads documents for the schema of a collection.

use std::sync::Arc;

use bson::raw::{RawDocument, RawDocumentBuf};
use bson::{Document, doc};
use mayfly_engine::clock::{Clock as _, SystemClock};

use crate::inspect::schema::{Analysis, Schema};
use crate::job::Cancel;
use crate::job::reply::refusal;
use crate::limits::{SCHEMA_FIRST_DOCUMENTS, SCHEMA_REPORT_PAUSE};
use crate::source::Source;

/// The documents to read.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemaWork {
    pub db: String,
    pub collection: String,
    /// Commands that read a sample, for a first answer.
    pub samples: Vec<Document>,
    /// The command that reads everything. `None` if the sample is enough.
    pub all: Option<Document>,
    /// The instant that decides what a TTL would remove, in milliseconds since 1970.
    pub now_ms: i64,
}

/// The schema after some documents.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemaReport {
    pub schema: Arc<Schema>,
    /// Whether that is about the sample.
    pub is_sample: bool,
    /// Documents read of all.
    pub read: u64,
    /// Whether more reports follow.
    pub stage: SchemaStage,
    /// How long it took so far, in microseconds.
    pub micros: u64,
}

/// How far an analysis is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SchemaStage {
    /// Documents are being read.
    #[default]
    Reading,
    /// Everything that was asked for was read.
    Done,
    /// It was stopped before.
    Stopped,
    /// The store can't read any further: why, in one sentence.
    Failed(String),
}

impl SchemaReport {
    /// Nothing could be read: why, in one sentence.
    pub fn failed(sentence: String) -> Self {
        let (schema, stage) = (Arc::default(), SchemaStage::Failed(sentence));
        Self { schema, is_sample: false, read: 0, stage, micros: 0 }
    }
}

impl SchemaWork {
    /// Reads and reports until everything is read or `cancel` is set.
    pub fn run(
        &self,
        source: Option<&dyn Source>,
        cancel: &Cancel,
        mut tell: impl FnMut(SchemaReport),
    ) {
        let started = SystemClock.monotonic();
        let mut told = started;
        let mut analysis = Analysis::new(self.now_ms);
        let mut is_sample = !self.samples.is_empty();
        let mut report = |analysis: &mut Analysis, is_sample: bool, read: u64, stage| {
            let micros = SystemClock.monotonic().saturating_sub(started).as_micros();
            let micros = u64::try_from(micros).unwrap_or(u64::MAX);
            let schema = Arc::new(analysis.report());
            tell(SchemaReport { schema, is_sample, read, stage, micros });
        };
        let Some(source) = source else {
            let failed = SchemaStage::Failed("No store is open yet".to_owned());
            return report(&mut analysis, is_sample, 0, failed);
        };
        for command in &self.samples {
            if let Err(stage) = self.batch(source, command, cancel, &mut |document| {
                analysis.add(document);
            }) {
                return report(&mut analysis, is_sample, 0, stage);
            }
        }
        let Some(all) = &self.all else {
            return report(&mut analysis, is_sample, 0, SchemaStage::Done);
        };
        if is_sample {
            report(&mut analysis, is_sample, 0, SchemaStage::Reading);
        }
        let mut whole = Analysis::new(self.now_ms);
        let mut next = Some(all.clone());
        while let Some(command) = next {
            let batch = self.batch(source, &command, cancel, &mut |document| whole.add(document));
            let cursor = match batch {
                Ok(cursor) => cursor,
                Err(stage) => {
                    // The documents of the whole collection beat the sample, unless they are next
                    // to none.
                    let shows_sample = is_sample && whole.documents() < analysis.documents();
                    let read = whole.documents();
                    let known = if shows_sample { &mut analysis } else { &mut whole };
                    return report(known, shows_sample, read, stage);
                }
            };
            let read = whole.documents();
            is_sample &= read < SCHEMA_FIRST_DOCUMENTS;
            let now = SystemClock.monotonic();
            if cursor != 0 && now.saturating_sub(told) >= SCHEMA_REPORT_PAUSE {
                told = now;
                let known = if is_sample { &mut analysis } else { &mut whole };
                report(known, is_sample, read, SchemaStage::Reading);
            }
            let more = |batch| doc! { "getMore": cursor, "collection": &self.collection, "batchSize": batch };
            next = (cursor != 0).then(|| more(all.get_i64("batchSize").unwrap_or(1_000)));
        }
        let read = whole.documents();
        report(&mut whole, false, read, SchemaStage::Done);
    }

    /// Runs a command and hands its documents over. Returns the cursor, 0 at the end.
    fn batch(
        &self,
        source: &dyn Source,
        command: &Document,
        cancel: &Cancel,
        take: &mut dyn FnMut(&RawDocument),
    ) -> Result<i64, SchemaStage> {
        if cancel.is_cancelled() {
            if let Ok(cursor) = command.get_i64("getMore") {
                let kill = doc! { "killCursors": &self.collection, "cursors": [cursor] };
                source.run(&self.db, &kill);
            }
            return Err(SchemaStage::Stopped);
        }
        let reply = source.run_raw(&self.db, command, cancel);
        match each(&reply, take) {
            Some(cursor) => Ok(cursor),
            None if cancel.is_cancelled() => Err(SchemaStage::Stopped),
            None => Err(SchemaStage::Failed(
                Document::try_from(&*reply)
                    .ok()
                    .and_then(|reply| refusal(&reply))
                    .unwrap_or_else(|| "The store gave no documents".to_owned()),
            )),
        }
    }
}

/// Hands each document of a reply over. Returns its cursor, if it has one.
fn each(reply: &RawDocumentBuf, take: &mut dyn FnMut(&RawDocument)) -> Option<i64> {
    let cursor = reply.get_document("cursor").ok()?;
    let batch = cursor.get_array("firstBatch").or_else(|_| cursor.get_array("nextBatch")).ok()?;
    for document in batch {
        take(document.ok()?.as_document()?);
    }
    cursor.get_i64("id").ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Capabilities, Events};

    /// A store with some documents, of which each reply has two.
    struct Two(i64);

    impl Source for Two {
        fn run(&self, _: &str, command: &Document) -> Document {
            let from = command.get_i64("getMore").unwrap_or(0);
            if command.contains_key("fails") {
                return doc! { "ok": 0.0, "errmsg": "no" };
            }
            let to = (from + 2).min(self.0);
            let batch: Vec<Document> = (from..to).map(|n| doc! { "_id": n }).collect();
            let name = if from == 0 { "firstBatch" } else { "nextBatch" };
            let id = if to < self.0 { to } else { 0 };
            doc! { "ok": 1.0, "cursor": { "id": id, name: batch } }
        }

        fn subscribe(&self) -> Events {
            Box::new(std::iter::empty())
        }

        fn capabilities(&self) -> Capabilities {
            Capabilities::default()
        }
    }

    fn run(work: &SchemaWork, cancel: &Cancel) -> Vec<SchemaReport> {
        let mut reports = Vec::new();
        work.run(Some(&Two(5)), cancel, |report| reports.push(report));
        reports
    }

    fn work(samples: usize) -> SchemaWork {
        SchemaWork {
            db: "d".to_owned(),
            collection: "c".to_owned(),
            samples: vec![doc! { "find": "c" }; samples],
            all: Some(doc! { "find": "c" }),
            now_ms: 0,
        }
    }

    #[test]
    fn the_sample_answers_first_and_then_everything() {
        let reports = run(&work(1), &Cancel::default());
        let told: Vec<_> = reports
            .iter()
            .map(|report| (report.is_sample, report.schema.documents, report.read, &report.stage))
            .collect();
        let expected = [(true, 2, 0, &SchemaStage::Reading), (false, 5, 5, &SchemaStage::Done)];
        assert_eq!(told, expected);
    }

    #[test]
    fn a_stop_and_a_failure_end_it() {
        let cancel = Cancel::default();
        cancel.cancel();
        let [stopped] = &run(&work(0), &cancel)[..] else { panic!("several") };
        assert_eq!(stopped.stage, SchemaStage::Stopped);
        let failing = SchemaWork { all: Some(doc! { "find": "c", "fails": 1 }), ..work(0) };
        let [failed] = &run(&failing, &Cancel::default())[..] else { panic!("several") };
        assert_eq!(failed.stage, SchemaStage::Failed("no".to_owned()));
    }
}
