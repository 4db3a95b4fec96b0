//! The samples of both vendors' documentation in the Rust driver's own idiom.

use std::time::Duration;

use mayfly_tests::{deadline::Deadline, server::Server};
use mongodb::{
    IndexModel, Namespace,
    bson::{Bson, DateTime, Document, doc},
    error::{ErrorKind, WriteFailure},
    options::{
        Collation, CollationStrength, DeleteOneModel, IndexOptions, InsertOneModel, UpdateOneModel,
        WriteModel,
    },
    sync::{Client, Collection, Database},
};

const PATIENCE: Duration = Duration::from_secs(20);

fn passes(admin: &Database) -> i64 {
    let status = admin.run_command(doc! { "serverStatus": 1 }).run().expect("serverStatus");
    let ttl = status.get_document("metrics").and_then(|metrics| metrics.get_document("ttl"));
    ttl.and_then(|ttl| ttl.get_i64("passes")).expect("metrics.ttl.passes")
}

/// Advances time by this many seconds, at least one. Returns after the monitor's own pass at the
/// new time.
fn advance(admin: &Database, seconds: i64) {
    let before = passes(admin);
    let clock = doc! { "mayflyClock": 1, "advanceMS": seconds * 1000 };
    admin.run_command(clock).run().expect("mayflyClock");
    let deadline = Deadline::after(PATIENCE);
    while passes(admin) == before {
        assert!(!deadline.is_over(), "the TTL monitor made no pass");
    }
}

fn ttl_index(key: Document, seconds: u64) -> IndexModel {
    let options = IndexOptions::builder().expire_after(Duration::from_secs(seconds)).build();
    IndexModel::builder().keys(key).options(options).build()
}

fn count(collection: &Collection<Document>) -> u64 {
    collection.count_documents(doc! {}).run().expect("countDocuments")
}

fn cosmos(client: &Client, admin: &Database) {
    let coll = client.database("cosmos").collection::<Document>("coll");
    coll.create_index(ttl_index(doc! { "_ts": 1 }, 10)).run().expect("createIndex");
    let lifetimes: [Bson; 5] =
        [20.0.into(), 20_i32.into(), 20_i64.into(), 20.5.into(), 2_147_483_649_i64.into()];
    for ttl in lifetimes {
        let document = doc! { "id": 1, "location": "Paris", "ttl": ttl };
        coll.insert_one(document).run().expect("insertOne");
    }
    assert_eq!(count(&coll), 5);
    advance(admin, 10);
    assert_eq!(count(&coll), 3);
    advance(admin, 10);
    assert_eq!(count(&coll), 0);
}

fn manual(client: &Client, admin: &Database) {
    let db = client.database("manual");
    let clock = admin.run_command(doc! { "mayflyClock": 1 }).run().expect("mayflyClock");
    let now = *clock.get_datetime("now").expect("now");
    let old = DateTime::from_millis(now.timestamp_millis() - 7_200_000);
    let log = db.collection::<Document>("eventlog");
    let events = [now, old].map(|at| doc! { "lastModifiedDate": at });
    log.insert_many(events).run().expect("insertMany");
    log.create_index(ttl_index(doc! { "lastModifiedDate": 1 }, 3600)).run().expect("createIndex");
    advance(admin, 1);
    assert_eq!(count(&log), 1);
    let tickets = db.collection::<Document>("tickets");
    tickets.insert_one(doc! { "lastModifiedDate": now }).run().expect("insertOne");
    let plain = IndexModel::builder().keys(doc! { "lastModifiedDate": 1 }).build();
    tickets.create_index(plain).run().expect("createIndex");
    let index = doc! { "keyPattern": { "lastModifiedDate": 1 }, "expireAfterSeconds": 100 };
    db.run_command(doc! { "collMod": "tickets", "index": index }).run().expect("collMod");
    advance(admin, 101);
    assert_eq!(count(&tickets), 0);
}

