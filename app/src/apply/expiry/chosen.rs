//! The chosen document.

use mayfly_engine::reply::Verdict;

use super::{date_refreshed, found, refresh, refusal, with};
use crate::apply::Apply;
use crate::apply::question::Question;
use crate::job::reply;
use crate::state::TabId;
use crate::state::documents::change;
use crate::state::toasts::Kind;
use crate::worker::Reply;

#[derive(Debug, PartialEq)]
pub(super) struct ChosenDocument(pub TabId);

impl Question for ChosenDocument {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Some(found) = found(self.0, &reply, cx) else { return };
        let document = reply::batch(found).next().cloned();
        let asked = reply.command.get_document("filter").ok().cloned();
        with(cx.state, self.0, |view| {
            if view.selected.clone().map(change::by_id) == asked {
                view.document = document;
            }
        });
    }
}

/// The verdict of each TTL index on it.
#[derive(Debug, PartialEq)]
pub(super) struct ChosenVerdict(pub TabId);

impl Question for ChosenVerdict {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Some(found) = found(self.0, &reply, cx) else { return };
        with(cx.state, self.0, |view| {
            if view.selected.as_ref() == reply.command.get("id") {
                view.verdict = Verdict::from_document(found);
            }
        });
    }
}

/// A date that is set to now.
#[derive(Debug, PartialEq)]
pub(super) struct RefreshDate(pub TabId);

impl Question for RefreshDate {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Some(error) = refusal(self.0, &reply, cx) {
            cx.toast(Kind::Error, error);
        }
        if let Some(found) = reply.ok() {
            date_refreshed(found, cx);
            refresh(self.0, cx);
        }
    }
}
