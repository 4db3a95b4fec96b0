//! The lessons about replica sets, played as their authors meant them.

use std::sync::Arc;

use bson::{Bson, doc};

use super::*;
use crate::job::lesson::{BlockKind, MemberRole};
use crate::lessons::file::parse;
use crate::lessons::shipped;
use crate::lessons::stage::tests::pacer;
use crate::limits::CONSOLE_THREAD_STACK;

fn with_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(CONSOLE_THREAD_STACK);
    thread.spawn(work).expect("a thread").join().expect("no panic");
}

fn performance(slug: &str) -> Performance {
    let lesson = parse(slug, shipped::text(slug).expect("shipped"));
    let lesson = Arc::new(lesson.unwrap_or_else(|problems| panic!("{slug}: {problems:?}")));
    let sink = Arc::new(|_: &_| {});
    let opened = Performance::open(lesson, pacer(), sink, SharedPermit::default());
    opened.unwrap_or_else(|sentence| panic!("{slug}: {sentence}"))
}

/// Plays a lesson and returns what each block printed. Each question has one true choice.
fn play(slug: &str) -> (Performance, Vec<String>) {
    let lesson = parse(slug, shipped::text(slug).expect("shipped")).expect("sound");
    let mut performance = performance(slug);
    let mut printed = Vec::new();
    for (at, card) in lesson.cards.iter().enumerate() {
        let opened = performance.step(&Step::Open(at), &Cancel::default());
        assert_eq!(opened.failure, None, "{slug}, card {at}");
        for part in played(card) {
            let ran = performance.step(&Step::Block(part), &Cancel::default());
            assert_eq!((ran.failure, ran.end), (None, None), "{slug}, card {at}, part {part}");
            printed.push(format!("{:?}", ran.output));
            for (_, question) in questions_before(card, part) {
                let answer = ask(performance.script(), question).expect("an answer");
                assert_eq!(answer.true_choices.len(), 1, "{slug}: {:?}", answer.value);
            }
        }
        if goal(card).is_some() {
            performance.script().watch().expect("watched");
            assert_eq!(performance.script().goal_state(), (true, false), "{slug}, card {at}");
        }
        assert_eq!(performance.stage().failure(), None);
    }
    (performance, printed)
}

#[test]
fn lessons_about_members_play_to_their_end() {
    with_stack(|| {
        for (slug, text) in shipped::FILES {
            if !text.contains("[[members]]") {
                continue;
            }
            let (first, printed) = play(slug);
            let (second, again) = play(slug);
            assert_eq!(printed, again, "{slug}");
            assert_eq!(first.stage().contents(), second.stage().contents(), "{slug}");
            assert_eq!(first.stage().members(), second.stage().members(), "{slug}");
            assert_eq!(first.stage().ledger().all(), second.stage().ledger().all(), "{slug}");
        }
    });
}

#[test]
fn answers_and_clocks_are_those_of_each_member() {
    with_stack(|| {
        let mut performance = performance("41-step-down-to-a-wrong-clock");
        performance.step(&Step::Open(0), &Cancel::default());
        let mut value = |text: &str| performance.script().evaluate(text).expect("a value").value;
        let date = |secs: i64| {
            Bson::DateTime(bson::DateTime::from_millis(1_767_268_800_000 + secs * 1_000))
        };
        assert_eq!(value("clock.now()"), date(0));
        assert_eq!(value("member('B').clock.now()"), date(3_600));
        assert_eq!(value("member('B').db.hello().secondary"), Bson::Boolean(true));
        assert_eq!(value("member('B').db.hello().primary"), Bson::from("A:27017"));
        assert_eq!(value("db.orders.countDocuments()"), Bson::Int32(1));
        assert_eq!(value("member('C').db.orders.countDocuments()"), Bson::Int32(1));
        assert_eq!(value("member('C').visible('orders', 'order-9')"), Bson::Boolean(true));
        let code =
            "(() => { try { member('B').db.orders.insertOne({}) } catch (e) { return e.code } })()";
        assert_eq!(value(code), Bson::Int32(10_107));
        assert_eq!(value("stepDown('A').primary"), Bson::from("B"));
        assert_eq!(value("member('A').state"), Bson::from("SECONDARY"));
        assert_eq!(value("stop('B').state"), Bson::from("DOWN"));
        assert_eq!(value("member('A').state"), Bson::from("PRIMARY"));
        assert_eq!(value("start('B').state"), Bson::from("SECONDARY"));
        assert_eq!(value("readFrom('B').state"), Bson::from("SECONDARY"));
        assert_eq!(value("db.hello().me"), Bson::from("B:27017"));
        value("db.orders.insertOne({_id: 'new'})");
        let status = "db.adminCommand({replSetGetStatus: 1}).members.map((it) => it.stateStr)";
        let states = ["PRIMARY", "SECONDARY", "SECONDARY"].map(Bson::from).to_vec();
        assert_eq!(value(status), Bson::Array(states));
        assert_eq!(value("member('B').ledger('orders').length"), Bson::Int32(0));
        let (views, oplog, delay_ms) = performance.stage().members();
        let roles: Vec<_> = views.iter().map(|view| (view.role, view.is_read)).collect();
        let secondary = MemberRole::Secondary;
        assert_eq!(roles, [(MemberRole::Primary, false), (secondary, true), (secondary, false)]);
        let kinds: Vec<_> = oplog.iter().map(|entry| entry.kind.as_str()).collect();
        assert_eq!((kinds, delay_ms), (vec!["index", "insert", "insert"], 0));
        let find = doc! {"find": "orders"};
        let reply = performance.stage().run_on("X", "lesson", &find);
        assert_eq!(reply.get_str("errmsg").ok(), Some("This lesson has no member X"));
    });
}

#[test]
fn lessons_about_members_have_blocks() {
    let of_members = shipped::FILES.iter().filter(|(_, text)| text.contains("[[members]]"));
    for (slug, text) in of_members {
        let lesson = parse(slug, text).expect("sound");
        let has_setup = |card| blocks(card).any(|(_, kind, _)| matches!(kind, BlockKind::Setup(_)));
        assert!(lesson.members.len() == 3 && lesson.cards.iter().any(has_setup), "{slug}");
    }
}
