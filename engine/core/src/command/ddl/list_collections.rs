//! `listCollections`.

use bson::{Document, RawDocumentBuf, doc, raw::RawDocument, spec::BinarySubtype};

use crate::{
    catalog::CollectionMeta,
    command::core::{Answer, Command, Context, Cursor, Request, fields},
    query::{Context as QueryContext, Filter, VariableNames},
};

fields! {
    struct ListCollectionsFields<'r> from Request<'r> {
        optional "filter": document => filter Option<&'r RawDocument>,
        optional "nameOnly": bool_or(false) => name_only bool,
        optional "cursor",
        ignored "authorizedCollections": flag,
    }
}

/// `{listCollections: 1, filter, nameOnly, cursor: {batchSize}}`
pub static COMMAND: Command = Command::any("listCollections", ListCollectionsFields::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let ListCollectionsFields { filter, name_only } = ListCollectionsFields::read(request)?;
    // Drivers ask for one by its name before they create it, and the others need not be written
    // down.
    let wanted = filter.and_then(|filter| filter.get_str("name").ok());
    let names = VariableNames::default();
    let filter = filter.map(|filter| Filter::parse_query(filter, &names)).transpose()?;
    let (filter, seen) = (filter.unwrap_or_default(), QueryContext::at(context.now_ms()));
    let batch_size = request.cursor_batch_size()?.unwrap_or(u64::MAX);
    let catalog = context.collections.catalog();
    let mut entries = Vec::new();
    let is_wanted = |name: &str| wanted.is_none_or(|wanted| wanted == name);
    let open = catalog.collections(request.db);
    let open = open.filter(|collection| is_wanted(&collection.namespace.collection));
    let open = open.map(|collection| shown(collection));
    let closed = catalog.closed(request.db).filter(|(name, _)| is_wanted(name));
    let closed = closed.map(|(name, reason)| shown_closed(name, reason.reason()));
    for document in open.chain(closed) {
        let entry = RawDocumentBuf::try_from(&document)?;
        if filter.matches_in(&entry, &seen)? {
            entries.push(if name_only {
                let (name, kind) = (document.get("name"), document.get("type"));
                RawDocumentBuf::try_from(&doc! { "name": name, "type": kind })?
            } else {
                entry
            });
        }
    }
    let ns = format!("{}.$cmd.listCollections", request.db);
    Cursor::ready(ns, entries).first_batch(context, Some(batch_size), false)
}

fn shown(collection: &CollectionMeta) -> Document {
    let mut info = doc! { "readOnly": collection.is_view() };
    if !collection.is_view() {
        let uuid =
            bson::Binary { subtype: BinarySubtype::Uuid, bytes: collection.uuid.bytes().to_vec() };
        info.insert("uuid", uuid);
    }
    let mut entry = doc! {
        "name": &collection.namespace.collection,
        "type": collection.options.type_name(),
        "options": collection.options.to_document(),
        "info": info,
    };
    if let Some(index) = collection.shown_indexes().find(|index| index.is_id()) {
        entry.insert("idIndex", index.to_spec());
    }
    entry
}

/// A collection that can't be used.
fn shown_closed(name: &str, reason: &str) -> Document {
    doc! {
        "name": name,
        "type": "collection",
        "options": {},
        "info": { "readOnly": true, "mayflyClosed": reason },
    }
}

#[cfg(test)]
mod tests {
    use crate::command::testing::Lab;

    #[test]
    fn a_filter_may_have_an_expression() {
        let lab = Lab::new();
        for name in ["a", "bb"] {
            lab.ok(&format!("{{create: '{name}'}}"));
        }
        lab.check(
            "{listCollections: 1, filter: {$expr: {$eq: [{$strLenCP: '$name'}, 2]}}}",
            "{'cursor.firstBatch.0.name': 'bb', '-cursor.firstBatch.1': 1}",
        );
        lab.check("{listCollections: 1, filter: {$expr: {$none: 1}}}", "{code: 168}");
        lab.check("{listCollections: 1, authorizedCollections: 'x'}", "{code: 14}");
    }
}
