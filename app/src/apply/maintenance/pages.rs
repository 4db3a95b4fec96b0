//! The dialogs for the whole store, and its status. What runs is in [`super::run`].

use std::path::PathBuf;
use std::time::Duration;

use bson::{Document, doc};

use super::run;
use crate::action::UpkeepAction;
use crate::action::upkeep::Page;
use crate::apply::store::number;
use crate::apply::{Effects, QUEUE_FULL};
use crate::limits::{STATUS_AGE_MAX, STATUS_AGE_SHOWN_MAX};
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::purpose::UpkeepPurpose;
use crate::state::toasts::Kind as ToastKind;
use crate::state::upkeep::dialogs::scrub_command;
use crate::state::upkeep::{BackupDraft, Dialog, RestoreDraft, Scrub, Status, Takes, key};
use crate::state::{Purpose, State};
use crate::worker::upkeep::Looked;
use crate::worker::{Lane, Reply, UpkeepWork, Work};

/// Carries out one action.
pub fn apply(action: UpkeepAction, state: &mut State, effects: &mut Effects) {
    match action {
        UpkeepAction::Show(page) => show(page, state, effects),
        UpkeepAction::PathChanged => path_changed(state, effects),
        UpkeepAction::Backup => run::backup(state, effects),
        UpkeepAction::Check => run::check(state, effects),
        UpkeepAction::Restore => run::restore(state, effects),
        UpkeepAction::Compact => run::compact(state, effects),
        UpkeepAction::Verify => run::verify(state, effects),
        UpkeepAction::Scrub(start) => {
            let purpose = Purpose::Upkeep(UpkeepPurpose::Scrub { start });
            effects.write(state, purpose, "admin", scrub_command(start));
        }
        UpkeepAction::DismissRecovered => state.upkeep.recovered = false,
        UpkeepAction::DismissDamage => state.upkeep.damage = None,
        UpkeepAction::DismissAdvice => {
            state.upkeep.advice.clear();
            if let Some(folder) = &state.store.folder {
                state.settings.advised.insert(key(folder));
            }
        }
    }
}

fn show(page: Page, state: &mut State, effects: &mut Effects) {
    look(state, effects);
    state.upkeep.asked_at = None;
    let dialog = match (&state.upkeep.running, page) {
        (Some(running), _) => Dialog::Running(running.operation),
        (None, Page::Home) => Dialog::Home,
        (None, Page::Backup) => {
            let path = state.upkeep.looked.as_ref().map(|looked| looked.file.display().to_string());
            Dialog::Backup(BackupDraft { path: path.unwrap_or_default(), error: None })
        }
        (None, Page::Restore) => {
            let newest = state.upkeep.newest().map(|newest| newest.path.display().to_string());
            let path = newest.unwrap_or_default();
            Dialog::Restore(RestoreDraft { path, ..RestoreDraft::default() })
        }
        (None, Page::Compact) => Dialog::Compact { error: None },
        (None, Page::Verify) => Dialog::Verify { error: None },
    };
    state.transfer.chooser_note = None;
    // From one page to the next, but never over what somebody is typing elsewhere.
    if matches!(state.dialogs.open(), Some(AnyDialog::Upkeep(_))) {
        state.dialogs.replace(AnyDialog::Upkeep(dialog));
    } else {
        state.dialogs.show(AnyDialog::Upkeep(dialog));
    }
}

/// Looks which backups there are.
pub(super) fn look(state: &mut State, effects: &mut Effects) {
    let folder = folder(state);
    let known = folder.as_ref().and_then(|folder| state.settings.backups.get(&key(folder)));
    let file = known.map(PathBuf::from);
    look_for(file, folder, state, effects);
}

fn look_for(
    file: Option<PathBuf>,
    folder: Option<PathBuf>,
    state: &mut State,
    effects: &mut Effects,
) {
    // Backups of a demo beside its temporary folder would be lost with it.
    let folder = folder.filter(|_| !state.store.request.demo);
    let work = UpkeepWork::Look { file, folder };
    state.upkeep.look = Some(send(UpkeepPurpose::Look, Lane::Read, work, state, effects));
}

/// The data folder, also of a store that could not be opened.
#[must_use]
pub fn folder(state: &State) -> Option<PathBuf> {
    let known = state.store.folder.clone().filter(|_| state.is_open());
    known.or_else(|| {
        let request = &state.store.request;
        crate::source::embedded::folder_of(request).ok().filter(|_| !request.demo)
    })
}

fn path_changed(state: &mut State, effects: &mut Effects) {
    let file = match state.dialogs.open_mut() {
        Some(AnyDialog::Upkeep(Dialog::Backup(draft))) => {
            draft.error = None;
            draft.file()
        }
        Some(AnyDialog::Upkeep(Dialog::Restore(draft))) => {
            draft.changed();
            // The list shows the store's own backups, whatever is typed.
            None
        }
        _ => None,
    };
    if let Some(file) = file {
        let folder = folder(state);
        look_for(Some(file), folder, state, effects);
    }
}

/// A file was chosen in the system's dialog.
pub(in crate::apply) fn chosen(file: &std::path::Path, state: &mut State, effects: &mut Effects) {
    let path = file.to_string_lossy().into_owned();
    match state.dialogs.open_mut() {
        Some(AnyDialog::Upkeep(Dialog::Backup(draft))) => draft.path = path,
        Some(AnyDialog::Upkeep(Dialog::Restore(draft))) => draft.path = path,
        _ => return,
    }
    path_changed(state, effects);
}

