//! Dialogs.

use super::{Apply, apply as apply_action};
use crate::action::DialogAction;
use crate::state::Dialog;
use crate::worker::Abandoned;

/// Carries out one action.
pub fn apply(action: DialogAction, cx: &mut Apply<'_>) {
    match action {
        DialogAction::Show(dialog) => cx.state.dialogs.show(dialog),
        DialogAction::ShowBefore(dialog) => cx.state.dialogs.show_before(dialog),
        DialogAction::Close => {
            if let Some(Dialog::Indexes(tab, _)) = cx.state.dialogs.open() {
                cx.effects.abandoned.push(Abandoned::IndexDialog(*tab));
            }
            cx.state.dialogs.close();
        }
        DialogAction::Confirm(action) => {
            cx.state.dialogs.close();
            apply_action(*action, cx);
        }
    }
}
