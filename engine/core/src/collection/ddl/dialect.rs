//! Setting the dialect of a database.

use std::{collections::BTreeSet, sync::Arc};

use super::create_drop::refused;
use crate::{
    catalog::{
        CatalogErrorKind, CollectionMeta, Dialect, EntryForm, SERVER_DATABASES, check_db,
        has_own_ts, rules::create,
    },
    collection::{Collections, WriteError, write::ts_watch::TsWatch},
    limits::{DIALECT_SEARCHES_MAX, READ_DOCS_MAX, READ_MS_MAX},
    store::{CollectionId, Scan},
};

/// Collections that were searched for documents with an own `_ts` field, and a watch on later
/// writes.
struct OwnTsScan<'w> {
    watch: TsWatch<'w>,
    /// Collections without such a document, unless one was written since.
    collections: BTreeSet<CollectionId>,
}

impl Collections {
    /// Sets a database's dialect; allowed while it has no TTL and no index on `_ts`. For `cosmos`
    /// no document may have its own `_ts` field either, because that dialect hides it. Where the
    /// dialect was lost, it may be set to one that fits the definitions.
    ///
    /// # Errors
    /// `IllegalOperation` otherwise, and for the server's own databases.
    pub fn set_dialect(&self, db: &str, dialect: Dialect) -> Result<(), WriteError> {
        if dialect != Dialect::Cosmos || self.catalog().dialect(db) == dialect {
            return self.put_dialect(db, dialect, None).map(drop);
        }
        for _ in 0..DIALECT_SEARCHES_MAX {
            let scan = self.scan_for_own_ts(db)?;
            if self.put_dialect(db, dialect, Some(&scan))? {
                return Ok(());
            }
        }
        let message = format!("other clients are writing to {db}; try again when writes stop");
        Err(refused(CatalogErrorKind::IllegalOperation, message))
    }

    /// Sets the dialect. Returns false, without a change, when there may be documents with a `_ts`
    /// field that the search did not see.
    fn put_dialect(
        &self,
        db: &str,
        dialect: Dialect,
        scan: Option<&OwnTsScan<'_>>,
    ) -> Result<bool, WriteError> {
        self.transact(|writer| {
            check_db(db)?;
            writer.catalog().check_dialect(db)?;
            let is_lost = !writer.catalog().is_writable(db);
            if writer.catalog().dialect(db) == dialect && !is_lost {
                return Ok(true);
            }
            writer.catalog().check_all_usable(db)?;
            if SERVER_DATABASES.contains(&db) {
                let message = format!("the database {db} belongs to the server and has no dialect");
                return Err(refused(CatalogErrorKind::IllegalOperation, message));
            }
            if is_lost {
                writer.catalog().collections(db).try_for_each(|one| check_fits(one, dialect))?;
            } else if let Some(collection) =
                writer.catalog().collections(db).find(|c| depends_on_dialect(c))
            {
                return Err(refused(
                    CatalogErrorKind::IllegalOperation,
                    format!(
                        "the dialect of {db} can't be changed while {} has a TTL or an index on \
                         _ts; drop it first",
                        collection.namespace
                    ),
                ));
            }
            let has_seen = |collection: &Arc<CollectionMeta>| {
                scan.is_none_or(|scan| scan.collections.contains(&collection.id))
            };
            let has_seen_all = writer.catalog().collections(db).all(has_seen);
            if !has_seen_all || scan.is_some_and(|scan| scan.watch.is_marked()) {
                return Ok(false);
            }
            writer.txn.set_dialect(db, dialect);
            Ok(true)
        })
    }

