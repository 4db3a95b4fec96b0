//! Tables for the rules of indexes, `collMod` and `create`.

use std::sync::Arc;

use bson::{Bson, DateTime, Document, Uuid, bson, doc};

use super::{
    CollModRequest, CreateIndexesRequest, IndexSelector, coll_mod, create, create_indexes,
    drop_indexes, id_index,
};
use crate::{
    catalog::{
        CatalogErrorKind as Kind, CollectionMeta, CollectionOptions, Dialect, Namespace, record,
    },
    query::Code,
    store::{CollectionId, IndexId},
};

const NOW_MS: i64 = 1_704_067_200_000;

fn namespace() -> Namespace {
    Namespace::new("test", "c")
}

fn collection(options: &Document) -> CollectionMeta {
    let options = create::options(options, NOW_MS).expect("valid options");
    let clustered = options.clustered.as_ref().map(|clustered| clustered.name.clone());
    CollectionMeta {
        id: CollectionId(1),
        uuid: Uuid::from_bytes([7; 16]),
        namespace: namespace(),
        options,
        indexes: vec![Arc::new(id_index(IndexId(2), clustered.as_deref()))],
    }
}

fn with(mut collection: CollectionMeta, specs: &[Document], dialect: Dialect) -> CollectionMeta {
    let request = CreateIndexesRequest {
        namespace: namespace(),
        indexes: specs.to_vec(),
        ignore_unknown_options: false,
    };
    for mut index in
        create_indexes::plan(&request, &collection, dialect).expect("valid indexes").new
    {
        index.id = IndexId(u32::try_from(collection.indexes.len()).expect("few") + 2);
        collection.indexes.push(Arc::new(index));
    }
    collection
}

/// The number of new indexes, or the error kind.
fn planned(on: &CollectionMeta, spec: &Document, dialect: Dialect) -> Result<usize, Kind> {
    let request = CreateIndexesRequest {
        namespace: namespace(),
        indexes: vec![spec.clone()],
        ignore_unknown_options: false,
    };
    let new = create_indexes::plan(&request, on, dialect).map_err(|error| error.kind)?.new;
    for index in &new {
        // The planned definition survives storing.
        let mut stored = on.clone();
        stored.indexes.push(Arc::new(index.clone()));
        let bytes = record::write(&stored).expect("writable");
        assert_eq!(record::read("test", "c", &bytes), Ok(stored), "{spec}");
    }
    Ok(new.len())
}

fn decimal(text: &str) -> Bson {
    Bson::Decimal128(text.parse().expect("decimal"))
}

#[test]
fn expire_after_seconds_of_create_indexes() {
    let check = |value: Bson, expected: Result<i64, Kind>| {
        let spec = doc! { "key": { "d": 1 }, "name": "ttl", "expireAfterSeconds": value.clone() };
        let request = CreateIndexesRequest {
            namespace: namespace(),
            indexes: vec![spec],
            ignore_unknown_options: false,
        };
        let found = create_indexes::plan(&request, &collection(&doc! {}), Dialect::Open)
            .map(|plan| plan.new.first().and_then(|index| index.expire_after_secs).expect("a TTL"))
            .map_err(|error| error.kind);
        assert_eq!(found, expected, "{value:?}");
    };
    let refused = Err(Kind::CannotCreateIndex);
    check(bson!(0), Ok(0));
    check(bson!(3600), Ok(3600));
    check(bson!(3600.0), Ok(3600));
    check(bson!(10000.7), Ok(10000));
    check(bson!(4.5), Ok(4));
    check(bson!(-0.0), Ok(0));
    check(bson!(-0.5), Ok(0));
    check(Bson::Int64(3600), Ok(3600));
    check(Bson::Int64(2_147_483_647), Ok(2_147_483_647));
    check(bson!(2_147_483_646), Ok(2_147_483_646));
    check(decimal("3600.5"), Ok(3600));
    check(decimal("-0"), Ok(0));
    check(bson!(-1), refused);
    check(decimal("-1"), refused);
    check(bson!(i32::MIN), refused);
    check(bson!(f64::NAN), refused);
    check(decimal("NaN"), refused);
    check(bson!(f64::INFINITY), refused);
    check(bson!(f64::NEG_INFINITY), refused);
    check(decimal("Infinity"), refused);
    check(Bson::Int64(2_147_483_648), refused);
    check(Bson::Int64(i64::MAX), refused);
    check(decimal("10002147483648"), refused);
    check(bson!(9.223_372_036_854_776e18), refused);
    check(bson!("1"), refused);
    check(Bson::Null, refused);
    check(bson!(true), refused);
    check(bson!({}), refused);
    check(bson!([]), refused);
    check(Bson::DateTime(DateTime::from_millis(0)), refused);
    check(Bson::MinKey, refused);
}

