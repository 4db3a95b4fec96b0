//! Answers of the worker.

use super::command_log::{log, note_answer, offer_unlock};
use super::question::Answer;
use super::{
    Apply, TOO_MUCH, choose_store, connect, console, lesson, passwords, store, stores, transfer,
};
use crate::state::Purpose;
use crate::worker::transfer::TransferDone;
use crate::worker::{Outcome, Reply, SecretReport};

/// Handles one outcome.
pub fn outcome(outcome: Outcome<Answer>, cx: &mut Apply<'_>) {
    match outcome {
        Outcome::Asked(answer) => answer.arrive(cx),
        // Its store is not on the screen any more, or not yet again.
        Outcome::Answer { generation, .. } | Outcome::Dropped { generation, .. }
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
        Outcome::Dropped { purpose, full, .. } => {
            if full {
                cx.warn(TOO_MUCH);
            }
            dropped(&purpose, full, cx);
        }
        Outcome::Transfer { purpose, generation, done } => {
            if let TransferDone::LookedInto { folder, has_store } = done {
                choose_store::looked_into(generation, folder, has_store, cx);
            } else if let Purpose::Transfer(purpose) = purpose {
                transfer::done(&purpose, generation, done, cx);
            }
        }
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
        Purpose::Transfer(purpose) => transfer::run::answer(purpose, generation, reply, cx),
        // The store's event reports the changes, and the list of commands has the refusals.
        Purpose::Traffic | Purpose::Store => {}
    }
}

/// A job that will not be answered: whatever waits for it may ask again.
fn dropped(purpose: &Purpose, full: bool, cx: &mut Apply<'_>) {
    if let (Purpose::Transfer(purpose), true) = (purpose, full) {
        transfer::run::dropped(purpose, cx.state);
    }
}

/// Whether the window asks this by itself, to keep what it shows fresh.
fn is_background(purpose: &Purpose) -> bool {
    match purpose {
        Purpose::Transfer(_) => false,
        Purpose::Traffic | Purpose::Store => true,
    }
}
