//! An item's own `ttl`, what each dialect refuses, and a database's dialect itself.

use super::{ALL, HIDING, advance, check_value, create_ts, lab, lab_with_ttl};

const FAR: i64 = 2_147_483_647;

/// A `ttl`, and the second at which the document expires when the collection says 10, or `None` if
/// it never does.
const ITEM_TTLS: &[(&str, Option<i64>)] = &[
    ("NumberInt(20)", Some(20)),
    ("NumberLong('20')", Some(20)),
    ("20.0", Some(20)),
    ("NumberInt(1)", Some(1)),
    ("NumberInt(2147483647)", Some(FAR)),
    ("NumberLong('2147483647')", Some(FAR)),
    ("2147483647.0", Some(FAR)),
    ("NumberInt(-1)", None),
    ("NumberLong('-1')", None),
    ("-1.0", None),
    ("0", Some(10)),
    ("-0.0", Some(10)),
    ("null", Some(10)),
    ("NumberInt(-2)", Some(10)),
    ("NumberLong('-2147483649')", Some(10)),
    ("20.5", Some(10)),
    ("-1.5", Some(10)),
    ("NaN", Some(10)),
    ("Infinity", Some(10)),
    ("2147483648.0", Some(10)),
    ("NumberLong('2147483648')", Some(10)),
    ("NumberLong('2147483649')", Some(10)),
    ("NumberDecimal('20')", Some(10)),
    ("'20'", Some(10)),
    ("true", Some(10)),
    ("[20]", Some(10)),
    ("{secs: 20}", Some(10)),
    ("ISODate('2030-01-01T00:00:00Z')", Some(10)),
];

#[test]
fn an_items_own_ttl() {
    for dialect in HIDING {
        for (ttl, goes) in ITEM_TTLS {
            let about = format!("{dialect}: ttl {ttl}");
            let lab = lab_with_ttl(dialect, 10);
            lab.ok(&format!("{{insert: 'c', documents: [{{_id: 1, ttl: {ttl}}}]}}"));
            let secs = goes.unwrap_or(FAR * 2);
            advance(&lab, secs * 1_000 - 1);
            lab.check("{mayflyReap: 1}", "{deletedDocuments: 0}");
            check_value(&lab, &about, "{count: 'c'}", "n", "1");
            check_value(&lab, &about, "{count: 'c', query: {ttl: {$exists: true}}}", "n", "1");
            advance(&lab, 1);
            let n = if goes.is_some() { "0" } else { "1" };
            check_value(&lab, &about, "{count: 'c'}", "n", n);
        }
    }
}

#[test]
fn on_without_a_default() {
    for dialect in HIDING {
        for secs in ["NumberInt(-1)", "NumberLong('-1')", "-1.0"] {
            let lab = lab(dialect);
            lab.check(
                &format!("{{createIndexes: 'c', indexes: [{{key: {{_ts: 1}}, name: '_ts_1', expireAfterSeconds: {secs}}}]}}"),
                "{ok: 1, _t: 'CreateIndexesResponse'}",
            );
            lab.check("{listIndexes: 'c'}", "{'cursor.firstBatch.1.expireAfterSeconds': -1}");
            lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2, ttl: 20}, {_id: 3, ttl: 20.5}, {_id: 4, ttl: -1}]}");
            advance(&lab, 20_000);
            lab.check("{count: 'c'}", "{n: 3}");
            advance(&lab, 1_000_000_000);
            lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
            lab.check("{count: 'c'}", "{n: 3}");
        }
    }
}

#[test]
fn a_changed_ttl_restarts_the_countdown_and_a_read_does_not() {
    for dialect in HIDING {
        let lab = lab_with_ttl(dialect, 10);
        lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2, ttl: 30}, {_id: 3}]}");
        advance(&lab, 8_000);
        lab.ok("{update: 'c', updates: [{q: {_id: 1}, u: {$set: {ttl: 5}}}, {q: {_id: 2}, u: {$unset: {ttl: 1}}}]}");
        lab.ok("{find: 'c', filter: {_id: 3}}");
        // Nothing changes, so nothing is written.
        lab.check(
            "{update: 'c', updates: [{q: {_id: 3}, u: {$unset: {none: 1}}}]}",
            "{n: 1, nModified: 0}",
        );
        let shown =
            |ids: &str| check_value(&lab, dialect, "{distinct: 'c', key: '_id'}", "values", ids);
        shown("[1, 2, 3]");
        advance(&lab, 2_000);
        shown("[1, 2]");
        advance(&lab, 2_999);
        shown("[1, 2]");
        advance(&lab, 1);
        shown("[2]");
        advance(&lab, 5_000);
        shown("[]");
    }
}

