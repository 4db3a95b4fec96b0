//! Time-series collections: what clients write and read, and when buckets go.

use bson::Bson;

use crate::command::testing::{Lab, at};

/// A collection with measurements of two hosts, two minutes apart.
fn hosts(expire: &str) -> Lab {
    let lab = Lab::new();
    lab.ok(&format!("{{create: 'c', timeseries: {{timeField: 't', metaField: 'host'}}{expire}}}"));
    lab.ok("{insert: 'c', documents: [\
         {_id: 1, v: 5, t: ISODate('2024-01-01T00:00:30Z'), host: {b: 1, a: 2}}, \
         {_id: 2, v: 3, t: ISODate('2024-01-01T00:00:10Z'), host: 'x'}]}");
    lab.ok("{insert: 'c', documents: [\
         {_id: 3, v: 4, t: ISODate('2024-01-01T00:02:30Z'), host: {a: 2, b: 1}}, \
         {_id: 4, v: 1, t: ISODate('2024-01-01T00:02:10Z'), host: 'x'}]}");
    lab
}

#[track_caller]
fn check_ids(lab: &Lab, command: &str, expected: &[i32]) {
    let expected: Vec<Bson> = expected.iter().map(|id| Bson::Int32(*id)).collect();
    assert_eq!(lab.ids(command), expected, "{command}");
    lab.check("{validate: 'c'}", "{valid: true, errors: []}");
}

/// Stored buckets.
fn buckets(lab: &Lab) -> Option<Bson> {
    at(&lab.ok("{collStats: 'c'}"), "count")
}

mod reads {
    use super::*;

    #[test]
    fn measurements_with_equal_metadata_share_a_bucket() {
        let lab = hosts("");
        assert_eq!(buckets(&lab), Some(Bson::Int32(2)));
        lab.check(
            "{find: 'c', filter: {_id: 3}}",
            "{'cursor.firstBatch': [{t: ISODate('2024-01-01T00:02:30Z'), host: {a: 2, b: 1}, \
             _id: 3, v: 4}]}",
        );
        let first = at(&lab.ok("{find: 'c', filter: {_id: 3}}"), "cursor.firstBatch.0");
        let first = first.as_ref().and_then(Bson::as_document).cloned().unwrap_or_default();
        assert_eq!(first.keys().collect::<Vec<_>>(), ["t", "host", "_id", "v"]);
    }

    #[test]
    fn filters_orders_and_limits_are_about_measurements() {
        let lab = hosts("");
        check_ids(&lab, "{find: 'c', filter: {}}", &[1, 3, 2, 4]);
        check_ids(&lab, "{find: 'c', filter: {}, sort: {$natural: -1}}", &[4, 2, 3, 1]);
        check_ids(&lab, "{find: 'c', filter: {}, sort: {v: 1}}", &[4, 2, 3, 1]);
        check_ids(&lab, "{find: 'c', filter: {}, sort: {t: -1}, skip: 1, limit: 2}", &[4, 1]);
        check_ids(&lab, "{find: 'c', filter: {host: 'x', v: {$gt: 1}}}", &[2]);
        check_ids(&lab, "{find: 'c', filter: {t: {$gte: ISODate('2024-01-01T00:02:20Z')}}}", &[3]);
        check_ids(&lab, "{find: 'c', filter: {}, hint: 'host_1_t_1', skip: 3}", &[4]);
        lab.check("{find: 'c', filter: {}, hint: 'no'}", "{code: 2}");
        lab.check("{find: 'c', filter: {}, hint: '_id_'}", "{code: 2}");
    }

    #[test]
    fn cursors_go_on_within_a_bucket() {
        let lab = hosts("");
        for (sort, expected) in [("{}", [1, 3, 2, 4]), ("{v: -1}", [1, 3, 2, 4])] {
            let first = lab.ok(&format!("{{find: 'c', filter: {{}}, sort: {sort}, batchSize: 1}}"));
            let mut ids = vec![at(&first, "cursor.firstBatch.0._id")];
            let mut id = at(&first, "cursor.id");
            while let Some(Bson::Int64(open)) = id.clone().filter(|id| *id != Bson::Int64(0)) {
                let more = lab.run_document(
                    &bson::doc! { "getMore": open, "collection": "c", "batchSize": 1 },
                );
                ids.extend(at(&more, "cursor.nextBatch.0._id").map(Some));
                id = at(&more, "cursor.id");
            }
            assert_eq!(ids, expected.map(|id| Some(Bson::Int32(id))), "sort {sort}");
        }
    }

