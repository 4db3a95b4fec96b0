//! Renaming a collection, and replacing one collection with another.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    create_drop::{check_new_name, drop_collection, exists, refused},
    dialect::depends_on_dialect,
};
use crate::{
    catalog::{
        CatalogErrorKind, CollectionMeta, CollectionOptions, Dialect, IndexMeta, IndexState,
        Namespace,
    },
    collection::{Collections, DocumentWriter, WriteError, write::transaction::missing},
    store::{IndexId, StoreError},
};

/// A collection that replaces another one, which is dropped.
#[derive(Debug, Clone, Copy)]
pub struct Replacement<'r> {
    /// The replacing collection.
    pub from: &'r Namespace,
    /// Its new name. If no collection has that name, this is only a rename.
    pub to: &'r Namespace,
    /// The required state of the collection that is replaced.
    pub target: ExpectedTarget<'r>,
}

/// The state a collection must have so that another may replace it.
#[derive(Debug, Clone, Copy)]
pub enum ExpectedTarget<'l> {
    /// Any state.
    Any,
    /// The collection has the options and indexes of this definition. With `None` it did not exist
    /// and still doesn't. Its documents and its number may differ.
    Definition(Option<&'l CollectionMeta>),
}

/// Passes what belongs to the dropped collection on to its replacement: receives both, and returns
/// the name and bytes of a value of the table `meta`, written in the same transaction. It runs
/// again whenever the transaction does.
pub type Handover<'h> = dyn Fn(&CollectionMeta, &CollectionMeta) -> Result<Option<(&'static str, Vec<u8>)>, StoreError>
    + Sync
    + 'h;

impl Collections {
    /// Renames a collection, also into another database. Its TTL stays in effect.
    ///
    /// # Errors
    /// `NamespaceNotFound`, `NamespaceExists`, `IllegalOperation`.
    pub fn rename(&self, from: &Namespace, to: &Namespace) -> Result<(), WriteError> {
        self.transact(|writer| {
            let collection = to_rename(writer, from, to)?;
            if writer.collection(to).is_some() {
                return Err(exists(to));
            }
            check_new_name(writer, to)?;
            put_renamed(writer, &collection, to)
        })
    }

    /// Replaces a collection with another one, in one transaction. The indexes and TTL of the new
    /// one stay in effect.
    ///
    /// # Errors
    /// `NamespaceNotFound`, `NamespaceExists` where a view or a time series has the name,
    /// `IllegalOperation`, `TargetChanged`, and errors of the handover.
    pub fn replace(
        &self,
        replacement: Replacement<'_>,
        hand_over: &Handover<'_>,
    ) -> Result<(), WriteError> {
        let Replacement { from, to, target } = replacement;
        self.transact(|writer| {
            let collection = to_rename(writer, from, to)?;
            let replaced = writer.collection(to);
            if let ExpectedTarget::Definition(before) = target {
                check_unchanged(to, before, replaced.as_deref())?;
            }
            if let Some(replaced) = replaced {
                // MongoDB implements a time series as a view, which no rename replaces. A `$out`
                // replaces one by one with the same options.
                let is_same_kind = matches!(target, ExpectedTarget::Definition(_))
                    && replaced.options == collection.options;
                if replaced.is_view() || (replaced.is_time_series() && !is_same_kind) {
                    let message = format!("a view already exists with that name: {to}");
                    return Err(refused(CatalogErrorKind::NamespaceExists, message));
                }
                drop_collection(writer, &replaced)?;
                if let Some((name, bytes)) = hand_over(&replaced, &collection)? {
                    writer.txn.writer.put_meta(name, &bytes)?;
                }
            } else {
                check_new_name(writer, to)?;
            }
            put_renamed(writer, &collection, to)
        })
    }
}

/// The collection to rename, if that is allowed.
fn to_rename(
    writer: &DocumentWriter<'_, '_>,
    from: &Namespace,
    to: &Namespace,
) -> Result<Arc<CollectionMeta>, WriteError> {
    writer.catalog().check_usable(&from.db, &from.collection)?;
    let collection = writer.collection(from).ok_or_else(|| missing(from))?;
    if from == to {
        return Err(refused(
            CatalogErrorKind::IllegalOperation,
            format!("{from} already has this name"),
        ));
    }
    if collection.is_view() {
        return Err(refused(
            CatalogErrorKind::CommandNotSupportedOnView,
            format!("{from} is a view, which can't be renamed"),
        ));
    }
    let (old, new) = (writer.catalog().dialect(&from.db), writer.catalog().dialect(&to.db));
    if old != new && depends_on_dialect(&collection) {
        return Err(refused(
            CatalogErrorKind::IllegalOperation,
            format!(
                "{from} has a TTL or an index on _ts, and the database {} has another dialect; drop the index first",
                to.db
            ),
        ));
    }
    if old != new && new == Dialect::Cosmos {
        return Err(refused(
            CatalogErrorKind::IllegalOperation,
            format!(
                "documents of {from} may have a field _ts, which the cosmos dialect of the \
                 database {} reserves; copy them there instead",
                to.db
            ),
        ));
    }
    Ok(collection)
}

fn put_renamed(
    writer: &mut DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    to: &Namespace,
) -> Result<(), WriteError> {
    if collection.namespace.db != to.db
        && let Some(ts_watches) = writer.txn.ts_watches
    {
        // Its documents were written in another database, which was not watched.
        ts_watches.mark(&to.db);
    }
    writer.txn.remove_collection(&collection.namespace)?;
    let renamed = CollectionMeta { namespace: to.clone(), ..collection.clone() };
    writer.txn.put_collection(renamed)
}

/// Refuses a collection that was changed: the replacement would undo the change.
fn check_unchanged(
    namespace: &Namespace,
    before: Option<&CollectionMeta>,
    now: Option<&CollectionMeta>,
) -> Result<(), WriteError> {
    let what = if options(before) != options(now) {
        "collection options"
    } else if indexes(before) != indexes(now) {
        "indexes"
    } else {
        return Ok(());
    };
    // Client programs match on these words.
    Err(refused(
        CatalogErrorKind::TargetChanged,
        format!(
            "{what} of target collection {namespace} changed during processing. It was not \
             changed; run this again"
        ),
    ))
}

fn options(collection: Option<&CollectionMeta>) -> CollectionOptions {
    collection.map(|collection| collection.options.clone()).unwrap_or_default()
}

/// The indexes as they were requested.
fn indexes(collection: Option<&CollectionMeta>) -> BTreeMap<&str, IndexMeta> {
    let all = collection.into_iter().flat_map(|collection| &collection.indexes);
    let asked = all.map(|index| {
        // Numbers, states and flags that depend on documents are reset, so that two collections
        // compare equal if the same indexes were requested.
        let asked = IndexMeta {
            id: IndexId(0),
            state: IndexState::Ready,
            multikey: false,
            ttl_since_ms: None,
            ..IndexMeta::clone(index)
        };
        (index.name.as_str(), asked)
    });
    asked.collect()
}
