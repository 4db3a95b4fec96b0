//! `collMod`.

use std::sync::atomic::Ordering;

use crate::{
    catalog::rules::{
        CollModOutcome, CollModRequest,
        coll_mod::{self, CollModPlan},
    },
    collection::{Collections, WriteError},
    limits::UNIQUE_SEARCHES_MAX,
    store::{IndexId, StoreError},
};

/// The result of the search for duplicate values.
struct UniqueCheck {
    outcome: CollModOutcome,
    /// The index that had none, unless some were written since.
    unique: Option<IndexId>,
    /// [`Collections::unprepared`] before the search.
    unprepared: u64,
}

impl Collections {
    /// Changes an index or a collection's own TTL.
    ///
    /// # Errors
    /// Where MongoDB's `collMod` refuses the request too, each with its kind; `Busy` when others
    /// keep changing the index that is to become unique.
    pub fn coll_mod(&self, request: &CollModRequest) -> Result<CollModOutcome, WriteError> {
        for _ in 0..UNIQUE_SEARCHES_MAX {
            let check = self.check_duplicates(request)?;
            // Nothing has become unique.
            if request.dry_run {
                return Ok(CollModOutcome { unique_new: None, ..check.outcome });
            }
            if let Some(outcome) = self.put_coll_mod(request, &check)? {
                return Ok(outcome);
            }
        }
        let what = format!("other clients are changing the indexes of {}", request.namespace);
        Err(StoreError::Busy { what }.into())
    }

    /// Checks the request, and the values of an index that it makes unique.
    fn check_duplicates(&self, request: &CollModRequest) -> Result<UniqueCheck, WriteError> {
        let mut check =
            UniqueCheck { outcome: self.plan(request)?.outcome, unique: None, unprepared: 0 };
        if check.outcome.unique_new != Some(true) {
            return Ok(check);
        }
        if !request.dry_run {
            // Read within a transaction, so the catalog contains every change made before it.
            let now = || self.unprepared.load(Ordering::SeqCst);
            check.unprepared = self.transact(|_| Ok::<_, WriteError>(now()))?;
        }
        let plan = self.plan(request)?;
        check.unique = plan.must_be_unique;
        if let Some(index) = plan.must_be_unique {
            self.check_unique(plan.collection.id, index, request.dry_run)?;
        }
        Ok(check)
    }

    /// Applies the request. `None`, without a change, when the check no longer counts.
    fn put_coll_mod(
        &self,
        request: &CollModRequest,
        check: &UniqueCheck,
    ) -> Result<Option<CollModOutcome>, WriteError> {
        self.transact(|writer| {
            let collection = writer.collection(&request.namespace);
            let dialect = writer.catalog().dialect(&request.namespace.db);
            let plan = coll_mod::plan(request, collection.as_deref(), dialect, writer.now_ms())?;
            let has_looked = || {
                let unprepared = self.unprepared.load(Ordering::SeqCst);
                (plan.must_be_unique, unprepared) == (check.unique, check.unprepared)
            };
            // The index may be another one than was checked, or may have accepted duplicates since.
            if plan.must_be_unique.is_some() && !has_looked() {
                return Ok(None);
            }
            if plan.outcome.prepare_unique_new == Some(false) {
                self.unprepared.fetch_add(1, Ordering::SeqCst);
            }
            if collection.as_deref() != Some(&plan.collection) {
                writer.txn.put_collection(plan.collection)?;
            }
            Ok(Some(plan.outcome))
        })
    }

    /// The effect of the request on the current catalog.
    fn plan(&self, request: &CollModRequest) -> Result<CollModPlan, WriteError> {
        let catalog = self.catalog();
        let collection = catalog.collection(&request.namespace);
        let dialect = catalog.dialect(&request.namespace.db);
        Ok(coll_mod::plan(request, collection.as_deref(), dialect, self.clock.now_ms())?)
    }
}

#[cfg(test)]
mod tests {
    use bson::{Bson, Document, doc, rawdoc};

    use super::*;
    use crate::{
        catalog::{
            Namespace,
            rules::{CreateIndexesRequest, IndexSelector},
        },
        collection::tests::Bench,
    };

    fn namespace() -> Namespace {
        Namespace::new("test", "c")
    }

    fn request(change: Document) -> CollModRequest {
        let mut index = doc! { "name": "u_1" };
        index.extend(change);
        CollModRequest {
            namespace: namespace(),
            index: Some(Bson::Document(index)),
            expire_after_seconds: None,
            others: Document::new(),
            dry_run: false,
        }
    }

    fn prepare(bench: &Bench, prepare: bool) {
        bench.all().coll_mod(&request(doc! { "prepareUnique": prepare })).expect("changed");
    }

    fn create_index(bench: &Bench) {
        let indexes = vec![doc! { "key": { "u": 1 }, "name": "u_1" }];
        let request =
            CreateIndexesRequest { namespace: namespace(), indexes, ignore_unknown_options: false };
        bench.all().create_indexes(&request, &mut |_| {}).expect("created");
    }

    fn insert(bench: &Bench, id: i32) {
        let inserted = bench.all().write(|writer| {
            let collection = writer.create_if_missing(&namespace())?;
            writer.insert(&collection, &rawdoc! { "_id": id, "u": 1 }).map(drop)
        });
        inserted.expect("inserted");
    }

    #[test]
    fn duplicates_written_after_the_search_are_found() {
        let check = |is_put: bool, interleaved: &dyn Fn(&Bench)| {
            let bench = Bench::new();
            insert(&bench, 1);
            create_index(&bench);
            prepare(&bench, true);
            let unique = request(doc! { "unique": true });
            let check = bench.all().check_duplicates(&unique).expect("no value twice");
            interleaved(&bench);
            let put = bench.all().put_coll_mod(&unique, &check).expect("checked");
            assert_eq!(put.is_some(), is_put);
            if !is_put {
                let refused = bench.all().coll_mod(&unique);
                assert!(matches!(refused, Err(WriteError::NotUnique { .. })), "{refused:?}");
            }
        };
        check(true, &|_| ());
        check(false, &|bench| {
            prepare(bench, false);
            insert(bench, 2);
            prepare(bench, true);
        });
        check(false, &|bench| {
            let dropped = IndexSelector::Names(vec!["u_1".to_owned()]);
            bench.all().drop_indexes(&namespace(), &dropped).expect("dropped");
            insert(bench, 2);
            create_index(bench);
            prepare(bench, true);
        });
    }
}