    #[test]
    fn counts_and_pipelines_see_measurements() {
        let lab = hosts("");
        lab.check("{count: 'c'}", "{n: 4}");
        lab.check("{count: 'c', query: {host: 'x'}, limit: 1}", "{n: 1}");
        lab.check("{distinct: 'c', key: 'v'}", "{values: [1, 3, 4, 5]}");
        let pipeline = |stages: &str, expected: &str| {
            lab.check(
                &format!("{{aggregate: 'c', cursor: {{}}, pipeline: [{stages}]}}"),
                &format!("{{'cursor.firstBatch': {expected}}}"),
            );
        };
        pipeline("{$count: 'n'}", "[{n: 4}]");
        pipeline(
            "{$group: {_id: '$host', sum: {$sum: '$v'}}}, {$sort: {sum: 1}}",
            "[{_id: 'x', sum: 4}, {_id: {a: 2, b: 1}, sum: 9}]",
        );
        pipeline(
            "{$match: {v: {$lt: 4}}}, {$sort: {v: 1}}, {$project: {v: 1}}",
            "[{_id: 4, v: 1}, {_id: 2, v: 3}]",
        );
    }
}

mod writes {
    use super::*;

    #[test]
    fn a_measurement_needs_a_date() {
        let lab = hosts("");
        for document in ["{_id: 9}", "{_id: 9, t: 5}", "{_id: 9, t: null}"] {
            lab.check(
                &format!("{{insert: 'c', documents: [{document}]}}"),
                "{n: 0, 'writeErrors.0.code': 2, 'writeErrors.0.errmsg': \"'t' must be present and \
                 contain a valid BSON UTC datetime value\"}",
            );
        }
        lab.check(
            "{insert: 'c', ordered: false, documents: [{t: new Date(0)}, {}, {t: new Date(1)}]}",
            "{n: 2, 'writeErrors.0.index': 1}",
        );
        lab.check("{count: 'c', query: {_id: {$type: 'objectId'}}}", "{n: 2}");
    }

    #[test]
    fn ids_need_not_differ() {
        let lab = hosts("");
        lab.ok("{insert: 'c', documents: [{_id: 1, t: new Date(0)}]}");
        lab.check("{count: 'c', query: {_id: 1}}", "{n: 2}");
    }

    #[test]
    fn buckets_end_with_their_time_and_their_room() {
        let lab = hosts("");
        let insert = |time: &str| {
            lab.ok(&format!("{{insert: 'c', documents: [{{t: ISODate('{time}'), host: 'x'}}]}}"));
        };
        insert("2024-01-01T00:59:59.999Z");
        assert_eq!(buckets(&lab), Some(Bson::Int32(2)), "the last millisecond of its hour");
        insert("2024-01-01T01:00:00Z");
        assert_eq!(buckets(&lab), Some(Bson::Int32(3)), "the end of its hour");
        insert("2023-12-31T23:59:59Z");
        assert_eq!(buckets(&lab), Some(Bson::Int32(4)), "before it began");
        let many = "{t: ISODate('2024-01-01T00:03:00Z'), host: 'y'}, ".repeat(1_001);
        lab.ok(&format!("{{insert: 'c', documents: [{many}]}}"));
        assert_eq!(buckets(&lab), Some(Bson::Int32(6)), "a thousand and one");
        lab.check("{count: 'c', query: {host: 'y'}}", "{n: 1001}");
        lab.check("{validate: 'c'}", "{valid: true}");
    }

    #[test]
    fn deletes_take_single_measurements() {
        let lab = hosts("");
        lab.check("{delete: 'c', deletes: [{q: {v: 3}, limit: 1}]}", "{n: 1}");
        check_ids(&lab, "{find: 'c', filter: {}}", &[1, 3, 4]);
        lab.check("{delete: 'c', deletes: [{q: {host: 'x'}, limit: 0}]}", "{n: 1}");
        assert_eq!(buckets(&lab), Some(Bson::Int32(1)), "an empty bucket goes");
        lab.check("{delete: 'c', deletes: [{q: {}, limit: 0}]}", "{n: 2}");
        assert_eq!(buckets(&lab), Some(Bson::Int32(0)));
    }

    #[test]
    fn updates_are_refused() {
        let lab = hosts("");
        for update in ["multi: true", "multi: false", "upsert: true"] {
            lab.check(
                &format!(
                    "{{update: 'c', updates: [{{q: {{}}, u: {{$set: {{v: 1}}}}, {update}}}]}}"
                ),
                "{n: 0, 'writeErrors.0.code': 115}",
            );
        }
        lab.check("{findAndModify: 'c', update: {$set: {v: 1}}}", "{code: 115}");
        check_ids(&lab, "{find: 'c', filter: {v: {$gt: 3}}}", &[1, 3]);
    }
}

