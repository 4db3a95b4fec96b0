//! The dialogs for the whole store, and its status. What runs is in [`super::run`].

use std::time::Duration;

use bson::Document;

use super::backups::{look, look_for};
use super::run;
use crate::action::MaintenanceAction;
use crate::action::store_actions::Page;
use crate::apply::Apply;
use crate::apply::question::Question;
use crate::commands;
use crate::job::reply::number;
use crate::limits::{STATUS_AGE_MAX, STATUS_AGE_SHOWN_MAX};
use crate::state::State;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::maintenance::{BackupDraft, Dialog, RestoreDraft, Scrub, Status, Takes, key};
use crate::state::toasts::Kind as ToastKind;
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(action: MaintenanceAction, cx: &mut Apply<'_>) {
    match action {
        MaintenanceAction::Show(page) => show(page, cx),
        MaintenanceAction::PathChanged => path_changed(cx),
        MaintenanceAction::Backup => run::backup(cx),
        MaintenanceAction::Check => run::check(cx),
        MaintenanceAction::Restore => run::restore(cx),
        MaintenanceAction::Compact => run::compact(cx),
        MaintenanceAction::Verify => run::verify(cx),
        MaintenanceAction::Scrub(start) => {
            cx.change(Scrubbing { start }, "admin", commands::maintenance::scrub(start));
        }
        MaintenanceAction::DismissRecovered => cx.state.maintenance.recovered = false,
        MaintenanceAction::DismissDamage => cx.state.maintenance.damage = None,
        MaintenanceAction::DismissAdvice => {
            cx.state.maintenance.advice.clear();
            if let Some(folder) = &cx.state.store.folder {
                cx.state.settings.advised.insert(key(folder));
            }
        }
    }
}

fn show(page: Page, cx: &mut Apply<'_>) {
    look(cx);
    cx.state.maintenance.asked_at = None;
    let dialog = match (&cx.state.maintenance.running, page) {
        (Some(running), _) => Dialog::Running(running.operation),
        (None, Page::Home) => Dialog::Home,
        (None, Page::Backup) => {
            let path = cx
                .state
                .maintenance
                .backup_list
                .as_ref()
                .map(|backup_list| backup_list.file.display().to_string());
            Dialog::Backup(BackupDraft { path: path.unwrap_or_default(), error: None })
        }
        (None, Page::Restore) => {
            let newest =
                cx.state.maintenance.newest().map(|newest| newest.path.display().to_string());
            let path = newest.unwrap_or_default();
            Dialog::Restore(RestoreDraft { path, ..RestoreDraft::default() })
        }
        (None, Page::Compact) => Dialog::Compact { error: None },
        (None, Page::Verify) => Dialog::Verify { error: None },
    };
    cx.state.transfer.chooser_note = None;
    // From one page to the next, but never over a dialog in which the user is typing.
    if matches!(cx.state.dialogs.open(), Some(AnyDialog::Maintenance(_))) {
        cx.state.dialogs.replace(AnyDialog::Maintenance(dialog));
    } else {
        cx.state.dialogs.show(AnyDialog::Maintenance(dialog));
    }
}

fn path_changed(cx: &mut Apply<'_>) {
    let file = match cx.state.dialogs.open_mut() {
        Some(AnyDialog::Maintenance(Dialog::Backup(draft))) => {
            draft.error = None;
            draft.file()
        }
        Some(AnyDialog::Maintenance(Dialog::Restore(draft))) => {
            draft.changed();
            // The list shows the store's own backups, whatever is typed.
            None
        }
        _ => None,
    };
    if let Some(file) = file {
        let folder = cx.state.data_folder();
        look_for(Some(file), folder, cx);
    }
}

/// Queries the store's status, more often while its dialog is open, its file is being checked or it
/// takes less than everything. Returns the time until there is something to do again.
pub fn follow(cx: &mut Apply<'_>) -> Option<Duration> {
    let running = run::follow(cx.state);
    if !cx.state.is_open() || !cx.state.store.capabilities.maintenance {
        return running;
    }
    let is_shown = matches!(cx.state.dialogs.open(), Some(AnyDialog::Maintenance(Dialog::Home)));
    let status = cx.state.maintenance.status.as_ref();
    let changes =
        |status: &Status| status.takes != Takes::Everything || status.walk_percent.is_some();
    let is_near = is_shown || status.is_some_and(changes);
    let age_max = if is_near { STATUS_AGE_SHOWN_MAX } else { STATUS_AGE_MAX };
    let age = cx.state.maintenance.asked_at.map(|at| cx.state.uptime.saturating_sub(at));
    let rest = age.and_then(|age| age_max.checked_sub(age)).filter(|rest| !rest.is_zero());
    if rest.is_none() && !cx.state.maintenance.is_waiting {
        ask(cx);
    }
    let rest = rest.unwrap_or(age_max);
    Some(running.map_or(rest, |running| running.min(rest)))
}

fn ask(cx: &mut Apply<'_>) {
    cx.state.maintenance.asked_at = Some(cx.state.uptime);
    cx.state.maintenance.is_waiting = true;
    cx.ask(MaintenanceStatus, "admin", commands::maintenance::status());
}

#[derive(Debug, PartialEq)]
struct MaintenanceStatus;

impl Question for MaintenanceStatus {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        cx.state.maintenance.is_waiting = false;
        if let Ok(found) = reply.result {
            learn(&found, cx.state);
        }
    }
}

/// The reading in the background, started or stopped.
#[derive(Debug, PartialEq)]
struct Scrubbing {
    start: bool,
}

impl Question for Scrubbing {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Err(error) = reply.result {
            return cx.toast(ToastKind::Error, error);
        }
        cx.toast(ToastKind::Done, if self.start { "Scrub started" } else { "Scrub stopped" });
        ask(cx);
    }
}

fn learn(found: &Document, state: &mut State) {
    let Ok(found) = found.get_document("mayfly") else { return };
    let stall = found.get_document("reaper").and_then(|reaper| reaper.get_document("stall"));
    let sentence = stall.and_then(|stall| stall.get_str("sentence"));
    state.reaper.stall = sentence.ok().map(ToOwned::to_owned);
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
        walk_percent: number(store, "walkPercent"),
        last_walk_ms: instant(store, "lastWalk"),
        reopenings: number(store, "reopenings").unwrap_or(0),
    };
    let scrub = found.get_document("scrub").map(|scrub| Scrub {
        is_running: scrub.get_bool("running").unwrap_or(false),
        finished_ms: instant(scrub, "lastFinished"),
        documents: number(scrub, "documents").unwrap_or(0),
        findings: number(scrub, "findings").unwrap_or(0),
    });
    state.maintenance.learn(status, scrub.unwrap_or_default());
}