#[test]
fn texts_of_refused_seconds() {
    let check = |value: Bson, words: &[&str]| {
        let request = CreateIndexesRequest {
            namespace: namespace(),
            indexes: vec![doc! { "key": { "x": 1 }, "name": "x_1", "expireAfterSeconds": value }],
            ignore_unknown_options: false,
        };
        let error = create_indexes::plan(&request, &collection(&doc! {}), Dialect::Open)
            .expect_err("refused");
        for word in words {
            assert!(error.message.contains(word), "{}", error.message);
        }
    };
    check(bson!(-1), &["expireAfterSeconds", "less than 0"]);
    check(Bson::Int64(2_147_483_648), &["expireAfterSeconds", "32-bit integer"]);
    check(bson!("1"), &["must be numeric", "'string"]);
    check(bson!(f64::NAN), &["must not be NaN"]);
}

#[test]
fn shapes_of_specifications() {
    let check = |spec: Document, expected: Result<usize, Kind>| {
        let found = planned(&collection(&doc! {}), &spec, Dialect::Open);
        assert_eq!(found, expected, "{spec}");
    };
    let ttl = |key: Document| doc! { "key": key, "name": "n", "expireAfterSeconds": 10 };
    let refused = Err(Kind::CannotCreateIndex);
    let invalid = Err(Kind::InvalidIndexSpecificationOption);
    check(ttl(doc! { "d": 1 }), Ok(1));
    check(ttl(doc! { "d": -1 }), Ok(1));
    check(ttl(doc! { "a.b": 1 }), Ok(1));
    check(ttl(doc! { "d": "2d" }), Ok(1));
    check(ttl(doc! { "d": "2dsphere" }), Ok(1));
    check(ttl(doc! { "d": "hashed" }), Ok(1));
    check(ttl(doc! { "d": "text" }), Ok(1));
    check(ttl(doc! { "a": 1, "b": 1 }), refused);
    check(ttl(doc! { "_id": 1, "x": 1 }), refused);
    check(ttl(doc! { "$**": 1 }), refused);
    check(ttl(doc! { "a.$**": 1 }), refused);
    check(ttl(doc! { "_id": 1 }), invalid);
    check(ttl(doc! { "_id": -1 }), invalid);
    check(doc! { "key": { "_id": 1 }, "name": "x" }, Ok(0));
    check(doc! { "key": { "_id": -1 }, "name": "x" }, Err(Kind::BadValue));
    check(doc! { "key": { "$**": 1 }, "name": "w" }, Ok(1));
    check(doc! { "key": { "a": 1 } }, Err(Kind::FailedToParse));
    check(doc! { "name": "n" }, Err(Kind::FailedToParse));
    check(doc! { "key": { "a": 1 }, "name": "" }, refused);
    check(doc! { "key": {}, "name": "n" }, refused);
    check(doc! { "key": { "a": 0 }, "name": "n" }, refused);
    check(doc! { "key": { "a": f64::NAN }, "name": "n" }, refused);
    check(doc! { "key": { "a": "other" }, "name": "n" }, refused);
    check(doc! { "key": { "": 1 }, "name": "n" }, refused);
    check(doc! { "key": { "a..b": 1 }, "name": "n" }, refused);
    check(doc! { "key": { "$a": 1 }, "name": "n" }, refused);
    check(doc! { "key": { "a": 1 }, "name": "*" }, Err(Kind::BadValue));
    check(doc! { "key": { "a": 1 }, "name": 1 }, Err(Kind::TypeMismatch));
    check(doc! { "key": 1, "name": "n" }, Err(Kind::TypeMismatch));
    check(doc! { "key": { "a": 1 }, "name": "n", "invalidField": 1 }, invalid);
    check(doc! { "key": { "a": 1 }, "name": "n", "expireafterseconds": 5 }, invalid);
    check(doc! { "key": { "a": 1 }, "name": "n", "sparse": true, "expireAfterSeconds": 5 }, Ok(1));
    check(doc! { "key": { "a": 1 }, "name": "n", "unique": true, "hidden": true }, Ok(1));
    check(doc! { "key": { "a": "hashed" }, "name": "n", "unique": true }, Err(Kind::HashedUnique));
    check(doc! { "key": { "a": 1 }, "name": "n", "partialFilterExpression": { "s": "x" } }, Ok(1));
    check(
        doc! { "key": { "a": 1 }, "name": "n", "partialFilterExpression": { "s": { "$ne": 1 } } },
        refused,
    );
    check(
        doc! { "key": { "a": 1 }, "name": "n", "partialFilterExpression": 1 },
        Err(Kind::TypeMismatch),
    );
    let collated = |key: Document, collation: Bson, expected| {
        check(doc! { "key": key, "name": "n", "collation": collation }, expected);
    };
    let german = || bson!({ "locale": "de" });
    collated(doc! { "a": 1 }, german(), Ok(1));
    collated(doc! { "a": "hashed" }, german(), Ok(1));
    collated(doc! { "a": 1 }, bson!({}), Err(Kind::BadValue));
    collated(doc! { "a": 1 }, bson!("de"), Err(Kind::TypeMismatch));
    collated(doc! { "a": 1 }, bson!({ "locale": "xx" }), Err(Kind::Filter(Code::BAD_VALUE)));
    collated(doc! { "a": "text" }, german(), refused);
    collated(doc! { "a": "2d" }, german(), refused);
    collated(doc! { "a": "text" }, bson!({ "locale": "simple" }), Ok(1));
    check(doc! { "key": { "a": 1 }, "name": "n", "v": 1, "collation": german() }, refused);
    check(doc! { "key": { "_ts": 1 }, "name": "n", "expireAfterSeconds": -1 }, Ok(1));
}