#[test]
fn what_cosmos_refuses() {
    let index = |key: &str, secs: &str| {
        format!(
            "{{createIndexes: 'c', indexes: [{{key: {key}, name: 'x', expireAfterSeconds: {secs}}}]}}"
        )
    };
    let refused: &[(String, i32)] = &[
        (index("{t: 1}", "10"), 2),
        (index("{'a._ts': 1}", "10"), 2),
        (index("{t: -1}", "-1"), 67),
        (index("{_ts: 1}", "0"), 2),
        (index("{_ts: 1}", "-2"), 67),
        (index("{_ts: 1}", "'10'"), 67),
        (index("{_ts: 1}", "2147483648"), 67),
        (index("{_ts: 1, a: 1}", "10"), 67),
        (index("{'$**': 1}", "10"), 67),
        (index("{_id: 1}", "10"), 197),
        ("{collMod: 'c', index: {name: '_ts_1', expireAfterSeconds: 20}}".into(), 115),
        ("{serverStatus: 1}".into(), 115),
        (
            "{create: 'k', clusteredIndex: {key: {_id: 1}, unique: true}, expireAfterSeconds: 10}"
                .into(),
            2,
        ),
        ("{create: 's', timeseries: {timeField: 't'}, expireAfterSeconds: 10}".into(), 2),
    ];
    let lab = lab("cosmos");
    lab.ok("{create: 'c'}");
    for (command, code) in refused {
        check_value(&lab, "cosmos", command, "code", &code.to_string());
    }
    let said = lab.run(&index("{t: 1}", "10"));
    let said = said.get_str("errmsg").expect("a message").to_owned();
    assert!(
        said.contains("'expireAfterSeconds' option is supported on '_ts' field only"),
        "{said}"
    );
    lab.check("{renameCollection: 'test.c', to: 'other.c'}", "{code: 115}");
    assert_eq!(
        lab.engine.run("admin", &bson::doc! { "serverStatus": 1 }).get_f64("ok").ok(),
        Some(1.0)
    );
    lab.check("{listIndexes: 'c'}", "{'-cursor.firstBatch.1': 1}");
}

#[test]
fn the_type_in_replies() {
    let other = "{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}]}";
    for (dialect, of_ts, of_other) in
        [("cosmos", true, true), ("open", true, false), ("mongodb", false, false)]
    {
        let lab = lab(dialect);
        let wanted = |name: &str, is_there: bool| {
            if is_there { format!("'{name}IndexesResponse'") } else { "absent".to_owned() }
        };
        check_value(&lab, dialect, other, "_t", &wanted("Create", of_other));
        check_value(&lab, dialect, &create_ts(10), "_t", &wanted("Create", of_ts));
        check_value(&lab, dialect, &create_ts(10), "note", "'all indexes already exist'");
        check_value(&lab, dialect, &create_ts(20), "code", "85");
        check_value(
            &lab,
            dialect,
            "{dropIndexes: 'c', index: 'a_1'}",
            "_t",
            &wanted("Drop", of_other),
        );
        check_value(&lab, dialect, "{dropIndexes: 'c', index: '*'}", "_t", &wanted("Drop", of_ts));
        check_value(
            &lab,
            dialect,
            "{dropIndexes: 'c', index: '*'}",
            "_t",
            &wanted("Drop", of_other),
        );
        for command in
            ["{create: 'x'}", "{insert: 'x', documents: [{}]}", "{find: 'x'}", "{drop: 'x'}"]
        {
            check_value(&lab, dialect, command, "_t", "absent");
        }
    }
}

