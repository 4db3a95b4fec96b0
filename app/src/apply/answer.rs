//! What comes back from the worker.

use bson::Bson;
use mayfly_engine::value::shell::write_command;

use super::{
    Apply, TOO_MUCH, aggregate, archive, calendar, choose_store, clock, collection, connect,
    console, convert, documents, expiry, explain, indexes, lesson, listener, lock, maintenance,
    passwords, poll, reaper, rollout, sandbox, schema, store, stores, transfer, trash,
};
use crate::job::rollout::RolloutEnd;
use crate::job::server::SENT;
use crate::state::purpose::{
    ArchivePurpose, DocumentsPurpose, LessonPurpose, ListenerPurpose, MaintenancePurpose,
    ReaperPurpose, SchemaPurpose, StorePurpose, TrashPurpose,
};
use crate::state::toasts::Kind;
use crate::state::{Purpose, State};
use crate::worker::transfer::TransferDone;
use crate::worker::{Outcome, Reply, SecretReport, code};

/// Handles one outcome.
pub fn outcome(outcome: Outcome, cx: &mut Apply<'_>) {
    match outcome {
        // Its store is not on the screen any more, or not yet again.
        Outcome::Answer { generation, .. }
        | Outcome::Dropped { generation, .. }
        | Outcome::Schema { generation, .. }
            if generation <= cx.state.switched_at && generation > 0 => {}
        Outcome::Answer { purpose, generation, reply } => {
            log(&purpose, &reply, cx.state);
            note_answer(&reply, cx.state);
            answer(&purpose, generation, &reply, cx);
            // The dialog that sent it has learned why it was refused.
            offer_unlock(&reply, cx.state);
        }
        Outcome::Dropped { purpose, generation, full } => {
            if full {
                cx.state.toasts.push(Kind::Warning, TOO_MUCH, None, cx.state.uptime);
            }
            dropped(&purpose, generation, full, cx);
        }
        Outcome::Bulk { purpose, report, .. } => {
            if report.is_unfinished {
                transfer::resume::ask(false, cx);
            }
            match purpose {
                Purpose::Documents(_, DocumentsPurpose::Bulk(operation)) => {
                    if let Some(made) = documents::bulk::ended(operation, report, cx) {
                        collection::show_made(&made, cx);
                    }
                }
                Purpose::Trash(TrashPurpose::RestoreMany(operation)) => {
                    trash::restored(operation, &report, cx);
                }
                _ => {}
            }
        }
        Outcome::Transfer { purpose, generation, done } => {
            if let TransferDone::LookedInto { folder, has_store } = done {
                choose_store::looked_into(generation, folder, has_store, cx);
            } else if let Purpose::Transfer(purpose) = purpose {
                transfer::done(&purpose, generation, done, cx);
            }
        }
        Outcome::Maintenance { purpose, generation, done } => {
            if let Purpose::Maintenance(purpose) = purpose {
                maintenance::run::done(&purpose, generation, done, cx);
            }
        }
        Outcome::Sandbox { generation, done } => sandbox::done(generation, done, cx),
        Outcome::Schema { tab, generation, report } => schema::report(tab, generation, report, cx),
        Outcome::Console(report) => console::report(report, cx),
        Outcome::Rollout { operation, end } => {
            if !matches!(end, RolloutEnd::Complete(_)) {
                transfer::resume::ask(false, cx);
            }
            rollout::ended(operation, end, cx);
        }
        Outcome::Watch { generation, report } => poll::report(generation, report, cx),
        Outcome::Connect { generation, report } => connect::report(generation, report, cx),
        Outcome::Secret(report) => secret(report, cx),
        Outcome::Opened(opened) => store::opened(opened, cx),
        Outcome::Event(number, event) => stores::event(number, event, cx),
        Outcome::Lesson(outcome) => lesson::outcome(outcome, cx),
    }
}

/// A server answers, or does not, which the bars show.
fn note_answer(reply: &Reply, state: &mut State) {
    let (uptime, now_ms) = (state.uptime, state.now_ms());
    let Some(connection) = &mut state.store.connection else { return };
    if reply.ok().is_some() {
        let was_silent = connection.is_silent;
        connection.note_answer(uptime, now_ms);
        for tab in state.tabs.open_mut().iter_mut().filter(|_| was_silent) {
            tab.expiry.late_looks = 0;
        }
    } else if reply.is_without_answer() {
        connection.is_silent = true;
    }
}

