//! The verdicts of all TTL rules on one document.

use bson::Bson;

use crate::{
    catalog::CollectionMeta,
    plan::document_with_id,
    reaper::target::Target,
    reply::RuleVerdict,
    store::{Store, StoreError},
    ttl::{self, Expiry},
};

/// The verdict of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The index's name.
    pub index: String,
    /// The path the rule looks at.
    pub field: String,
    /// When and why, or why never.
    pub expiry: Expiry,
}

/// The verdicts of a collection's rules on a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdicts {
    /// One for each rule.
    pub rules: Vec<Verdict>,
    /// The place in `rules` of the one that removes it first.
    pub winner: Option<usize>,
}

/// Asks every rule about the document with this `_id`; `None` if there is no such document.
///
/// # Errors
/// When the store can't be read.
pub fn verdict(
    store: &Store,
    collection: &CollectionMeta,
    targets: &[Target],
    id: &Bson,
) -> Result<Option<Verdicts>, StoreError> {
    let Ok(holder) = bson::RawDocumentBuf::try_from(&bson::doc! { "_id": id.clone() }) else {
        return Ok(None);
    };
    let Ok(Some(id)) = holder.get("_id") else { return Ok(None) };
    store.read(|reader| {
        let Some(stored) = document_with_id(reader, collection, id)? else { return Ok(None) };
        let mut rules = Vec::with_capacity(targets.len());
        for target in targets {
            rules.push(Verdict {
                index: target.name().to_owned(),
                field: target.field().to_owned(),
                expiry: target.expiry(&stored)?,
            });
        }
        let winner = ttl::winner(rules.iter().map(|rule| &rule.expiry));
        Ok(Some(Verdicts { rules, winner }))
    })
}

/// The verdict of a rule, for a reply.
pub fn told(index: &str, field: &str, expiry: &Expiry) -> RuleVerdict {
    let (index, field) = (index.to_owned(), field.to_owned());
    match expiry {
        Expiry::At(deadline) => RuleVerdict {
            expires: true,
            base_ms: Some(deadline.base_ms),
            threshold_ms: Some(deadline.threshold_ms),
            expire_after_secs: Some(deadline.expire_after_secs),
            source: Some(deadline.source.as_str().to_owned()),
            reason: "expires".to_owned(),
            sentence: deadline.sentence(&field),
            index,
            field,
        },
        Expiry::Never(never) => RuleVerdict {
            reason: never.code().to_owned(),
            sentence: never.sentence(&field),
            index,
            field,
            ..RuleVerdict::default()
        },
    }
}
