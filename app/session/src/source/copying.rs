//! Copies documents of a collection from one source into another, byte by byte.
//!
//! `source/copying.rs` copies a collection from any `Source` into any other. Documents stay bytes:
//! `Source::read_batches` reads them, `Source::run_bytes` writes them, and `source/remote/raw.rs` does both
//! through the driver. `source/inserts.rs` inserts up to 1,000 at a time by standard commands. It knows what
//! became of each, and keeps the `_id`s that are new, up to `ROLL_BACK_IDS_BYTES`, so that they can be
//! removed again. `source/remote/transfers.rs` imports files into a server with it: the engine's
//! `transfer::import_into` reads them.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use bson::{Bson, Document, doc};
use mayfly_engine::engine::{ClockOption, CopyReport as Copied};
use mayfly_engine::reply::DocCount;
use mayfly_engine::transfer::{ImportMode, ImportTarget as _, Progress, StoredAs};
use mayfly_engine::value::whole;

use super::inserts::Inserts;
use super::{OpenRequest, Sandbox, Source, embedded, remote, sandbox_folder};
use crate::job::reply::{batch, is_ok, number, sentence};
use crate::job::{
    Cancel, CopiedStore, CopyLook, CopyPart, CopyPlan, CopyReport, CopyTarget, End, InsertedIds,
    Namespace, SandboxFolder,
};
use crate::limits::{COPY_OVERDUE_MAX, READ_BATCH_DOCS, REFUSALS_LISTED_MAX, SERVER_EXPORT_MS};

/// Copies. A document that the target refuses is counted, and the others are copied.
pub fn copy(
    from: &dyn Source,
    to: &dyn Source,
    plan: &CopyPlan,
    progress: &Progress,
    cancel: &Cancel,
) -> (CopyReport, InsertedIds) {
    let mut report = CopyReport::default();
    let is_stopped = || cancel.is_cancelled() || progress.is_cancelled();
    let mut inserts = Inserts::new(to, plan.into.clone(), ImportMode::Skip).until(&is_stopped);
    if plan.past_validators {
        inserts = inserts.bypassing_validation();
    }
    report.notes.extend(create(from, to, plan));
    let read = from.read_batches(&plan.from.db, &command(plan), cancel, &mut |documents| {
        if is_stopped() {
            return Err(String::new());
        }
        let mut done = Vec::with_capacity(documents.len());
        let stored = inserts.store(documents, &mut done);
        for (document, became) in documents.iter().zip(done) {
            progress.add_bytes(document.as_bytes().len() as u64);
            count(became, document, &mut report, progress);
        }
        stored
    });
    report.unknown = inserts.unknown;
    report.end = match read {
        Ok(()) => End::Complete,
        Err(_) if is_stopped() => End::Cancelled,
        Err(sentence) => End::Failed(sentence),
    };
    if report.end == End::Complete {
        create_indexes(to, plan, &mut report);
    }
    (report, inserts.ids)
}

/// The command whose cursor gives the documents.
fn command(plan: &CopyPlan) -> Document {
    let batch = i32::try_from(READ_BATCH_DOCS).unwrap_or(i32::MAX);
    let mut command = match &plan.part {
        CopyPart::Matching(filter) => {
            doc! { "find": &plan.from.collection, "filter": filter, "batchSize": batch }
        }
        CopyPart::Sample { filter, size } => {
            let size = i64::try_from(*size).unwrap_or(i64::MAX);
            let mut stages = vec![doc! { "$sample": { "size": size } }];
            if !filter.is_empty() {
                stages.insert(0, doc! { "$match": filter });
            }
            doc! {
                "aggregate": &plan.from.collection, "pipeline": stages,
                "cursor": { "batchSize": batch }, "allowDiskUse": true,
            }
        }
    };
    command.insert("maxTimeMS", SERVER_EXPORT_MS);
    command
}

/// Makes the collection with the collation of the source. Returns what the target doesn't know.
fn create(from: &dyn Source, to: &dyn Source, plan: &CopyPlan) -> Option<String> {
    let listing = |name: &str| doc! { "listCollections": 1, "filter": { "name": name } };
    let listed = from.run(&plan.from.db, &listing(&plan.from.collection));
    let options = batch(&listed).next()?.get_document("options").ok()?;
    let collation = options.get_document("collation").ok()?;
    // The collation decides what the collection's indexes find.
    let command = doc! { "create": &plan.into.collection, "collation": collation.clone() };
    let made = to.run(&plan.into.db, &command);
    // `NamespaceExists`: it keeps its own.
    let is_there = made.get("code").and_then(whole) == Some(48);
    (!is_ok(&made) && !is_there).then(|| format!("The collation is left out: {}", sentence(&made)))
}

fn count(
    became: StoredAs,
    document: &bson::RawDocument,
    report: &mut CopyReport,
    progress: &Progress,
) {
    match became {
        StoredAs::Inserted | StoredAs::Replaced => {
            report.copied += 1;
            progress.add_documents(1);
        }
        StoredAs::Skipped => {
            report.skipped += 1;
            progress.add_skipped(1);
        }
        StoredAs::Refused(reason) => {
            report.refused += 1;
            progress.add_rejected(1);
            if report.refusals.len() < REFUSALS_LISTED_MAX {
                let id = document.get("_id").ok().flatten();
                let id = id.and_then(|id| Bson::try_from(id).ok());
                let id = id.map_or_else(|| "?".to_owned(), |id| id.to_string());
                report.refusals.push(format!("_id {id}: {reason}"));
            }
        }
    }
}