/// The system's keyring answers.
fn secret(report: SecretReport, cx: &mut Apply<'_>) {
    match report {
        SecretReport::Looked(result) => passwords::looked(&result, cx.state),
        SecretReport::Read { generation, password } => {
            connect::password_read(generation, password, cx);
        }
        SecretReport::Kept { key, result } => passwords::kept(key, result, cx),
        SecretReport::Forgotten { key, result } => passwords::forgotten(&key, result, cx),
    }
}

/// Offers to unlock a server whose lock refused a change.
fn offer_unlock(reply: &Reply, state: &mut State) {
    let Some(connection) = &state.store.connection else { return };
    if !reply.failed_with(code::UNAUTHORIZED) || !connection.is_locked(state.uptime) {
        return;
    }
    lock::offer(state);
}

fn answer(purpose: &Purpose, generation: u64, reply: &Reply, cx: &mut Apply<'_>) {
    match purpose {
        Purpose::Store(purpose) => store::answer(purpose, generation, reply, cx),
        Purpose::Documents(tab, purpose) => {
            documents::answer(*tab, purpose, generation, reply, cx);
        }
        Purpose::Aggregate(tab, purpose) => {
            aggregate::answer(*tab, purpose, generation, reply, cx);
        }
        Purpose::Expiry(tab, purpose) => {
            expiry::answer(*tab, purpose, generation, reply, cx);
        }
        Purpose::Explain(tab) => explain::answer(*tab, generation, reply, cx.state),
        Purpose::Indexes(tab, purpose) => {
            indexes::answer(*tab, purpose, generation, reply, cx);
        }
        Purpose::Schema(tab, purpose) => schema::answer(*tab, purpose, generation, reply, cx),
        Purpose::Convert(purpose) => convert::answer(purpose, generation, reply, cx),
        Purpose::Transfer(purpose) => transfer::run::answer(purpose, generation, reply, cx),
        Purpose::Maintenance(purpose) => maintenance::answer(purpose, reply, cx),
        Purpose::Reaper(purpose) => reaper::answer(purpose, reply, cx),
        Purpose::Listener(purpose) => listener::answer(purpose, reply, cx.state),
        Purpose::Archive(purpose) => archive::answer(purpose, reply, cx),
        Purpose::Trash(purpose) => trash::answer(purpose, reply, cx),
        Purpose::Lesson(purpose) => lesson::answer(purpose, reply, cx),
        Purpose::Clock => clock::answer(reply, cx.state),
        // The store's event says what changed. What was refused is in the list of commands.
        // A sandbox has an outcome of its own.
        Purpose::Traffic | Purpose::Sandbox(_) => {}
    }
}

