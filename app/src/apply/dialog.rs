//! Dialogs.

use super::{Effects, apply as apply_action};
use crate::action::DialogAction;
use crate::state::State;

/// Carries out one action.
pub fn apply(action: DialogAction, state: &mut State, effects: &mut Effects) {
    match action {
        DialogAction::Show(dialog) => state.dialogs.show(dialog),
        DialogAction::ShowBefore(dialog) => state.dialogs.show_before(dialog),
        DialogAction::Close => state.dialogs.close(),
        DialogAction::Confirm(action) => {
            state.dialogs.close();
            apply_action(*action, state, effects);
        }
    }
}
