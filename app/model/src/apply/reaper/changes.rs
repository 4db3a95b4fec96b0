//! Changes that the user makes to the reaper and to what it removed.

use bson::Document;

use super::status::ask;
use crate::action::reaper::release_held;
use crate::apply::Apply;
use crate::apply::question::Question;
use crate::commands::reaper;
use crate::job::reply::number;
use crate::state::number as text;
use crate::state::reaper::Held;
use crate::state::toasts::Kind;
use crate::state::trash::RestoreOutcome;
use crate::worker::Reply;

/// A pass on demand.
#[derive(Debug, PartialEq)]
pub(super) struct RunPass;

impl Question for RunPass {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        match reply.result {
            Ok(found) => {
                let sentence = match number(&found, "deletedDocuments").unwrap_or(0) {
                    0 => "Nothing to remove".to_owned(),
                    deleted => {
                        let removed = text::counted(deleted, "document", "documents");
                        format!("The pass removed {removed}")
                    }
                };
                cx.toast(Kind::Done, sentence);
            }
            Err(error) => cx.toast(Kind::Error, error),
        }
        ask(cx);
    }
}

/// The documents on hold, counted because the user wants to release them.
#[derive(Debug, PartialEq)]
pub(super) struct HeldBeforeRelease;

impl Question for HeldBeforeRelease {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        match reply.result {
            Ok(found) => {
                cx.state.reaper.held = Held::read(&found);
                let Some(held) = &cx.state.reaper.held else { return };
                if held.due() == 0 {
                    cx.change(RunPass, "admin", reaper::release("deleteNow"));
                } else {
                    cx.state.dialogs.show(release_held(held));
                }
            }
            Err(error) => {
                cx.toast(Kind::Error, error);
                ask(cx);
            }
        }
    }
}

/// A parameter of the reaper.
#[derive(Debug, PartialEq)]
pub(super) struct SetReaper;

impl Question for SetReaper {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Err(error) = reply.result {
            cx.toast(Kind::Error, error);
        }
        ask(cx);
    }
}

/// Removed documents that come back from the trash by their `_id`.
#[derive(Debug, PartialEq)]
pub(in crate::apply) struct RestoreDocuments;

impl Question for RestoreDocuments {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        match reply.result {
            Ok(found) => {
                let (is_done, sentence) = restore_sentence(&found);
                cx.toast(if is_done { Kind::Done } else { Kind::Error }, sentence);
            }
            Err(error) => cx.toast(Kind::Error, error),
        }
        ask(cx);
    }
}

/// The result of a restore by one command as a sentence, and whether any document was restored.
pub(in crate::apply) fn restore_sentence(found: &Document) -> (bool, String) {
    let count = |name| number(found, name).unwrap_or(0);
    let outcome = RestoreOutcome {
        restored: count("restored"),
        existing: count("existing"),
        refused: count("refused"),
        not_found: count("notFound"),
        is_held: found.get_array("held").is_ok_and(|held| !held.is_empty()),
        remaining: 0,
    };
    let (is_done, mut sentence) = outcome.sentence();
    let refusals = found.get_array("refusals").map(Vec::as_slice).unwrap_or_default();
    let first = refusals.first().and_then(|first| first.as_document()?.get_str("errmsg").ok());
    if let Some(why) = first {
        sentence = format!("{sentence}. The first was rejected because: {why}");
    }
    (is_done, sentence)
}
