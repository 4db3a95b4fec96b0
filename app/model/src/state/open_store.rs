//! The store that is open.

use std::path::PathBuf;

use super::{connect, recent_stores};
use crate::job::{Capabilities, OpenError};

/// Whether a store is there.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Phase {
    #[default]
    Opening,
    Open,
    /// It is closed for a while, because something is done with its folder: what.
    Away(&'static str),
    /// It could not be opened.
    Failed(OpenError),
}

/// The store that is open.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Store {
    pub phase: Phase,
    /// Its name in the top bar.
    pub name: String,
    /// Where it is, also while it could not be opened.
    pub folder: Option<PathBuf>,
    /// The store of the tree and the tabs: the folder of the store that was open last, or the
    /// address of its server.
    pub shown: Option<PathBuf>,
    pub demo: bool,
    pub capabilities: Capabilities,
    /// The server, or `None` for a store on this machine.
    pub connection: Option<connect::Connection>,
    /// Which request opened it, to try again.
    pub request: crate::job::OpenRequest,
    /// A store that was open before and is about to be opened, with the generation of the look into
    /// its folder.
    pub looking: Option<(u64, recent_stores::RecentStore)>,
    /// The store to go back to from a sandbox.
    pub left: Option<crate::job::OpenRequest>,
    /// Its number in the log of commands.
    pub number: u64,
    /// Its number among the open stores; the first one has 0.
    pub slot: u32,
}
