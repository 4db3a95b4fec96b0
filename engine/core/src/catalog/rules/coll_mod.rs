//! `collMod`.

use std::sync::Arc;

use bson::{Bson, Document};

use super::{
    coll_mod_options,
    drop_indexes::by_key,
    index_spec::wrong_type,
    numbers::{Whole, safe_bool},
};
use crate::{
    catalog::{
        CatalogError, CatalogErrorKind, CollectionMeta, Dialect, EntryForm, IndexMeta, KeyKind,
        Namespace,
    },
    store::IndexId,
};

/// A `collMod` request. The command refuses fields that Mayfly does not support.
#[derive(Debug, Clone, PartialEq)]
pub struct CollModRequest {
    /// The collection.
    pub namespace: Namespace,
    /// `index` as given.
    pub index: Option<Bson>,
    /// Top-level `expireAfterSeconds` as given.
    pub expire_after_seconds: Option<Bson>,
    /// The other fields, which change neither an index nor a TTL: `validator`, `cappedSize` and so
    /// on.
    pub others: Document,
    /// Check without changing anything.
    pub dry_run: bool,
}

/// The changes for the reply of `collMod`. The reply omits fields that are `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CollModOutcome {
    /// `expireAfterSeconds_old`
    pub expire_after_secs_old: Option<i64>,
    /// `expireAfterSeconds_new`
    pub expire_after_secs_new: Option<i64>,
    /// `hidden_old`
    pub hidden_old: Option<bool>,
    /// `hidden_new`
    pub hidden_new: Option<bool>,
    /// `prepareUnique_old`
    pub prepare_unique_old: Option<bool>,
    /// `prepareUnique_new`
    pub prepare_unique_new: Option<bool>,
    /// `unique_new`
    pub unique_new: Option<bool>,
    /// `forceNonUnique_new`
    pub force_non_unique_new: Option<bool>,
}

/// The effect of a `collMod`.
#[derive(Debug, Clone, PartialEq)]
pub struct CollModPlan {
    pub collection: CollectionMeta,
    /// The index that must not hold duplicates, or the plan must not be applied.
    pub must_be_unique: Option<IndexId>,
    pub outcome: CollModOutcome,
}

/// The fields of `index`, types checked.
#[derive(Debug, Default)]
struct IndexChange<'r> {
    name: Option<&'r str>,
    key: Option<&'r Document>,
    secs: Option<i64>,
    hidden: Option<bool>,
    unique: Option<bool>,
    prepare_unique: Option<bool>,
    force_non_unique: Option<bool>,
}

/// Plans the changes of the request.
///
/// # Errors
/// When MongoDB's `collMod` refuses the request too, each with its kind.
pub fn plan(
    request: &CollModRequest,
    collection: Option<&CollectionMeta>,
    dialect: Dialect,
    now_ms: i64,
) -> Result<CollModPlan, CatalogError> {
    if dialect == Dialect::Cosmos {
        return Err(refused!(
            CommandNotSupported,
            "collMod is not supported in the cosmos dialect; drop and recreate the index"
        ));
    }
    let change = match &request.index {
        None | Some(Bson::Null) => None,
        Some(Bson::Document(index)) => Some(IndexChange::read(index)?),
        Some(other) => return Err(wrong_type("index", "an object", other)),
    };
    let top = request.expire_after_seconds.as_ref().map(read_top).transpose()?;
    let collection = collection.ok_or_else(|| {
        refused!(NamespaceNotFound, "the collection {} does not exist", request.namespace)
    })?;
    if collection.is_view() && (change.is_some() || top.is_some()) {
        return Err(invalid(format!(
            "{} is a view; it has neither indexes nor a TTL",
            request.namespace
        )));
    }
    let mut plan = CollModPlan {
        collection: collection.clone(),
        must_be_unique: None,
        outcome: CollModOutcome::default(),
    };
    if let Some(change) = change {
        change.apply(&mut plan)?;
    }
    if let Some(top) = top {
        apply_top(&mut plan.collection, top, now_ms)?;
    }
    coll_mod_options::apply(&mut plan.collection, &request.others)?;
    Ok(plan)
}

const ALONE: &str = "prepareUnique and forceNonUnique can't be changed together with anything else";

