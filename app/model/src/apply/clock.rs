//! The store's clock.

use super::Apply;
use super::question::Question;
use crate::action::ClockAction;
use crate::commands;
use crate::state::clock::Mode;
use crate::state::toasts::Kind;
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(action: &ClockAction, cx: &mut Apply<'_>) {
    if let ClockAction::SetRate(rate) = action {
        let now_ms = cx.state.now_ms();
        for tab in cx.state.tabs.open_mut() {
            tab.expiry.follow_rate(*rate, now_ms);
        }
    }
    cx.change(SetClock, "admin", action.command());
}

/// Asks how the store's clock runs.
pub fn ask(cx: &mut Apply<'_>) {
    cx.ask(ReadClock, "admin", commands::clock::read());
}

#[derive(Debug, PartialEq)]
struct ReadClock;

impl Question for ReadClock {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        learn(reply, cx);
    }
}

#[derive(Debug, PartialEq)]
struct SetClock;

impl Question for SetClock {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        learn(reply, cx);
    }
}

fn learn(reply: Reply, cx: &mut Apply<'_>) {
    match reply.result {
        Ok(found) => {
            // A lesson's snapshots say more: also where its time stops.
            if cx.state.lessons.view().is_none()
                && let Some((mode, now_ms)) = Mode::read(&found)
            {
                cx.state.clock.learn(mode, now_ms, cx.state.uptime);
            }
        }
        Err(error) => cx.toast(Kind::Error, error),
    }
}
