//! The reaper.

use bson::Document;

use super::number::number;
use super::{Apply, indexes};
use crate::action::reaper::{release_held, resume_in_sandbox};
use crate::action::{Action, ExpiryAction, ReaperAction, TabsAction};
use crate::commands::{reaper, trash};
use crate::job::TrashScope;
use crate::state::expiry::Mode;
use crate::state::purpose::ReaperPurpose;
use crate::state::reaper::{Held, Schedule};
use crate::state::tabs::ViewKind;
use crate::state::toasts::Kind;
use crate::state::trash::{KEEP_SECS, RestoreOutcome};
use crate::state::{Namespace, Purpose, State, number as text};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(action: &ReaperAction, cx: &mut Apply<'_>) {
    match action {
        ReaperAction::RunNow => {
            let purpose = Purpose::Reaper(ReaperPurpose::RunNow);
            cx.write(purpose, "admin", reaper::run_pass());
        }
        ReaperAction::SetEnabled(true) if cx.state.is_in_sandbox() && cx.state.overdue() > 0 => {
            cx.state.dialogs.show(resume_in_sandbox(cx.state.overdue()));
        }
        ReaperAction::Resume => set(cx, reaper::set_enabled(true)),
        ReaperAction::SetEnabled(enabled) => {
            set(cx, reaper::set_enabled(*enabled));
        }
        ReaperAction::SetSchedule(Schedule::Every(secs)) => {
            let secs = i64::try_from(*secs).unwrap_or(i64::MAX);
            set(cx, reaper::set_at_threshold(false));
            set(cx, reaper::set_period(secs));
        }
        ReaperAction::SetSchedule(Schedule::AtThreshold) => {
            set(cx, reaper::set_at_threshold(true));
        }
        ReaperAction::SetUndo(on) => {
            let secs = if *on { i64::from(KEEP_SECS) } else { 0 };
            set(cx, trash::keep(secs));
        }
        ReaperAction::Restore { namespace, id } => {
            let command = trash::restore_ids(&namespace.collection, vec![id.clone()]);
            let purpose = Purpose::Reaper(ReaperPurpose::Restore);
            cx.write(purpose, &namespace.db, command);
        }
        ReaperAction::RestorePass(pass) => {
            let pass = i64::try_from(*pass).unwrap_or(i64::MAX);
            super::trash::restore_many(TrashScope { of: None, pass: Some(pass) }, None, cx);
        }
        ReaperAction::ShowHeld => show_held(cx),
        ReaperAction::ChangeHeldTtl(namespace, index) => change_held_ttl(namespace, index, cx),
        ReaperAction::ReleaseHeld => {
            // More has expired since it was counted last.
            let purpose = Purpose::Reaper(ReaperPurpose::Release);
            cx.read(purpose, "admin", reaper::held());
        }
        ReaperAction::DeleteHeld => {
            let purpose = Purpose::Reaper(ReaperPurpose::RunNow);
            cx.write(purpose, "admin", reaper::release("deleteNow"));
        }
        ReaperAction::KeepHeld => {
            set(cx, reaper::release("keepPaused"));
        }
        ReaperAction::ClearLog => cx.state.reaper.clear_log(),
    }
}

fn show_held(cx: &mut Apply<'_>) {
    let Some(next) = cx.state.next_held().cloned() else { return };
    super::apply(Action::Tabs(TabsAction::ShowView(next, ViewKind::Expiry)), cx);
    let Some(tab) = cx.state.tabs.active() else { return };
    if tab.expiry.mode == Mode::Removed {
        super::apply(Action::Expiry(tab.id, ExpiryAction::Show(Mode::Timeline)), cx);
    }
}

/// Opens the dialog that changes the TTL of an index on hold, as soon as its indexes are known.
fn change_held_ttl(namespace: &Namespace, index: &str, cx: &mut Apply<'_>) {
    let shown = Action::Tabs(TabsAction::ShowView(namespace.clone(), ViewKind::Indexes));
    super::apply(shown, cx);
    let tab = cx.state.tabs.active().filter(|tab| tab.namespace == *namespace).map(|tab| tab.id);
    if let Some(tab) = tab {
        indexes::open_change_ttl_when_known(tab, index, cx);
    }
}

