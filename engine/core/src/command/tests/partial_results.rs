//! `allowPartialResults`: damaged documents and index entries are left out and counted, whatever
//! way leads to them.

use bson::{Bson, Document, raw::RawBsonRef};

use crate::{
    catalog::Namespace,
    command::testing::Lab,
    store::EntryRows,
    value::{Direction, key::encode, shell},
};

/// The `_id`s of a search in batches of this size, and how many documents it reports as damaged.
fn all(lab: &Lab, find: &str, batch_size: i32) -> (Vec<Bson>, i64) {
    let mut command = shell::read_document(find).expect(find);
    command.insert("batchSize", batch_size);
    let (mut ids, mut damaged) = (Vec::new(), 0);
    loop {
        let reply = lab.run_document(&command);
        let cursor = reply.get_document("cursor").unwrap_or_else(|_| panic!("{find}: {reply}"));
        let left_out = cursor.get_i64("damaged").unwrap_or(0);
        let is_partial = cursor.get_bool("partialResultsReturned").unwrap_or(false);
        assert_eq!(is_partial, left_out > 0, "{find}: {reply}");
        damaged += left_out;
        let batch = cursor.get_array("firstBatch").or_else(|_| cursor.get_array("nextBatch"));
        let documents = batch.expect("a batch").iter().filter_map(Bson::as_document);
        ids.extend(documents.filter_map(|document| document.get("_id").cloned()));
        match cursor.get_i64("id").expect("an id") {
            0 => return (ids, damaged),
            id => {
                command = bson::doc! { "getMore": id, "collection": "c", "batchSize": batch_size }
            }
        }
    }
}

/// Documents 1 to 6 in a collection made like this, of which 2, 3 and 6 are damaged.
fn spoiled(create: &str) -> Lab {
    let lab = Lab::new();
    lab.ok(create);
    lab.ok(
        "{createIndexes: 'c', indexes: [{key: {n: 1}, name: 'n'}, {key: {tags: 1}, name: 'tags'}, \
         {key: {long: 1}, name: 'long'}]}",
    );
    let documents: Vec<String> = (1..=6)
        .map(|n| {
            let mark = if [2, 3, 6].contains(&n) { "needle" } else { "sound" };
            // Keys that are cut alike: the documents tell their order.
            let long = format!("{}{n}", "x".repeat(600));
            format!("{{_id: {n}, n: {n}, tags: ['a', 'b', {n}], mark: '{mark}', long: '{long}'}}")
        })
        .collect();
    lab.ok(&format!("{{insert: 'c', documents: [{}]}}", documents.join(", ")));
    lab.spoil(b"needle");
    lab
}

/// Expects a search to return these documents and to count those it left out, in batches of any
/// size. Without the option it ends with an error.
#[track_caller]
fn check(lab: &Lab, find: &str, ids: &[i32], damaged: i64) {
    let ids: Vec<Bson> = ids.iter().map(|id| Bson::from(*id)).collect();
    check_ids(lab, find, &ids, damaged);
}

#[track_caller]
fn check_ids(lab: &Lab, find: &str, ids: &[Bson], damaged: i64) {
    let partial = format!("{{{find}, allowPartialResults: true}}");
    for batch_size in [1, 2, 100] {
        assert_eq!(all(lab, &partial, batch_size), (ids.to_vec(), damaged), "{find} {batch_size}");
    }
    let refused = lab.run(&format!("{{{find}}}"));
    assert_eq!(refused.get_i32("code").ok(), Some(301), "{find}: {refused}");
    assert_eq!(refused.get_str("codeName").ok(), Some("DataCorruptionDetected"));
}

#[test]
fn every_way_to_the_documents_leaves_damaged_ones_out() {
    for create in [
        "{create: 'c'}",
        "{create: 'c', capped: true, size: 65536}",
        "{create: 'c', clusteredIndex: {key: {_id: 1}, unique: true}}",
    ] {
        let lab = spoiled(create);
        check(&lab, "find: 'c'", &[1, 4, 5], 3);
        check(&lab, "find: 'c', sort: {$natural: -1}", &[5, 4, 1], 3);
        check(&lab, "find: 'c', filter: {_id: {$gte: 2}}", &[4, 5], 3);
        check(&lab, "find: 'c', filter: {_id: {$gte: 2}}, sort: {_id: -1}", &[5, 4], 3);
        check(&lab, "find: 'c', filter: {_id: 3}", &[], 1);
        check(&lab, "find: 'c', filter: {_id: {$in: [6, 4, 1]}}", &[1, 4], 1);
        check(&lab, "find: 'c', filter: {n: {$lte: 4}}", &[1, 4], 2);
        check(&lab, "find: 'c', filter: {n: {$in: [1, 2, 5]}}", &[1, 5], 1);
        check(&lab, "find: 'c', filter: {tags: {$in: ['a', 'b']}}", &[1, 4, 5], 3);
        check(&lab, "find: 'c', sort: {long: -1}, hint: 'long'", &[5, 4, 1], 3);
        check(&lab, "find: 'c', sort: {mark: 1, n: -1}", &[5, 4, 1], 3);
        check(&lab, "find: 'c', sort: {n: 1}, skip: 1, limit: 2", &[4, 5], 2);
    }
}

