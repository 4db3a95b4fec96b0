//! Damaged documents: lists skip them, and a dialog lists and removes them.

use super::{reading, with};
use crate::apply::Effects;
use crate::state::documents::damaged::{Damaged, Removed, list};
use crate::state::documents::{Dialog, Purpose};
use crate::state::number::counted;
use crate::state::toasts::Kind;
use crate::state::{Dialog as AnyDialog, Purpose as AnyPurpose, State, TabId};
use crate::worker::{Reply, code};

/// Asks again without the damaged documents that a read of this tab met. Returns whether that was
/// left to try.
pub fn leave_out(tab: TabId, reply: &Reply, state: &mut State, effects: &mut Effects) -> bool {
    let is_left = state.tabs.get(tab).is_some_and(|open| !open.documents.partial);
    if !is_left || !reply.failed_with(code::DATA_CORRUPTION_DETECTED) {
        return false;
    }
    with(state, tab, |view| view.partial = true);
    reading::refresh(tab, state, effects);
    true
}

/// Opens the dialog about them.
pub fn show(tab: TabId, state: &mut State, effects: &mut Effects) {
    state.dialogs.show(AnyDialog::Documents(tab, Dialog::Damaged(Damaged::default())));
    ask(tab, state, effects);
}

fn ask(tab: TabId, state: &mut State, effects: &mut Effects) {
    let Some(namespace) = state.tabs.get(tab).map(|open| open.namespace.clone()) else { return };
    let purpose = AnyPurpose::Documents(tab, Purpose::Damaged);
    effects.read(state, purpose, &namespace.db, list(&namespace.collection));
}

/// Removes what is listed.
pub fn remove(tab: TabId, state: &mut State, effects: &mut Effects) {
    let Some(namespace) = state.tabs.get(tab).map(|open| open.namespace.clone()) else { return };
    let Some(dialog) = dialog(tab, state).filter(|dialog| !dialog.sent.is_waiting()) else {
        return;
    };
    let command = dialog.removal(&namespace.collection);
    let purpose = AnyPurpose::Documents(tab, Purpose::RemoveDamaged);
    let generation = effects.write(state, purpose, &namespace.db, command);
    if let Some(dialog) = self::dialog(tab, state) {
        dialog.sent.generation = Some(generation);
        dialog.sent.error = None;
    }
}

fn dialog(tab: TabId, state: &mut State) -> Option<&mut Damaged> {
    match state.dialogs.open_mut() {
        Some(AnyDialog::Documents(of, Dialog::Damaged(damaged))) if *of == tab => Some(damaged),
        _ => None,
    }
}

/// The list came.
pub fn listed(tab: TabId, reply: &Reply, state: &mut State, effects: &mut Effects) {
    let is_none = reply.ok().is_some_and(|found| {
        found.get_array("batch").is_ok_and(Vec::is_empty) && found.get_str("next").is_err()
    });
    if let Some(dialog) = dialog(tab, state) {
        match &reply.result {
            Ok(found) => dialog.take(found),
            Err(error) => dialog.sent.error = Some(error.clone()),
        }
    }
    let is_partial = state.tabs.get(tab).is_some_and(|open| open.documents.partial);
    if is_none && is_partial {
        with(state, tab, |view| view.partial = false);
        reading::refresh(tab, state, effects);
    }
}

/// They were removed, or not.
pub fn removed(tab: TabId, reply: &Reply, state: &mut State, effects: &mut Effects) {
    let removed = reply.result.as_ref().map(Removed::read);
    if let Some(dialog) = dialog(tab, state) {
        dialog.sent.generation = None;
        dialog.sent.error = reply.error().map(ToOwned::to_owned);
        dialog.removed = removed.ok();
    } else {
        let (kind, words) = match removed {
            Ok(Removed { count, .. }) => {
                let what = counted(count, "damaged document", "damaged documents");
                (Kind::Done, format!("Removed {what}"))
            }
            Err(error) => (Kind::Error, error.clone()),
        };
        state.toasts.push(kind, words, None, state.uptime);
    }
    // Also after a refusal: what is listed may be another one by now.
    ask(tab, state, effects);
    reading::refresh(tab, state, effects);
}

/// A removal that will not be answered may be asked for again.
pub fn dropped(tab: TabId, state: &mut State) {
    if let Some(dialog) = dialog(tab, state) {
        dialog.sent.generation = None;
    }
}
