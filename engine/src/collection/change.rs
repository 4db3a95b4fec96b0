//! What a committed transaction changed, reported to the observer after the commit.

use super::{BuildProgress, Finding};
use crate::catalog::Namespace;

/// A committed change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A database, collection or index was created, changed or dropped.
    Catalog,
    /// Documents of this collection were inserted, changed or removed.
    Data(Namespace),
    /// An index build advanced or ended.
    Build(BuildProgress),
    /// Damaged rows were removed from the store.
    Damage(Finding),
    /// Nothing changed; a scrub was requested.
    ScrubRequested,
}
