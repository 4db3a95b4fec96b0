//! The dialog of a conversion, while it is open.

use crate::apply::effects::TOO_MUCH;
use crate::state::State;
use crate::state::convert::ConvertDraft;
use crate::state::dialogs::Dialog;
use crate::worker::Reply;

pub(super) fn draft(state: &mut State) -> Option<&mut ConvertDraft> {
    match state.dialogs.open_mut() {
        Some(Dialog::Convert(draft)) => Some(draft),
        _ => None,
    }
}

/// The dialog that waits for this reply. One whose command was never sent asks again.
pub(super) fn asker<'s>(
    reply: &Reply,
    is_waiting: impl Fn(&ConvertDraft) -> bool,
    state: &'s mut State,
) -> Option<&'s mut ConvertDraft> {
    let open = draft(state).filter(|open| is_waiting(open))?;
    if reply.error() == Some(TOO_MUCH) {
        open.looked_for = None;
    }
    Some(open)
}