/// Documents 1 to 6 that are sound. Of each index the entries of 2, 3 and 6 are damaged.
fn with_spoiled_entries(create: &str) -> Lab {
    let lab = Lab::new();
    lab.ok(create);
    lab.ok(
        "{createIndexes: 'c', indexes: [{key: {n: 1}, name: 'n'}, {key: {long: 1}, name: 'long'}]}",
    );
    let long = |n: i32| format!("{}{n}", "x".repeat(600));
    for n in 1..=6 {
        lab.ok(&format!(
            "{{insert: 'c', documents: [{{_id: 'id{n}', n: {n}, long: '{}'}}]}}",
            long(n)
        ));
    }
    let namespace = Namespace::new("test", "c");
    let collection = lab.engine.collections().catalog().collection(&namespace).expect("there");
    for n in [2, 3, 6] {
        let values = [Bson::from(format!("id{n}")), Bson::from(n), Bson::from(long(n))];
        for (index, value) in ["_id_", "n", "long"].into_iter().zip(values) {
            let index = collection.index(index).expect("there").id;
            lab.spoil_entry(index, &value);
        }
    }
    lab
}

#[test]
fn a_damaged_index_entry_is_left_out_and_counted_once() {
    for create in ["{create: 'c'}", "{create: 'c', capped: true, size: 65536}"] {
        let lab = with_spoiled_entries(create);
        let check = |find: &str, ids: &[i32], damaged| {
            let ids: Vec<Bson> = ids.iter().map(|n| Bson::from(format!("id{n}"))).collect();
            check_ids(&lab, find, &ids, damaged);
        };
        check("find: 'c', filter: {_id: 'id3'}", &[], 1);
        check("find: 'c', filter: {_id: {$gte: 'id2'}}", &[4, 5], 3);
        check("find: 'c', filter: {n: {$lte: 4}}", &[1, 4], 2);
        check("find: 'c', filter: {n: {$in: [1, 2, 5]}}", &[1, 5], 1);
        check("find: 'c', sort: {n: -1}, hint: 'n'", &[5, 4, 1], 3);
        check("find: 'c', filter: {n: {$gte: 1}}, sort: {long: -1}, hint: 'n'", &[5, 4, 1], 3);
        check("find: 'c', sort: {long: 1}, hint: 'long'", &[1, 4, 5], 3);
        check("find: 'c', sort: {long: -1}, hint: 'long'", &[5, 4, 1], 3);
        check("find: 'c', sort: {n: 1}, hint: 'n', skip: 1, limit: 1", &[4], 2);
        lab.check("{count: 'c', query: {n: {$gte: 2}}, allowPartialResults: true}", "{n: 2}");
        lab.check("{count: 'c', query: {n: {$gte: 2}}}", "{code: 301}");
    }
}

#[test]
fn a_damaged_index_entry_is_counted_once_where_a_batch_ends_in_front_of_a_document() {
    let lab = Lab::new();
    lab.ok("{createIndexes: 'c', indexes: [{key: {n: 1}, name: 'n'}]}");
    let large = "x".repeat(9 * 1024 * 1024);
    for n in 1..=3 {
        lab.ok(&format!("{{insert: 'c', documents: [{{_id: {n}, n: {n}, large: '{large}'}}]}}"));
    }
    let namespace = Namespace::new("test", "c");
    let collection = lab.engine.collections().catalog().collection(&namespace).expect("there");
    lab.spoil_entry(collection.index("n").expect("there").id, &Bson::from(2));
    check(&lab, "find: 'c', filter: {n: {$gte: 1}}", &[1, 3], 1);
}

