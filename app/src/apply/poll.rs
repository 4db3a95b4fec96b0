//! Looking again at a server that tells nothing by itself: the soonest documents of the Expiry view
//! that is on the screen, and nothing else.

use std::time::Duration;

use super::{Apply, expiry};
use crate::limits::SERVER_POLL;
use crate::state::tabs::ViewKind;

/// Asks again if it is time. Returns the time until then.
pub(super) fn settle(cx: &mut Apply<'_>) -> Option<Duration> {
    let is_shown = cx.state.is_open() && !cx.state.view.is_start_shown;
    let is_server = is_shown && cx.state.store.connection.is_some();
    let tab = cx.state.tabs.active().filter(|tab| is_server && tab.view == ViewKind::Expiry)?;
    let id = tab.id;
    let looked = tab.expiry.looked.filter(|_| tab.expiry.loaded)?;
    let age = cx.state.uptime.saturating_sub(looked);
    if age >= SERVER_POLL {
        expiry::look_again(id, cx);
        return Some(SERVER_POLL);
    }
    Some(SERVER_POLL.saturating_sub(age))
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;
    use crate::apply::Effects;
    use crate::job::{Attached, Namespace, ServerMark};
    use crate::state::connect::Connection;
    use crate::state::{Phase, State};

    /// Minutes that the view is left alone.
    const MINUTES: u64 = 10;

    #[test]
    fn an_idle_view_asks_a_server_little() {
        let mut state = State::default();
        state.store.phase = Phase::Open;
        state.store.connection = Some(Connection::new(Box::new(Attached {
            address: "mongodb://h/".to_owned(),
            name: "h".to_owned(),
            mark: ServerMark::default(),
            topology: "standalone".to_owned(),
            version: String::new(),
            ahead_ms: 0,
        })));
        let id = state.tabs.show(&Namespace::new("d", "c")).expect("a tab");
        state.tabs.get_mut(id).expect("a tab").view = ViewKind::Expiry;
        let mut effects = Effects::default();
        expiry::refresh(id, &mut Apply::new(&mut state, &mut effects));
        let page = doc! { "batch": [], "rules": 1_i64 };
        let view = &mut state.tabs.get_mut(id).expect("a tab").expiry;
        view.take_expiring(&doc! { "mayflyExpiring": "c" }, &page, 0);
        effects.jobs.clear();
        for second in 0..MINUTES * 60 {
            state.uptime = Duration::from_secs(second);
            settle(&mut Apply::new(&mut state, &mut effects));
        }
        // Each is one command of the protocol, and the rules are listed once a minute beside them.
        let asked = effects.jobs.len() as u64;
        assert!((MINUTES..=6 * MINUTES).contains(&asked), "{asked}");
    }
}