fn everyday(client: &Client) {
    let things = client.database("everyday").collection::<Document>("things");
    let many = (0..300).map(|n| doc! { "_id": n, "group": n % 3 });
    things.insert_many(many).run().expect("insertMany");
    let update = things.update_many(doc! { "group": 1 }, doc! { "$inc": { "n": 1 } });
    assert_eq!(update.run().expect("updateMany").modified_count, 100);
    let found = things.find(doc! { "group": 2 }).batch_size(7).run().expect("find");
    let found: Vec<_> = found.collect::<Result<_, _>>().expect("documents");
    assert_eq!(found.len(), 100);
    let refused = things.insert_one(doc! { "_id": 1 }).run().expect_err("a second _id 1");
    assert!(
        matches!(refused.kind.as_ref(), ErrorKind::Write(WriteFailure::WriteError(error)) if error.code == 11_000),
        "{refused}"
    );
    let compound = ttl_index(doc! { "a": 1, "b": 1 }, 1);
    let refused = things.create_index(compound).run().expect_err("a compound TTL index");
    assert!(
        matches!(refused.kind.as_ref(), ErrorKind::Command(error) if error.code == 67),
        "{refused}"
    );
    things.drop().run().expect("drop");
}

fn collations(client: &Client) {
    let words = client.database("collations").collection::<Document>("words");
    let texts = ["Zebra", "äpfel", "APFEL", "apfel"];
    let documents = (0..).zip(texts).map(|(n, text)| doc! { "_id": n, "w": text });
    words.insert_many(documents).run().expect("insertMany");
    let german = Collation::builder().locale("de").strength(CollationStrength::Primary).build();
    let found = words.find(doc! { "w": "Äpfel" }).collation(german).run().expect("find");
    assert_eq!(found.count(), 3);
    let caseless = Collation::builder().locale("en").strength(CollationStrength::Secondary).build();
    let options = IndexOptions::builder().unique(true).collation(caseless).build();
    let index = IndexModel::builder().keys(doc! { "name": 1 }).options(options).build();
    let users = client.database("collations").collection::<Document>("users");
    users.create_index(index).run().expect("createIndex");
    users.insert_one(doc! { "name": "a" }).run().expect("insertOne");
    let refused = users.insert_one(doc! { "name": "A" }).run().expect_err("a second name");
    assert!(refused.to_string().contains("CollationKey(0x"), "{refused}");
}

fn bulk(client: &Client) {
    let namespace = |name: &str| Namespace::new("bulk", name);
    let insert = |name: &str, id: i32| {
        InsertOneModel::builder().namespace(namespace(name)).document(doc! { "_id": id }).build()
    };
    let update = UpdateOneModel::builder()
        .namespace(namespace("a"))
        .filter(doc! { "_id": 1 })
        .update(doc! { "$set": { "n": 1 } })
        .build();
    let delete = DeleteOneModel::builder().namespace(namespace("b")).filter(doc! { "_id": 1 });
    let models: [WriteModel; 4] =
        [insert("a", 1).into(), insert("b", 1).into(), update.into(), delete.build().into()];
    let done = client.bulk_write(models).verbose_results().run().expect("bulkWrite");
    let counts = (done.summary.inserted_count, done.summary.modified_count);
    assert_eq!((counts, done.summary.deleted_count), ((2, 1), 1));
    assert_eq!(done.insert_results.len(), 2);
    client.bulk_write([insert("a", 1)]).run().expect_err("a second _id 1");
}

#[test]
fn the_rust_driver_runs_the_samples() {
    let server = Server::start(&super::START);
    let client = Client::with_uri_str(&server.uri).expect("a client");
    let admin = client.database("admin");
    admin
        .run_command(doc! { "setParameter": 1, "ttlMonitorSleepSecs": 1 })
        .run()
        .expect("setParameter");
    cosmos(&client, &admin);
    manual(&client, &admin);
    everyday(&client);
    collations(&client);
    bulk(&client);
}