mod expiry {
    use super::*;

    fn pass_at(lab: &Lab, now: &str) -> Option<Bson> {
        lab.ok(&format!("{{mayflyClock: 1, set: ISODate('{now}')}}"));
        at(&lab.ok("{mayflyReap: 1}"), "deletedDocuments")
    }

    #[test]
    fn a_bucket_goes_when_its_last_possible_measurement_is_due() {
        let lab = hosts(", expireAfterSeconds: 10");
        assert_eq!(pass_at(&lab, "2024-01-01T01:00:09.999Z"), Some(Bson::Int64(0)));
        assert_eq!(pass_at(&lab, "2024-01-01T01:00:10Z"), Some(Bson::Int64(2)));
        check_ids(&lab, "{find: 'c', filter: {}}", &[]);
        lab.check("{serverStatus: 1}", "{'metrics.ttl.deletedDocuments': 2}");
    }

    #[test]
    fn times_that_do_not_fit_an_object_id_go_in_their_own_time() {
        let lab = hosts(", expireAfterSeconds: 10");
        // The low four bytes of 2150's seconds are those of an instant in 2013.
        lab.ok(
            "{insert: 'c', documents: [{_id: 5, t: ISODate('2150-01-01T00:00:00Z'), host: 'x'}, \
             {_id: 6, t: ISODate('1960-01-01T00:00:00Z'), host: 'x'}]}",
        );
        assert_eq!(pass_at(&lab, "2024-01-01T00:30:00Z"), Some(Bson::Int64(1)));
        check_ids(&lab, "{find: 'c', filter: {}, sort: {_id: 1}}", &[1, 2, 3, 4, 5]);
        assert_eq!(pass_at(&lab, "2024-01-02T00:00:00Z"), Some(Bson::Int64(2)));
        check_ids(&lab, "{find: 'c', filter: {}}", &[5]);
    }

    #[test]
    fn an_index_removes_the_buckets_of_its_metadata() {
        let lab = hosts("");
        lab.ok("{createIndexes: 'c', indexes: [{key: {t: 1}, name: 'p', expireAfterSeconds: 10, \
             partialFilterExpression: {host: {$eq: 'x'}}}]}");
        assert_eq!(pass_at(&lab, "2024-01-01T01:00:09Z"), Some(Bson::Int64(0)));
        assert_eq!(pass_at(&lab, "2024-01-01T01:00:10Z"), Some(Bson::Int64(1)));
        check_ids(&lab, "{find: 'c', filter: {}}", &[1, 3]);
    }

    #[test]
    fn buckets_without_metadata_go_where_the_filter_takes_what_is_missing() {
        for filter in ["{host: null}", "{host: {$in: [null, 'z']}}"] {
            let lab = hosts("");
            lab.ok("{insert: 'c', documents: [{_id: 5, t: ISODate('2024-01-01T00:00:30Z')}]}");
            lab.ok(&format!(
                "{{createIndexes: 'c', indexes: [{{key: {{t: 1}}, name: 'p', \
                   expireAfterSeconds: 10, partialFilterExpression: {filter}}}]}}"
            ));
            lab.ok("{insert: 'c', documents: [{_id: 6, t: ISODate('2024-01-01T00:01:30Z')}]}");
            assert!(pass_at(&lab, "2024-01-02T00:00:00Z").is_some_and(|n| n != Bson::Int64(0)));
            check_ids(&lab, "{find: 'c', filter: {}, sort: {_id: 1}}", &[1, 2, 3, 4]);
        }
    }

    #[test]
    fn a_bucket_is_from_a_second_to_a_year_long() {
        let lab = Lab::new();
        let create = |secs: &str| {
            lab.run(&format!(
                "{{create: 'c', timeseries: {{timeField: 't', bucketMaxSpanSeconds: {secs}, \
                   bucketRoundingSeconds: {secs}}}, expireAfterSeconds: 10}}"
            ))
        };
        for secs in ["0", "-5", "31536001", "NumberLong('9223372036854775807')", "NaN"] {
            assert_eq!(create(secs).get_i32("code").ok(), Some(2), "{secs}");
        }
        assert_eq!(create("'x'").get_i32("code").ok(), Some(14));
        assert_eq!(create("NumberDecimal('60')").get_f64("ok").ok(), Some(1.0));
        lab.ok("{insert: 'c', documents: [{_id: 1, t: ISODate('2024-01-01T00:00:30Z')}]}");
        assert_eq!(pass_at(&lab, "2024-01-01T00:01:09Z"), Some(Bson::Int64(0)));
        assert_eq!(pass_at(&lab, "2024-01-01T00:01:10Z"), Some(Bson::Int64(1)));
    }

