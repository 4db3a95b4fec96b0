//! `collMod`: changes an index or a collection's own TTL in place.

use bson::{Bson, Document};

use super::view_definition;
use crate::{
    catalog::{Dialect, rules::CollModRequest},
    command::core::{
        Answer, Command, CommandError, Context, Field, Request, field::Support, fields,
        not_in_cosmos, raw,
    },
};

fields! {
    struct CollModFields from Request<'_> {
        optional "index": value => index Option<Bson>,
        optional "expireAfterSeconds": value => expire_after_seconds Option<Bson>,
        optional "dryRun": flag => dry_run bool,
        unsupported "collectionUUID",
        optional "validator",
        optional "validationLevel",
        optional "validationAction",
        optional "viewOn",
        optional "pipeline",
        unsupported "changeStreamPreAndPostImages",
        optional "timeseries",
        optional "cappedSize",
        optional "cappedMax",
    }
}

/// `{collMod: collection, index: {…}, expireAfterSeconds, dryRun}`
pub static COMMAND: Command = Command::any("collMod", CollModFields::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    // Cosmos DB doesn't have the command (115).
    if context.collections.catalog().dialect(&namespace.db) == Dialect::Cosmos {
        return Err(not_in_cosmos("collMod", "drop the index and create it again"));
    }
    let others = others(request)?;
    let catalog = context.collections.catalog();
    if catalog.collection(&namespace).is_some_and(|collection| collection.is_view()) {
        view_definition::check(context, &namespace, &others)?;
    }
    let CollModFields { index, expire_after_seconds, dry_run } = CollModFields::read(request)?;
    let wanted = CollModRequest { namespace, index, expire_after_seconds, others, dry_run };
    let outcome = context.collections.coll_mod(&wanted)?;
    let mut reply = Document::new();
    let fields: [(&str, Option<Bson>); 8] = [
        ("expireAfterSeconds_old", outcome.expire_after_secs_old.map(Bson::from)),
        ("expireAfterSeconds_new", outcome.expire_after_secs_new.map(Bson::from)),
        ("hidden_old", outcome.hidden_old.map(Bson::from)),
        ("hidden_new", outcome.hidden_new.map(Bson::from)),
        ("prepareUnique_old", outcome.prepare_unique_old.map(Bson::from)),
        ("prepareUnique_new", outcome.prepare_unique_new.map(Bson::from)),
        ("unique_new", outcome.unique_new.map(Bson::from)),
        ("forceNonUnique_new", outcome.force_non_unique_new.map(Bson::from)),
    ];
    reply.extend(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    raw(&reply)
}

/// The fields that change neither an index nor a TTL.
fn others(request: &Request<'_>) -> Result<Document, CommandError> {
    let is_other = |field: &&Field| {
        let is_read = matches!(field.name, "index" | "expireAfterSeconds" | "dryRun");
        field.support == Support::Optional && !is_read
    };
    let mut others = Document::new();
    for Field { name, .. } in CollModFields::FIELDS.iter().filter(is_other) {
        if let Some(value) = request.value(name)?.filter(|value| *value != Bson::Null) {
            others.insert(*name, value);
        }
    }
    Ok(others)
}
