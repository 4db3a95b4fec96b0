//! `serverStatus`: the program and all its counters, in sections.

use bson::{Bson, DateTime, Document, doc, raw::RawBsonRef};

use crate::{
    catalog::Dialect,
    command::core::{
        Answer, Command, CommandError, Context, Request, any, as_flag, long,
        member::member_fields,
        monitor::{
            event_log::state_name,
            ttl_status::{clock_document, failing_archives, scrub_document, trash_status},
        },
        not_in_cosmos, raw,
        server::{MODEL_VERSION, hostname, proc_kilobytes},
        shortest,
    },
    event::PassReport,
    reaper::{Reaper, Stall, TtlCounters, TtlParameter},
    store::Store,
};

/// `{serverStatus: 1, section: 0 | 1}`; `none: 1` leaves out all sections that are not requested.
pub static COMMAND: Command = Command::any("serverStatus", &[any()], run);

/// Makes one section.
type Section = fn(&Context) -> Bson;

/// All sections in the order of MongoDB's reply.
static SECTIONS: &[(&str, Section)] = &[
    ("asserts", asserts),
    ("batchedDeletes", batched_deletes),
    ("connections", |context| context.metrics.connections().into()),
    ("globalLock", global_lock),
    ("logicalSessionRecordCache", sessions),
    ("network", |context| context.metrics.network().into()),
    ("opcounters", |context| context.metrics.opcounters().into()),
    ("storageEngine", storage_engine),
    ("mem", memory),
    ("metrics", metrics),
    ("mayfly", mayfly),
];

fn run(context: &Context, request: &Request<'_>) -> Answer {
    if context.collections.catalog().dialect(request.db) == Dialect::Cosmos {
        return Err(not_in_cosmos("serverStatus", "run it on admin"));
    }
    let uptime = context.reaper.uptime();
    let mut reply = doc! {
        "host": hostname(),
        "version": MODEL_VERSION,
        // Tools use it to tell a server from a router.
        "process": "mongod",
        "service": ["mayfly"],
        "pid": i64::from(std::process::id()),
        "uptime": uptime.as_secs_f64().floor(),
        "uptimeMillis": i64::try_from(uptime.as_millis()).unwrap_or(i64::MAX),
        "uptimeEstimate": i64::try_from(uptime.as_secs()).unwrap_or(i64::MAX),
        "localTime": DateTime::from_millis(context.now_ms()),
    };
    let none = request.get("none")?.and_then(as_flag).unwrap_or(false);
    for (name, section) in SECTIONS {
        if is_asked_for(request, name, !none)? {
            reply.insert(*name, section(context));
        }
    }
    if is_asked_for(request, "repl", !none)?
        && let Some(fields) = member_fields(context, "isWritablePrimary")
    {
        reply.insert("repl", fields);
    }
    raw(&reply)
}

/// `section: 0` leaves it out; anything else than a number or false asks for it.
fn is_asked_for(request: &Request<'_>, name: &str, by_default: bool) -> Result<bool, CommandError> {
    Ok(match request.get(name)? {
        None => by_default,
        Some(RawBsonRef::Document(_)) => true,
        Some(value) => as_flag(value).unwrap_or(true),
    })
}

fn asserts(context: &Context) -> Bson {
    doc! {
        "regular": 0,
        "warning": 0,
        "msg": 0,
        "user": shortest(context.metrics.user_asserts.get()),
        "tripwire": 0,
        "rollovers": 0,
    }
    .into()
}

fn batched_deletes(context: &Context) -> Bson {
    let counters = context.reaper.counters();
    doc! {
        "batches": long(counters.batches.get()),
        "docs": long(counters.batched_docs.get()),
        "stagedSizeBytes": 0_i64,
        "timeInBatchMillis": 0_i64,
        "refetchesDueToYield": 0_i64,
    }
    .into()
}

fn global_lock(context: &Context) -> Bson {
    let micros = i64::try_from(context.reaper.uptime().as_micros()).unwrap_or(i64::MAX);
    let running = context.operations.running();
    let writes = |kind: &str| matches!(kind, "insert" | "update" | "remove");
    let writers = running.iter().filter(|one| writes(one.kind)).count();
    let readers = running.len().saturating_sub(writers);
    let count = |number: usize| shortest(number as u64);
    doc! {
        "totalTime": micros,
        "currentQueue": { "total": 0, "readers": 0, "writers": 0 },
        "activeClients": {
            "total": count(running.len()),
            "readers": count(readers),
            "writers": count(writers),
        },
    }
    .into()
}

fn sessions(context: &Context) -> Bson {
    let now = DateTime::from_millis(context.now_ms());
    doc! {
        "activeSessionsCount": 0,
        "sessionsCollectionJobCount": 0,
        "lastSessionsCollectionJobDurationMillis": 0,
        "lastSessionsCollectionJobTimestamp": now,
        "transactionReaperJobCount": 0,
        "sessionCatalogSize": 0,
    }
    .into()
}

fn storage_engine(context: &Context) -> Bson {
    doc! {
        "name": "lmdb",
        "supportsCommittedReads": true,
        "supportsPendingDrops": true,
        "supportsSnapshotReadConcern": false,
        "readOnly": context.collections.store().is_read_only(),
        "persistent": true,
        "backupCursorOpen": false,
    }
    .into()
}

/// Megabytes; 0 where the system has no such file.
fn memory(_: &Context) -> Bson {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let megabytes = |label| {
        let kilobytes = proc_kilobytes(&text, label).unwrap_or(0);
        i32::try_from(kilobytes / 1_024).unwrap_or(i32::MAX)
    };
    doc! {
        "bits": i32::try_from(usize::BITS).unwrap_or(64),
        "resident": megabytes("VmRSS:"),
        "virtual": megabytes("VmSize:"),
        "supported": !text.is_empty(),
    }
    .into()
}

