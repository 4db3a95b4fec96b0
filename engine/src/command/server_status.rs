//! `serverStatus`: counters of the TTL monitor, the clock, and the program.

use bson::{Bson, DateTime, Document, doc};

use super::{
    context::Context,
    error::Answer,
    field::any,
    mayfly_clock::status_document,
    mayfly_reap::long,
    request::Request,
    run::raw,
    table::{Command, Scope},
};
use crate::reaper::{PassReport, Reaper, TtlCounters, TtlParameter};

/// `{serverStatus: 1}`; sections that are asked for or not (`metrics: 0`) make no difference.
pub static COMMAND: Command =
    Command { name: "serverStatus", aliases: &[], scope: Scope::Any, fields: &[any()], run };

fn run(context: &Context, _: &Request<'_>) -> Answer {
    let reaper = &context.reaper;
    let counters = reaper.counters();
    let uptime = reaper.uptime();
    raw(&doc! {
        "host": "localhost",
        "version": "8.2.0",
        "process": "mayfly",
        "pid": i64::from(std::process::id()),
        "uptime": uptime.as_secs_f64(),
        "uptimeMillis": i64::try_from(uptime.as_millis()).unwrap_or(i64::MAX),
        "localTime": DateTime::from_millis(context.now_ms()),
        "batchedDeletes": {
            "batches": long(counters.batches.get()),
            "docs": long(counters.batched_docs.get()),
        },
        "metrics": { "ttl": ttl(counters, reaper) },
        "mayfly": {
            "reaper": reaper_document(reaper),
            "clock": status_document(reaper.clock().status()),
        },
    })
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
        "held": reaper.held().is_some(),
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
        "lastPass": reaper.last_pass().map_or(Bson::Null, |pass| pass_document(&pass).into()),
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
