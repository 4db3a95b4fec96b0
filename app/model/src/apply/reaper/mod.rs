//! The reaper.

mod changes;
mod status;

use bson::Document;

use self::changes::{HeldBeforeRelease, RunPass, SetReaper};
pub(super) use self::changes::{RestoreDocuments, restore_sentence};
pub use self::status::{ask, ask_held};
use super::{Apply, expiry, indexes, tabs};
use crate::action::reaper::resume_in_sandbox;
use crate::action::{ExpiryAction, ReaperAction, TabsAction};
use crate::commands::{reaper, trash};
use crate::job::TrashScope;
use crate::state::Namespace;
use crate::state::expiry::Mode;
use crate::state::reaper::Schedule;
use crate::state::tabs::ViewKind;
use crate::state::trash::KEEP_SECS;

/// Carries out one action.
pub fn apply(action: &ReaperAction, cx: &mut Apply<'_>) {
    match action {
        ReaperAction::RunNow => {
            cx.change(RunPass, "admin", reaper::run_pass());
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
            let command = trash::restore_ids(&namespace.collection, vec![id.clone()], None);
            cx.change(RestoreDocuments, &namespace.db, command);
        }
        ReaperAction::RestorePass(pass, of) => {
            let pass = i64::try_from(*pass).unwrap_or(i64::MAX);
            let scope = TrashScope { of: of.clone(), pass: Some(pass), filter: None };
            super::trash::restore_many(scope, None, cx);
        }
        ReaperAction::ShowHeld => show_held(cx),
        ReaperAction::ChangeHeldTtl(namespace, index) => change_held_ttl(namespace, index, cx),
        ReaperAction::ReleaseHeld => {
            // More has expired since it was counted last.
            cx.ask(HeldBeforeRelease, "admin", reaper::held());
        }
        ReaperAction::DeleteHeld => {
            cx.change(RunPass, "admin", reaper::release("deleteNow"));
        }
        ReaperAction::KeepHeld => {
            set(cx, reaper::release("keepPaused"));
        }
        ReaperAction::ClearLog => cx.state.reaper.clear_log(),
    }
}

fn show_held(cx: &mut Apply<'_>) {
    let Some(next) = cx.state.next_held().cloned() else { return };
    tabs::apply(TabsAction::ShowView(next, ViewKind::Expiry), cx);
    let Some(tab) = cx.state.tabs.active() else { return };
    if !tab.expiry.mode.lists_waiting() {
        expiry::apply(tab.id, ExpiryAction::Show(Mode::Timeline), cx);
    }
}

/// Opens the dialog that changes the TTL of an index on hold, as soon as its indexes are known.
fn change_held_ttl(namespace: &Namespace, index: &str, cx: &mut Apply<'_>) {
    tabs::apply(TabsAction::ShowView(namespace.clone(), ViewKind::Indexes), cx);
    let tab = cx.state.tabs.active().filter(|tab| tab.namespace == *namespace).map(|tab| tab.id);
    if let Some(tab) = tab {
        indexes::open_change_ttl_when_known(tab, index, cx);
    }
}

fn set(cx: &mut Apply<'_>, command: Document) {
    cx.change(SetReaper, "admin", command);
}