#[test]
fn special_keys_and_their_options() {
    let with_options = |key: Document, options: Document, expected: Result<usize, Kind>| {
        let mut spec = doc! { "key": key, "name": "n" };
        spec.extend(options);
        assert_eq!(planned(&collection(&doc! {}), &spec, Dialect::Mongodb), expected, "{spec}");
    };
    let check = |key: Document, expected| with_options(key, doc! {}, expected);
    let refused = Err(Kind::CannotCreateIndex);
    let fields = |count: i32| (0..count).map(|n| (format!("f{n}"), Bson::Int32(1))).collect();
    check(fields(32), Ok(1));
    check(fields(33), Err(Kind::KeyFields));
    check(doc! { "a": "hashed", "b": "hashed" }, Err(Kind::HashedTwice));
    check(doc! { "a": "wildcard" }, Err(Kind::WildcardWord));
    check(doc! { "$**": "wildcard" }, refused);
    check(doc! { "$**": "hashed" }, refused);
    check(doc! { "$**": "text" }, Ok(1));
    check(doc! { "$**": 1, "a.$**": 1 }, Err(Kind::WildcardTwice));
    check(doc! { "$**": 1, "a": 1 }, refused);
    check(doc! { "a.$**": 1, "a.b": 1 }, refused);
    check(doc! { "a.$**": 1, "b": 1 }, Ok(1));
    with_options(doc! { "$**": 1 }, doc! { "sparse": true }, refused);
    with_options(doc! { "$**": 1 }, doc! { "v": 1 }, refused);
    with_options(doc! { "a": "text" }, doc! { "weights": { "a": 0 } }, refused);
    with_options(doc! { "a": "text" }, doc! { "weights": { "a": 99_999 } }, Ok(1));
    with_options(doc! { "a": "text" }, doc! { "weights": { "a": 100_000 } }, refused);
    let project = |key: Document, projection: Document, expected| {
        with_options(key, doc! { "wildcardProjection": projection }, expected);
    };
    project(doc! { "$**": 1 }, doc! { "a": 1, "_id": 0 }, Ok(1));
    project(doc! { "$**": 1 }, doc! { "a": 1, "b": 0 }, Err(Kind::ExclusionInInclusion));
    project(doc! { "$**": 1 }, doc! { "a": 0, "b": 1 }, Err(Kind::InclusionInExclusion));
    project(doc! { "$**": 1 }, doc! { "a": "1" }, Err(Kind::ProjectionComputed));
    project(doc! { "a.$**": 1 }, doc! { "b": 1 }, Err(Kind::FailedToParse));
    project(doc! { "a": 1, "$**": 1 }, doc! { "a": 0 }, Ok(1));
    project(doc! { "a": 1, "$**": 1 }, doc! { "b": 0 }, Err(Kind::WildcardOverlap));
    project(doc! { "a": 1, "$**": 1 }, doc! { "b": 1 }, Ok(1));
    let partial = |filter: Document, kind| {
        let options = doc! { "partialFilterExpression": filter };
        with_options(doc! { "a": 1 }, options, Err(Kind::Filter(kind)));
    };
    partial(doc! { "$and": [] }, Code::BAD_VALUE);
    partial(doc! { "$expr": { "$gt": ["$a", 5] } }, Code::QUERY_FEATURE_NOT_ALLOWED);
    partial(doc! { "$where": "1" }, Code::BAD_VALUE);
    partial(doc! { "a": { "$near": [0, 0] } }, Code::NEAR_NOT_ALLOWED);
}

