//! Changes of an archive.

use bson::Document;

use super::reads::{failed, is_of_shown, refresh};
use crate::apply::question::Question;
use crate::apply::{Apply, reaper};
use crate::state::toasts::Kind;
use crate::worker::Reply;

#[derive(Debug, PartialEq)]
pub(super) struct SwitchArchive;

impl Question for SwitchArchive {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if found(&reply, cx).is_none() {
            return;
        }
        // The fields are filled again, but not from the status before the change.
        cx.state.archive.is_known = false;
        if let Some(draft) = cx.state.dialogs.archive_mut() {
            draft.settings = false;
            draft.is_filled = false;
        }
        refresh(cx);
    }
}

/// Documents are restored.
#[derive(Debug, PartialEq)]
pub(super) struct RestoreArchived;

impl Question for RestoreArchived {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Some(found) = found(&reply, cx) else { return };
        let result = reaper::restore_sentence(found);
        cx.state.archive.chosen.clear();
        cx.state.archive.result = Some(result);
        reaper::ask(cx);
    }
}

/// The result of a change of the archive that is shown. If its dialog has been closed, only a failure
/// is reported.
fn found<'r>(reply: &'r Reply, cx: &mut Apply<'_>) -> Option<&'r Document> {
    let is_of_shown = is_of_shown(reply, &cx.state.archive);
    match &reply.result {
        Ok(found) if is_of_shown => {
            cx.state.archive.is_waiting = false;
            return Some(found);
        }
        Ok(_) => {}
        Err(error) if is_of_shown => failed(error.clone(), &mut cx.state.archive),
        Err(error) => cx.toast(Kind::Error, &**error),
    }
    None
}
