//! Since when TTL rules remove documents as early as they do.

use std::sync::Arc;

use super::CollectionMeta;
use crate::ttl::Rule;

/// Notes the time in each rule of `after` that is new or removes documents earlier than in
/// `before`, the definition that it replaces.
pub(crate) fn note_since(before: Option<&CollectionMeta>, after: &mut CollectionMeta, now_ms: i64) {
    let rules: Vec<_> = after.ttl_rules().map(|(rule, index)| (rule, index.id)).collect();
    for (rule, id) in rules {
        let known = before.and_then(|before| {
            let mut rules = before.ttl_rules();
            rules.find(|(_, index)| index.id == id).map(|(rule, index)| (rule, index.ttl_since_ms))
        });
        let Some(slot) = after.indexes.iter_mut().find(|index| index.id == id) else { continue };
        let since_ms = match (&known, before) {
            // A document that is due under a later rule was due before, so the rule keeps its time.
            (Some((known, since_ms)), _) if !is_earlier(&rule, known) => *since_ms,
            // Under another name, it is the same rule.
            (None, None) => slot.ttl_since_ms.or(Some(now_ms)),
            _ => Some(now_ms),
        };
        if slot.ttl_since_ms != since_ms {
            Arc::make_mut(slot).ttl_since_ms = since_ms;
        }
    }
}

/// Whether a rule removes any document earlier than the one before it.
fn is_earlier(rule: &Rule, before: &Rule) -> bool {
    match (rule, before) {
        (
            Rule::Date { field, expire_after_secs: secs },
            Rule::Date { field: field_before, expire_after_secs: secs_before },
        ) => field != field_before || secs < secs_before,
        (
            Rule::ClusteredId { expire_after_secs: secs },
            Rule::ClusteredId { expire_after_secs: secs_before },
        ) => secs < secs_before,
        (
            Rule::Bucket { expire_after_secs: secs, span_secs: span },
            Rule::Bucket { expire_after_secs: secs_before, span_secs: span_before },
        ) => secs.saturating_add(*span) < secs_before.saturating_add(*span_before),
        (
            Rule::LastModified { default_secs: secs },
            Rule::LastModified { default_secs: secs_before },
        ) => match (secs, secs_before) {
            (Some(secs), Some(before)) => secs < before,
            (Some(_), None) => true,
            (None, _) => false,
        },
        _ => rule != before,
    }
}