impl<'r> IndexChange<'r> {
    fn read(index: &'r Document) -> Result<Self, CatalogError> {
        let mut change = Self::default();
        for (field, value) in index {
            if *value == Bson::Null {
                continue;
            }
            let flag = || {
                safe_bool(value).map(Some).ok_or_else(|| wrong_type(field, "true or false", value))
            };
            match field.as_str() {
                "name" => {
                    let name =
                        value.as_str().ok_or_else(|| wrong_type(field, "a string", value))?;
                    change.name = Some(name);
                }
                "keyPattern" => {
                    let key = value.as_document();
                    change.key = Some(key.ok_or_else(|| wrong_type(field, "an object", value))?);
                }
                "expireAfterSeconds" => {
                    let whole =
                        Whole::of(value).ok_or_else(|| wrong_type(field, "a number", value))?;
                    change.secs = Some(whole.or_zero());
                }
                "hidden" => change.hidden = flag()?,
                "unique" => change.unique = flag()?,
                "prepareUnique" => change.prepare_unique = flag()?,
                "forceNonUnique" => change.force_non_unique = flag()?,
                _ => {
                    return Err(refused!(
                        UnknownField,
                        "the field 'collMod.index.{field}' is unknown; remove it"
                    ));
                }
            }
        }
        Ok(change)
    }

    fn apply(&self, plan: &mut CollModPlan) -> Result<(), CatalogError> {
        self.check_shape()?;
        let mut index = IndexMeta::clone(self.find(&plan.collection)?);
        self.check_target(&index, &plan.collection)?;
        self.check_prepare_unique(&index)?;
        self.apply_unique(&mut index, plan)?;
        if let Some(secs) = self.secs {
            let secs = secs.min(i64::from(i32::MAX));
            plan.outcome.expire_after_secs_old = index.expire_after_secs;
            plan.outcome.expire_after_secs_new = Some(secs);
            index.expire_after_secs = Some(secs);
        }
        if let Some(hidden) = self.hidden.filter(|hidden| *hidden != index.hidden) {
            plan.outcome.hidden_old = Some(index.hidden);
            plan.outcome.hidden_new = Some(hidden);
            index.hidden = hidden;
        }
        if let Some(prepare) =
            self.prepare_unique.filter(|prepare| *prepare != index.prepare_unique)
        {
            plan.outcome.prepare_unique_old = Some(index.prepare_unique);
            plan.outcome.prepare_unique_new = Some(prepare);
            index.prepare_unique = prepare;
        }
        for slot in &mut plan.collection.indexes {
            if slot.id == index.id {
                *slot = Arc::new(index.clone());
            }
        }
        Ok(())
    }

    fn check_shape(&self) -> Result<(), CatalogError> {
        match (self.name, self.key) {
            (Some(_), Some(_)) => {
                return Err(invalid(
                    "give either the name or the keyPattern of the index, not both",
                ));
            }
            (None, None) => return Err(invalid("give the name or the keyPattern of the index")),
            _ => {}
        }
        let changes = [
            self.secs.is_some(),
            self.hidden.is_some(),
            self.unique.is_some(),
            self.prepare_unique.is_some(),
            self.force_non_unique.is_some(),
        ];
        match changes.iter().filter(|given| **given).count() {
            0 => Err(invalid(
                "give what to change: expireAfterSeconds, hidden, unique, prepareUnique or forceNonUnique",
            )),
            1 => Ok(()),
            _ if self.force_non_unique.is_some() => Err(invalid(ALONE)),
            _ => Ok(()),
        }
    }

    /// `prepareUnique` must be changed alone; setting the current value changes nothing.
    fn check_prepare_unique(&self, index: &IndexMeta) -> Result<(), CatalogError> {
        let changes = self.prepare_unique.is_some_and(|prepare| prepare != index.prepare_unique);
        if changes && (self.secs.is_some() || self.hidden.is_some() || self.unique.is_some()) {
            return Err(invalid(ALONE));
        }
        Ok(())
    }

