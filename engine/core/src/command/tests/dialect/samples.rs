//! The commands of the two pages, as they are printed, second by second.

use super::{ALL, advance, check_value, create_ts, lab, lab_with_ttl, stored};
use crate::command::testing::{Lab, same};

/// The five documents of the Cosmos page. They have no `_id`, so all may be there at once.
const INSERTS: [&str; 5] = [
    "{insert: 'c', documents: [{id: 1, location: 'Paris', ttl: 20.0}]}",
    "{insert: 'c', documents: [{id: 1, location: 'Paris', ttl: NumberInt(20)}]}",
    "{insert: 'c', documents: [{id: 1, location: 'Paris', ttl: NumberLong('20')}]}",
    "{insert: 'c', documents: [{id: 1, location: 'Paris', ttl: 20.5}]}",
    "{insert: 'c', documents: [{id: 1, location: 'Paris', ttl: NumberLong('2147483649')}]}",
];

/// Valid samples go at 20 s, the others at the collection's 10 s.
fn alive(dialect: &str, second: i64) -> i32 {
    match (dialect, second) {
        ("mongodb", _) | (_, ..10) => 5,
        (_, 10..20) => 3,
        _ => 0,
    }
}

fn fill(lab: &Lab) {
    for insert in INSERTS {
        lab.ok(insert);
    }
}

#[test]
fn the_samples_of_the_cosmos_page_at_every_second() {
    for dialect in ALL {
        let (shown, reaped) = (lab_with_ttl(dialect, 10), lab_with_ttl(dialect, 10));
        fill(&shown);
        fill(&reaped);
        for second in 0..=21 {
            let n = alive(dialect, second);
            let about = format!("{dialect} at {second} s");
            check_value(&shown, &about, "{count: 'c'}", "n", &n.to_string());
            check_value(&shown, &about, "{count: 'c', query: {id: 1}}", "n", &n.to_string());
            assert!(same(&stored(&shown).expect("count"), &5.into()), "{about}: nothing reaps");
            reaped.ok("{mayflyReap: 1}");
            assert!(same(&stored(&reaped).expect("count"), &n.into()), "{about}: after a pass");
            check_value(&reaped, &about, "{count: 'c'}", "n", &n.to_string());
            // The millisecond before the next second is still this one.
            advance(&shown, 999);
            check_value(&shown, &about, "{count: 'c'}", "n", &n.to_string());
            advance(&shown, 1);
            advance(&reaped, 1_000);
        }
        check_value(&shown, dialect, "{validate: 'c'}", "valid", "true");
        check_value(&reaped, dialect, "{validate: 'c'}", "valid", "true");
    }
}

#[test]
fn a_write_late_in_its_second_counts_from_the_whole_second() {
    for dialect in ["open", "cosmos"] {
        let lab = lab_with_ttl(dialect, 10);
        lab.ok("{insert: 'c', documents: [{_id: 1}]}");
        advance(&lab, 999);
        lab.ok("{insert: 'c', documents: [{_id: 2}]}");
        advance(&lab, 1);
        lab.ok("{insert: 'c', documents: [{_id: 3}]}");
        advance(&lab, 8_999);
        check_value(&lab, dialect, "{count: 'c'}", "n", "3");
        advance(&lab, 1);
        check_value(&lab, dialect, "{find: 'c'}", "cursor.firstBatch", "[{_id: 3}]");
        let reaped = lab.ok("{mayflyReap: 1}");
        assert_eq!(reaped.get_i64("deletedDocuments").ok(), Some(2), "{dialect}: {reaped}");
        advance(&lab, 1_000);
        check_value(&lab, dialect, "{count: 'c'}", "n", "0");
    }
}

#[test]
fn the_printed_reply_of_create_index() {
    let whole =
        "{ok: 1, createdCollectionAutomatically: true, numIndexesBefore: 1, numIndexesAfter: 2";
    for (dialect, type_name) in [
        ("cosmos", ", _t: 'CreateIndexesResponse'}"),
        ("open", ", _t: 'CreateIndexesResponse'}"),
        ("mongodb", ", '-_t': 1}"),
    ] {
        lab(dialect).check(&create_ts(10), &format!("{whole}{type_name}"));
        // Java and C# send the seconds as they like.
        for secs in ["NumberInt(10)", "NumberLong('10')", "10.0"] {
            let lab = lab(dialect);
            lab.ok(&format!(
                "{{createIndexes: 'c', indexes: [{{key: {{_ts: 1}}, name: '_ts_1', expireAfterSeconds: {secs}}}]}}"
            ));
            lab.check("{listIndexes: 'c'}", "{'cursor.firstBatch.1.expireAfterSeconds': 10}");
        }
    }
}

#[test]
fn the_samples_of_the_mongodb_page() {
    for dialect in ["open", "mongodb"] {
        let lab = lab(dialect);
        lab.check(
            "{createIndexes: 'eventlog', indexes: [{key: {lastModifiedDate: 1}, name: 'lastModifiedDate_1', expireAfterSeconds: 3600}]}",
            "{ok: 1, numIndexesBefore: 1, numIndexesAfter: 2, '-_t': 1}",
        );
        let change = "{collMod: 'tickets', index: {keyPattern: {lastModifiedDate: 1}, expireAfterSeconds: 100}}";
        lab.ok("{createIndexes: 'tickets', indexes: [{key: {lastModifiedDate: 1}, name: 'lastModifiedDate_1'}]}");
        lab.check(change, "{expireAfterSeconds_new: 100, '-expireAfterSeconds_old': 1}");
        lab.check(change, "{expireAfterSeconds_new: 100, expireAfterSeconds_old: 100}");
        let dated = "documents: [{_id: 1, lastModifiedDate: ISODate('2024-01-01T00:00:00Z')}]";
        lab.ok(&format!("{{insert: 'eventlog', {dated}}}"));
        lab.ok(&format!("{{insert: 'tickets', {dated}}}"));
        for (ms, events, tickets) in [(99_999, 1, 1), (1, 1, 0), (3_499_999, 1, 0), (1, 0, 0)] {
            advance(&lab, ms);
            // A date field never hides: the document goes with the pass.
            lab.ok("{mayflyReap: 1}");
            lab.check("{count: 'eventlog'}", &format!("{{n: {events}}}"));
            lab.check("{count: 'tickets'}", &format!("{{n: {tickets}}}"));
        }
    }
}