#[test]
fn unknown_options_can_be_ignored() {
    let spec = doc! { "key": { "x": 1 }, "name": "n", "someField": "v", "expireAfterSeconds": 5 };
    let request = CreateIndexesRequest {
        namespace: namespace(),
        indexes: vec![spec],
        ignore_unknown_options: true,
    };
    let plan = create_indexes::plan(&request, &collection(&doc! {}), Dialect::Open).expect("fine");
    let shown: Vec<_> = plan.new.iter().map(super::super::IndexMeta::to_spec).collect();
    assert_eq!(shown, [doc! { "v": 2, "key": { "x": 1 }, "name": "n", "expireAfterSeconds": 5 }]);
}

#[test]
fn the_cosmos_dialect_expires_on_ts_only() {
    let check = |key: Document, secs: i32, expected: Result<usize, Kind>| {
        let spec = doc! { "key": key, "name": "n", "expireAfterSeconds": secs };
        assert_eq!(planned(&collection(&doc! {}), &spec, Dialect::Cosmos), expected, "{spec}");
    };
    check(doc! { "_ts": 1 }, 10, Ok(1));
    check(doc! { "_ts": 1 }, -1, Ok(1));
    check(doc! { "_ts": 1 }, 0, Err(Kind::BadValue));
    check(doc! { "d": 1 }, 10, Err(Kind::BadValue));
    check(doc! { "$**": 1 }, 10, Err(Kind::CannotCreateIndex));
    let mongodb = doc! { "key": { "_ts": 1 }, "name": "n", "expireAfterSeconds": -1 };
    let found = planned(&collection(&doc! {}), &mongodb, Dialect::Mongodb);
    assert_eq!(found, Err(Kind::CannotCreateIndex));
}

#[test]
fn conflicts_with_existing_indexes() {
    let check = |existing: Document, requested: Document, expected: Result<usize, Kind>| {
        let on = with(collection(&doc! {}), std::slice::from_ref(&existing), Dialect::Open);
        assert_eq!(planned(&on, &requested, Dialect::Open), expected, "{existing} {requested}");
    };
    let ttl = |name: &str, secs: Bson| {
        doc! { "key": { "d": 1 }, "name": name, "expireAfterSeconds": secs }
    };
    let plain = |name: &str| doc! { "key": { "d": 1 }, "name": name };
    let options = Err(Kind::IndexOptionsConflict);
    let specs = Err(Kind::IndexKeySpecsConflict);
    check(ttl("t", bson!(60)), ttl("t", bson!(60)), Ok(0));
    check(ttl("t", bson!(60)), ttl("t", Bson::Int64(60)), Ok(0));
    check(ttl("t", bson!(60)), ttl("t", bson!(70)), options);
    check(ttl("t", bson!(60)), plain("t"), options);
    check(plain("t"), ttl("t", bson!(60)), options);
    check(plain("t"), ttl("u", bson!(60)), options);
    check(ttl("t", bson!(60)), ttl("u", bson!(60)), options);
    check(ttl("t", bson!(60)), ttl("u", bson!(70)), options);
    check(plain("t"), doc! { "key": { "o": 1 }, "name": "t" }, specs);
    check(plain("t"), doc! { "key": { "d": -1 }, "name": "t" }, specs);
    check(plain("t"), doc! { "key": { "d": 1 }, "name": "t", "unique": true }, specs);
    check(plain("t"), doc! { "key": { "d": 1.0 }, "name": "t" }, Ok(0));
    check(plain("t"), doc! { "key": { "d": -1 }, "name": "u" }, Ok(1));
    check(plain("t"), doc! { "key": { "d": 1 }, "name": "u", "sparse": true }, Ok(1));
    check(plain("t"), doc! { "key": { "d": 1 }, "name": "t", "hidden": true }, options);
    check(plain("t"), doc! { "key": { "d": 1 }, "name": "t", "hidden": false }, Ok(0));
    check(
        plain("t"),
        doc! { "key": { "d": 1 }, "name": "u", "partialFilterExpression": { "a": 1 } },
        Ok(1),
    );
    let partial = |name: &str, filter: Document| {
        doc! { "key": { "d": 1 }, "name": name, "partialFilterExpression": filter }
    };
    let written = doc! { "a": { "$gt": 1 }, "b": "x" };
    let otherwise = doc! { "$and": [{ "b": { "$eq": "x" } }, { "a": { "$gt": 1.0 } }] };
    check(partial("t", written.clone()), partial("t", otherwise.clone()), Ok(0));
    check(partial("t", written.clone()), partial("u", otherwise), options);
    check(partial("t", written), partial("t", doc! { "b": "x" }), specs);
    let text = |name: &str, field: &str| doc! { "key": { field: "text" }, "name": name };
    check(text("t", "a"), text("t", "a"), Ok(0));
    check(text("t", "a"), text("t", "b"), options);
    check(text("t", "a"), text("u", "b"), options);
    check(text("t", "a"), doc! { "key": { "p": 1, "b": "text" }, "name": "u" }, options);
}

