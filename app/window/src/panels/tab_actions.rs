//! Actions of one view of one tab.

use crate::action::{Action, Actions, AggregateAction, ExpiryAction, IndexesAction, SchemaAction};
use crate::state::TabId;

/// Queues the actions of one tab.
pub struct TabActions<'a, A> {
    pub tab: TabId,
    pub queue: &'a mut Actions,
    of_tab: fn(TabId, A) -> Action,
}

pub type AggregateActions<'a> = TabActions<'a, AggregateAction>;
pub type ExpiryActions<'a> = TabActions<'a, ExpiryAction>;
pub type IndexesActions<'a> = TabActions<'a, IndexesAction>;
pub type SchemaActions<'a> = TabActions<'a, SchemaAction>;

impl<'a, A> TabActions<'a, A> {
    pub fn new(tab: TabId, queue: &'a mut Actions, of_tab: fn(TabId, A) -> Action) -> Self {
        Self { tab, queue, of_tab }
    }

    pub fn push(&mut self, action: A) {
        self.queue.push((self.of_tab)(self.tab, action));
    }
}
