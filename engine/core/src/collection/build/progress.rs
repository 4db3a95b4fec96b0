//! Index builds as callers see them.

use crate::{
    catalog::{CollectionMeta, IndexMeta, Namespace},
    collection::WriteError,
    event::BuildProgress,
    store::{CollectionId, IndexId},
};

/// An index whose build has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingBuild {
    /// The collection.
    pub collection: CollectionId,
    /// Its name when the build was registered.
    pub namespace: Namespace,
    /// The index.
    pub index: IndexId,
    /// Its name.
    pub name: String,
}

impl PendingBuild {
    pub(in crate::collection) fn of(collection: &CollectionMeta, index: &IndexMeta) -> Self {
        Self {
            collection: collection.id,
            namespace: collection.namespace.clone(),
            index: index.id,
            name: index.name.clone(),
        }
    }
}

impl BuildProgress {
    pub(super) fn new(
        collection: &CollectionMeta,
        index: &IndexMeta,
        (done, total): (u64, u64),
        finished: bool,
    ) -> Self {
        let (namespace, index) = (collection.namespace.clone(), index.name.clone());
        Self { namespace, index, done, total, finished, error: None }
    }

    pub(super) fn failed(build: &PendingBuild, error: &WriteError) -> Self {
        Self {
            namespace: build.namespace.clone(),
            index: build.name.clone(),
            done: 0,
            total: 0,
            finished: true,
            error: Some(error.to_string()),
        }
    }
}
