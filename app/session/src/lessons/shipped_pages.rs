//! Every statement of two pages is taught: the MongoDB manual on TTL indexes, and Microsoft's page on
//! data that expires in Azure Cosmos DB's API for MongoDB.

use super::text;

/// A statement, the lesson that teaches it, and what the lesson must contain for that.
type Row = (&'static str, &'static str, &'static [&'static str]);

const MONGODB: &[Row] = &[
    (
        "createIndex on a single field with a date",
        "01-the-threshold",
        &[r#"db.eventlog.createIndex( { "lastModifiedDate": 1 }, { expireAfterSeconds: 3600 } )"#],
    ),
    ("threshold = date + seconds", "01-the-threshold", &["Date + 3600 seconds"]),
    ("the earliest date of an array", "05-earliest-of-an-array", &["the earliest date decides"]),
    ("no date in the field, or no field: never", "07-not-a-date", &["missing", "embedded"]),
    (
        "collMod turns a plain index into a TTL index",
        "11-plain-index-to-ttl",
        &[
            r#"db.runCommand({ "collMod": "tickets", "index": { "keyPattern": { "lastModifiedDate": 1 }, "expireAfterSeconds": 100 } })"#,
        ],
    ),
    ("collMod changes the seconds", "12-seconds-live-in-the-index", &["collMod"]),
    ("createIndex can't change them", "13-what-create-index-refuses", &["85"]),
    ("a background task reads the index and removes", "02-the-pass", &["A background task"]),
    ("its deletes show in currentOp", "35-sixty-seconds-is-no-promise", &["db.currentOp()"]),
    ("the profiler names who writes", "c06-why-not-deleted-traffic", &["db.system.profile"]),
    ("old documents go at the next pass", "10-a-new-rule-and-old-data", &["first pass"]),
    ("removal is not immediate", "02-the-pass", &["It was overdue for"]),
    ("it takes longer under load", "35-sixty-seconds-is-no-promise", &["load = \"1s\""]),
    ("secondaries delete nothing", "40-secondaries-delete-nothing", &["primary", "passes"]),
    ("queries use a TTL index", "15-a-ttl-index-is-an-index", &["IXSCAN"]),
    (
        "compound indexes and _id have no TTL",
        "13-what-create-index-refuses",
        &["{ user: 1, at: 1 }", "{ _id: 1 }"],
    ),
    ("some collections refuse it", "13-what-create-index-refuses", &["capped"]),
    ("a plain index needs collMod", "c03-why-not-deleted-wrong-field", &["85", "collMod"]),
    ("archive instead of delete", "38-keep-instead-of-delete", &["archive"]),
];

const COSMOS: &[Row] = &[
    (
        "an index on _ts switches TTL on",
        "25-ts-is-the-last-write",
        &[r#"db.coll.createIndex({"_ts":1}, {expireAfterSeconds: 10})"#],
    ),
    ("the reply", "25-ts-is-the-last-write", &["CreateIndexesResponse"]),
    ("a document that is not modified for 10 s goes", "26-every-write-restarts", &["write"]),
    ("_ts is the system's, and no client sees it", "25-ts-is-the-last-write", &["never see it"]),
    (
        "a ttl of the document wins, as double, int32 or int64",
        "27-its-own-ttl",
        &[
            r#"db.coll.insert({id:1, location: "Paris", ttl: 20.0})"#,
            r#"db.coll.insert({id:1, location: "Paris", ttl: NumberInt(20)})"#,
            r#"db.coll.insert({id:1, location: "Paris", ttl: NumberLong(20)})"#,
        ],
    ),
    ("only if the collection has the index", "30-ttl-needs-the-index", &["_ts"]),
    (
        "other values are stored and not honored",
        "27-its-own-ttl",
        &[
            r#"db.coll.insert({id:1, location: "Paris", ttl: 20.5}) //TTL value contains non-zero decimal part."#,
            r#"db.coll.insert({id:1, location: "Paris", ttl: NumberLong(2147483649)}) //TTL value is greater than Int32.MaxValue (2,147,483,648)."#,
        ],
    ),
    ("without ttl the collection's value applies", "29-minus-one-is-never", &["ttl"]),
];

#[test]
fn every_statement_of_the_two_pages_is_taught() {
    for (statement, slug, evidence) in MONGODB.iter().chain(COSMOS) {
        let lesson = text(slug).unwrap_or_else(|| panic!("{statement}: there is no {slug}"));
        for part in *evidence {
            assert!(lesson.contains(part), "{statement}: {slug} lacks {part:?}");
        }
    }
}