    #[test]
    fn without_a_rule_nothing_goes() {
        let lab = hosts("");
        assert_eq!(pass_at(&lab, "2040-01-01T00:00:00Z"), Some(Bson::Int64(0)));
        lab.ok("{collMod: 'c', expireAfterSeconds: 10}");
        assert_eq!(pass_at(&lab, "2040-01-01T00:00:01Z"), Some(Bson::Int64(2)));
    }

    #[test]
    fn forecasts_say_that_they_can_not_tell() {
        let lab = hosts(", expireAfterSeconds: 10");
        for command in [
            "{mayflyVerdict: 'c', id: 1}",
            "{mayflyExpiring: 'c'}",
            "{mayflyForecast: 'c', from: new Date(0), to: new Date(1), buckets: 1}",
            "{mayflyWhatIf: 'c', index: {keyPattern: {t: 1}, expireAfterSeconds: 1}}",
        ] {
            lab.check(command, "{ok: 0, code: 238}");
        }
    }
}

mod definitions {
    use super::*;

    #[test]
    fn they_are_listed_as_time_series() {
        let lab = hosts("");
        lab.check(
            "{listCollections: 1}",
            "{'cursor.firstBatch.0.type': 'timeseries', '-cursor.firstBatch.0.idIndex': 0}",
        );
        lab.check(
            "{listIndexes: 'c'}",
            "{'cursor.firstBatch': [{v: 2, key: {host: 1, t: 1}, name: 'host_1_t_1'}]}",
        );
    }

    #[test]
    fn inserts_go_on_without_the_index() {
        let lab = hosts("");
        lab.ok("{dropIndexes: 'c', index: '*'}");
        lab.check("{listIndexes: 'c'}", "{'cursor.firstBatch': []}");
        lab.ok(
            "{insert: 'c', documents: [{_id: 5, t: ISODate('2024-01-01T00:03:00Z'), host: 'x'}]}",
        );
        assert_eq!(buckets(&lab), Some(Bson::Int32(2)));
        lab.ok("{createIndexes: 'c', indexes: [{key: {host: 1, t: 1}, name: 'again'}]}");
        check_ids(&lab, "{find: 'c', filter: {host: 'x'}}", &[2, 4, 5]);
    }

    #[test]
    fn indexes_that_can_not_be_are_refused() {
        let lab = hosts("");
        for (spec, code) in [
            ("key: {v: 1}, unique: true", 72),
            ("key: {v: 'text'}", 72),
            ("key: {_id: 1}", 67),
            ("key: {host: 1}, expireAfterSeconds: 5", 72),
        ] {
            lab.check(
                &format!("{{createIndexes: 'c', indexes: [{{name: 'i', {spec}}}]}}"),
                &format!("{{code: {code}}}"),
            );
        }
        lab.ok("{createIndexes: 'c', indexes: [{key: {v: 1}, name: 'v_1'}]}");
        check_ids(&lab, "{find: 'c', filter: {v: 5}}", &[1]);
    }
}

#[test]
fn a_damaged_bucket_is_no_reason_to_refuse_a_measurement() {
    let lab = Lab::new();
    lab.ok("{create: 'c', timeseries: {timeField: 't', metaField: 'm'}}");
    let insert = |id: i32, mark: &str| {
        let t = format!("ISODate('2024-01-01T00:00:0{id}Z')");
        lab.ok(&format!(
            "{{insert: 'c', documents: [{{_id: {id}, m: 1, t: {t}, mark: '{mark}'}}]}}"
        ));
    };
    insert(1, "needle");
    lab.spoil(b"needle");
    insert(2, "sound");
    lab.check(
        "{find: 'c', filter: {}, allowPartialResults: true}",
        "{'cursor.firstBatch.0._id': 2, 'cursor.damaged': 1}",
    );
    insert(3, "sound");
    // Into the bucket that is sound.
    lab.check("{find: 'c', allowPartialResults: true}", "{'cursor.damaged': 1}");
    assert_eq!(buckets(&lab), Some(Bson::Int32(2)));
}
