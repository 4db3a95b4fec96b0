//! Answers of the worker.

use super::command_log::{log, note_answer};
use super::effects::TOO_MUCH;
use super::question::Answer;
use super::{Apply, connect, console, lesson, passwords, store, stores};
use crate::worker::{Outcome, SecretReport};

/// Handles one outcome.
pub fn outcome(outcome: Outcome<Answer>, cx: &mut Apply<'_>) {
    match outcome {
        Outcome::Asked(answer) => answer.arrive(cx),
        // The store's event reports the changes.
        Outcome::Traffic(reply) => {
            log(true, &reply, cx.state);
            note_answer(&reply, cx.state);
        }
        Outcome::OrderRefused => cx.warn(TOO_MUCH),
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
