//! Background events, written to the log and the profile.

use std::time::Duration;

use bson::{DateTime, Document, doc};

use super::{
    log::{LogLine, Severity},
    operations::millis,
    profiler,
};
use crate::{
    command::core::{Context, long, shortest},
    event::{BuildProgress, Event, IndexReport, PassReport},
    plan::index_summary,
    reaper::THREAD_NAME,
    store::{StoreNotice, StoreState},
    ttl::InertReason,
};

/// The constant parts of a log line.
struct LogEvent {
    severity: Severity,
    component: &'static str,
    id: i32,
    message: &'static str,
}

// The numbers and texts of lines that MongoDB writes too are MongoDB's.
const DELETED: LogEvent = LogEvent {
    severity: Severity::Info,
    component: "INDEX",
    id: 5_479_200,
    message: "Deleted expired documents using index",
};
const DELETED_CLUSTERED: LogEvent = LogEvent {
    severity: Severity::Info,
    component: "INDEX",
    id: 5_400_702,
    message: "Deleted expired documents using clustered index scan",
};
const SPECIAL_INDEX: LogEvent = LogEvent {
    severity: Severity::Error,
    component: "INDEX",
    id: 22_541,
    message: "Special index can't be used as a TTL index, skipping TTL job",
};
const INVALID_INDEX: LogEvent = LogEvent {
    severity: Severity::Error,
    component: "INDEX",
    id: 6_909_100,
    message: "Skipping TTL job due to invalid index spec",
};
const FAILED: LogEvent = LogEvent {
    severity: Severity::Warning,
    component: "INDEX",
    id: 5_400_703,
    message: "Error running TTL job on collection",
};
const BUILT: LogEvent = LogEvent {
    severity: Severity::Info,
    component: "INDEX",
    id: 20_345,
    message: "Index build: done building",
};
const BUILD_FAILED: LogEvent = LogEvent {
    severity: Severity::Error,
    component: "INDEX",
    id: 9_900_001,
    message: "Index build: failed",
};
const HELD: LogEvent = LogEvent {
    severity: Severity::Warning,
    component: "INDEX",
    id: 9_900_002,
    message: "Removals are on hold",
};
const RELEASED: LogEvent = LogEvent {
    severity: Severity::Info,
    component: "INDEX",
    id: 9_900_003,
    message: "Removals are no longer on hold",
};
const STEPPED: LogEvent = LogEvent {
    severity: Severity::Warning,
    component: "CONTROL",
    id: 9_900_006,
    message: "The system clock was changed",
};
const THREAD_FAILED: LogEvent = LogEvent {
    severity: Severity::Error,
    component: "CONTROL",
    id: 9_900_004,
    message: "A background thread failed on one task and continued with the next",
};

const STORE_STATE: LogEvent = LogEvent {
    severity: Severity::Warning,
    component: "STORAGE",
    id: 9_900_006,
    message: "The store's write state changed",
};
const STORE_REOPENED: LogEvent = LogEvent {
    severity: Severity::Warning,
    component: "STORAGE",
    id: 9_900_007,
    message: "A write to the disk failed; the store was reopened and its file is undamaged",
};
const DAMAGED_ROWS: LogEvent = LogEvent {
    severity: Severity::Warning,
    component: "STORAGE",
    id: 9_900_021,
    message: "The check of the data file found damaged rows",
};
const LONG_READ: LogEvent = LogEvent {
    severity: Severity::Warning,
    component: "STORAGE",
    id: 9_900_008,
    message: "A long-running read transaction makes the data file grow",
};
const STALE_READERS: LogEvent = LogEvent {
    severity: Severity::Info,
    component: "STORAGE",
    id: 9_900_009,
    message: "Cleared stale reader slots of exited processes",
};

const DAMAGED: LogEvent = LogEvent {
    severity: Severity::Error,
    component: "STORAGE",
    id: 9_900_020,
    message: "Stored data is damaged",
};
const SIMULATED: LogEvent = LogEvent {
    severity: Severity::Warning,
    component: "CONTROL",
    id: 9_900_005,
    message: "This store runs on a simulated clock: documents expire by its time, not by the \
              system clock. See mayflyClock",
};

/// Tells what a shell should show to everybody who connects.
pub fn note_start(context: &Context) {
    if context.simulated_clock.is_some() {
        context.log.warn_at_start(&line(context, &SIMULATED, "initandlisten", Document::new()));
    }
}

/// Logs a notice of the store.
pub fn note_store(context: &Context, notice: &StoreNotice) {
    let (kind, attributes) = match notice {
        StoreNotice::State { state, reason } => {
            let state = state_name(*state);
            (STORE_STATE, doc! { "state": state, "reason": reason.clone() })
        }
        StoreNotice::DamagedRows { count } => (DAMAGED_ROWS, doc! { "count": shortest(*count) }),
        StoreNotice::Reopened => (STORE_REOPENED, Document::new()),
        StoreNotice::LongRead { ms } => (LONG_READ, doc! { "durationMillis": long(*ms) }),
        StoreNotice::StaleReaders { count } => {
            (STALE_READERS, doc! { "count": shortest(*count as u64) })
        }
    };
    write(context, &kind, "Store", attributes);
}

