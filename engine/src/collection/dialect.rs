//! Setting the dialect of a database.

use super::{Collections, WriteError, ddl::refused};
use crate::{
    catalog::{CatalogErrorKind as Kind, CollectionMeta, Dialect, check_db, has_own_ts},
    limits::{READ_DOCS_MAX, READ_MS_MAX},
    store::Scan,
};

/// Databases that belong to the server itself.
const SERVER_DATABASES: [&str; 3] = ["admin", "config", "local"];

impl Collections {
    /// Sets a database's dialect; allowed while it has no TTL and no index on `_ts`. For `cosmos` no
    /// document may have a field `_ts` of its own either, because that dialect shows none.
    ///
    /// # Errors
    /// `IllegalOperation` otherwise, and for the server's own databases.
    pub fn set_dialect(&self, db: &str, dialect: Dialect) -> Result<(), WriteError> {
        if dialect == Dialect::Cosmos && self.catalog().dialect(db) != dialect {
            for collection in self.catalog().collections(db) {
                self.check_no_own_ts(collection)?;
            }
        }
        self.transact(|writer| {
            check_db(db)?;
            if writer.catalog().dialect(db) == dialect {
                return Ok(());
            }
            if SERVER_DATABASES.contains(&db) {
                let message = format!("the database {db} is the server's own; it has no dialect to set");
                return Err(refused(Kind::IllegalOperation, message));
            }
            if let Some(collection) =
                writer.catalog().collections(db).find(|c| depends_on_dialect(c))
            {
                return Err(refused(
                    Kind::IllegalOperation,
                    format!(
                        "the dialect of {db} can't be changed while {} has a TTL or an index on _ts; \
                         drop it first",
                        collection.namespace
                    ),
                ));
            }
            writer.txn.set_dialect(db, dialect);
            Ok(())
        })
    }

    /// Looks at every document, in bounded reads.
    fn check_no_own_ts(&self, collection: &CollectionMeta) -> Result<(), WriteError> {
        let mut from = Some(0);
        while let Some(record) = from {
            let began = self.clock.monotonic();
            from = self.store.read(|reader| {
                let documents = reader.documents(collection.id, record, Scan::Forward)?;
                for (visited, stored) in documents.enumerate() {
                    let stored = stored?;
                    if has_own_ts(stored.document()?) {
                        return Err(refused(
                            Kind::IllegalOperation,
                            format!(
                                "a document of {} has a field _ts, which the cosmos dialect keeps \
                                 for itself; $rename the field first",
                                collection.namespace
                            ),
                        ));
                    }
                    let spent = self.clock.monotonic().saturating_sub(began).as_millis();
                    if visited + 1 >= READ_DOCS_MAX || spent >= u128::from(READ_MS_MAX) {
                        return Ok(stored.record.checked_add(1));
                    }
                }
                Ok(None)
            })?;
        }
        Ok(())
    }
}

/// Whether a collection has something that another dialect would take in another way.
pub(super) fn depends_on_dialect(collection: &CollectionMeta) -> bool {
    let on_ts = |path: &str| path == "_ts";
    collection.options.expire_after_secs.is_some()
        || collection.indexes.iter().any(|index| {
            index.expire_after_secs.is_some()
                || index.key.single().is_some_and(|part| on_ts(part.path.as_str()))
        })
}
