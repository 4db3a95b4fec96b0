//! `collMod`.

use std::sync::atomic::Ordering;

use crate::{
    catalog::rules::{
        CollModOutcome, CollModRequest,
        coll_mod::{self, CollModPlan},
    },
    collection::{Collections, WriteError},
    limits::UNIQUE_LOOKS_MAX,
    store::{IndexId, StoreError},
};

/// What the look for values that an index has twice has found.
struct Looked {
    outcome: CollModOutcome,
    /// The index that has none, unless some came since.
    unique: Option<IndexId>,
    /// What [`Collections::unprepared`] said before.
    unprepared: u64,
}

impl Collections {
    /// Changes an index or a collection's own TTL.
    ///
    /// # Errors
    /// When MongoDB's `collMod` refuses the request too, each with its kind; `Busy` when an index that
    /// shall be unique is changed all the time.
    pub fn coll_mod(&self, request: &CollModRequest) -> Result<CollModOutcome, WriteError> {
        for _ in 0..UNIQUE_LOOKS_MAX {
            let looked = self.look_for_twice(request)?;
            if request.dry_run {
                return Ok(looked.outcome);
            }
            if let Some(outcome) = self.put_coll_mod(request, &looked)? {
                return Ok(outcome);
            }
        }
        let what = format!("others change the index of {} meanwhile", request.namespace);
        Err(StoreError::Busy { what }.into())
    }

    /// Checks the request, and the values of an index that it makes unique.
    fn look_for_twice(&self, request: &CollModRequest) -> Result<Looked, WriteError> {
        let mut looked =
            Looked { outcome: self.plan(request)?.outcome, unique: None, unprepared: 0 };
        if looked.outcome.unique_new != Some(true) {
            return Ok(looked);
        }
        if !request.dry_run {
            // Within a transaction: what was changed before it is in the catalog then.
            let now = || self.unprepared.load(Ordering::SeqCst);
            looked.unprepared = self.transact(|_| Ok::<_, WriteError>(now()))?;
        }
        let plan = self.plan(request)?;
        looked.unique = plan.must_be_unique;
        if let Some(index) = plan.must_be_unique {
            self.check_unique(plan.collection.id, index, request.dry_run)?;
        }
        Ok(looked)
    }

    /// Carries the request out. `None`, and nothing has changed, when the index that shall be unique is
    /// another one than was looked at, or took values twice meanwhile.
    fn put_coll_mod(
        &self,
        request: &CollModRequest,
        looked: &Looked,
    ) -> Result<Option<CollModOutcome>, WriteError> {
        self.transact(|writer| {
            let collection = writer.collection(&request.namespace);
            let dialect = writer.catalog().dialect(&request.namespace.db);
            let plan = coll_mod::plan(request, collection.as_deref(), dialect, writer.now_ms())?;
            let has_looked = || {
                let unprepared = self.unprepared.load(Ordering::SeqCst);
                (plan.must_be_unique, unprepared) == (looked.unique, looked.unprepared)
            };
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

    /// What the request comes to, as the catalog is now.
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
        Namespace::new("test", "c").expect("valid")
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
    fn a_value_that_comes_twice_after_the_look_is_not_missed() {
        let check = |is_put: bool, meanwhile: &dyn Fn(&Bench)| {
            let bench = Bench::new();
            insert(&bench, 1);
            create_index(&bench);
            prepare(&bench, true);
            let unique = request(doc! { "unique": true });
            let looked = bench.all().look_for_twice(&unique).expect("no value twice");
            meanwhile(&bench);
            let put = bench.all().put_coll_mod(&unique, &looked).expect("looked at");
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
