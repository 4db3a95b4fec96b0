//! The console's extensions of mongosh.

use super::{run, shell, transcript};

#[test]
fn time_passes_with_every_pass_on_the_way() {
    transcript(
        r#"> db.c.createIndex({at: 1}, {expireAfterSeconds: 10})
at_1
> [0, 60, 120].forEach((s, i) => db.c.insertOne({_id: i, at: new Date(Date.now() + s * 1000)}))

> clock.now()
ISODate('2026-01-01T00:00:00.000Z')
> clock.advance("1m")
ISODate('2026-01-01T00:01:00.000Z')
> db.c.countDocuments()
2
> clock.advance(3 * 60); db.c.countDocuments()
0
> clock.jump("-1h")
ISODate('2025-12-31T23:04:00.000Z')
> new Date()
ISODate('2025-12-31T23:04:00.000Z')
> clock.advance("soon")
MongoshInvalidInputError: [COMMON-10001] clock.advance: expected seconds or a duration such as "90s", "5m", "2h" or "3d"
"#,
    );
}

#[test]
fn traffic_comes_in_order() {
    let mut shell = shell();
    let check =
        |shell: &mut _, input, lines: &[&str]| assert_eq!(run(shell, input), lines, "{input}");
    check(&mut shell, "traffic('t', '20s', i => print(i + ' ' + new Date().getSeconds()))", &[]);
    check(&mut shell, "clock.advance('70s').getSeconds()", &["0 20", "1 40", "2 0", "10"]);
    check(&mut shell, "traffic.stop('t')", &["true"]);
    check(&mut shell, "clock.advance('70s').getSeconds()", &["20"]);
}

#[test]
fn traffic_has_bounds_and_says_so() {
    transcript(
        r"> reaper.off(); __shell.systemTime = () => 0; 0
0
> var seen = []; traffic('t', '1s', i => { seen.push(i) })
> clock.advance('250s'); seen.length
traffic: 50 calls were merged: at most 200 a second
200
> clock.advance('1s'); seen[200]
250
> traffic.stop('t')
true
> traffic('full', '1s', i => db.c.insertMany(Array.from({length: 2500}, (_, n) => ({n}))))
> clock.advance('5s'); db.c.countDocuments()
traffic: 3 calls were left out: the collections have 5000 documents or more
5000
> db.c.deleteMany({n: 1}).deletedCount
2
> clock.advance('1s'); db.c.countDocuments()
7498
",
    );
}

#[test]
fn objects_call_their_commands() {
    let mut shell = shell();
    let mut check = |input, words: &str| {
        let found = run(&mut shell, input).join("\n");
        assert!(found.contains(words), "{input}: {found}");
    };
    check("db.c.createIndex({at: 1}, {expireAfterSeconds: 60})", "at_1");
    check("db.c.insertOne({_id: 1, at: new Date()}).insertedId", "1");
    check("verdict(db.c, 1)", "winner: 'at_1'");
    check("whatIf(db.c, {at: 1}, '30s').total", "1");
    check("clock.nextEvent().kind", "pass");
    check("reaper.off(); clock.nextEvent().ns", "test.c");
    check("reaper.every('1s').ok + reaper.on().ok", "2");
    check("held().held", "false");
    check("db.adminCommand({setParameter: 1, mayflyTrashSecs: 3600}).ok", "1");
    check("clock.advance('2m'); reaper.pass().ok", "1");
    check("reaper.history({ spans: 1 })[0].removed", "1");
    check("trash('c')[0]._id", "1");
    check("ledger(db.c)[0].lagSeconds", "0");
    check("archive('c')[0].document._id", "1");
}
