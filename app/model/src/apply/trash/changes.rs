//! Changes of the trash and of archives.

use super::list::{failed, is_shown, refresh};
use crate::apply::question::Question;
use crate::apply::{Apply, reaper};
use crate::state::toasts::Kind;
use crate::worker::Reply;
use mayfly_engine::value::whole;

/// How long it keeps documents, where they are moved then, or what is discarded.
#[derive(Debug, PartialEq)]
pub(super) struct ChangeTrash;

impl Question for ChangeTrash {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        match reply.result {
            Ok(_) => {
                cx.state.trash.is_waiting = false;
                let secs = reply.command.get("mayflyTrashSecs").and_then(whole);
                cx.state.trash.secs = secs.unwrap_or(cx.state.trash.secs);
                // Settings are filled again, but not from the status before the change.
                cx.state.trash.archives = None;
                if let Some(draft) = cx.state.dialogs.trash_mut() {
                    draft.archive = None;
                }
                refresh(cx);
                reaper::ask(cx);
            }
            Err(error) => refused(error, cx),
        }
    }
}

/// Documents are restored.
#[derive(Debug, PartialEq)]
pub(super) struct RestoreFromTrash;

impl Question for RestoreFromTrash {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let found = match reply.result {
            Ok(found) => found,
            Err(error) => return refused(error, cx),
        };
        cx.state.trash.is_waiting = false;
        let (is_done, sentence) = reaper::restore_sentence(&found);
        if !is_shown(cx.state) {
            cx.toast(if is_done { Kind::Done } else { Kind::Error }, &*sentence);
        }
        cx.state.trash.result = Some((is_done, sentence));
        if let Some(draft) = cx.state.dialogs.trash_mut() {
            draft.chosen.clear();
        }
        refresh(cx);
        reaper::ask(cx);
    }
}

/// A failure is shown in the dialog; if that was closed since, in a message.
fn refused(error: String, cx: &mut Apply<'_>) {
    if !is_shown(cx.state) {
        cx.toast(Kind::Error, &*error);
    }
    failed(error, &mut cx.state.trash);
}
