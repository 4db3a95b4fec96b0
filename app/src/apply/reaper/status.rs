//! The state of the reaper, and what it holds.

use crate::action::reaper::release_held;
use crate::apply::Apply;
use crate::apply::question::Question;
use crate::commands::reaper;
use crate::state::reaper::Held;
use crate::state::toasts::Kind;
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
                if let Some(action) = cx.state.reaper.held.as_ref().map(release_held) {
                    crate::apply::apply(action, cx);
                }
            }
            Err(error) => {
                cx.toast(Kind::Error, error);
                ask(cx);
            }
        }
    }
}
