//! The calls of lessons on a stage.

use std::rc::Rc;
use std::sync::Arc;

use super::*;
use crate::lessons::stage::tests::pacer;
use crate::lessons::tests::lesson;

fn open(front: &str) -> Script {
    let lesson = lesson(front, "## A card\n\nText.\n");
    let stage = Stage::open(&lesson, pacer(), Arc::new(|_: &_| {})).expect("a stage");
    Script::open(&lesson, Rc::new(stage), SharedPermit::default()).expect("a script")
}

/// The output of an input, a line each.
fn lines(script: &mut Script, text: &str) -> Vec<String> {
    let ran = script.run(text, &Cancel::default());
    let texts = ran.output.into_iter().map(|output| match output {
        ConsoleOutput::Printed(text)
        | ConsoleOutput::Failed(text)
        | ConsoleOutput::Note(text)
        | ConsoleOutput::Value { text, .. } => text,
    });
    texts.collect()
}

/// Runs each input and compares what it prints.
#[track_caller]
fn check(script: &mut Script, steps: &[(&str, &str)]) {
    for (input, expected) in steps {
        assert_eq!(lines(script, input).join("\n"), *expected, "{input}");
    }
}

const TTL: &str = "db.c.createIndex({at: 1}, {expireAfterSeconds: 0}); null";