#[test]
fn special_collections() {
    let check =
        |options: Document, key: Document, extra: Document, expected: Result<usize, Kind>| {
            let mut spec = doc! { "key": key, "name": "n", "expireAfterSeconds": Bson::Int64(400) };
            spec.extend(extra);
            assert_eq!(
                planned(&collection(&options), &spec, Dialect::Open),
                expected,
                "{options} {spec}"
            );
        };
    let clustered = doc! { "key": { "_id": 1 }, "unique": true };
    let time = doc! { "timeseries": { "timeField": "tm", "metaField": "mm" } };
    let on_meta = doc! { "partialFilterExpression": { "mm": { "$gt": 5 } } };
    let on_data = doc! { "partialFilterExpression": { "data": { "$gt": 5 } } };
    let key = doc! { "a": 1 };
    check(doc! { "capped": true, "size": 4096 }, key.clone(), doc! {}, Ok(1));
    check(doc! { "clusteredIndex": clustered.clone() }, key.clone(), doc! {}, Ok(1));
    check(
        doc! { "clusteredIndex": clustered, "capped": true, "expireAfterSeconds": 10 },
        key.clone(),
        doc! {},
        Err(Kind::CappedClusteredSecondaryTtl),
    );
    check(
        doc! { "viewOn": "c", "pipeline": [] },
        key,
        doc! {},
        Err(Kind::CommandNotSupportedOnView),
    );
    check(time.clone(), doc! { "mm": 1 }, doc! {}, Err(Kind::InvalidOptions));
    check(time.clone(), doc! { "tm": 1 }, on_meta.clone(), Ok(1));
    check(time.clone(), doc! { "tm": 1 }, on_data, Err(Kind::InvalidOptions));
    check(time, doc! { "tm": 1, "mm": 1 }, on_meta, Err(Kind::CannotCreateIndex));
}

#[test]
fn options_of_create() {
    let check = |options: Document, expected: Result<(), Kind>| {
        let found = create::options(&options, NOW_MS).map(drop).map_err(|error| error.kind);
        assert_eq!(found, expected, "{options}");
    };
    let clustered = || doc! { "key": { "_id": 1 }, "unique": true };
    let invalid = Err(Kind::InvalidOptions);
    check(doc! {}, Ok(()));
    check(doc! { "capped": true, "size": 4096, "max": 10 }, Ok(()));
    check(doc! { "capped": true }, invalid);
    check(doc! { "size": 10 }, invalid);
    check(doc! { "capped": true, "size": 4096, "expireAfterSeconds": 3600 }, invalid);
    check(doc! { "expireAfterSeconds": 3600 }, invalid);
    check(doc! { "clusteredIndex": clustered(), "expireAfterSeconds": 3600 }, Ok(()));
    check(doc! { "clusteredIndex": clustered(), "expireAfterSeconds": -1 }, invalid);
    check(doc! { "clusteredIndex": clustered(), "expireAfterSeconds": 9_999_999_999_i64 }, invalid);
    check(
        doc! { "clusteredIndex": clustered(), "expireAfterSeconds": "1" },
        Err(Kind::TypeMismatch),
    );
    check(
        doc! { "clusteredIndex": clustered(), "capped": true },
        Err(Kind::CappedClusteredWithoutTtl),
    );
    check(doc! { "clusteredIndex": clustered(), "expireAfterSeconds": null }, Ok(()));
    check(doc! { "clusteredIndex": true }, Err(Kind::ClusteredLegacy));
    check(doc! { "clusteredIndex": null }, Err(Kind::TypeMismatch));
    check(doc! { "clusteredIndex": { "unique": true } }, Err(Kind::MissingField));
    check(doc! { "clusteredIndex": { "key": 1, "unique": true } }, Err(Kind::TypeMismatch));
    let with = |unique: Bson| doc! { "clusteredIndex": { "key": { "_id": 1 }, "unique": unique } };
    check(with(bson!(false)), Err(Kind::ClusteredNotUnique));
    check(with(bson!("x")), Err(Kind::TypeMismatch));
    check(with(Bson::Null), Err(Kind::MissingField));
    let version = doc! { "key": { "_id": 1 }, "unique": true, "v": 1 };
    check(doc! { "clusteredIndex": version }, Err(Kind::ClusteredVersion));
    check(doc! { "clusteredIndex": clustered(), "viewOn": "a" }, Err(Kind::ClusteredView));
    check(doc! { "clusteredIndex": clustered(), "max": 5 }, Err(Kind::ClusteredMax));
    let sized = doc! { "clusteredIndex": false, "capped": true, "size": 5 };
    check(sized, Err(Kind::ClusteredSize));
    check(
        doc! { "clusteredIndex": { "key": { "a": 1 }, "unique": true } },
        Err(Kind::InvalidIndexSpecificationOption),
    );
    check(doc! { "timeseries": { "timeField": "ts" }, "expireAfterSeconds": f64::NAN }, Ok(()));
    check(doc! { "timeseries": {} }, Err(Kind::MissingField));
    check(doc! { "viewOn": "c", "pipeline": [] }, Ok(()));
    check(doc! { "pipeline": [] }, invalid);
    check(doc! { "viewOn": "c", "capped": true, "size": 10 }, invalid);
    check(doc! { "validator": { "a": 1 } }, Ok(()));
    check(doc! { "validator": { "$bad": 1 } }, Err(Kind::Filter(Code::BAD_VALUE)));
    check(doc! { "validator": {} }, Ok(()));
    check(doc! { "other": 1 }, Err(Kind::UnknownField));
}

