//! The TTL rules of a collection, as its server lists them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bson::{Bson, Document, doc};
use mayfly_engine::clock::{Clock as _, SystemClock};
use mayfly_engine::ttl::Rule;
use mayfly_engine::value::whole;

use super::asking::Asking;
use super::failure::failed;
use super::read::{batch, is_ok};
use crate::job::due::TtlIndex;

/// How long the rules of a collection are believed. A change that goes through this program is known
/// at once.
const BELIEVED: Duration = Duration::from_mins(1);

/// Collections whose rules are kept.
const KEPT_MAX: usize = 100;

/// `IndexNotFound`.
const INDEX_NOT_FOUND: i32 = 27;

type Place = (String, String);

/// The rules that were listed last.
#[derive(Default)]
pub(super) struct KnownRules(Mutex<HashMap<Place, (Duration, Vec<TtlIndex>)>>);

impl KnownRules {
    /// Something may have changed them.
    pub fn forget(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Place, (Duration, Vec<TtlIndex>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The rules of a collection.
///
/// # Errors
/// The server's reply.
pub(super) fn of(asking: &Asking<'_>) -> Result<Vec<TtlIndex>, Document> {
    let place = (asking.db.to_owned(), asking.collection.to_owned());
    let now = SystemClock.monotonic();
    if let Some((at, known)) = asking.rules.lock().get(&place)
        && now.saturating_sub(*at) < BELIEVED
    {
        return Ok(known.clone());
    }
    let found = list(asking)?;
    let mut kept = asking.rules.lock();
    if kept.len() >= KEPT_MAX {
        kept.clear();
    }
    kept.insert(place, (now, found.clone()));
    Ok(found)
}

fn list(asking: &Asking<'_>) -> Result<Vec<TtlIndex>, Document> {
    let reply = asking.run(doc! { "listIndexes": asking.collection });
    if !is_ok(&reply) {
        return Err(reply);
    }
    let mut rules: Vec<TtlIndex> = batch(&reply).filter_map(TtlIndex::read).collect();
    if rules.is_empty() {
        rules.extend(clustered(asking)?);
    }
    Ok(rules)
}

/// The rule of a collection that is clustered by `_id`; a server has no index for it.
fn clustered(asking: &Asking<'_>) -> Result<Option<TtlIndex>, Document> {
    let ask = doc! { "listCollections": 1, "filter": { "name": asking.collection } };
    let reply = asking.run(ask);
    let options = batch(&reply).next().and_then(|found| found.get_document("options").ok());
    let Some(options) = options else { return Ok(None) };
    let secs = options.get("expireAfterSeconds").and_then(whole);
    if options.contains_key("timeseries") && secs.is_some() {
        let sentence =
            "A time-series collection expires by the bucket; that is not supported on a server";
        return Err(failed(238, "NotImplemented", sentence));
    }
    let rule = |expire_after_secs| {
        TtlIndex::of_rule("_id_", "_id", Rule::ClusteredId { expire_after_secs }, None)
    };
    Ok(secs.filter(|_| options.contains_key("clusteredIndex")).map(rule))
}

/// Those of the rules that a command's `index` names: one name, or several, or all.
///
/// # Errors
/// The reply when there is none of this name.
pub(super) fn chosen(
    mut rules: Vec<TtlIndex>,
    index: Option<&Bson>,
) -> Result<Vec<TtlIndex>, Document> {
    let names: Vec<&str> = match index {
        None => return Ok(rules),
        Some(Bson::Array(names)) => names.iter().filter_map(Bson::as_str).collect(),
        Some(name) => name.as_str().into_iter().collect(),
    };
    let is_unknown = |name: &&&str| !rules.iter().any(|rule| rule.name == **name);
    if let Some(name) = names.iter().find(is_unknown) {
        let sentence = format!("There is no TTL index with the name {name:?}");
        return Err(failed(INDEX_NOT_FOUND, "IndexNotFound", &sentence));
    }
    rules.retain(|rule| names.contains(&rule.name.as_str()));
    Ok(rules)
}
