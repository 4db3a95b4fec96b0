//! `mayflyWhatIf`: what a TTL rule would do, before it is made. Writes nothing.

use std::sync::Arc;

use bson::{Document, doc};

use super::{
    context::Context,
    error::{Answer, Code, CommandError},
    field::required,
    mayfly_forecast::collection_of,
    mayfly_reap::long,
    request::{Request, missing_field},
    run::raw,
    table::{Command, Scope},
};
use crate::{
    catalog::{CollectionMeta, Dialect, IndexKey, IndexMeta},
    reaper::{WhatIfRule, what_if},
    ttl::Rule,
};

/// `{mayflyWhatIf: coll, index: {keyPattern | name, expireAfterSeconds}}`
///
/// `damaged` of the `total` are in none of the other counts.
pub static COMMAND: Command = Command {
    name: "mayflyWhatIf",
    aliases: &[],
    scope: Scope::Any,
    fields: &[required("index")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let collection = collection_of(context, request)?;
    let Some(index) = request.document("index")? else {
        return Err(missing_field(request.name, "index"));
    };
    let index = request.within(index);
    let Some(secs) = index.integer("expireAfterSeconds")? else {
        return Err(missing_field("mayflyWhatIf.index", "expireAfterSeconds"));
    };
    let dialect = context.collections.catalog().dialect(request.db);
    let rule = rule(&collection, dialect, &index, secs)?;
    let found = what_if(context.collections.store(), &collection, &rule, context.now_ms())?;
    let never: Document = found
        .never
        .into_iter()
        .map(|(code, count)| (code.to_owned(), long(count).into()))
        .collect();
    raw(&doc! {
        "total": long(found.total),
        "damaged": long(found.damaged),
        "overdueNow": long(found.overdue_now),
        "nextHour": long(found.next_hour),
        "nextDay": long(found.next_day),
        "never": never,
    })
}

/// The rule of the named index with these seconds, or of an index that does not exist yet.
fn rule(
    collection: &CollectionMeta,
    dialect: Dialect,
    index: &Request<'_>,
    secs: i64,
) -> Result<WhatIfRule, CommandError> {
    let (found, pattern) = match (index.text("name")?, index.document("keyPattern")?) {
        (Some(name), None) => (collection.index(name), None),
        (None, Some(pattern)) => {
            let pattern = Document::try_from(pattern)?;
            (by_pattern(collection, &pattern), Some(pattern))
        }
        _ => {
            return Err(CommandError::new(
                Code::INVALID_OPTIONS,
                "index must have either name or keyPattern",
            ));
        }
    };
    match (found, pattern) {
        (Some(index), _) => Ok(WhatIfRule::of_index(index, secs)),
        (None, Some(pattern)) => {
            Ok(WhatIfRule { rule: new_rule(&pattern, dialect, secs)?, partial: None })
        }
        (None, None) => Err(CommandError::new(
            Code::INDEX_NOT_FOUND,
            format!("{} has no such index", collection.namespace),
        )),
    }
}

fn by_pattern<'c>(
    collection: &'c CollectionMeta,
    pattern: &Document,
) -> Option<&'c Arc<IndexMeta>> {
    collection.indexes.iter().find(|index| index.key.same_pattern(pattern))
}

/// The rule of a new index on one field.
fn new_rule(pattern: &Document, dialect: Dialect, secs: i64) -> Result<Rule, CommandError> {
    let key = IndexKey::read(pattern);
    let part =
        key.as_ref().and_then(|key| key.single()).filter(|part| part.kind.direction().is_some());
    let Some(part) = part else {
        return Err(CommandError::new(
            Code::CANNOT_CREATE_INDEX,
            "TTL indexes are single-field indexes; name one field with 1 or -1",
        ));
    };
    let is_last_modified = part.path.as_str() == "_ts" && dialect.has_last_modified_index();
    if dialect == Dialect::Cosmos && (!is_last_modified || secs == 0) {
        return Err(CommandError::new(
            Code::BAD_VALUE,
            "The 'expireAfterSeconds' option is supported on '_ts' field only, as -1 or from 1 to \
             2147483647",
        ));
    }
    let lowest = if is_last_modified { -1 } else { 0 };
    if !(lowest..=i64::from(i32::MAX)).contains(&secs) {
        return Err(CommandError::new(
            Code::CANNOT_CREATE_INDEX,
            format!("expireAfterSeconds must be from {lowest} to {}", i32::MAX),
        ));
    }
    if is_last_modified {
        return Ok(Rule::LastModified { default_secs: (secs >= 0).then_some(secs) });
    }
    Ok(Rule::Date { field: part.path.clone(), expire_after_secs: secs })
}
