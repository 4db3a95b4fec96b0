//! An open store that is not on the screen, because a lesson or another store is.

use std::collections::HashMap;

use crate::state::changes::Changes;
use crate::state::console::ConsoleDraft;
use crate::state::drafts::TabDraft;
use crate::state::listener::Listener;
use crate::state::maintenance::Maintenance;
use crate::state::queries::Queries;
use crate::state::transfer::Transfer;
use crate::state::trash::Trash;
use crate::state::{Clock, Console, Reaper, Store, StoreTree, TabId, Tabs};

/// Everything the window knows of a store that stays open while another one is shown.
#[derive(Debug, Default)]
pub struct ParkedStore {
    pub store: Store,
    pub clock: Clock,
    /// Its TTL monitor, as last seen.
    pub reaper: Reaper,
    pub(super) tree: StoreTree,
    pub(super) tabs: Tabs,
    pub(super) maintenance: Maintenance,
    pub(super) listener: Listener,
    pub(super) trash: Trash,
    pub(super) console: Console,
    pub(super) changes: Changes,
    pub(super) tab_drafts: HashMap<TabId, TabDraft>,
    pub(super) console_draft: ConsoleDraft,
    pub(super) queries: Queries,
}

/// An open store that is not on the screen because another one is, with what was done in it.
#[derive(Debug, Default)]
pub struct StoreBeside {
    pub parked: ParkedStore,
    pub(super) transfer: Transfer,
}
