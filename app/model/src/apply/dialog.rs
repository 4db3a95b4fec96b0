//! Dialogs.

use bson::Document;

use super::question::Question;
use super::{Apply, lock};
use crate::action::{Action, DialogAction, DocumentsAction};
use crate::job::slow_read::SlowRead;
use crate::state::sent::Sent;
use crate::state::{Dialog, State};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(action: DialogAction, cx: &mut Apply<'_>) {
    match action {
        DialogAction::Show(dialog) => cx.state.dialogs.show(dialog),
        DialogAction::ShowBefore(dialog) => cx.state.dialogs.show_before(dialog),
        DialogAction::Close => {
            if let Some(Dialog::Indexes(tab, _)) = cx.state.dialogs.open() {
                cx.abandon(*tab, SlowRead::INDEX_DIALOG);
            }
            if let Some(Dialog::Connect(draft)) = cx.state.dialogs.open_mut() {
                draft.stop();
            }
            cx.state.dialogs.close();
        }
    }
}

/// Closes the dialog that confirms an action. Returns whether the action can be carried out now.
pub(super) fn confirm(action: &Action, cx: &mut Apply<'_>) -> bool {
    // The dialog waits, with what was typed into it, until the connection is unlocked.
    if is_change(action) && lock::refuses(cx.state) {
        return false;
    }
    let open = cx.state.dialogs.open();
    let is_named = matches!(open, Some(Dialog::Confirm(asked)) if asked.name.is_some());
    cx.state.dialogs.close();
    set_named(is_named, cx.state);
    true
}

/// Whether it changes many documents.
fn is_change(action: &Action) -> bool {
    matches!(action, Action::Documents(_, DocumentsAction::Change(_)))
}

/// Whether the name was typed for the change that comes next.
pub(super) fn set_named(is_named: bool, state: &mut State) {
    if let Some(connection) = &mut state.store.connection {
        connection.is_named = is_named;
    }
}

/// Sends the command of the open dialog, which stays until the reply.
pub(super) fn send<Q: Question<Answer = Reply>>(
    question: Q,
    db: &str,
    command: Document,
    cx: &mut Apply<'_>,
) {
    if cx.state.dialogs.sent_mut().is_some_and(|sent| sent.is_waiting()) {
        return;
    }
    let generation = cx.change(question, db, command);
    if let Some(sent) = cx.state.dialogs.sent_mut() {
        *sent = Sent { generation: Some(generation), error: None };
    }
}

/// The dialog that sent this and waits for the answer.
pub(super) fn asker(generation: u64, state: &mut State) -> Option<&mut Sent> {
    state.dialogs.sent_mut().filter(|sent| sent.generation == Some(generation))
}
