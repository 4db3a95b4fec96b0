//! The store's clock.

use super::Apply;
use crate::action::ClockAction;
use crate::commands;
use crate::state::clock::Mode;
use crate::state::toasts::Kind;
use crate::state::{Purpose, State};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(action: &ClockAction, cx: &mut Apply<'_>) {
    if let ClockAction::SetRate(rate) = action {
        let now_ms = cx.state.now_ms();
        for tab in cx.state.tabs.open_mut() {
            tab.expiry.follow_rate(*rate, now_ms);
        }
    }
    cx.write(Purpose::Clock, "admin", action.command());
}

/// Queries how the store's clock runs.
pub fn ask(cx: &mut Apply<'_>) {
    cx.read(Purpose::Clock, "admin", commands::clock::read());
}

/// Handles a reply.
pub fn answer(reply: &Reply, state: &mut State) {
    match &reply.result {
        Ok(found) => {
            // A lesson's snapshots say more: also where its time stops.
            if state.lessons.view().is_none()
                && let Some((mode, now_ms)) = Mode::read(found)
            {
                state.clock.learn(mode, now_ms, state.uptime);
            }
        }
        Err(error) => state.toasts.push(Kind::Error, error.clone(), None, state.uptime),
    }
}