#[test]
fn an_entry_that_leads_to_no_document_is_left_out_and_counted() {
    let lab = Lab::new();
    lab.ok("{createIndexes: 'c', indexes: [{key: {n: 1}, name: 'n'}]}");
    lab.ok("{insert: 'c', documents: [{_id: 1, n: 1}, {_id: 3, n: 3}]}");
    let namespace = Namespace::new("test", "c");
    let collections = lab.engine.collections();
    let collection = collections.catalog().collection(&namespace).expect("there");
    let index = collection.index("n").expect("there").id;
    let put = collections.store().write(|writer| {
        let mut rows = EntryRows::new(index);
        rows.push(&encode(Some(RawBsonRef::Int32(2)), Direction::Ascending).bytes, 77, true)?;
        writer.put_entries(&mut rows, false)
    });
    assert_eq!(put, Ok(true));
    let find = "{find: 'c', filter: {n: {$gte: 1}}, allowPartialResults: true}";
    assert_eq!(all(&lab, find, 1), (vec![Bson::from(1), Bson::from(3)], 1));
}

#[test]
fn a_count_counts_what_can_be_read() {
    let lab = spoiled("{create: 'c'}");
    for (query, n) in [("{}", 3), ("{n: {$gte: 4}}", 2), ("{_id: 2}", 0), ("{mark: 'sound'}", 3)] {
        lab.check(
            &format!("{{count: 'c', query: {query}, allowPartialResults: true}}"),
            &format!("{{n: {n}}}"),
        );
    }
    lab.check("{count: 'c', query: {mark: 'sound'}}", "{code: 301}");
    lab.check("{count: 'c'}", "{n: 6}");
    lab.check("{count: 'c', allowPartialResults: 1}", "{code: 14}");
}

#[test]
fn a_bucket_of_measurements_that_is_damaged_is_left_out() {
    let lab = Lab::new();
    lab.ok("{create: 'c', timeseries: {timeField: 't', metaField: 'm'}}");
    let rows = |m: &str| {
        let row =
            |id: i32| format!("{{_id: {id}, m: '{m}', t: ISODate('2024-01-01T00:00:0{id}Z')}}");
        let first = ["before", "needle", "behind"].iter().position(|it| *it == m).unwrap_or(0);
        let first = i32::try_from(first).expect("small") * 3;
        (first..first + 3).map(row).collect::<Vec<_>>().join(", ")
    };
    for m in ["before", "needle", "behind"] {
        lab.ok(&format!("{{insert: 'c', documents: [{}]}}", rows(m)));
    }
    lab.spoil(b"needle");
    check(&lab, "find: 'c'", &[0, 1, 2, 6, 7, 8], 1);
    check(&lab, "find: 'c', sort: {$natural: -1}", &[8, 7, 6, 2, 1, 0], 1);
    check(&lab, "find: 'c', sort: {t: -1}", &[8, 7, 6, 2, 1, 0], 1);
}

#[test]
fn a_cursor_at_the_end_of_a_capped_collection_stands_at_a_damaged_document() {
    let lab = spoiled("{create: 'c', capped: true, size: 65536}");
    let find = "{find: 'c', tailable: true, allowPartialResults: true}";
    let reply: Document = lab.ok(find);
    let cursor = reply.get_document("cursor").expect("a cursor");
    let id = cursor.get_i64("id").expect("an id");
    lab.ok("{insert: 'c', documents: [{_id: 7}]}");
    let more = lab.run_document(&bson::doc! { "getMore": id, "collection": "c" });
    let next = more.get_document("cursor").and_then(|it| it.get_array("nextBatch"));
    assert_eq!(next.map(Vec::len).ok(), Some(1), "{more}");
    assert!(!more.get_document("cursor").expect("a cursor").contains_key("damaged"), "{more}");
}

#[test]
fn what_is_sound_says_nothing_of_damage() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1}]}");
    lab.check(
        "{find: 'c', allowPartialResults: true}",
        "{'cursor.firstBatch': [{_id: 1}], '-cursor.damaged': 0, '-cursor.partialResultsReturned': 0}",
    );
}

#[test]
fn what_a_rule_would_do_is_told_beside_damaged_documents() {
    let lab = spoiled("{create: 'c'}");
    let ask = "{mayflyWhatIf: 'c', index: {keyPattern: {at: 1}, expireAfterSeconds: 60}}";
    lab.check(ask, "{total: 6, damaged: 3, overdueNow: 0, 'never.fieldMissing': 3}");
    // By the entries of an index: only the documents know why they have no date.
    lab.ok("{createIndexes: 'd', indexes: [{key: {at: 1}, name: 'at'}]}");
    lab.ok(
        "{insert: 'd', documents: [{_id: 1, at: ISODate('2020-01-01')}, {_id: 2, m: 'needle'}, \
         {_id: 3, at: ISODate('2020-01-01'), m: 'needle'}, {_id: 4}]}",
    );
    lab.spoil(b"needle");
    let ask = "{mayflyWhatIf: 'd', index: {name: 'at', expireAfterSeconds: 60}}";
    lab.check(ask, "{total: 4, damaged: 1, overdueNow: 2, 'never.fieldMissing': 1}");
}