#[test]
fn a_dialect_is_set_while_nothing_expires() {
    let lab = lab("open");
    lab.check("{mayflyDialect: 1}", "{dialect: 'open'}");
    lab.check("{mayflyDialect: 'Cosmos'}", "{code: 2}");
    let in_the_way = [
        "{createIndexes: 'c', indexes: [{key: {t: 1}, name: 'x', expireAfterSeconds: 10}]}",
        "{createIndexes: 'c', indexes: [{key: {_ts: 1}, name: 'x', expireAfterSeconds: -1}]}",
        "{createIndexes: 'c', indexes: [{key: {_ts: 1}, name: 'x'}]}",
        "{create: 'c', clusteredIndex: {key: {_id: 1}, unique: true}, expireAfterSeconds: 10}",
    ];
    for command in in_the_way {
        lab.ok(command);
        for dialect in ["mongodb", "cosmos"] {
            lab.check(&format!("{{mayflyDialect: '{dialect}'}}"), "{code: 20}");
        }
        lab.check("{mayflyDialect: 'open'}", "{ok: 1, dialect: 'open'}");
        lab.ok("{drop: 'c'}");
    }
    lab.ok("{createIndexes: 'c', indexes: [{key: {t: 1}, name: 'x'}]}");
    for dialect in ALL {
        lab.check(&format!("{{mayflyDialect: '{dialect}'}}"), &format!("{{dialect: '{dialect}'}}"));
    }
    for db in ["admin", "config", "local"] {
        let reply = lab.engine.run(db, &bson::doc! { "mayflyDialect": "cosmos" });
        assert_eq!(reply.get_i32("code").ok(), Some(20), "{db}: {reply}");
    }
}

#[test]
fn a_dialect_lasts_until_its_database_is_dropped() {
    for dialect in ["mongodb", "cosmos"] {
        let set = format!("{{dialect: '{dialect}'}}");
        let empty = lab(dialect).reopened();
        empty.check("{mayflyDialect: 1}", &set);
        empty.ok("{dropDatabase: 1}");
        empty.check("{mayflyDialect: 1}", "{dialect: 'open'}");
        let lab = lab_with_ttl(dialect, 10);
        lab.ok("{insert: 'c', documents: [{_id: 1}]}");
        advance(&lab, 10_000);
        let lab = lab.reopened();
        lab.check("{mayflyDialect: 1}", &set);
        lab.check("{count: 'c'}", if dialect == "cosmos" { "{n: 0}" } else { "{n: 1}" });
        lab.ok("{drop: 'c'}");
        lab.check("{mayflyDialect: 1}", &set);
        lab.ok(&create_ts(10));
        lab.ok("{dropDatabase: 1}");
        lab.check("{mayflyDialect: 1}", "{dialect: 'open'}");
        lab.reopened().check("{mayflyDialect: 1}", "{dialect: 'open'}");
    }
}

#[test]
fn what_the_verdict_says() {
    for dialect in HIDING {
        let lab = lab_with_ttl(dialect, 10);
        lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2, ttl: 20}, {_id: 3, ttl: -1}, {_id: 4, ttl: 20.5}]}");
        for (id, source, words) in [
            (1, "'index'", "10 seconds after its last modification"),
            (2, "'item'", "Its ttl field expires it"),
            (3, "absent", "Its ttl is -1, so it never expires."),
            (4, "'index'", "Its ttl is ignored"),
        ] {
            let command = format!("{{mayflyVerdict: 'c', id: {id}}}");
            check_value(&lab, dialect, &command, "verdicts.0.source", source);
            let reply = lab.ok(&command);
            let sentence = crate::command::testing::at(&reply, "verdicts.0.sentence");
            let sentence = sentence.as_ref().and_then(bson::Bson::as_str).unwrap_or_default();
            assert!(sentence.contains(words), "{id}: {sentence}");
        }
    }
}

#[test]
fn the_verdict_of_several_documents_says_when_each_goes() {
    for dialect in HIDING {
        let lab = lab_with_ttl(dialect, 10);
        lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 'b', ttl: 20}, {_id: 3, ttl: -1}]}");
        let command = "{mayflyVerdict: 'c', ids: [3, 'b', 9, 1]}";
        let goes = |id: &str| {
            let winner = lab.ok(&format!("{{mayflyVerdict: 'c', id: {id}}}"));
            crate::command::testing::at(&winner, "verdicts.0.threshold")
        };
        let reply = lab.ok(command);
        let at = |path: &str| crate::command::testing::at(&reply, path);
        check_value(&lab, dialect, command, "documents.0", "{_id: 3}");
        check_value(&lab, dialect, command, "documents.1._id", "'b'");
        assert_eq!(at("documents.1.threshold"), goes("'b'"), "{reply}");
        assert_eq!(at("documents.2.threshold"), goes("1"), "{reply}");
        check_value(&lab, dialect, command, "documents.3", "absent");
        lab.check("{mayflyVerdict: 'c', ids: 1}", "{ok: 0, code: 2}");
        lab.check("{mayflyVerdict: 'c'}", "{ok: 0, code: 40414}");
        lab.check(
            &format!("{{mayflyVerdict: 'c', ids: {:?}}}", vec![1; 1_001]),
            "{ok: 0, code: 2}",
        );
    }
}