fn metrics(context: &Context) -> Bson {
    let open = i64::try_from(context.cursors.open_count()).unwrap_or(i64::MAX);
    doc! {
        "commands": context.metrics.commands(),
        "cursor": {
            "timedOut": 0_i64,
            "totalOpened": 0_i64,
            "open": { "noTimeout": 0_i64, "pinned": 0_i64, "total": open },
        },
        "document": context.metrics.documents(),
        "operation": {
            "killedDueToMaxTimeMSExpired": long(context.metrics.timed_out.get()),
            "scanAndOrder": 0_i64,
            "writeConflicts": 0_i64,
        },
        "ttl": ttl(context.reaper.counters(), &context.reaper),
    }
    .into()
}

fn mayfly(context: &Context) -> Bson {
    let reaper = &context.reaper;
    doc! {
        "reaper": reaper_document(reaper),
        "scrub": context.collections.scrub_status().ok().map(|it| scrub_document(&it)),
        "clock": clock_document(reaper.clock().status()),
        "archives": archives(context),
        "trash": trash_status(context).ok().map(|trash| trash.to_document()),
        "store": store_document(context.collections.store()),
    }
    .into()
}

fn archives(context: &Context) -> Document {
    let archives = context.reaper.archives();
    let on = archives.all().iter().filter(|archive| archives.is_active(archive)).count();
    doc! { "on": long(on as u64), "failing": failing_archives(context) }
}

/// The state of the store: what it accepts, why not more, and its sizes.
fn store_document(store: &Store) -> Document {
    let status = store.status();
    doc! {
        "state": state_name(status.state),
        "reason": status.reason,
        "freeBytes": status.free_bytes.map(long),
        "fileBytes": long(status.file_bytes),
        "liveBytes": long(status.live_bytes),
        "ballast": long(status.ballast_bytes),
        "mapBytes": long(status.map_bytes),
        "readers": shortest(status.readers as u64),
        "oldestReadMillis": status.oldest_read_ms.map(long),
        "walkPercent": store.walk_percent().map(long),
        "lastWalk": status.last_walk_ms.map(DateTime::from_millis),
        "reopenings": shortest(u64::from(status.reopenings)),
        "writes": long(store.writes()),
        "commits": long(store.commits()),
    }
}

fn ttl(counters: &TtlCounters, reaper: &Reaper) -> Document {
    doc! {
        "deletedDocuments": long(counters.deleted_documents.get()),
        "deletedKeys": long(counters.deleted_keys.get()),
        "durationMicros": long(counters.duration_micros.get()),
        "examinedDocuments": long(counters.examined_documents.get()),
        "examinedKeys": long(counters.examined_keys.get()),
        "invalidTTLIndexSkips": long(counters.invalid_index_skips.get()),
        "passes": long(counters.passes.get()),
        "subPasses": long(counters.sub_passes.get()),
        "held": reaper.held().is_some() || !reaper.held_indexes().is_empty(),
        "heldIndexes": long(reaper.held_indexes().len() as u64),
        "heldPasses": long(counters.held_passes.get()),
    }
}

fn reaper_document(reaper: &Reaper) -> Document {
    let parameters = reaper.parameters();
    doc! {
        "enabled": parameters.enabled(),
        "nextPass": reaper.next_pass_ms().map(DateTime::from_millis),
        "sleepSecs": parameters.get(TtlParameter::SleepSecs),
        "atThreshold": parameters.at_threshold(),
        "working": reaper.is_working(),
        "backupPauses": long(reaper.counters().copy_pauses.get()),
        "stall": reaper.stall().map(|stall| stall_document(&stall)),
        "lastPass": reaper.last_pass().map_or(Bson::Null, |pass| pass_document(&pass).into()),
    }
}

/// The alarm: how long no pass has ended.
fn stall_document(stall: &Stall) -> Document {
    doc! {
        "millis": i64::try_from(stall.since.as_millis()).unwrap_or(i64::MAX),
        "sentence": stall.sentence(),
    }
}

fn pass_document(pass: &PassReport) -> Document {
    doc! {
        "number": long(pass.number),
        "started": DateTime::from_millis(pass.started_ms),
        "deleted": long(pass.deleted),
        "durationMicros": long(pass.duration_micros),
    }
}

#[cfg(test)]
mod tests {
    use crate::command::testing::Lab;

    #[test]
    fn sections_are_left_out_and_asked_for() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2}]}");
        lab.ok("{find: 'c'}");
        lab.run("{find: 'c', bad: 1}");
        lab.run("{nonsense: 1}");
        lab.check(
            "{serverStatus: 1}",
            "{process: 'mongod', 'opcounters.insert': 2, 'opcounters.query': 2,
              'metrics.commands.find.total': 2, 'metrics.commands.find.failed': 1,
              'metrics.commands.<UNKNOWN>': 1, 'metrics.document.inserted': 2,
              'metrics.document.returned': 2, 'metrics.ttl.passes': 0, 'asserts.user': 1,
              'connections.current': 0, 'network.numRequests': 0, 'storageEngine.name': 'lmdb'}",
        );
        lab.check(
            "{serverStatus: 1, none: 1, mayfly: 1}",
            "{'mayfly.store.state': 'ok', 'mayfly.store.reason': null,
              'mayfly.store.reopenings': 0, 'mayfly.store.readers': 0,
              'mayfly.store.walkPercent': null}",
        );
        lab.check("{serverStatus: 1, metrics: 0}", "{'-metrics': 1, 'asserts.regular': 0}");
        lab.check(
            "{serverStatus: 1, none: 1, mem: 1}",
            "{'mem.bits': 64, '-metrics': 1, version: '8.2.0'}",
        );
    }
}