fn set(cx: &mut Apply<'_>, command: Document) {
    cx.write(Purpose::Reaper(ReaperPurpose::Set), "admin", command);
}

/// Queries the reaper's status.
pub fn ask(cx: &mut Apply<'_>) {
    if !cx.state.store.capabilities.reaper {
        return;
    }
    let status = Purpose::Reaper(ReaperPurpose::Status);
    cx.read(status, "admin", reaper::status());
    read_held(cx);
}

/// Queries what is on hold, while something is: another TTL, or a document that was deleted, changes how
/// much that is.
pub fn ask_held(cx: &mut Apply<'_>) {
    if cx.state.store.capabilities.reaper && cx.state.reaper.held.is_some() {
        read_held(cx);
    }
}

fn read_held(cx: &mut Apply<'_>) {
    let held = Purpose::Reaper(ReaperPurpose::Held);
    cx.read(held, "admin", reaper::held());
}

/// Handles a reply.
pub fn answer(purpose: &ReaperPurpose, reply: &Reply, cx: &mut Apply<'_>) {
    match (purpose, &reply.result) {
        (ReaperPurpose::Status, Ok(found)) => {
            let now_ms = cx.state.now_ms();
            cx.state.reaper.learn(found, now_ms);
        }
        (ReaperPurpose::Held, Ok(found)) => cx.state.reaper.held = Held::read(found),
        (ReaperPurpose::Release, Ok(found)) => {
            cx.state.reaper.held = Held::read(found);
            if let Some(action) = cx.state.reaper.held.as_ref().map(release_held) {
                super::apply(action, cx);
            }
        }
        (ReaperPurpose::ServerPasses | ReaperPurpose::ServerParameters, found) => {
            learn_monitor(purpose, found.as_ref().ok(), cx.state);
        }
        (ReaperPurpose::Status | ReaperPurpose::Held, Err(_)) => {}
        (ReaperPurpose::RunNow, Ok(found)) => {
            let deleted = number(found, "deletedDocuments").unwrap_or(0);
            let sentence = match deleted {
                0 => "Nothing to remove".to_owned(),
                _ => format!("Removed {}", text::counted(deleted, "document", "documents")),
            };
            cx.state.toasts.push(Kind::Done, sentence, None, cx.state.uptime);
            ask(cx);
        }
        (ReaperPurpose::Set, Ok(_)) => ask(cx),
        (ReaperPurpose::Restore, Ok(found)) => {
            let (is_done, sentence) = restore_outcome(found).sentence();
            let kind = if is_done { Kind::Done } else { Kind::Error };
            cx.state.toasts.push(kind, sentence, None, cx.state.uptime);
            ask(cx);
        }
        (
            ReaperPurpose::RunNow
            | ReaperPurpose::Set
            | ReaperPurpose::Restore
            | ReaperPurpose::Release,
            Err(error),
        ) => {
            cx.state.toasts.push(Kind::Error, error.clone(), None, cx.state.uptime);
            ask(cx);
        }
    }
}

/// The result of a restore by one command.
pub(super) fn restore_outcome(found: &Document) -> RestoreOutcome {
    let count = |name| number(found, name).unwrap_or(0);
    RestoreOutcome {
        restored: count("restored"),
        existing: count("existing"),
        refused: count("refused"),
        not_found: count("notFound"),
        is_held: found.get_array("held").is_ok_and(|held| !held.is_empty()),
        remaining: 0,
    }
}

/// Takes what a server says of its monitor. One that refuses says nothing.
fn learn_monitor(purpose: &ReaperPurpose, found: Option<&Document>, state: &mut State) {
    let now_ms = state.now_ms();
    let Some(connection) = &mut state.store.connection else { return };
    let nothing = Document::new();
    let found = found.unwrap_or(&nothing);
    if *purpose == ReaperPurpose::ServerPasses {
        connection.monitor.take_status(found, now_ms);
    } else {
        connection.monitor.take_parameters(found);
    }
}
