//! Answers of the worker.

use super::command_log::{log, note_answer, offer_unlock};
use super::question::Answer;
use super::{
    Apply, TOO_MUCH, archive, choose_store, collection, connect, console, convert, documents,
    expiry, indexes, lesson, passwords, schema, store, stores, transfer, trash,
};
use crate::state::Purpose;
use crate::state::purpose::{ArchivePurpose, DocumentsPurpose, SchemaPurpose, TrashPurpose};
use crate::state::toasts::Kind;
use crate::worker::transfer::TransferDone;
use crate::worker::{Outcome, Reply, SecretReport};

/// Handles one outcome.
pub fn outcome(outcome: Outcome<Answer>, cx: &mut Apply<'_>) {
    match outcome {
        Outcome::Asked(answer) => answer.arrive(cx),
        // Its store is not on the screen any more, or not yet again.
        Outcome::Answer { generation, .. }
        | Outcome::Dropped { generation, .. }
        | Outcome::Schema { generation, .. }
            if generation <= cx.state.switched_at && generation > 0 => {}
        Outcome::Answer { purpose, generation, reply } => {
            log(is_background(&purpose), &reply, cx.state);
            note_answer(&reply, cx.state);
            answer(&purpose, generation, &reply, cx);
            // The dialog that sent it has learned why it was refused.
            if reply.is_refused_by_a_lock() {
                offer_unlock(cx.state);
            }
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
        Outcome::Schema { tab, generation, report } => schema::report(tab, generation, report, cx),
        Outcome::Console(report) => console::report(report, cx),
        Outcome::Secret(report) => secret(report, cx),
        Outcome::Opened(opened) => store::opened(opened, cx),
        Outcome::Event(number, event) => stores::event(number, event, cx),
        Outcome::Lesson(outcome) => lesson::outcome(outcome, cx),
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

fn answer(purpose: &Purpose, generation: u64, reply: &Reply, cx: &mut Apply<'_>) {
    match purpose {
        Purpose::Documents(tab, purpose) => {
            documents::answer(*tab, purpose, generation, reply, cx);
        }
        Purpose::Expiry(tab, purpose) => {
            expiry::answer(*tab, purpose, generation, reply, cx);
        }
        Purpose::Indexes(tab, purpose) => {
            indexes::answer(*tab, purpose, generation, reply, cx);
        }
        Purpose::Schema(tab, purpose) => schema::answer(*tab, purpose, generation, reply, cx),
        Purpose::Convert(purpose) => convert::answer(purpose, generation, reply, cx),
        Purpose::Transfer(purpose) => transfer::run::answer(purpose, generation, reply, cx),
        Purpose::Archive(purpose) => archive::answer(purpose, reply, cx),
        Purpose::Trash(purpose) => trash::answer(purpose, reply, cx),
        // The store's event reports the changes, and the list of commands has the refusals.
        Purpose::Traffic | Purpose::Store => {}
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
    match purpose {
        Purpose::Archive(purpose) if full => archive::dropped(purpose, cx.state),
        Purpose::Convert(_) if full => convert::dropped(cx),
        Purpose::Trash(purpose) if full => trash::dropped(purpose, cx),
        Purpose::Expiry(tab, _) if full => {
            if let Some(tab) = cx.state.tabs.get_mut(*tab) {
                tab.expiry.asked = false;
            }
        }
        _ => {}
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
}

/// Whether the window asks this by itself, to keep what it shows fresh.
fn is_background(purpose: &Purpose) -> bool {
    match purpose {
        Purpose::Documents(_, purpose) => documents::is_background(purpose),
        Purpose::Expiry(_, purpose) => expiry::is_background(purpose),
        Purpose::Indexes(_, purpose) => indexes::is_background(purpose),
        Purpose::Archive(purpose) => {
            matches!(purpose, ArchivePurpose::Status | ArchivePurpose::Page { .. })
        }
        Purpose::Trash(purpose) => matches!(purpose, TrashPurpose::Page { .. }),
        Purpose::Schema(_, purpose) => !matches!(purpose, SchemaPurpose::Validate(_)),
        Purpose::Transfer(_) => false,
        Purpose::Traffic | Purpose::Store | Purpose::Convert(_) => true,
    }
}
