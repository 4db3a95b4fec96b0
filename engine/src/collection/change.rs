//! What has changed, told after the commit.

use super::{BuildProgress, Finding};
use crate::catalog::Namespace;

/// A committed change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A database, collection or index came, went or was changed.
    Catalog,
    /// Documents of this collection came, went or were changed.
    Data(Namespace),
    /// An index build went on or ended.
    Build(BuildProgress),
    /// Something damaged was met and has left the store.
    Damage(Finding),
    /// Nothing changed; somebody wants a scrub.
    ScrubAsked,
}
