//! `listDatabases`.

use bson::{Bson, RawDocumentBuf, doc, raw::RawDocument};

use crate::{
    command::core::{Answer, Command, Context, Request, fields, raw},
    query::Filter,
    store::StoreError,
};

fields! {
    struct ListDatabasesFields<'r> from Request<'r> {
        optional "filter": document => filter Option<&'r RawDocument>,
        optional "nameOnly": flag => name_only bool,
        ignored "authorizedDatabases",
    }
}

/// `{listDatabases: 1, filter, nameOnly}`
pub static COMMAND: Command = Command::admin("listDatabases", ListDatabasesFields::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let ListDatabasesFields { filter, name_only } = ListDatabasesFields::read(request)?;
    let filter = filter.map(Filter::parse).transpose()?.unwrap_or_default();
    let (mut databases, mut total) = (Vec::new(), 0);
    context.read(|reader, catalog| {
        for db in catalog.databases() {
            let (mut bytes, mut is_empty) = (0_u64, true);
            for collection in catalog.collections(db) {
                // A damaged counter must not hide the databases.
                let counters = StoreError::unless_damaged(reader.counters(collection.id.0))?;
                let known = counters.map(|counters| counters.bytes);
                is_empty &= known == Some(0);
                bytes = bytes.saturating_add(known.unwrap_or(0));
            }
            let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
            let entry = doc! { "name": db, "sizeOnDisk": bytes, "empty": is_empty };
            if filter.matches(&RawDocumentBuf::try_from(&entry)?)? {
                total += bytes;
                databases.push(if name_only {
                    doc! { "name": db }
                } else {
                    entry
                });
            }
        }
        Ok(())
    })?;
    let mut reply = doc! { "databases": Bson::from(databases) };
    if !name_only {
        reply.insert("totalSize", total);
        reply.insert("totalSizeMb", total / 1_048_576);
    }
    raw(&reply)
}
