//! The list of the indexes of a tab.

use super::change_ttl::open_wanted;
use super::reads::{IndexStats, IndexUses};
use crate::apply::Apply;
use crate::apply::index_tab::{names, with};
use crate::apply::question::Question;
use crate::commands::{indexes, store};
use crate::state::indexes::TtlIndex;
use crate::state::{State, TabId};
use crate::worker::Reply;

/// Queries everything the view shows. Called when the view is first shown, when the user asks, and
/// when the data changed while the view is shown.
pub fn refresh(tab: TabId, cx: &mut Apply<'_>) {
    with(cx.state, tab, |view| view.asked = true);
    let Some((db, collection)) = names(tab, cx.state) else { return };
    cx.ask(ListIndexes(tab), &db, indexes::list(&collection));
    cx.ask(IndexStats(tab), &db, store::stats(&collection));
    cx.ask(IndexUses(tab), &db, indexes::uses(&collection));
}

/// The list of indexes came.
pub(super) fn listed(tab: TabId, cx: &mut Apply<'_>) {
    open_wanted(tab, cx);
    if let Some(open) = cx.state.tabs.get_mut(tab) {
        open.expiry.follow_indexes(&open.indexes);
    }
    crate::apply::expiry::indexes_known(tab, cx);
}

#[derive(Debug, PartialEq)]
pub(super) struct ListIndexes(pub TabId);

impl Question for ListIndexes {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Some(found) = reply.ok() else { return };
        let before = known_ttl(self.0, cx.state);
        with(cx.state, self.0, |view| view.take_list(found));
        // A lesson chooses the span itself.
        let fits = before.is_some() && !cx.state.lessons.is_playing();
        if fits && before != known_ttl(self.0, cx.state) {
            let now_ms = cx.state.now_ms();
            if let Some(open) = cx.state.tabs.get_mut(self.0) {
                open.expiry.fit_again(now_ms);
            }
        }
        listed(self.0, cx);
    }
}

/// The TTL indexes of a tab. `None` before they are listed.
fn known_ttl(tab: TabId, state: &State) -> Option<Vec<TtlIndex>> {
    let open = state.tabs.get(tab).filter(|open| open.indexes.is_loaded())?;
    Some(open.indexes.ttl())
}
