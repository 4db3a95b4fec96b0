//! `listDatabases`.

use bson::{Bson, RawDocumentBuf, doc, raw::RawDocument};

use crate::{
    catalog::SERVER_DATABASES,
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
        let mut names: Vec<&str> = catalog.databases().collect();
        // Programs that connect look for a server's own databases, as a sign that it is one. The
        // window lists what is stored.
        if request.client.connection_id != 0 {
            names.extend(SERVER_DATABASES);
            names.sort_unstable();
            names.dedup();
        }
        for db in names {
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

#[cfg(test)]
mod tests {
    use bson::{Document, rawdoc};

    use crate::command::{Client, testing::Lab};

    #[test]
    fn programs_that_connect_find_the_databases_of_a_server() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1}]}");
        let client = Client::of_connection(7, "127.0.0.1:4242".to_owned());
        let list = rawdoc! { "listDatabases": 1, "nameOnly": true };
        let listed = lab.engine.run_for(&client, "admin", &list);
        let listed = Document::try_from(listed).expect("a document");
        let names: Vec<Document> =
            ["admin", "config", "local", "test"].map(|name| bson::doc! { "name": name }).into();
        assert_eq!(listed.get("databases"), Some(&names.into()), "{listed}");
        let one = rawdoc! { "listDatabases": 1, "filter": { "name": "admin" } };
        let one = Document::try_from(lab.engine.run_for(&client, "admin", &one)).expect("sound");
        let admin = bson::doc! { "name": "admin", "sizeOnDisk": 0_i64, "empty": true };
        assert_eq!(one.get_array("databases").ok(), Some(&vec![admin.into()]), "{one}");
        // The window lists what is stored.
        lab.check("{listDatabases: 1, nameOnly: true}", "{databases: [{name: 'test'}]}");
        let dropped = lab.engine.run("admin", &bson::doc! { "dropDatabase": 1 });
        assert_eq!(dropped.get_i32("code").ok(), Some(20), "{dropped}");
    }
}