#[test]
fn unsupported_options_of_create_are_refused() {
    let check = |field: &str, value: Bson, expected: Result<(), Kind>| {
        let options = doc! { field: value };
        let found = create::options(&options, NOW_MS).map(drop).map_err(|error| error.kind);
        assert_eq!(found, expected, "{options}");
    };
    let (unsupported, wrong_type) = (Err(Kind::CommandNotSupported), Err(Kind::TypeMismatch));
    for field in ["collation", "idIndex", "changeStreamPreAndPostImages", "encryptedFields"] {
        check(field, bson!("de"), wrong_type);
        check(field, Bson::Null, Ok(()));
    }
    check("collation", bson!({ "locale": "simple" }), Ok(()));
    check("collation", bson!({ "locale": "de" }), Ok(()));
    check("collation", bson!({}), Err(Kind::Filter(Code::IDL_FAILED_TO_PARSE)));
    check("collation", bson!({ "locale": "se" }), Err(Kind::Filter(Code::NOT_SUPPORTED)));
    let id_index = |locale: &str| bson!({ "key": { "_id": 1 }, "collation": { "locale": locale } });
    check("idIndex", bson!({ "key": { "_id": 1 }, "name": "_id_" }), Ok(()));
    check("idIndex", id_index("simple"), Ok(()));
    check("idIndex", id_index("de"), Err(Kind::BadValue));
    check("changeStreamPreAndPostImages", bson!({ "enabled": false }), Ok(()));
    check("changeStreamPreAndPostImages", bson!({ "enabled": true }), unsupported);
    check("encryptedFields", bson!({}), Ok(()));
    check("encryptedFields", bson!({ "fields": [] }), unsupported);
}

/// The reply's fields as `old expire, new expire`, or the error kind.
fn modified(on: &CollectionMeta, index: Bson) -> Result<(Option<i64>, Option<i64>), Kind> {
    let request = CollModRequest {
        others: Document::new(),
        namespace: namespace(),
        index: Some(index),
        expire_after_seconds: None,
        dry_run: false,
    };
    let plan = coll_mod::plan(&request, Some(on), Dialect::Open, NOW_MS).map_err(|e| e.kind)?;
    Ok((plan.outcome.expire_after_secs_old, plan.outcome.expire_after_secs_new))
}

#[test]
fn coll_mod_seconds() {
    let on = with(
        collection(&doc! {}),
        &[doc! { "key": { "a": 1 }, "name": "a_ttl", "expireAfterSeconds": 100 }],
        Dialect::Open,
    );
    let check = |value: Bson, expected: Result<i64, Kind>| {
        let found = modified(&on, bson!({ "name": "a_ttl", "expireAfterSeconds": value.clone() }));
        assert_eq!(found, expected.map(|secs| (Some(100), Some(secs))), "{value:?}");
    };
    check(bson!(200), Ok(200));
    check(bson!(100), Ok(100));
    check(decimal("50.5"), Ok(50));
    check(decimal("50.7"), Ok(51));
    check(decimal("51.5"), Ok(52));
    check(bson!(2_147_483_648.0), Ok(2_147_483_647));
    check(bson!(f64::INFINITY), Ok(2_147_483_647));
    check(decimal("Infinity"), Ok(2_147_483_647));
    check(bson!(f64::NAN), Ok(0));
    check(bson!(-0.9), Ok(0));
    check(bson!(-1), Err(Kind::InvalidOptions));
    check(decimal("-1"), Err(Kind::InvalidOptions));
    check(bson!(f64::NEG_INFINITY), Err(Kind::InvalidOptions));
    check(bson!(true), Err(Kind::TypeMismatch));
    check(bson!("1"), Err(Kind::TypeMismatch));
    check(Bson::DateTime(DateTime::from_millis(0)), Err(Kind::TypeMismatch));
    check(Bson::Null, Err(Kind::InvalidOptions));
}