    /// Searches every document of a database.
    fn scan_for_own_ts(&self, db: &str) -> Result<OwnTsScan<'_>, WriteError> {
        // The watch starts first, so that no write is missed.
        let watch = self.transact(|_| Ok::<_, WriteError>(self.ts_watches.open(db)))?;
        let mut scan = OwnTsScan { watch, collections: BTreeSet::new() };
        for collection in self.catalog().collections(db) {
            self.check_no_own_ts(collection)?;
            scan.collections.insert(collection.id);
        }
        Ok(scan)
    }

    /// Searches every document, in bounded reads.
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
                            CatalogErrorKind::IllegalOperation,
                            format!(
                                "a document of {} has a field _ts, which the cosmos dialect \
                                 reserves; $rename the field first",
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

/// Refuses a dialect under which the collection's definition would not be allowed.
fn check_fits(collection: &CollectionMeta, dialect: Dialect) -> Result<(), WriteError> {
    let fits = create::check_dialect(&collection.options, dialect).is_ok()
        && collection.indexes.iter().all(|index| {
            let is_on_ts = index.key.single().is_some_and(|part| part.path.as_str() == "_ts");
            let is_own = index.form == EntryForm::LastModified;
            let may_expire = dialect != Dialect::Cosmos || is_on_ts;
            (!is_on_ts || is_own == dialect.has_last_modified_index())
                && (may_expire || index.expire_after_secs.is_none())
        });
    if fits {
        return Ok(());
    }
    let message = format!(
        "{} has a TTL or an index on _ts that the dialect {} does not allow, so this was not its \
         dialect; choose another",
        collection.namespace,
        dialect.name()
    );
    Err(refused(CatalogErrorKind::IllegalOperation, message))
}

/// Whether another dialect would interpret the collection's definition differently.
pub(super) fn depends_on_dialect(collection: &CollectionMeta) -> bool {
    let on_ts = |path: &str| path == "_ts";
    collection.options.expire_after_secs.is_some()
        || collection.indexes.iter().any(|index| {
            index.expire_after_secs.is_some()
                || index.key.single().is_some_and(|part| on_ts(part.path.as_str()))
        })
}

#[cfg(test)]
mod tests {
    use bson::rawdoc;

    use super::*;
    use crate::{
        catalog::Namespace,
        collection::{DocumentWriter, tests::Bench},
        value::id_number::made,
    };

    fn namespace(db: &str, name: &str) -> Namespace {
        Namespace::new(db, name)
    }

    /// A collection with one document, whose `_id` is 1.
    fn bench() -> Bench {
        let bench = Bench::new();
        write(&bench, "test", &mut |writer, collection| {
            writer.insert(collection, &rawdoc! { "_id": 1 }).map(drop)
        });
        bench
    }

    fn write(
        bench: &Bench,
        db: &str,
        work: &mut (
                 dyn FnMut(&mut DocumentWriter<'_, '_>, &CollectionMeta) -> Result<(), WriteError>
                     + Send
             ),
    ) {
        let written = bench.all().write(|writer| {
            let collection = writer.create_if_missing(&namespace(db, "c"))?;
            work(writer, &collection)
        });
        written.expect("written");
    }

    #[test]
    fn own_ts_fields_written_after_the_search_are_found() {
        let check = |set: bool, interleaved: &dyn Fn(&Bench)| {
            let bench = bench();
            let scan = bench.all().scan_for_own_ts("test").expect("none there");
            interleaved(&bench);
            let put = bench.all().put_dialect("test", Dialect::Cosmos, Some(&scan));
            assert_eq!(put, Ok(set));
            drop(scan);
            assert!(!bench.all().ts_watches.are_open());
            let again = bench.all().set_dialect("test", Dialect::Cosmos);
            assert_eq!(again.is_ok(), set, "{again:?}");
        };
        let one = rawdoc! { "_id": 2, "_ts": 5 };
        let other = rawdoc! { "_id": 3, "a": { "_ts": 5 } };
        check(true, &|_| ());
        check(true, &|bench| {
            write(bench, "test", &mut |writer, c| writer.insert(c, &other).map(drop));
        });
        check(true, &|bench| {
            write(bench, "else", &mut |writer, c| writer.insert(c, &one).map(drop));
        });
        check(false, &|bench| {
            write(bench, "test", &mut |writer, c| writer.insert(c, &one).map(drop));
        });
        check(false, &|bench| {
            write(bench, "test", &mut |writer, c| {
                let together = writer.insert_batch(c, &[&other, &one])?;
                assert!(together.is_some());
                Ok(())
            });
        });
        check(false, &|bench| {
            let over = rawdoc! { "_id": 1, "_ts": 5 };
            write(bench, "test", &mut |writer, c| writer.replace(c, made(1), &over));
        });
        check(false, &|bench| {
            write(bench, "else", &mut |writer, c| writer.insert(c, &one).map(drop));
            let (from, to) = (namespace("else", "c"), namespace("test", "d"));
            bench.all().rename(&from, &to).expect("renamed");
        });
        check(false, &|bench| {
            let (here, there) = (namespace("test", "c"), namespace("else", "c"));
            bench.all().rename(&here, &there).expect("renamed");
            write(bench, "else", &mut |writer, c| writer.insert(c, &one).map(drop));
            bench.all().rename(&there, &here).expect("renamed back");
        });
    }

    #[test]
    fn collections_that_may_have_ts_fields_are_not_renamed_into_cosmos() {
        let bench = bench();
        bench.all().set_dialect("other", Dialect::Cosmos).expect("set");
        let renamed = bench.all().rename(&namespace("test", "c"), &namespace("other", "c"));
        assert!(
            matches!(renamed, Err(WriteError::Catalog(error)) if error.kind == CatalogErrorKind::IllegalOperation)
        );
        bench.all().set_dialect("test", Dialect::Cosmos).expect("set");
        let renamed = bench.all().rename(&namespace("test", "c"), &namespace("other", "c"));
        assert_eq!(renamed, Ok(()));
    }

    #[test]
    fn an_aborted_write_only_repeats_the_search() {
        let bench = bench();
        let scan = bench.all().scan_for_own_ts("test").expect("none there");
        let given_up = bench.all().write(|writer| {
            let collection = writer.create_if_missing(&namespace("test", "c"))?;
            writer.insert(&collection, &rawdoc! { "_id": 2, "_ts": 5 })?;
            Err::<(), _>(WriteError::BadDocument { message: "on purpose".to_owned() })
        });
        assert!(given_up.is_err());
        let put = bench.all().put_dialect("test", Dialect::Cosmos, Some(&scan));
        assert_eq!(put, Ok(false));
        assert_eq!(bench.all().set_dialect("test", Dialect::Cosmos), Ok(()));
        assert_eq!(bench.all().catalog().dialect("test"), Dialect::Cosmos);
    }
}
