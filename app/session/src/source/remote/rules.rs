//! The TTL rules of a collection, as its server lists them.

use std::sync::Arc;
use std::time::Duration;

use bson::{Bson, Document, doc};
use mayfly_engine::clock::{Clock as _, SystemClock};
use mayfly_engine::ttl::Rule;
use mayfly_engine::value::whole;

use super::asking::Asking;
use super::failure::failed;
use super::indexes::Indexes;
use super::known::Listed;
use crate::job::due::TtlIndex;
use crate::job::reply::{batch, is_ok};
use crate::source::Source as _;

/// How long the rules of a collection are believed. A change that goes through this program is known
/// at once.
const BELIEVED: Duration = Duration::from_mins(1);

/// Collections whose rules are kept.
const KEPT_MAX: usize = 100;

/// `IndexNotFound`.
pub(super) const INDEX_NOT_FOUND: i32 = 27;

/// The rules of a collection.
pub(super) fn of(asking: &Asking<'_>) -> Result<Vec<TtlIndex>, Document> {
    Ok(indexes(asking)?.rules.clone())
}

/// The indexes of a collection, and its rules.
pub(super) fn indexes(asking: &Asking<'_>) -> Result<Arc<Indexes>, Document> {
    let place = (asking.db.to_owned(), asking.collection.to_owned());
    let now = SystemClock.monotonic();
    if let Some(listed) = asking.rules.lock().get(&place)
        && !listed.is_old
        && now.saturating_sub(listed.at) < BELIEVED
    {
        return Ok(Arc::clone(&listed.indexes));
    }
    let believed_ms = asking.now_ms();
    let mut found = list(asking)?;
    let mut kept = asking.rules.lock();
    if let Some(before) = kept.get(&place) {
        date_changes(&mut found.rules, before);
    }
    if kept.len() >= KEPT_MAX {
        kept.clear();
    }
    let indexes = Arc::new(found);
    let listed = Listed { at: now, believed_ms, is_old: false, indexes: Arc::clone(&indexes) };
    kept.insert(place, listed);
    Ok(indexes)
}

/// Dates what is new since the rules were listed before.
fn date_changes(rules: &mut [TtlIndex], before: &Listed) {
    for rule in rules {
        let is_same = |other: &&TtlIndex| {
            other.name == rule.name && other.expire_after_secs() == rule.expire_after_secs()
        };
        rule.since_ms = match before.indexes.rules.iter().find(is_same) {
            Some(known) => known.since_ms,
            // No pass has removed anything by a rule before it was listed.
            None => Some(before.believed_ms),
        };
    }
}

fn list(asking: &Asking<'_>) -> Result<Indexes, Document> {
    let reply = asking.run(doc! { "listIndexes": asking.collection });
    if !is_ok(&reply) {
        return Err(reply);
    }
    let listed: Vec<Document> = batch(&reply).cloned().collect();
    let is_clustered = listed.iter().any(|index| index.get_bool("clustered").unwrap_or(false));
    let mut rules: Vec<TtlIndex> = listed.iter().filter_map(TtlIndex::read).collect();
    if is_clustered || rules.is_empty() {
        // A server asks its own rule first, too.
        rules.splice(0..0, own_rule(asking)?);
    }
    Ok(Indexes { rules, listed, is_clustered })
}

/// The rule of a collection that is clustered by `_id`; a server has no TTL index for it.
fn own_rule(asking: &Asking<'_>) -> Result<Option<TtlIndex>, Document> {
    let ask = doc! { "listCollections": 1, "filter": { "name": asking.collection } };
    let reply = asking.run(ask);
    if !is_ok(&reply) {
        return Err(reply);
    }
    let options = batch(&reply).next().and_then(|found| found.get_document("options").ok());
    let Some(options) = options else { return Ok(None) };
    let Some(expire_after_secs) = options.get("expireAfterSeconds").and_then(whole) else {
        return Ok(None);
    };
    if options.contains_key("timeseries") {
        let sentence =
            "A time-series collection expires by the bucket; that is not supported on a server";
        return Err(failed(238, "NotImplemented", sentence));
    }
    let Ok(index) = options.get_document("clusteredIndex") else { return Ok(None) };
    let name = index.get_str("name").unwrap_or("_id_");
    let rule = Rule::ClusteredId { expire_after_secs };
    Ok(Some(TtlIndex::of_rule(name, "_id", rule, None)))
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

#[cfg(test)]
mod tests {
    use super::super::known::KnownRules;
    use super::*;

    fn rule(name: &str, secs: i64) -> TtlIndex {
        let index = doc! { "name": name, "key": { name: 1 }, "expireAfterSeconds": secs };
        TtlIndex::read(&index).expect("a rule")
    }

    #[test]
    fn a_rule_that_was_not_there_before_has_a_date() {
        let mut known = rule("old", 60);
        known.since_ms = Some(3);
        let listed = |is_old| Listed {
            at: Duration::ZERO,
            believed_ms: 5_000,
            is_old,
            indexes: Arc::new(Indexes {
                rules: vec![known.clone(), rule("first", 60), rule("changed", 60)],
                ..Indexes::default()
            }),
        };
        let mut rules = ["old", "first", "changed", "new"].map(|name| rule(name, 60)).to_vec();
        rules[2] = rule("changed", 10);
        date_changes(&mut rules, &listed(false));
        let since: Vec<Option<i64>> = rules.iter().map(|rule| rule.since_ms).collect();
        assert_eq!(since, [Some(3), None, Some(5_000), Some(5_000)]);
        // The first change counts: it may be any of them.
        let known = KnownRules::default();
        known.lock().insert(("d".to_owned(), "c".to_owned()), listed(false));
        known.forget(7_000);
        known.forget(9_000);
        let found = known.lock();
        let listed = found.values().next().expect("it is kept");
        assert_eq!((listed.is_old, listed.believed_ms), (true, 7_000));
    }
}