/// Takes note of something that happened in the engine.
pub fn note(context: &Context, event: &Event) {
    match event {
        Event::PassFinished(pass) => note_pass(context, pass),
        Event::IndexBuild(BuildProgress { namespace, index, finished: true, error, .. }) => {
            let mut attributes = doc! { "namespace": namespace.to_string(), "index": index };
            let kind = match error {
                None => BUILT,
                Some(error) => {
                    attributes.insert("error", error);
                    BUILD_FAILED
                }
            };
            write(context, &kind, "IndexBuilder", attributes);
        }
        Event::ClockStepped { wall_ms, expected_ms } => {
            let attributes = doc! {
                "clock": DateTime::from_millis(*wall_ms),
                "expected": DateTime::from_millis(*expected_ms),
            };
            write(context, &STEPPED, THREAD_NAME, attributes);
        }
        Event::HeldChanged { reason: Some(reason) } => {
            write(context, &HELD, THREAD_NAME, doc! { "reason": reason });
        }
        Event::HeldChanged { reason: None } => {
            write(context, &RELEASED, THREAD_NAME, Document::new());
        }
        Event::DamageFound(finding) => {
            let mut attributes = doc! { "namespace": finding.namespace.to_string() };
            if let Some(index) = &finding.index {
                attributes.insert("index", index);
            }
            attributes.insert("error", &finding.sentence);
            write(context, &DAMAGED, "Scrub", attributes);
        }
        Event::ThreadFailed { thread, message } => {
            write(context, &THREAD_FAILED, thread, doc! { "error": message });
        }
        _ => {}
    }
}

fn note_pass(context: &Context, pass: &PassReport) {
    for index in &pass.indexes {
        let took = Duration::from_micros(index.duration_micros);
        let mut attributes = doc! {
            "namespace": index.namespace.to_string(),
            "index": &index.index,
        };
        if let Some(error) = &index.error {
            attributes.insert("error", error);
            write(context, failure(index.inert), THREAD_NAME, attributes);
            continue;
        }
        if index.deleted == 0 {
            continue;
        }
        if context.profiler.is_slow(took) {
            attributes.insert("numDeleted", shortest(index.deleted));
            attributes.insert("duration", millis(took));
            let kind = if plan(context, index).is_some() { DELETED } else { DELETED_CLUSTERED };
            write(context, &kind, THREAD_NAME, attributes);
        }
        profiler::note_own(context, &index.namespace.db, took, || entry(context, index, took));
    }
}

fn failure(inert: Option<InertReason>) -> &'static LogEvent {
    match inert {
        None => &FAILED,
        Some(InertReason::Compound | InertReason::InvalidValue | InertReason::NotOnTs) => {
            &INVALID_INDEX
        }
        Some(_) => &SPECIAL_INDEX,
    }
}

/// The removals of one rule in one pass, as the profile shows them.
fn entry(context: &Context, index: &IndexReport, took: Duration) -> Document {
    doc! {
        "op": "remove",
        "ns": index.namespace.to_string(),
        "command": { "delete": &index.namespace.collection, "hint": &index.index },
        "desc": THREAD_NAME,
        "keysExamined": shortest(index.examined),
        "docsExamined": shortest(index.examined),
        "ndeleted": shortest(index.deleted),
        "numYield": 0,
        "locks": {},
        "flowControl": {},
        "millis": millis(took),
        "planSummary": plan(context, index).unwrap_or_else(|| "CLUSTERED_IXSCAN".to_owned()),
    }
}

/// The index that a rule scans; none for a collection's own rule.
fn plan(context: &Context, report: &IndexReport) -> Option<String> {
    let catalog = context.collections.catalog();
    let collection = catalog.collection(&report.namespace)?;
    let mut indexes = collection.indexes.iter();
    let index = indexes.find(|index| index.name == report.index && !index.is_id())?;
    Some(index_summary(index))
}

fn write(context: &Context, kind: &LogEvent, thread: &str, attributes: Document) {
    context.log.write(&line(context, kind, thread, attributes));
}

fn line(context: &Context, kind: &LogEvent, thread: &str, attributes: Document) -> LogLine {
    let LogEvent { severity, component, id, message } = *kind;
    LogLine {
        at_ms: context.now_ms(),
        severity,
        component,
        id,
        context: thread.to_owned(),
        message,
        attributes,
    }
}

/// The name of a state of the store in replies and in the log.
pub fn state_name(state: StoreState) -> &'static str {
    match state {
        StoreState::Ok => "ok",
        StoreState::DiskFull => "diskFull",
        StoreState::ReadOnly => "readOnly",
        StoreState::Suspect => "suspect",
        StoreState::Detached => "detached",
    }
}
