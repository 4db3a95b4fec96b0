//! The reaper.

use bson::{Document, doc};

use super::Effects;
use super::store::number;
use crate::action::ReaperAction;
use crate::state::purpose::ReaperPurpose;
use crate::state::reaper::Schedule;
use crate::state::toasts::Kind;
use crate::state::{Purpose, State, number as text};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(action: &ReaperAction, state: &mut State, effects: &mut Effects) {
    match action {
        ReaperAction::RunNow => {
            let purpose = Purpose::Reaper(ReaperPurpose::RunNow);
            effects.write(state, purpose, "admin", doc! {"mayflyReap": 1});
        }
        ReaperAction::SetEnabled(enabled) => {
            set(state, effects, doc! {"setParameter": 1, "ttlMonitorEnabled": *enabled});
        }
        ReaperAction::SetSchedule(Schedule::Every(secs)) => {
            let secs = i64::try_from(*secs).unwrap_or(i64::MAX);
            set(state, effects, doc! {"setParameter": 1, "mayflyReapAtThreshold": false});
            set(state, effects, doc! {"setParameter": 1, "ttlMonitorSleepSecs": secs});
        }
        ReaperAction::SetSchedule(Schedule::AtThreshold) => {
            set(state, effects, doc! {"setParameter": 1, "mayflyReapAtThreshold": true});
        }
        ReaperAction::Release => {
            let purpose = Purpose::Reaper(ReaperPurpose::Set);
            effects.write(state, purpose, "admin", doc! {"mayflyRelease": 1});
            state.reaper.held = None;
        }
        ReaperAction::ClearLog => state.reaper.clear_log(),
    }
}

fn set(state: &mut State, effects: &mut Effects, command: Document) {
    effects.write(state, Purpose::Reaper(ReaperPurpose::Set), "admin", command);
}

/// Asks how the reaper stands.
pub fn ask(state: &mut State, effects: &mut Effects) {
    let status = Purpose::Reaper(ReaperPurpose::Status);
    effects.read(state, status, "admin", doc! {"serverStatus": 1});
    let held = Purpose::Reaper(ReaperPurpose::Held);
    effects.read(state, held, "admin", doc! {"mayflyHeld": 1});
}

/// Takes over an answer.
pub fn answer(purpose: &ReaperPurpose, reply: &Reply, state: &mut State, effects: &mut Effects) {
    match (purpose, &reply.result) {
        (ReaperPurpose::Status, Ok(found)) => learn(found, state),
        (ReaperPurpose::Held, Ok(found)) => state.reaper.held = held(found),
        (ReaperPurpose::Status | ReaperPurpose::Held, Err(_)) => {}
        (ReaperPurpose::RunNow, Ok(found)) => {
            let deleted = number(found, "deletedDocuments").unwrap_or(0);
            let sentence = match deleted {
                0 => "Nothing was due".to_owned(),
                _ => format!("Removed {}", text::counted(deleted, "document", "documents")),
            };
            state.toasts.push(Kind::Done, sentence, None, state.uptime);
            ask(state, effects);
        }
        (ReaperPurpose::Set, Ok(_)) => ask(state, effects),
        (ReaperPurpose::RunNow | ReaperPurpose::Set, Err(error)) => {
            state.toasts.push(Kind::Error, error.clone(), None, state.uptime);
            ask(state, effects);
        }
    }
}

fn learn(found: &Document, state: &mut State) {
    let reaper = found.get_document("mayfly").and_then(|mayfly| mayfly.get_document("reaper"));
    let Ok(reaper) = reaper else { return };
    let known = &mut state.reaper;
    known.enabled = reaper.get_bool("enabled").unwrap_or(known.enabled);
    known.at_threshold = reaper.get_bool("atThreshold").unwrap_or(known.at_threshold);
    known.sleep_secs = number(reaper, "sleepSecs").unwrap_or(known.sleep_secs);
    known.next_pass_ms = reaper.get_datetime("nextPass").ok().map(|at| at.timestamp_millis());
}

fn held(found: &Document) -> Option<String> {
    let first = found.get_array("holds").ok()?.first()?.as_document()?;
    let sentence = first.get_str("sentence").or_else(|_| first.get_str("reason"));
    let sentence = sentence.unwrap_or("The guard holds documents back").to_owned();
    Some(sentence)
}