    fn find<'c>(&self, collection: &'c CollectionMeta) -> Result<&'c Arc<IndexMeta>, CatalogError> {
        let index = match (self.name, self.key) {
            (Some(name), _) => collection.index(name).ok_or_else(|| not_found(name, collection))?,
            (None, Some(key)) => by_key(collection, key)?,
            (None, None) => return Err(not_found("", collection)),
        };
        if index.clustered {
            return Err(if self.hidden.is_some() {
                refused!(ClusteredIndexHide, "the clustered index can't be hidden")
            } else {
                not_found(&index.name, collection)
            });
        }
        Ok(index)
    }

    fn check_target(
        &self,
        index: &IndexMeta,
        collection: &CollectionMeta,
    ) -> Result<(), CatalogError> {
        if self.hidden.is_some() && index.is_id() {
            return Err(refused!(BadValue, "the index on _id can't be hidden"));
        }
        if self.secs.is_some() {
            let refused = if index.is_id() {
                Some("the index on _id does not support expireAfterSeconds")
            } else if index.key.has(KeyKind::Text) {
                Some("a text index does not support expireAfterSeconds")
            } else if index.key.has(KeyKind::Wildcard) {
                Some("a wildcard index does not support expireAfterSeconds")
            } else if index.key.single().is_none() {
                Some("TTL indexes are single-field indexes, compound indexes do not support TTL")
            } else if collection.options.time_series.is_some() {
                Some("an index of a time-series collection can't be changed to a TTL index")
            } else if collection.options.capped.is_some() && collection.options.clustered.is_some()
            {
                Some("a capped clustered collection can't have a TTL index")
            } else {
                None
            };
            refused.map_or(Ok(()), |reason| Err(invalid(reason)))?;
        }
        // On `_ts`, -1 keeps the TTL on without a default.
        let lowest = if index.form == EntryForm::LastModified { -1 } else { 0 };
        match self.secs {
            Some(secs) if secs < lowest => {
                Err(invalid(format!("expireAfterSeconds must be at least {lowest}, but is {secs}")))
            }
            _ => Ok(()),
        }
    }

    fn apply_unique(
        &self,
        index: &mut IndexMeta,
        plan: &mut CollModPlan,
    ) -> Result<(), CatalogError> {
        if self.prepare_unique == Some(true) && index.form != EntryForm::Values {
            return Err(invalid("an index of this kind can't be unique"));
        }
        match self.unique {
            Some(false) => {
                return Err(refused!(
                    BadValue,
                    "unique can only be set to true; use forceNonUnique"
                ));
            }
            Some(true) if !index.unique => {
                // Until then writers accept new duplicates, also while the index is checked.
                if !index.prepare_unique {
                    return Err(invalid("set prepareUnique to true before unique"));
                }
                index.unique = true;
                index.prepare_unique = false;
                plan.must_be_unique = Some(index.id);
                plan.outcome.unique_new = Some(true);
            }
            _ => {}
        }
        match self.force_non_unique {
            Some(false) => Err(refused!(BadValue, "forceNonUnique can only be true")),
            Some(true) if !index.unique || index.is_id() => {
                Err(invalid("forceNonUnique is only for a unique index"))
            }
            Some(true) => {
                index.unique = false;
                plan.outcome.force_non_unique_new = Some(true);
                Ok(())
            }
            None => Ok(()),
        }
    }
}

fn not_found(index: &str, collection: &CollectionMeta) -> CatalogError {
    refused!(IndexNotFound, "cannot find index {index} for ns {}", collection.namespace)
}

/// The top-level value: `None` for `"off"`.
fn read_top(value: &Bson) -> Result<Option<i64>, CatalogError> {
    match value {
        Bson::String(word) if word == "off" => Ok(None),
        Bson::String(word) => Err(invalid(format!(
            "expireAfterSeconds must be a number or \"off\", but is \"{word}\""
        ))),
        other => Whole::of(other)
            .map(|whole| Some(whole.or_zero()))
            .ok_or_else(|| wrong_type("expireAfterSeconds", "a number or \"off\"", other)),
    }
}

fn apply_top(
    collection: &mut CollectionMeta,
    secs: Option<i64>,
    now_ms: i64,
) -> Result<(), CatalogError> {
    let options = &mut collection.options;
    if options.clustered.is_none() && options.time_series.is_none() {
        return Err(invalid(
            "expireAfterSeconds of a collection is only for clustered and time-series collections; \
             create a TTL index instead",
        ));
    }
    if secs.is_none() && options.capped.is_some() {
        return Err(invalid("a capped clustered collection needs expireAfterSeconds"));
    }
    if let Some(secs) = secs {
        check_own_seconds(secs, now_ms)?;
    }
    options.expire_after_secs = secs;
    Ok(())
}

/// Checks a collection's own `expireAfterSeconds`: not negative, and not longer than the time since
/// 1970.
pub(super) fn check_own_seconds(secs: i64, now_ms: i64) -> Result<(), CatalogError> {
    if secs < 0 {
        return Err(invalid(format!("expireAfterSeconds must be at least 0, but is {secs}")));
    }
    if secs.checked_mul(1000).is_none_or(|ms| ms > now_ms) {
        return Err(invalid(format!(
            "expireAfterSeconds is {secs}, which is longer than the time since 1970; choose less"
        )));
    }
    Ok(())
}

fn invalid(message: impl Into<String>) -> CatalogError {
    CatalogError::new(CatalogErrorKind::InvalidOptions, message)
}
