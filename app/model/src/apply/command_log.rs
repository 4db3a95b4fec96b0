//! Every reply: the list of commands, the light of the connection, and the offer to unlock it.

use bson::Bson;
use mayfly_engine::value::shell::write_command;

use super::lock;
use crate::job::server::SENT;
use crate::state::State;
use crate::worker::Reply;

/// Adds a command to the list of commands.
pub(super) fn log(is_background: bool, reply: &Reply, state: &mut State) {
    if reply.command.is_empty() {
        return;
    }
    if let Some(sent) = reply.ok().and_then(|found| found.get_array(SENT).ok()) {
        for command in sent.iter().filter_map(Bson::as_document) {
            let (at_ms, text) = (state.now_ms(), write_command(&reply.db, command));
            state.commands.push(at_ms, &text, reply.micros, None, is_background);
        }
        return;
    }
    let text = write_command(&reply.db, &reply.command);
    let error = reply.error().map(ToOwned::to_owned);
    let at_ms = state.now_ms();
    state.commands.push(at_ms, &text, reply.micros, error, is_background);
}

/// A server answers, or does not, which the bars show.
pub(super) fn note_answer(reply: &Reply, state: &mut State) {
    let (uptime, now_ms) = (state.uptime, state.now_ms());
    let Some(connection) = &mut state.store.connection else { return };
    if reply.ok().is_some() {
        let was_silent = connection.is_silent;
        connection.note_answer(uptime, now_ms);
        for tab in state.tabs.open_mut().iter_mut().filter(|_| was_silent) {
            tab.expiry.late_looks = 0;
        }
    } else if reply.is_without_answer() {
        connection.is_silent = true;
    }
}

/// Offers to unlock a server whose lock refused a change.
pub(super) fn offer_unlock(state: &mut State) {
    let connection = state.store.connection.as_ref();
    if connection.is_some_and(|connection| connection.is_locked(state.uptime)) {
        lock::offer(state);
    }
}