#[test]
fn time_passes_by_play() {
    let mut script = open("");
    check(
        &mut script,
        &[
            (TTL, "null"),
            (r#"db.c.insertOne({_id: "a", at: T("+5s")}); visible("c", "a")"#, "true"),
            (r#"play("next threshold"); new Date()"#, "ISODate('2026-01-01T12:00:05.000Z')"),
            (r#"removedAfter("c", "a")"#, "null"),
            (r#"play("next pass"); removedAfter(db.c, "a")"#, "60"),
            (r#"stored("c", "a")"#, "false"),
            (r#"ledger("c")[0].lagSeconds"#, "55"),
            (r#"ledger("c")[0].threshold"#, "ISODate('2026-01-01T12:00:05.000Z')"),
            (r#"play("until 12:02:30"); T("-1h")"#, "ISODate('2026-01-01T11:00:00.000Z')"),
            (r#"play("30s"); clock.now()"#, "ISODate('2026-01-01T12:03:00.000Z')"),
            ("db.serverStatus().metrics.ttl.passes", "Long('3')"),
            (
                r#"reaper.off(); play("next pass")"#,
                "MongoshInvalidInputError: [COMMON-10001] play: no pass comes, because the monitor is off",
            ),
        ],
    );
}

#[test]
fn traffic_writes_and_passes_come_in_this_order_at_one_instant() {
    let mut script = open("");
    check(
        &mut script,
        &[
            (TTL, "null"),
            (
                r#"traffic("t", "30s", (i) => print("traffic", i, new Date().getSeconds())); null"#,
                "null",
            ),
            (r#"at("+60s", () => { print("write"); db.c.insertOne({_id: 1, at: T()}) })"#, ""),
            (r#"play("60s"); db.c.countDocuments()"#, "traffic 0 30\ntraffic 1 0\nwrite\n0"),
            (r#"at("+59s", () => 1)"#, "MongoshInvalidInputError: [COMMON-10001] at: +59s is over"),
        ],
    );
}

/// A monitor that is off keeps its rhythm (lesson 36).
#[test]
fn a_pause_of_the_monitor_ends_with_its_next_sleep() {
    let mut script = open("");
    check(
        &mut script,
        &[
            (TTL, "null"),
            (
                r#"reaper.off(); db.c.insertOne({_id: 1, at: T("+5s")}); play("601s"); db.c.countDocuments()"#,
                "1",
            ),
            (r#"reaper.on(); play("next pass"); removedAfter("c", 1)"#, "660"),
        ],
    );
}

#[test]
fn a_long_stretch_is_cheap() {
    let mut script = open("");
    let began = mayfly_engine::clock::work_time();
    check(&mut script, &[(r#"play("7d"); db.serverStatus().metrics.ttl.passes"#, "Long('10080')")]);
    let took = mayfly_engine::clock::work_time().saturating_sub(began);
    assert!(took < LESSON_TIME_MAX, "{took:?}");
}

#[test]
fn two_runs_give_the_same_numbers_and_ids() {
    let all = |mut script: Script| {
        lines(&mut script, "print(Math.random(), new ObjectId(), UUID(), Math.random() < 1)")
    };
    let (first, second) = (all(open("")), all(open("")));
    assert_eq!(first, second);
    assert!(first[0].contains("695661c0") && first[0].ends_with("true"), "{first:?}");
}

#[test]
fn an_expression_says_whether_it_read_the_engine() {
    let mut script = open("");
    for (text, value, has_read) in [
        ("1 + 1", Bson::Int32(2), false),
        ("db.c.countDocuments()", Bson::Int32(0), true),
        ("removedAfter('c', 1)", Bson::Null, true),
        ("reply", Bson::Null, true),
        ("T('0s').getTime() > 0", Bson::Boolean(true), false),
        ("undefined // nothing", Bson::Null, false),
    ] {
        let said = script.evaluate(text).expect("a value");
        assert!(super::super::equality::is_equal(&said.value, &value), "{text}: {said:?}");
        assert_eq!(said.has_read, has_read, "{text}");
    }
    assert!(script.evaluate("x.y").is_err());
}

#[test]
fn a_block_leaves_its_reply_and_its_error() {
    let mut script = open("");
    script.run("db.c.createIndex({at: 1}); db.c.countDocuments()", &Cancel::default());
    assert_eq!(script.evaluate("reply").expect("a value").value, Bson::Int32(0));
    let text = "db.c.createIndex({at: 1}, {expireAfterSeconds: 60})";
    let ran = script.run(text, &Cancel::default());
    assert_eq!(ran.code, Some(85), "{ran:?}");
    assert_eq!(
        script.evaluate("error.codeName").expect("a value").value,
        "IndexOptionsConflict".into()
    );
}

#[test]
fn a_challenge_refuses_what_it_does_not_allow() {
    let mut script = open("");
    let goal = Goal {
        task: String::new(),
        when: "db.c.countDocuments() === 2".to_owned(),
        hints: Vec::new(),
        near: None,
        fail_when: Some("db.c.countDocuments() > 2".to_owned()),
        lost: None,
        allow: vec!["insertOne".to_owned(), "play".to_owned()],
        deny: Vec::new(),
        deadline: None,
    };
    script.set_goal(Some(&goal));
    check(
        &mut script,
        &[
            ("db.c.insertMany([{}])", "Error: Not in this challenge: insertMany"),
            ("db.runCommand({drop: 'c'})", "Error: Not in this challenge: drop"),
            ("reaper.off()", "Error: Not in this challenge: reaper.off"),
            ("db.c.insertOne({_id: 1}); db.c.find()", "[ { _id: 1 } ]"),
            ("db.c.aggregate([{$out: 'd'}])", "Error: Not in this challenge: aggregate"),
            (r#"play("next pass"); verdict("c", 1).winner"#, "null"),
        ],
    );
    assert_eq!(script.goal_state(), (false, false));
    script.run("db.c.insertOne({_id: 2})", &Cancel::default());
    script.watch().expect("a value");
    assert_eq!(script.goal_state(), (true, false));
    script.run("db.c.insertOne({_id: 3})", &Cancel::default());
    script.watch().expect("a value");
    assert_eq!(script.goal_state(), (true, true));
    script.set_goal(None);
    check(&mut script, &[("db.c.insertMany([{_id: 9}]).acknowledged", "true")]);
}

#[test]
fn a_hostile_file_is_stopped_within_its_bounds() {
    let mut script = open("");
    let mut refused = |text: &str, says: &str| {
        let lines = lines(&mut script, text).join("\n");
        assert!(lines.contains(says), "{text}: {lines}");
    };
    refused("const all = []; for (;;) all.push('x'.repeat(1 << 20) + all.length)", "Out of memory");
    refused("db.adminCommand({mayflyArchive: 'c', target: '/tmp/x'})", "reaches out");
    refused("db.runCommand({mayflyArchive: 'c', target: '/tmp/x'})", "reaches out");
    refused("db.adminCommand({mayflyBackup: '/tmp/x'})", "reaches out");
    refused("db.adminCommand({mayflyListen: 1})", "reaches out");
    refused("db.adminCommand({mayflyClock: 1, advanceMS: 1})", "play and clock.advance");
    refused(
        "for (;;) db.c.insertMany(Array.from({length: 5000}, () => ({})))",
        "holds at most 100000 documents",
    );
    refused("db.c.drop(); for (;;) db.c.insertOne({s: 'x'.repeat(4 << 20)})", "and 64 MB");
    refused("db.c.deleteMany({}).acknowledged", "true");
    refused("__host.call('read', {path: '/etc/passwd'})", "is not known");
    refused("while (true) {}", "Stopped after 5 s");
    refused("1 + 1", "2");
}

#[test]
fn both_rules_stand_side_by_side() {
    const FRONT: &str = "rules = \"both\"\n";
    let text =
        crate::lessons::tests::text("", "## A\n\n```js setup\ndb.createCollection(\"c\")\n```\n");
    let text = text.replacen("minutes", &format!("{FRONT}minutes"), 1);
    let lesson = crate::lessons::file::parse("both", &text).expect("a lesson");
    let stage = Stage::open(&lesson, pacer(), Arc::new(|_: &_| {})).expect("a stage");
    let mut script =
        Script::open(&lesson, Rc::new(stage), SharedPermit::default()).expect("a script");
    check(
        &mut script,
        &[
            ("cosmos.c.createIndex({_ts: 1}, {expireAfterSeconds: 10}); null", "null"),
            ("cosmos.c.insertOne({_id: 1}); play('10s'); visible(cosmos.c, 1)", "false"),
            ("stored(cosmos.c, 1)", "true"),
            ("play('next pass'); stored(cosmos.c, 1)", "true"),
            ("play('5m'); stored(cosmos.c, 1)", "false"),
            ("removedAfter(cosmos.c, 1) >= 70 && removedAfter(cosmos.c, 1) <= 310", "true"),
        ],
    );
}