#[test]
fn coll_mod_targets() {
    let on = with(
        collection(&doc! {}),
        &[
            doc! { "key": { "a": 1 }, "name": "a_1" },
            doc! { "key": { "a": 1, "b": 1 }, "name": "ab_1" },
            doc! { "key": { "t": "text" }, "name": "t_text" },
            doc! { "key": { "h": "hashed" }, "name": "h_hashed" },
            doc! { "key": { "$**": 1 }, "name": "w" },
            doc! { "key": { "d": 1 }, "name": "d_1" },
            doc! { "key": { "d": 1 }, "name": "d_sparse", "sparse": true },
        ],
        Dialect::Open,
    );
    let check = |index: Bson, expected: Result<Option<i64>, Kind>| {
        let found = modified(&on, index.clone()).map(|(_, new)| new);
        assert_eq!(found, expected, "{index}");
    };
    let invalid = Err(Kind::InvalidOptions);
    let missing = Err(Kind::IndexNotFound);
    check(bson!({ "keyPattern": { "a": 1 }, "expireAfterSeconds": 100 }), Ok(Some(100)));
    check(bson!({ "name": "h_hashed", "expireAfterSeconds": 100 }), Ok(Some(100)));
    check(bson!({ "name": "ab_1", "expireAfterSeconds": 100 }), invalid);
    check(bson!({ "name": "t_text", "expireAfterSeconds": 100 }), invalid);
    check(bson!({ "name": "w", "expireAfterSeconds": 100 }), invalid);
    check(bson!({ "keyPattern": { "_id": 1 }, "expireAfterSeconds": 100 }), invalid);
    check(bson!({ "keyPattern": { "t": "text" }, "expireAfterSeconds": 100 }), missing);
    check(bson!({ "keyPattern": {}, "expireAfterSeconds": 100 }), missing);
    check(bson!({ "name": "nope", "expireAfterSeconds": 100 }), missing);
    let ambiguous = Err(Kind::AmbiguousIndexKeyPattern);
    check(bson!({ "keyPattern": { "d": 1 }, "expireAfterSeconds": 100 }), ambiguous);
    check(bson!({ "name": "a_1", "keyPattern": { "a": 1 }, "expireAfterSeconds": 5 }), invalid);
    check(bson!({ "expireAfterSeconds": 5 }), invalid);
    check(bson!({ "name": null, "expireAfterSeconds": 5 }), invalid);
    check(bson!({ "keyPattern": { "a": 1 } }), invalid);
    check(bson!({}), invalid);
    check(Bson::Null, Ok(None));
    check(bson!(5), Err(Kind::TypeMismatch));
    check(bson!({ "name": "a_1", "other": 5 }), Err(Kind::UnknownField));
    check(bson!({ "name": "_id_", "hidden": true }), Err(Kind::BadValue));
    check(bson!({ "name": "a_1", "hidden": true }), Ok(None));
    check(bson!({ "name": "a_1", "unique": true }), invalid);
    check(bson!({ "name": "a_1", "unique": false }), Err(Kind::BadValue));
    check(bson!({ "name": "a_1", "prepareUnique": true, "hidden": true }), invalid);
    check(bson!({ "name": "a_1", "prepareUnique": true }), Ok(None));
    check(bson!({ "name": "a_1", "prepareUnique": false, "hidden": true }), Ok(None));
}

#[test]
fn coll_mod_top_level() {
    let check = |options: Document, value: Bson, expected: Result<Option<i64>, Kind>| {
        let on = collection(&options);
        let request = CollModRequest {
            others: Document::new(),
            namespace: namespace(),
            index: None,
            expire_after_seconds: Some(value.clone()),
            dry_run: false,
        };
        let found = coll_mod::plan(&request, Some(&on), Dialect::Open, NOW_MS)
            .map(|plan| plan.collection.options.expire_after_secs)
            .map_err(|error| error.kind);
        assert_eq!(found, expected, "{options} {value:?}");
    };
    let clustered = || doc! { "clusteredIndex": { "key": { "_id": 1 }, "unique": true }, "expireAfterSeconds": 9 };
    let invalid = Err(Kind::InvalidOptions);
    check(clustered(), bson!(7200), Ok(Some(7200)));
    check(clustered(), bson!("off"), Ok(None));
    check(clustered(), bson!(f64::NAN), Ok(Some(0)));
    check(clustered(), bson!("10"), invalid);
    check(clustered(), bson!("OFF"), invalid);
    check(clustered(), bson!(-10), invalid);
    check(clustered(), Bson::Int64(9_223_372_036_854_776), invalid);
    check(clustered(), Bson::Int64(9_999_999_999), invalid);
    check(clustered(), Bson::Null, Err(Kind::TypeMismatch));
    check(clustered(), bson!(true), Err(Kind::TypeMismatch));
    check(doc! {}, bson!(10), invalid);
    check(doc! { "timeseries": { "timeField": "t" } }, bson!(10), Ok(Some(10)));
}

