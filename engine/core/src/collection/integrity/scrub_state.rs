//! The scrub's position and statistics, and how they are stored.

use std::{sync::Mutex, time::Duration};

use bson::{Binary, DateTime, Document, doc, spec::BinarySubtype};

use crate::store::RecordNumber;

/// The value of the table `meta` that holds the state.
pub(super) const SCRUB_META: &str = "scrub";

/// The current or last scrub.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScrubStatus {
    /// Whether one is running.
    pub is_running: bool,
    /// When the current or last one began, in milliseconds since 1970.
    pub started_ms: Option<i64>,
    /// When the last complete one ended, in milliseconds since 1970.
    pub finished_ms: Option<i64>,
    /// Documents read by the current or last one.
    pub documents: u64,
    /// Index entries read by the current or last one.
    pub entries: u64,
    /// Findings of the current or last one.
    pub findings: u64,
}

#[derive(Debug, Default)]
pub(in crate::collection) struct Scrub(pub(super) Mutex<ScrubState>);

#[derive(Debug, Default)]
pub(super) struct ScrubState {
    pub(super) is_loaded: bool,
    pub(super) status: ScrubStatus,
    pub(super) position: ScrubPosition,
    pub(super) saved: Duration,
}

/// The next thing to read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ScrubPosition {
    /// 0, which no collection has, means the trash and the small tables.
    pub(super) collection: u32,
    /// 0 means the documents; index numbers are never 0. Among the small tables, the first is 1.
    pub(super) index: u32,
    pub(super) key: Vec<u8>,
    pub(super) record: RecordNumber,
}

impl ScrubState {
    pub(super) fn begin(&mut self, now_ms: i64) {
        let finished_ms = self.status.finished_ms;
        self.status = ScrubStatus {
            is_running: true,
            started_ms: Some(now_ms),
            finished_ms,
            ..ScrubStatus::default()
        };
        self.position = ScrubPosition::default();
    }

    pub(super) fn to_document(&self) -> Document {
        let (status, position) = (&self.status, &self.position);
        let date = |ms: Option<i64>| ms.map(DateTime::from_millis);
        let long = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        doc! {
            "running": status.is_running,
            "started": date(status.started_ms),
            "finished": date(status.finished_ms),
            "documents": long(status.documents),
            "entries": long(status.entries),
            "findings": long(status.findings),
            "collection": i64::from(position.collection),
            "index": i64::from(position.index),
            "key": Binary { subtype: BinarySubtype::Generic, bytes: position.key.clone() },
            "record": position.record.to_string(),
        }
    }

    pub(super) fn from_document(document: &Document) -> Self {
        let count = |name| document.get_i64(name).ok().and_then(|it| it.try_into().ok());
        let id = |name| document.get_i64(name).ok().and_then(|it| it.try_into().ok());
        let date = |name| document.get_datetime(name).ok().map(|date| date.timestamp_millis());
        let status = ScrubStatus {
            is_running: document.get_bool("running").unwrap_or(false),
            started_ms: date("started"),
            finished_ms: date("finished"),
            documents: count("documents").unwrap_or(0),
            entries: count("entries").unwrap_or(0),
            findings: count("findings").unwrap_or(0),
        };
        let position = ScrubPosition {
            collection: id("collection").unwrap_or(0),
            index: id("index").unwrap_or(0),
            key: document.get_binary_generic("key").cloned().unwrap_or_default(),
            record: document.get_str("record").ok().and_then(|it| it.parse().ok()).unwrap_or(0),
        };
        Self { status, position, ..Self::default() }
    }
}
