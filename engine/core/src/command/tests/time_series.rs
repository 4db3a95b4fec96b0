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
    fn buckets_come_in_the_order_of_time() {
        let lab = Lab::new();
        lab.ok("{create: 'c', timeseries: {timeField: 't'}}");
        for (id, hour) in [(1, "12"), (2, "10"), (3, "11"), (4, "10"), (5, "12")] {
            lab.ok(&format!(
                "{{insert: 'c', documents: [{{_id: {id}, t: ISODate('2024-01-01T{hour}:00:0{id}Z')}}]}}"
            ));
        }
        check_ids(&lab, "{find: 'c', filter: {}}", &[2, 4, 3, 1, 5]);
        check_ids(&lab, "{find: 'c', sort: {$natural: -1}}", &[5, 1, 3, 4, 2]);
        check_ids(&lab, "{find: 'c', filter: {_id: {$ne: 3}}, skip: 1, limit: 2}", &[4, 1]);
        check_ids(&lab, "{find: 'c', sort: {_id: -1}}", &[5, 4, 3, 2, 1]);
        lab.check(
            "{aggregate: 'c', pipeline: [{$group: {_id: null, all: {$push: '$_id'}}}], cursor: {}}",
            "{'cursor.firstBatch.0.all': [2, 4, 3, 1, 5]}",
        );
        // A cursor within a bucket continues there, after what was written between two batches.
        let first = lab.ok("{find: 'c', batchSize: 1}");
        lab.ok("{delete: 'c', deletes: [{q: {_id: 3}, limit: 1}]}");
        lab.ok("{insert: 'c', documents: [{_id: 6, t: ISODate('2024-01-01T10:00:06Z')}]}");
        // This one makes a bucket in front of the cursor's.
        lab.ok("{insert: 'c', documents: [{_id: 7, t: ISODate('2024-01-01T09:00:00Z')}]}");
        let id = at(&first, "cursor.id").expect("a cursor");
        let more = lab.run_document(&bson::doc! { "getMore": id, "collection": "c" });
        let ids: Vec<_> = (0..5).map(|n| at(&more, &format!("cursor.nextBatch.{n}._id"))).collect();
        let expected = [Some(4), Some(6), Some(1), Some(5), None];
        assert_eq!(ids, expected.map(|id| id.map(Bson::Int32)));
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
    fn updates_change_the_metadata_of_whole_buckets() {
        let lab = hosts("");
        let update = |q: &str, u: &str, expected: &str| {
            lab.check(
                &format!("{{update: 'c', updates: [{{q: {q}, u: {u}, multi: true}}]}}"),
                expected,
            );
        };
        update("{host: 'x'}", "{$set: {host: 'y'}}", "{n: 2, nModified: 2}");
        check_ids(&lab, "{find: 'c', filter: {host: 'y'}}", &[2, 4]);
        update("{host: 'y'}", "{$set: {host: 'y'}}", "{n: 2, nModified: 0}");
        update("{'host.a': {$gt: 1}}", "{$inc: {'host.a': 1}}", "{n: 2, nModified: 2}");
        check_ids(&lab, "{find: 'c', filter: {host: {a: 3, b: 1}}}", &[1, 3]);
        update("{}", "{$unset: {host: ''}}", "{n: 4, nModified: 4}");
        check_ids(&lab, "{find: 'c', filter: {host: null}}", &[1, 3, 2, 4]);
        update("{host: null}", "{$set: {'host.b': 1, 'host.a': 2}}", "{n: 4, nModified: 4}");
        // Metadata is stored as an insert stores it, so a measurement finds its bucket.
        lab.ok("{insert: 'c', documents: [\
             {_id: 5, t: ISODate('2024-01-01T00:03:00Z'), host: {b: 1, a: 2}}]}");
        assert_eq!(buckets(&lab), Some(Bson::Int32(2)));
        check_ids(&lab, "{find: 'c', filter: {'host.a': 2}, sort: {_id: 1}}", &[1, 2, 3, 4, 5]);
        update("{host: 'none'}", "{$set: {host: 1}}", "{n: 0, nModified: 0}");
    }

    #[test]
    fn updates_that_would_part_a_bucket_are_refused() {
        let lab = hosts("");
        let refused = |statement: &str, message: &str| {
            let reply = lab.run(&format!("{{update: 'c', updates: [{{{statement}}}]}}"));
            assert_eq!(at(&reply, "writeErrors.0.code"), Some(Bson::Int32(72)), "{reply}");
            let errmsg = at(&reply, "writeErrors.0.errmsg");
            assert!(errmsg.is_some_and(|text| text.to_string().contains(message)), "{reply}");
        };
        refused(
            "q: {}, u: {$set: {host: 1}}",
            "Cannot perform a non-multi update on a time-series",
        );
        refused("q: {}, u: {host: 1}", "Cannot perform a non-multi update");
        refused("q: {}, u: {$set: {host: 1}}, multi: true, upsert: true", "perform an upsert on a");
        refused("q: {}, u: [{$set: {host: 1}}], multi: true", "using a pipeline update");
        refused(
            "q: {}, u: {$set: {v: 1}}, multi: true",
            "a field that is not the metaField 'host'",
        );
        refused("q: {}, u: {$rename: {host: 'v'}}, multi: true", "not the metaField 'host'");
        refused("q: {v: 5}, u: {$set: {host: 1}}, multi: true", "querying on a field that is not");
        refused(
            "q: {$or: [{host: 1}, {_id: 1}]}, u: {$set: {host: 1}}, multi: true",
            "querying on a field that is not the metaField 'host'",
        );
        refused("q: {$expr: {$eq: ['$host', 1]}}, u: {$set: {host: 1}}, multi: true", "$expr");
        lab.check("{findAndModify: 'c', update: {$set: {v: 1}}}", "{code: 115}");
        check_ids(&lab, "{find: 'c', filter: {v: {$gt: 3}}}", &[1, 3]);
        lab.ok("{create: 'd', timeseries: {timeField: 't'}}");
        lab.check(
            "{update: 'd', updates: [{q: {}, u: {$set: {host: 1}}, multi: true}]}",
            "{'writeErrors.0.code': 72}",
        );
    }

    #[test]
    fn out_makes_and_replaces_a_time_series() {
        let lab = hosts("");
        let out = |options: &str| {
            format!(
                "{{aggregate: 'c', pipeline: [{{$match: {{host: 'x'}}}}, {{$out: {{db: 'test', \
                 coll: 'o'{options}}}}}], cursor: {{}}}}"
            )
        };
        let series = ", timeseries: {timeField: 't', metaField: 'host'}";
        lab.ok(&out(series));
        check_ids(&lab, "{find: 'o'}", &[2, 4]);
        lab.check(
            "{listCollections: 1, filter: {name: 'o'}}",
            "{'cursor.firstBatch.0.type': 'timeseries'}",
        );
        lab.ok("{collMod: 'o', expireAfterSeconds: 3600}");
        for options in [series, ""] {
            lab.ok(&out(options));
            check_ids(&lab, "{find: 'o'}", &[2, 4]);
        }
        lab.check(
            "{listCollections: 1, filter: {name: 'o'}}",
            "{'cursor.firstBatch.0.options.expireAfterSeconds': 3600}",
        );
        lab.check(&out(", timeseries: {timeField: 't'}"), "{code: 7406103}");
        lab.check(&out(", timeseries: {timeField: 't', a: 1}"), "{code: 7406103}");
        lab.check(&out(", timeseries: 1"), "{code: 14}");
        lab.ok("{drop: 'o'}");
        lab.check(&out(", timeseries: {timeField: 't', a: 1}"), "{code: 40415}");
        lab.check(&out(", timeseries: {timeField: 'v'}"), "{code: 2}");
        lab.ok(&out(""));
        lab.check(&out(series), "{code: 7268700}");
        lab.check(
            "{listCollections: 1, filter: {name: /^o/}}",
            "{'cursor.firstBatch.0.type': 'collection', '-cursor.firstBatch.1': 0}",
        );
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
    fn the_bounds_of_buckets_are_listed_and_grow() {
        let lab = hosts("");
        let listed = |expected: &str| {
            lab.check(
                "{listCollections: 1}",
                &format!("{{'cursor.firstBatch.0.options.timeseries': {expected}}}"),
            );
        };
        let change = |series: &str, expected: &str| {
            lab.check(&format!("{{collMod: 'c', timeseries: {series}}}"), expected);
        };
        let named = "timeField: 't', metaField: 'host'";
        listed(&format!("{{{named}, granularity: 'seconds', bucketMaxSpanSeconds: 3600}}"));
        // The same collection again.
        lab.ok("{create: 'c', timeseries: {timeField: 't', metaField: 'host'}}");
        lab.ok(
            "{create: 'c', timeseries: {timeField: 't', metaField: 'host', granularity: 'seconds'}}",
        );
        change("{granularity: 'minutes'}", "{ok: 1}");
        listed(&format!("{{{named}, granularity: 'minutes', bucketMaxSpanSeconds: 86400}}"));
        change("{granularity: 'seconds'}", "{code: 72}");
        change("{granularity: 'minutes', bucketMaxSpanSeconds: 86400}", "{ok: 1}");
        change("{granularity: 'minutes', bucketMaxSpanSeconds: 86401}", "{code: 72}");
        change("{granularity: 'hours', bucketRoundingSeconds: 86400}", "{code: 72}");
        change("{granularity: 'days'}", "{code: 2}");
        change("{granularity: 1}", "{code: 14}");
        change("{timeField: 'x'}", "{code: 40415}");
        change("1", "{code: 14}");
        change("{}", "{ok: 1}");
        change("{bucketMaxSpanSeconds: 90000}", "{code: 72}");
        change("{bucketMaxSpanSeconds: 90000, bucketRoundingSeconds: 90001}", "{code: 72}");
        change("{bucketMaxSpanSeconds: 3600, bucketRoundingSeconds: 3600}", "{code: 72}");
        change("{bucketMaxSpanSeconds: 90000, bucketRoundingSeconds: 90000}", "{ok: 1}");
        listed(&format!("{{{named}, bucketRoundingSeconds: 90000, bucketMaxSpanSeconds: 90000}}"));
        // Buckets from before take what fits into the longer ones.
        lab.ok(
            "{insert: 'c', documents: [{_id: 5, t: ISODate('2024-01-01T02:00:00Z'), host: 'x'}]}",
        );
        assert_eq!(buckets(&lab), Some(Bson::Int32(2)));
        check_ids(&lab, "{find: 'c', filter: {host: 'x'}}", &[2, 4, 5]);
        lab.ok("{create: 'plain'}");
        lab.check("{collMod: 'plain', timeseries: {granularity: 'hours'}}", "{code: 72}");
    }

    #[test]
    fn the_bounds_of_buckets_must_fit_each_other() {
        let lab = Lab::new();
        for (series, code) in [
            ("bucketMaxSpanSeconds: 60", 72),
            ("bucketRoundingSeconds: 60", 72),
            ("bucketMaxSpanSeconds: 60, bucketRoundingSeconds: 61", 72),
            ("granularity: 'minutes', bucketMaxSpanSeconds: 3600", 72),
            ("granularity: 'minutes', bucketRoundingSeconds: 3600", 72),
            ("granularity: 'x'", 2),
        ] {
            lab.check(
                &format!("{{create: 'c', timeseries: {{timeField: 't', {series}}}}}"),
                &format!("{{code: {code}}}"),
            );
        }
        lab.ok("{create: 'c', timeseries: {timeField: 't', granularity: 'minutes', \
             bucketMaxSpanSeconds: 86400}}");
    }

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
            ("key: {v: 1}, sparse: true", 72),
            ("key: {v: 'hashed'}", 67),
            ("key: {v: '2d'}", 67),
            ("key: {t: 'hashed'}", 67),
            ("key: {t: '2dsphere'}", 67),
            ("key: {'$**': 1}", 67),
            ("key: {'v.$**': 1}", 67),
        ] {
            lab.check(
                &format!("{{createIndexes: 'c', indexes: [{{name: 'i', {spec}}}]}}"),
                &format!("{{code: {code}}}"),
            );
        }
        lab.ok("{createIndexes: 'c', indexes: [{key: {v: 1}, name: 'v_1'}, \
             {key: {t: 1, 'host.a': 1}, name: 's', sparse: true}, {key: {v: '2dsphere'}, name: 'g'}, \
             {key: {'host.b': 'hashed'}, name: 'h'}, {key: {'host.$**': 1}, name: 'w'}]}");
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