#[test]
fn coll_mod_of_special_collections() {
    let clustered = collection(&doc! { "clusteredIndex": { "key": { "_id": 1 }, "unique": true } });
    let key = bson!({ "keyPattern": { "_id": 1 }, "expireAfterSeconds": 3600 });
    assert_eq!(modified(&clustered, key), Err(Kind::IndexNotFound));
    let hide = bson!({ "keyPattern": { "_id": 1 }, "hidden": true });
    assert_eq!(modified(&clustered, hide), Err(Kind::ClusteredIndexHide));
    let view = collection(&doc! { "viewOn": "c", "pipeline": [] });
    let hide = bson!({ "name": "a_1", "hidden": true });
    assert_eq!(modified(&view, hide.clone()), Err(Kind::InvalidOptions));
    let request = CollModRequest {
        others: Document::new(),
        namespace: namespace(),
        index: Some(hide),
        expire_after_seconds: None,
        dry_run: false,
    };
    let kind = |collection: Option<&CollectionMeta>, dialect| {
        coll_mod::plan(&request, collection, dialect, NOW_MS).expect_err("refused").kind
    };
    assert_eq!(kind(None, Dialect::Open), Kind::NamespaceNotFound);
    assert_eq!(kind(Some(&view), Dialect::Cosmos), Kind::CommandNotSupported);
}

#[test]
fn drops_by_name_by_key_and_all() {
    let specs = [
        doc! { "key": { "a": 1 }, "name": "a_1" },
        doc! { "key": { "b": 1 }, "name": "b_1" },
        doc! { "key": { "b": 1 }, "name": "b_sparse", "sparse": true },
    ];
    let on = with(collection(&doc! {}), &specs, Dialect::Open);
    let check = |on: &CollectionMeta, selector: IndexSelector, expected: Result<usize, Kind>| {
        let found = drop_indexes::plan(on, &selector).map(|dropped| dropped.len());
        assert_eq!(found.map_err(|error| error.kind), expected, "{selector:?}");
    };
    let names =
        |names: &[&str]| IndexSelector::Names(names.iter().map(|&n| n.to_owned()).collect());
    check(&on, IndexSelector::All, Ok(3));
    check(&on, names(&["a_1"]), Ok(1));
    check(&on, names(&["a_1", "b_1"]), Ok(2));
    check(&on, names(&["a_1", "nope"]), Err(Kind::IndexNotFound));
    check(&on, names(&["_id_"]), Err(Kind::InvalidOptions));
    check(&on, IndexSelector::Key(doc! { "a": 1 }), Ok(1));
    check(&on, IndexSelector::Key(doc! { "b": 1 }), Err(Kind::AmbiguousIndexKeyPattern));
    check(&on, IndexSelector::Key(doc! { "z": 1 }), Err(Kind::IndexNotFound));
    let clustered = collection(&doc! { "clusteredIndex": { "key": { "_id": 1 }, "unique": true } });
    check(&clustered, IndexSelector::Key(doc! { "_id": 1 }), Err(Kind::ClusteredIndexDrop));
}

#[test]
fn options_survive_the_disk() {
    let check = |options: Document| {
        let stored = collection(&options);
        let bytes = record::write(&stored).expect("writable");
        assert_eq!(record::read("test", "c", &bytes), Ok(stored), "{options}");
        assert_eq!(
            create::options(&options, NOW_MS)
                .map(|made: CollectionOptions| made == CollectionOptions::default()),
            Ok(options.is_empty())
        );
    };
    check(doc! {});
    check(doc! { "capped": true, "size": 4096, "max": 3 });
    check(
        doc! { "clusteredIndex": { "key": { "_id": 1 }, "unique": true, "name": "k" }, "expireAfterSeconds": 5 },
    );
    check(doc! { "timeseries": { "timeField": "t", "metaField": "m" }, "expireAfterSeconds": 5 });
    check(doc! { "viewOn": "c", "pipeline": [{ "$match": { "a": 1 } }] });
    assert!(record::read("test", "c", b"\x05\0\0\0\0").is_err());
    assert!(record::read("test", "c", b"junk").is_err());
}
