//! Changes of an archive.

use bson::{Bson, Document};

use super::reads::{failed, is_of_shown, refresh};
use crate::apply::Apply;
use crate::apply::question::Question;
use crate::job::reply::number;
use crate::state::Dialog;
use crate::state::archive::RestoreResult;
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
        if let Some(Dialog::Archive(draft)) = cx.state.dialogs.open_mut() {
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
        let filter = reply.command.get_document("filter").ok().cloned();
        let result = RestoreResult { filter, ..restore_result(found, &reply.command) };
        cx.state.archive.chosen.clear();
        cx.state.archive.result = Some(result);
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

/// A reply lists only some of the `_id`s that would expire. Then all that were asked for are among
/// those of the second step, which passes the ones that exist by now.
pub(super) fn restore_result(found: &Document, command: &Document) -> RestoreResult {
    let ids = |of: &Document, name| of.get_array(name).cloned().unwrap_or_default();
    let listed = ids(found, "wouldExpireIds");
    let expiring = number(found, "wouldExpire").unwrap_or(listed.len() as u64);
    let is_whole = expiring <= listed.len() as u64;
    let refusals = found.get_array("refusals").map(Vec::as_slice).unwrap_or_default();
    let first = refusals.first().and_then(Bson::as_document);
    RestoreResult {
        restored: number(found, "restored").unwrap_or(0),
        existing: number(found, "existing").unwrap_or(0),
        expiring,
        would_expire: if is_whole { listed } else { ids(command, "ids") },
        refused: first.and_then(|first| first.get_str("errmsg").ok()).map(ToOwned::to_owned),
        refusals: number(found, "refused").unwrap_or(0),
        filter: None,
    }
}