fn create_indexes(to: &dyn Source, plan: &CopyPlan, report: &mut CopyReport) {
    let is_ttl = |index: &&Document| index.contains_key("expireAfterSeconds");
    let others = plan.indexes.iter().filter(|index| !is_ttl(index));
    for index in others.chain(plan.indexes.iter().filter(is_ttl)) {
        let mut index = index.clone();
        for told in ["v", "ns", "background", "building"] {
            index.remove(told);
        }
        let name = index.get_str("name").unwrap_or("?").to_owned();
        // One command for each index, so that one that is refused does not stop the others.
        let command = doc! { "createIndexes": &plan.into.collection, "indexes": [index] };
        let made = to.run(&plan.into.db, &command);
        if is_ok(&made) {
            report.indexes += 1;
        } else {
            report.notes.push(format!("The index {name} is left out: {}", sentence(&made)));
        }
    }
}

/// A sandbox that a copy goes into, and its store while it does.
pub struct NewSandbox {
    folder: SandboxFolder,
    /// The time that its clock starts at.
    start_ms: i64,
    /// Its store. Nothing expires in it.
    pub source: Arc<dyn Source>,
}

impl NewSandbox {
    /// Makes one.
    pub fn create(start_ms: i64) -> Result<Self, String> {
        let made = sandbox_folder::create().map_err(|error| {
            format!("Couldn't create a temporary folder for the sandbox: {error}")
        });
        let folder = made.map(|(lock, folder)| SandboxFolder::new(lock, folder))?;
        let clock = ClockOption::Simulated { start_ms };
        let source = embedded::open_at_rest(&folder.path().join("store"), clock)?;
        Ok(Self { folder, start_ms, source })
    }

    /// Closes its store. The request opens it for the user.
    #[must_use]
    pub fn finish(self, copied: u64, left_out: u64) -> OpenRequest {
        self.source.close();
        let report = Copied { copied, left_out };
        OpenRequest {
            sandbox: Some(Sandbox::Copy(CopiedStore::new(self.folder, report))),
            simulated_start_ms: Some(self.start_ms),
            ..OpenRequest::default()
        }
    }
}

/// Opens the store in a folder for a copy, and makes it if there is none. Nothing expires in it
/// during the copy.
fn open_folder(folder: &Path) -> Result<Arc<dyn Source>, String> {
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent)
            .map_err(|error| format!("Couldn't create {}: {error}", parent.display()))?;
    }
    embedded::open_at_rest(folder, ClockOption::Stored)
}

/// Opens the store that a copy goes into or is taken back from.
pub fn open_target(place: &CopyTarget) -> Result<Arc<dyn Source>, String> {
    match place {
        CopyTarget::Folder(folder) => open_folder(folder),
        CopyTarget::Server(string) => {
            let server = remote::open_string(string, None)?;
            // The dialog of the copy is where the user has agreed to a change.
            server.set_locked(false);
            Ok(server)
        }
        CopyTarget::Sandbox => Err("A sandbox is made for each copy".to_owned()),
    }
}

/// Looks at a collection before a copy.
pub fn look(
    from: &dyn Source,
    namespace: &Namespace,
    filter: &Document,
    cancel: &Cancel,
) -> Result<CopyLook, String> {
    let Namespace { db, collection } = namespace;
    let mut look = CopyLook::default();
    // With a query, be it an empty one, the count is none of a server's estimates.
    let query = doc! { "count": collection, "query": filter.clone() };
    let counted = from.run_until(db, &query, cancel);
    if !is_ok(&counted) {
        return Err(sentence(&counted));
    }
    look.documents = number(&counted, "n").unwrap_or(0);
    from.read_batches(db, &doc! { "listIndexes": collection }, cancel, &mut |batch| {
        let read = batch.iter().map(|index| Document::try_from(*index));
        let read: Result<Vec<_>, _> = read.collect();
        look.indexes.extend(read.map_err(|error| error.to_string())?);
        Ok(())
    })?;
    look.indexes.retain(|index| index.get_str("name").is_ok_and(|name| name != "_id_"));
    let now_ms = from.now_ms();
    for index in &look.indexes {
        let Some(secs) = index.get("expireAfterSeconds").and_then(whole) else { continue };
        let name = index.get_str("name").unwrap_or_default().to_owned();
        let overdue = overdue(from, (db, collection), filter, index, now_ms, secs, cancel);
        look.overdue.push((name, overdue));
    }
    Ok(look)
}

/// How many documents a TTL index would remove now.
fn overdue(
    from: &dyn Source,
    (db, collection): (&str, &str),
    filter: &Document,
    index: &Document,
    now_ms: i64,
    secs: i64,
    cancel: &Cancel,
) -> Option<DocCount> {
    let field = index.get_document("key").ok()?.keys().next()?.clone();
    let latest_ms = now_ms.saturating_sub(secs.saturating_mul(1_000));
    let latest = bson::DateTime::from_millis(latest_ms);
    let mut all = vec![doc! { field: { "$lte": latest } }];
    all.extend((!filter.is_empty()).then(|| filter.clone()));
    all.extend(index.get_document("partialFilterExpression").ok().cloned());
    let limit = i64::try_from(COPY_OVERDUE_MAX).unwrap_or(i64::MAX);
    let command = doc! { "count": collection, "query": { "$and": all }, "limit": limit };
    let counted = from.run_until(db, &command, cancel);
    let count = number(&counted, "n").filter(|_| is_ok(&counted))?;
    let is_bound = count >= COPY_OVERDUE_MAX;
    Some(if is_bound { DocCount::AtLeast(count) } else { count.into() })
}
