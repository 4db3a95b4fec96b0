//! The lock of a server's connection, where a change meets it.

use crate::action::connect::unlock_question;
use crate::state::State;
use crate::state::offer::Offer;
use crate::state::toasts::Kind;

/// Whether the connection is locked; then the user is asked to unlock it.
pub(super) fn refuses(state: &mut State) -> bool {
    let uptime = state.uptime;
    let Some(connection) = &mut state.store.connection else { return false };
    if !connection.is_locked(uptime) {
        connection.use_now(uptime);
        return false;
    }
    offer(state);
    true
}

/// The lock refused a change. A dialog waits until the question is answered; else a message offers to unlock.
pub(super) fn offer(state: &mut State) {
    let Some(connection) = &state.store.connection else { return };
    let text = format!("{} is read-only", connection.attached.name);
    if state.dialogs.open().is_some() {
        return ask(state);
    }
    let unlock = Some(("Unlock…".to_owned(), Offer::AskUnlock));
    state.toasts.push(Kind::Warning, text, unlock, state.uptime);
}

/// Asks whether to unlock it, before the dialog that is open.
pub(super) fn ask(state: &mut State) {
    let Some(connection) = &state.store.connection else { return };
    let attached = &connection.attached;
    let question = unlock_question(&attached.name, attached.mark.is_production);
    state.dialogs.show_before(question);
}
