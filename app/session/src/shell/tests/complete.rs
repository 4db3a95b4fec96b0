//! The completions of the console.

use super::{run, shell};

#[test]
fn words_are_completed() {
    let mut shell = shell();
    run(&mut shell, "db.sessions.insertOne({at: 1, user: {name: 'a'}, 'odd name': 2})");
    let before = run(&mut shell, "it");
    let check = |marked: &str, expected: &[&str]| {
        let cursor = marked.find('|').unwrap_or(marked.len());
        let text = marked.replace('|', "");
        let found = shell.complete(&text, cursor);
        for word in expected {
            let done = |completion: &super::super::Completion| {
                format!("{}{}", &text[..completion.start], completion.text)
            };
            let found: Vec<_> = found.iter().map(done).collect();
            assert!(found.iter().any(|found| found == word), "{marked}: {found:?}");
        }
        if expected.is_empty() {
            assert_eq!(found, [], "{marked}");
        }
    };
    check("ISOD", &["ISODate"]);
    check("print(ISOD|)", &["print(ISODate"]);
    check("db.se", &["db.sessions", "db.serverStatus"]);
    check("db.sessions.insert", &["db.sessions.insertOne", "db.sessions.insertMany"]);
    check("db.getCollection('x').fin", &["db.getCollection('x').find"]);
    check("db.sessions.find({a: 1}).so", &["db.sessions.find({a: 1}).sort"]);
    check("db.sessions.find({", &["db.sessions.find({at", "db.sessions.find({\"odd name\""]);
    check("db.sessions.find({at: {$g", &["db.sessions.find({at: {$gte"]);
    check("db.sessions.updateOne({}, {$se", &["db.sessions.updateOne({}, {$set"]);
    check("db.sessions.aggregate([{$ma", &["db.sessions.aggregate([{$match"]);
    check("clock.adv", &["clock.advance"]);
    check("use te", &["use test"]);
    check("show coll", &["show collections"]);
    for nothing in ["", "1 + 1.", "nothing.at.all.", "é", "db.sessions.find({'"] {
        let _ = shell.complete(nothing, nothing.len() + 1);
    }
    check("nothing.at.all.", &[]);
    assert_eq!(before, run(&mut shell, "it"), "completion leaves the console as it is");
}
