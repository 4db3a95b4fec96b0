//! The demo store: the collection it opens with, and the switch of its traffic.

use super::Apply;
use crate::job::TRAFFIC_DATABASE;
use crate::state::{Namespace, State};
use crate::worker::Order;

/// Turns the traffic on or off, also for the next start.
pub(super) fn set_traffic(on: bool, cx: &mut Apply<'_>) {
    cx.state.settings.traffic = on;
    start_traffic(cx);
}

/// Traffic writes nothing before the window, which stops it when it closes, has turned it on. There
/// is none where there is no sample data.
pub(super) fn start_traffic(cx: &mut Apply<'_>) {
    if !cx.state.store.demo {
        return;
    }
    let on = cx.state.settings.traffic;
    cx.order(Order::SetTraffic(on));
}

/// A window without a tab opens the first collection.
pub(super) fn open_first(state: &mut State) {
    let all_known = state.tree.databases.iter().all(|database| database.loaded);
    if !all_known || !state.tabs.open().is_empty() || state.tabs.can_reopen() {
        return;
    }
    // In the demo MongoDB's rule comes first, and not the one that only Azure has.
    let sessions = Namespace::new(TRAFFIC_DATABASE, "sessions");
    let is_there = state.store.demo && state.tree.collection(&sessions).is_some();
    state.first_tab = Some(sessions).filter(|_| is_there).or_else(|| {
        state.tree.databases.iter().find_map(|database| {
            let collection = database.collections.first()?;
            Some(Namespace::new(&database.name, &collection.name))
        })
    });
}
