//! The state of the reaper, and what it holds.

use crate::apply::Apply;
use crate::apply::question::Question;
use crate::commands::reaper;
use crate::state::reaper::Held;
use crate::worker::Reply;

/// Asks for the reaper's status.
pub fn ask(cx: &mut Apply<'_>) {
    if !cx.state.store.capabilities.reaper {
        return;
    }
    cx.ask(ReaperStatus, "admin", reaper::status());
    cx.ask(HeldDocuments, "admin", reaper::held());
}

/// Asks what is on hold, while something is: another TTL, or a document that was deleted, changes how
/// much that is.
pub fn ask_held(cx: &mut Apply<'_>) {
    if cx.state.store.capabilities.reaper && cx.state.reaper.held.is_some() {
        cx.ask(HeldDocuments, "admin", reaper::held());
    }
}

#[derive(Debug, PartialEq)]
struct ReaperStatus;

impl Question for ReaperStatus {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Ok(found) = reply.result {
            let now_ms = cx.state.now_ms();
            cx.state.reaper.learn(&found, now_ms);
        }
    }
}

#[derive(Debug, PartialEq)]
struct HeldDocuments;

impl Question for HeldDocuments {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Ok(found) = reply.result {
            cx.state.reaper.held = Held::read(&found);
        }
    }
}
