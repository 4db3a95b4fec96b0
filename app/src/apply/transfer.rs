//! Files in and out.

use super::Effects;
use crate::action::TransferAction;
use crate::state::State;
use crate::state::toasts::Kind;
use crate::state::transfer::Purpose;
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(action: TransferAction, state: &mut State, _effects: &mut Effects) {
    match action {
        TransferAction::Import { .. } | TransferAction::Export(_) => {
            let text =
                "Import and export are not supported in this window yet; use the command line";
            state.toasts.push(Kind::Warning, text, None, state.uptime);
        }
    }
}

/// Takes over an answer.
pub fn answer(
    _purpose: &Purpose,
    _generation: u64,
    _reply: &Reply,
    _state: &mut State,
    _effects: &mut Effects,
) {
}