/// Takes over which backups there are, unless that was asked for a store that is no longer there.
pub(super) fn looked(looked: Looked, generation: u64, state: &mut State) {
    if state.upkeep.look != Some(generation) {
        return;
    }
    match state.dialogs.open_mut() {
        Some(AnyDialog::Upkeep(Dialog::Backup(draft))) if draft.path.is_empty() => {
            draft.path = looked.file.display().to_string();
        }
        Some(AnyDialog::Upkeep(Dialog::Restore(draft))) if draft.path.is_empty() => {
            let newest = looked.backups.first().map(|newest| newest.path.display().to_string());
            draft.path = newest.unwrap_or_default();
        }
        _ => {}
    }
    state.upkeep.looked = Some(looked);
    state.upkeep.looked_at = state.uptime;
}

/// Asks how the store is, now and then; more often while somebody looks at it or it takes less than
/// everything. Returns the time until there is something to do again.
pub fn follow(state: &mut State, effects: &mut Effects) -> Option<Duration> {
    let running = run::follow(state);
    if !state.is_open() || !state.store.capabilities.upkeep {
        return running;
    }
    let is_shown = matches!(state.dialogs.open(), Some(AnyDialog::Upkeep(Dialog::Home)));
    let takes = state.upkeep.status.as_ref().map_or(Takes::Everything, |status| status.takes);
    let is_near = is_shown || takes != Takes::Everything;
    let age_max = if is_near { STATUS_AGE_SHOWN_MAX } else { STATUS_AGE_MAX };
    let age = state.upkeep.asked_at.map(|at| state.uptime.saturating_sub(at));
    let rest = age.and_then(|age| age_max.checked_sub(age)).filter(|rest| !rest.is_zero());
    if rest.is_none() && !state.upkeep.is_waiting {
        ask(state, effects);
    }
    let rest = rest.unwrap_or(age_max);
    Some(running.map_or(rest, |running| running.min(rest)))
}

fn ask(state: &mut State, effects: &mut Effects) {
    state.upkeep.asked_at = Some(state.uptime);
    state.upkeep.is_waiting = true;
    let purpose = Purpose::Upkeep(UpkeepPurpose::Status);
    effects.read(state, purpose, "admin", doc! { "serverStatus": 1, "none": 1, "mayfly": 1 });
}

/// Takes over an answer.
pub fn answer(purpose: &UpkeepPurpose, reply: &Reply, state: &mut State, effects: &mut Effects) {
    match (purpose, &reply.result) {
        (UpkeepPurpose::Status, Ok(found)) => learn(found, state),
        (UpkeepPurpose::Status, Err(_)) => state.upkeep.is_waiting = false,
        (UpkeepPurpose::Scrub { start }, Ok(_)) => {
            let words = if *start { "Scrub started" } else { "Scrub stopped" };
            state.toasts.push(ToastKind::Done, words, None, state.uptime);
            ask(state, effects);
        }
        (UpkeepPurpose::Scrub { .. }, Err(error)) => {
            state.toasts.push(ToastKind::Error, error.clone(), None, state.uptime);
        }
        (UpkeepPurpose::Look | UpkeepPurpose::Run(_), _) => {}
    }
}

fn learn(found: &Document, state: &mut State) {
    state.upkeep.is_waiting = false;
    let Ok(found) = found.get_document("mayfly") else { return };
    let late = found.get_document("reaper").and_then(|reaper| reaper.get_document("late"));
    let sentence = late.and_then(|late| late.get_str("sentence"));
    state.reaper.late = sentence.ok().map(ToOwned::to_owned);
    let Ok(store) = found.get_document("store") else { return };
    let instant = |found: &Document, name: &str| {
        found.get_datetime(name).ok().map(|at| at.timestamp_millis())
    };
    let status = Status {
        takes: Takes::named(store.get_str("state").unwrap_or_default()),
        reason: store.get_str("reason").ok().map(ToOwned::to_owned),
        free_bytes: number(store, "freeBytes"),
        file_bytes: number(store, "fileBytes").unwrap_or(0),
        live_bytes: number(store, "liveBytes").unwrap_or(0),
        last_walk_ms: instant(store, "lastWalk"),
        reopenings: number(store, "reopenings").unwrap_or(0),
    };
    let scrub = found.get_document("scrub").map(|scrub| Scrub {
        is_running: scrub.get_bool("running").unwrap_or(false),
        finished_ms: instant(scrub, "lastFinished"),
        documents: number(scrub, "documents").unwrap_or(0),
        findings: number(scrub, "findings").unwrap_or(0),
    });
    state.upkeep.learn(status, scrub.unwrap_or_default());
}

/// A job that will not be done, because too much was asked at once.
pub fn dropped(purpose: &UpkeepPurpose, state: &mut State, effects: &mut Effects) {
    match purpose {
        UpkeepPurpose::Status => state.upkeep.is_waiting = false,
        UpkeepPurpose::Run(operation) => {
            let words = QUEUE_FULL.to_owned();
            run::refused(*operation, words, state, effects);
        }
        UpkeepPurpose::Look | UpkeepPurpose::Scrub { .. } => {}
    }
}

/// Hands work to a lane. Returns its generation.
pub(super) fn send(
    purpose: UpkeepPurpose,
    lane: Lane,
    work: UpkeepWork,
    state: &mut State,
    effects: &mut Effects,
) -> u64 {
    effects.job(state, Purpose::Upkeep(purpose), lane, Work::Upkeep(work))
}
