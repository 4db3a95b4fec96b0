//! Questions about the indexes of a tab.

use crate::apply::Apply;
use crate::apply::index_tab::{dialog, with};
use crate::apply::question::Question;
use crate::job::slow_read::SlowRead;
use crate::state::TabId;
use crate::state::indexes::Dialog;
use crate::worker::Reply;

/// Sizes and entries.
#[derive(Debug, PartialEq)]
pub(super) struct IndexStats(pub TabId);

impl Question for IndexStats {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Some(found) = reply.ok() {
            with(cx.state, self.0, |view| view.take_stats(found));
        }
    }
}

/// How often each index was used.
#[derive(Debug, PartialEq)]
pub(super) struct IndexUses(pub TabId);

impl Question for IndexUses {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Some(found) = reply.ok() {
            with(cx.state, self.0, |view| view.take_uses(found));
        }
    }
}

/// A sample of documents, for the field picker.
#[derive(Debug, PartialEq)]
pub(super) struct SampleFields(pub TabId);

impl Question for SampleFields {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.0, SlowRead::OfTab))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Some(found) = reply.ok() {
            with(cx.state, self.0, |view| view.take_sample(found));
        }
    }
}

/// The effect of the TTL in the open dialog.
#[derive(Debug, PartialEq)]
pub(in crate::apply) struct TtlWhatIf(pub TabId);

impl Question for TtlWhatIf {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.0, SlowRead::WhatIf))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Ok(index) = reply.command.get_document("index") else { return };
        let strip = cx.state.tabs.get_mut(self.0).and_then(|open| open.expiry.what_if.as_mut());
        if reply.is_stopped() {
            // Questions that are still wanted are sent again.
            if let Some(strip) = strip.filter(|strip| strip.asked.as_ref() == Some(index)) {
                strip.asked = None;
            }
            return;
        }
        let found = reply.result.as_ref().map_err(String::as_str);
        if let Some(strip) = strip {
            strip.change.learn(index, found);
        }
        if let Some(dialog) = dialog(self.0, cx.state) {
            dialog.learn(index, found);
        }
    }
}

/// Documents by age, for the open dialog and the strip of the timeline.
#[derive(Debug, PartialEq)]
pub(super) struct DocumentAges(pub TabId);

impl Question for DocumentAges {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.0, SlowRead::Ages))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Some(found) = reply.ok() else { return };
        let open = cx.state.tabs.get_mut(self.0);
        if let Some(strip) = open.and_then(|open| open.expiry.what_if.as_mut()) {
            strip.change.learn_ages(&reply.command, found);
        }
        if let Some(Dialog::ChangeTtl(change)) = dialog(self.0, cx.state) {
            change.learn_ages(&reply.command, found);
        }
    }
}
