//! From a command document to its reply.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bson::raw::{RawDocument, RawDocumentBuf, cstr};

use crate::{
    command::{
        core::{
            Answer, Client, Code, Command, CommandError, Context, Request,
            member::check_role,
            monitor::{
                operations::RunningOperation,
                profiler,
                registration::{begin, statements, time_limit},
            },
            raw,
            sessions::id_of,
            target::{check_target, check_usable},
        },
        table::TABLE,
    },
    limits::{COMMAND_BYTES_MAX, COMMAND_DEPTH_MAX},
    value::scan::{self, DocumentFacts, Limits},
};

/// Commands hold documents, so both bounds are above those of a document.
const LIMITS: Limits = Limits {
    bytes_max: COMMAND_BYTES_MAX,
    depth_max: COMMAND_DEPTH_MAX,
    allow_duplicate_names: true,
};

/// Runs one command. Never panics and never fails: errors become replies.
pub fn run(context: &Context, client: &Client, db: &str, command: &RawDocument) -> RawDocumentBuf {
    reply(|| {
        let (command, met) = scan::check_telling(command.as_bytes(), &LIMITS)?;
        answer(context, client, db, command, met)
    })
}

/// As [`run`], for bytes that the listener has scanned in pieces, with the result of the scan. The
/// bounds apply to each piece.
pub fn run_scanned(
    context: &Context,
    client: &Client,
    db: &str,
    command: &RawDocument,
    met: DocumentFacts,
) -> RawDocumentBuf {
    reply(|| answer(context, client, db, command, met))
}

fn reply(work: impl FnOnce() -> Answer) -> RawDocumentBuf {
    // Locks and transactions protect the state, so a panic leaves nothing half-done.
    let outcome = catch_unwind(AssertUnwindSafe(work));
    let answer = outcome.unwrap_or_else(|_| {
        Err(CommandError::new(
            Code::UNKNOWN_ERROR,
            "Internal error in this command. No acknowledged writes are lost. Please report this.",
        ))
    });
    match answer {
        Ok(mut reply) => {
            if !has_ok(&reply) {
                reply.append(cstr!("ok"), 1.0);
            }
            reply
        }
        Err(error) => raw(&error.to_document()).unwrap_or_default(),
    }
}

/// Whether the reply has `ok`. It is mostly last, after long fields.
fn has_ok(reply: &RawDocument) -> bool {
    const LAST: &[u8] = b"\x01ok\0\0\0\0\0\0\0\xf0\x3f\0";
    reply.as_bytes().ends_with(LAST) || matches!(reply.get("ok"), Ok(Some(_)))
}

fn answer(
    context: &Context,
    client: &Client,
    db: &str,
    command: &RawDocument,
    met: DocumentFacts,
) -> Answer {
    let Some(first) = command.iter().next() else {
        return Err(CommandError::new(Code::COMMAND_NOT_FOUND, "the command is empty; name one"));
    };
    let name = first?.0.as_str();
    let Some(entry) = TABLE.find(name) else {
        context.metrics.unknown_commands.add(1);
        return Err(CommandError::new(
            Code::COMMAND_NOT_FOUND,
            format!("no such command: '{name}'"),
        ));
    };
    context.metrics.begin(entry.name, command);
    let answer = Request::check(TABLE, entry, client, db, command, met, context.now_ms())
        .and_then(|request| operate(context, entry, &request));
    context.metrics.end(entry.name, answer.as_deref());
    answer
}

/// Runs a checked command as an operation that others can see and stop.
fn operate(context: &Context, command: &Command, request: &Request<'_>) -> Answer {
    let limit = time_limit(request)?.filter(|_| command.name != "getMore");
    let registration = begin(&context.operations, request, limit);
    check_target(request)?;
    check_usable(context, request)?;
    check_role(context, command)?;
    let running = &registration.running;
    if request.flag("bypassDocumentValidation")? {
        running.operation.bypass_validation();
    }
    if let Some(id) = session_id(request) {
        running.operation.join_session(id);
        context.sessions.note(id, request.client.user(), context.now_ms());
    }
    let answer = running.operation.run(|| (command.run)(context, request));
    note_indexes(context, command, running);
    // A command that changes the profile isn't in it, as in MongoDB.
    if command.name != "profile" {
        profiler::note(context, request.db, (running, || statements(request)), &answer);
    }
    answer
}

/// The id of the request's session; the checks of `lsid` are those of the sessions' commands.
fn session_id(request: &Request<'_>) -> Option<[u8; 16]> {
    id_of(request.get("lsid").ok().flatten()?)
}

/// Counts the indexes that a command used, except for `explain`.
fn note_indexes(context: &Context, command: &Command, running: &RunningOperation) {
    let used = running.operation.take_index_uses();
    let is_used = !used.is_empty() && command.name != "explain";
    let is_known = || used.iter().all(|(index, _)| context.index_uses.get(*index).is_some());
    let is_read = matches!(running.kind, "query" | "getmore");
    // Commands other than `find` and `getMore` may have created indexes, so those are tracked
    // first.
    if !is_read || (is_used && !is_known()) {
        context.index_uses.track(&context.collections.catalog(), context.now_ms());
    }
    if is_used {
        context.index_uses.add(&used);
    }
}
