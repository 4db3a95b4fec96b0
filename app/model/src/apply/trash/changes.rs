//! Changes of the trash.

use super::list::{failed, is_shown, refresh};
use crate::apply::question::Question;
use crate::apply::{Apply, reaper};
use crate::state::toasts::Kind;
use crate::worker::Reply;

/// How long it keeps documents.
#[derive(Debug, PartialEq)]
pub(super) struct KeepTrash;

impl Question for KeepTrash {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        match reply.result {
            Ok(_) => {
                cx.state.trash.is_waiting = false;
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
