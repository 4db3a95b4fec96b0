//! Looking again at a server that tells nothing by itself: the soonest documents of the Expiry view
//! that is on the screen, and nothing else.

use std::time::Duration;

use super::{Apply, expiry};
use crate::limits::{SERVER_LATE_LOOKS_MAX, SERVER_POLL};
use crate::state::tabs::ViewKind;

/// Asks again if it is time. Returns the time until then.
pub(super) fn settle(cx: &mut Apply<'_>) -> Option<Duration> {
    let is_shown = cx.state.is_open() && !cx.state.view.is_start_shown;
    let is_server = is_shown && cx.state.store.connection.is_some();
    let tab = cx.state.tabs.active().filter(|tab| is_server && tab.view == ViewKind::Expiry)?;
    let id = tab.id;
    let is_in_time = tab.expiry.late_looks < SERVER_LATE_LOOKS_MAX;
    let looked = tab.expiry.looked.filter(|_| tab.expiry.loaded && is_in_time)?;
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
    use crate::job::purpose::ExpiryPurpose;
    use crate::job::{Attached, Namespace, ServerMark};
    use crate::state::connect::Connection;
    use crate::state::{Phase, State};
    use crate::worker::Reply;

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
        let late = doc! { "ok": 0.0, "errmsg": "late", "code": 50, "codeName": "MaxTimeMSExpired" };
        for _ in 0..SERVER_LATE_LOOKS_MAX {
            let reply = Reply::new("d".to_owned(), doc! {}, Ok(late.clone()), 1);
            let cx = &mut Apply::new(&mut state, &mut effects);
            expiry::answer(id, &ExpiryPurpose::Expiring, 1, &reply, cx);
        }
        let before = effects.jobs.len();
        state.uptime += SERVER_POLL * 2;
        settle(&mut Apply::new(&mut state, &mut effects));
        assert_eq!(effects.jobs.len(), before, "a server that is late is left alone");
        effects.jobs.truncate(before);
        // Each is one command of the protocol, and the rules are listed once a minute beside them.
        let asked = effects.jobs.len() as u64;
        assert!((MINUTES..=6 * MINUTES).contains(&asked), "{asked}");
    }
}