/// A job that will not be answered: whatever waits for it may ask again.
fn dropped(purpose: &Purpose, generation: u64, full: bool, cx: &mut Apply<'_>) {
    if let Purpose::Documents(tab, purpose) = purpose {
        documents::ended(*tab, generation, cx.state);
        // A page that a newer question replaced is answered by that one.
        if full {
            documents::dropped(*tab, purpose, cx);
        }
        return;
    }
    if let Purpose::Aggregate(tab, purpose) = purpose {
        aggregate::ended(*tab, generation, cx.state);
        if full {
            aggregate::dropped(*tab, purpose, cx.state);
        }
        return;
    }
    match purpose {
        Purpose::Explain(tab) if full => explain::dropped(*tab, generation, cx.state),
        Purpose::Archive(purpose) if full => archive::dropped(purpose, cx.state),
        Purpose::Convert(_) if full => convert::dropped(cx),
        Purpose::Trash(purpose) if full => trash::dropped(purpose, cx),
        Purpose::Listener(_) if full => cx.state.listener.is_waiting = false,
        Purpose::Expiry(tab, _) if full => {
            if let Some(tab) = cx.state.tabs.get_mut(*tab) {
                tab.expiry.asked = false;
            }
        }
        _ => {}
    }
    if let (Purpose::Sandbox(purpose), true) = (purpose, full) {
        sandbox::dropped(purpose, generation, cx);
    }
    if let (Purpose::Transfer(purpose), true) = (purpose, full) {
        transfer::run::dropped(purpose, cx.state);
    }
    if let (Purpose::Indexes(tab, purpose), true) = (purpose, full) {
        indexes::dropped(*tab, purpose, generation, cx.state);
    }
    if let (Purpose::Schema(tab, purpose), true) = (purpose, full) {
        schema::dropped(*tab, purpose, generation, cx.state);
    }
    if let (Purpose::Maintenance(purpose), true) = (purpose, full) {
        maintenance::dropped(purpose, cx);
    }
    if let (Purpose::Store(purpose), true) = (purpose, full) {
        match purpose {
            StorePurpose::Stats(namespace)
            | StorePurpose::Count(namespace)
            | StorePurpose::Next(namespace)
            | StorePurpose::Forecast(namespace) => {
                if let Some(collection) = cx.state.tree.collection_mut(namespace) {
                    collection.stale = true;
                }
            }
            StorePurpose::Calendar(_) => calendar::dropped(cx),
            StorePurpose::Databases | StorePurpose::Collections(_) | StorePurpose::Dialect(_) => {
                cx.state.tree.stale = true;
            }
            StorePurpose::Statistics(_) | StorePurpose::DuplicatedIndexes(_) => {
                collection::figures(purpose, &Err(TOO_MUCH.to_owned()), cx.state);
            }
            StorePurpose::Rules(_) | StorePurpose::Change { .. } => {
                store::refused(generation, TOO_MUCH, cx.state);
            }
            StorePurpose::Open | StorePurpose::Hello | StorePurpose::Members => {}
        }
    }
}

fn log(purpose: &Purpose, reply: &Reply, state: &mut State) {
    if reply.command.is_empty() {
        return;
    }
    let is_background = is_background(purpose, reply);
    if let Some(sent) = reply.ok().and_then(|found| found.get_array(SENT).ok()) {
        for command in sent.iter().filter_map(Bson::as_document) {
            let (at_ms, text) = (state.now_ms(), write_command(&reply.db, command));
            state.commands.push(at_ms, &text, reply.micros, None, is_background);
        }
        return;
    }
    let text = write_command(&reply.db, &reply.command);
    let error = reply.error().map(ToOwned::to_owned);
    let at_ms = state.now_ms();
    state.commands.push(at_ms, &text, reply.micros, error, is_background);
}

/// Whether the window asks this by itself, to keep what it shows fresh.
fn is_background(purpose: &Purpose, reply: &Reply) -> bool {
    match purpose {
        Purpose::Store(purpose) => !matches!(
            purpose,
            StorePurpose::Rules(_) | StorePurpose::Statistics(_) | StorePurpose::Change { .. }
        ),
        Purpose::Reaper(purpose) => {
            !matches!(purpose, ReaperPurpose::RunNow | ReaperPurpose::Set | ReaperPurpose::Restore)
        }
        Purpose::Documents(_, purpose) => documents::is_background(purpose),
        Purpose::Aggregate(_, purpose) => aggregate::is_background(purpose),
        Purpose::Expiry(_, purpose) => expiry::is_background(purpose),
        Purpose::Indexes(_, purpose) => indexes::is_background(purpose),
        Purpose::Listener(purpose) => *purpose == ListenerPurpose::Status,
        Purpose::Archive(purpose) => {
            matches!(purpose, ArchivePurpose::Status | ArchivePurpose::Page { .. })
        }
        Purpose::Trash(purpose) => matches!(purpose, TrashPurpose::Page { .. }),
        Purpose::Maintenance(purpose) => *purpose == MaintenancePurpose::Status,
        Purpose::Lesson(purpose) => !matches!(purpose, LessonPurpose::Handle),
        Purpose::Schema(_, purpose) => !matches!(purpose, SchemaPurpose::Validate(_)),
        Purpose::Transfer(_) | Purpose::Sandbox(_) | Purpose::Explain(_) => false,
        Purpose::Traffic | Purpose::Convert(_) => true,
        // Reading the clock has no other fields; setting it has.
        Purpose::Clock => reply.command.len() == 1,
    }
}
