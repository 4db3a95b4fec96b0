//! Whatever an input does, it ends within its bounds, says which one, and leaves a usable console.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use mayfly_engine::clock::{Clock as _, SystemClock};

use super::{LIMITS, Shell, ShellLimits, run, shell};
use crate::job::{Cancel, OpenRequest, Sandbox};
use crate::source::embedded;

/// A console whose inputs may take this long.
fn shell_within(time: Duration) -> Shell {
    let request = OpenRequest { sandbox: Some(Sandbox::Empty), ..OpenRequest::default() };
    let opened = embedded::opener()(&request).expect("a sandbox opens");
    let limits = ShellLimits { time: Some(time), ..LIMITS };
    Shell::new(Arc::clone(&opened.source), limits).expect("a shell starts")
}

/// The last line of an input has these words, and the next input runs.
#[track_caller]
fn ends(shell: &mut Shell, input: &str, words: &str) {
    let last = run(shell, input).pop().unwrap_or_default();
    assert!(last.contains(words), "{input}: {last:?}, not {words:?}");
    let time = shell.set_time(None);
    assert_eq!(run(shell, "1 + 1"), ["2"], "after {input}");
    shell.set_time(time);
}

#[test]
fn memory_has_an_end() {
    let mut shell = shell_within(Duration::from_mins(1));
    for (input, words) in [
        ("'x'.repeat(1e10)", "invalid repeat count"),
        ("s = 'x'; while (true) s += s", "string too long"),
        ("s = null; a = []; while (true) a.push('xxxxxxxx' + a.length)", "Out of memory"),
        ("while (true) try { while (true) a.push({}) } catch (e) { a = [a] }", ""),
        ("a = null; Array(1e9).fill()", "work on a smaller array"),
        ("[...Array(1e9)]", "Out of memory"),
        ("Array(1e9).join()", "work on a smaller array"),
        ("'a'.repeat(1e6).indexOf('a'.repeat(1e5) + 'b')", "search in smaller parts"),
    ] {
        ends(&mut shell, input, words);
    }
}

#[test]
fn the_stack_has_an_end() {
    let mut shell = shell();
    for input in [
        "function f() { return f() } f()",
        "o = {toString() { return '' + o }}; '' + o",
        "JSON.parse('['.repeat(1e6))",
        "eval('('.repeat(1e6))",
        "d = {}; for (let i = 0, e = d; i < 1e5; i++) e = e.a = {}; JSON.stringify(d)",
    ] {
        ends(&mut shell, input, "Nest calls and values less deeply");
    }
}

#[test]
fn time_has_an_end() {
    let mut shell = shell_within(Duration::from_millis(200));
    for input in [
        "while (true) {}",
        "while (true) try { while (true) {} } catch (e) {} finally {}",
        "async function f() { for (;;) try { await null } catch (e) {} }\nawait f()",
        "function g() { Promise.resolve().then(g) } g()",
        "/(a+)+$/.test('a'.repeat(40) + 'b')",
        "Array(1e5).fill(0).sort((a, b) => { for (let i = 0; i < 1e4; i++); return 1 })",
        "Array(1e9).indexOf(1)",
        "for (let i = 0; i < 1e7; i++) db.c.insertOne({i})",
        "for (let i = 0; i < 1e7; i++) try { db.c.insertOne({i}) } catch (e) {}",
        "sleep(1e9)",
        "x = {get a() { while (true) {} }}; x.a",
    ] {
        ends(&mut shell, input, "the time limit of an input");
    }
    ends(&mut shell, "throw {get message() { while (true) {} }}", "");
    shell.set_time(None);
    assert!(db_count(&mut shell) > 0, "some documents were stored");
}

/// An array-like object whose length grows after the first time that it is read.
const LYING: &str = "n = 0; lying = {get length() { return n++ ? 2 ** 53 - 1 : 3 }};";

#[test]
fn built_in_functions_that_are_not_interrupted_are_refused_or_end() {
    // On a machine with much to do, all but the endless ones take a while.
    let endless = Some(Duration::from_millis(500));
    let mut shell = shell();
    let spreads = "wide = {length: 2 ** 53 - 1, [Symbol.isConcatSpreadable]: true};";
    let smaller = "work on a smaller array";
    let limit = "the time limit of an input";
    let written = "copy the object with Array.from first";
    for (setup, input, words) in [
        (spreads, "[].concat(wide)", smaller),
        ("a = Array(2 ** 24)", "[].concat(a, a)", smaller),
        (LYING, "Array.prototype.reverse.call(lying)", written),
        (LYING, "Array.prototype.copyWithin.call(lying, 0, 1)", written),
        (LYING, "Array.prototype.fill.call(lying, 0)", written),
        (LYING, "Array.prototype.shift.call(lying)", written),
        (LYING, "Array.prototype.splice.call(lying, 0, 1)", written),
        (LYING, "Array.prototype.unshift.call(lying, 0)", written),
        (LYING, "Array.prototype.sort.call(lying)", written),
        (LYING, "Array.prototype.join.call(lying)", ",,"),
        (LYING, "Array.prototype.lastIndexOf.call(lying, 1)", "-1"),
        (LYING, "Array.prototype.slice.call(lying).length", "3"),
        (LYING, "Array.prototype.toReversed.call(lying).length", "3"),
        (
            "p = {length: {valueOf: () => n++ ? 2 ** 53 - 1 : 3}}; n = 0",
            "[].reverse.call(p)",
            written,
        ),
        (
            "p = new Proxy([1, 2], {get: (a, k) => k === 'length' ? 1e15 : a[k]})",
            "p.slice()",
            smaller,
        ),
        (
            "u = new Uint8Array(9); Object.defineProperty(u, 'length', {value: 1e15})",
            "[].fill.call(u)",
            smaller,
        ),
        ("x = []; for (let i = 0; i < 50; i++) x = [x, x]", "x.flat(Infinity)", limit),
        ("x = []; for (let i = 0; i < 50; i++) x = [x, x]", "[x].flatMap(y => y.flat(99))", limit),
        ("a = Array(2 ** 32 - 1)", "a.flat()", limit),
        ("a = Array(2 ** 32 - 1)", "new Set(a)", limit),
        ("i = Array.prototype.values.call({length: 2 ** 53 - 1})", "new Set(i)", limit),
        ("i = Array.prototype.values.call({length: 2 ** 53 - 1})", "i.drop(1e15).next()", smaller),
        (
            "s = {size: 1e15, has: () => true, keys: () => [].values.call({length: 1e15})}",
            "new Set([1]).union(s)",
            limit,
        ),
        (
            "k = Array.from({length: 2e4}, (_, i) => 'k' + i)",
            "p = new Proxy({}, {ownKeys: () => k}); Reflect.ownKeys(p)",
            "report fewer",
        ),
        ("", "({...p})", "report fewer"),
        ("", "for (const x in p);", "report fewer"),
        ("", "Object.keys(Proxy.revocable({}, {ownKeys: () => k}).proxy)", "report fewer"),
        ("k = p = 0; u = new Uint8Array(2e7)", "for (;;) u.lastIndexOf(1)", limit),
        ("", "for (;;) try { u.includes(1) } catch (e) {}", limit),
        ("", "for (;;) u.indexOf(1)", limit),
        ("", "for (;;) u.fill(1)", limit),
        ("", "for (;;) u.reverse()", limit),
        ("", "for (;;) u.set(u)", limit),
        ("u = 0; a = Array(1e6).fill(0)", "for (;;) a.indexOf(1)", limit),
        ("", "for (;;) a.slice()", limit),
        ("a = 0; s = 'x'.repeat(1e7)", "for (;;) s.toUpperCase()", limit),
        ("", "for (;;) s.indexOf('y')", limit),
        ("", "for (;;) s.repeat(2)", limit),
    ] {
        shell.set_time(None);
        let done = run(&mut shell, &format!("{setup};0")).pop();
        assert_eq!(done.as_deref(), Some("0"), "{setup}");
        shell.set_time(endless.filter(|_| words == limit));
        ends(&mut shell, input, words);
    }
}

#[test]
fn bounded_functions_do_as_before() {
    let mut shell = shell();
    for (input, printed) in [
        ("JSON.stringify([1, [2, [3, , [4]]]].flat(Infinity))", "[1,2,3,4]"),
        ("JSON.stringify([1, [2, [3]]].flat())", "[1,2,[3]]"),
        ("JSON.stringify([1, 2].flatMap(x => [x, [x]]))", "[1,[1],2,[2]]"),
        ("JSON.stringify([1].concat([2, 3], 4, {length: 1}))", r#"[1,2,3,4,{"length":1}]"#),
        (
            "JSON.stringify([1].concat({length: 2, 0: 7, [Symbol.isConcatSpreadable]: 1}))",
            "[1,7,null]",
        ),
        (
            "class A extends Array {}; A.of([1]).flat() instanceof A && new A().concat() instanceof A",
            "true",
        ),
        ("[...new Set([1, 1, 2])].join() + new Set('aab').size", "1,22"),
        (
            "class S extends Set { has() { return 7 } }; new S([1]).has() + (new S() instanceof Set)",
            "8",
        ),
        ("[...new Set([1, 2]).union(new Set([3]))].join()", "1,2,3"),
        ("new Set([1]).constructor === Set && Set.name", "Set"),
        ("Object.keys(new Proxy({a: 1, b: 2}, {ownKeys: t => ['a']})).join()", "a"),
        ("Object.keys(new Proxy({a: 1, b: 2}, {})).join()", "a,b"),
        (
            "(function () { return Array.prototype.slice.call(arguments, 1).join() })(1, 2, 3)",
            "2,3",
        ),
        ("Array.prototype.map.call('ab', c => c + c).join()", "aa,bb"),
        ("Array.prototype.fill.call({length: 2}, 7)[1]", "7"),
        ("[3, 1, 2].sort().reverse().join('')", "321"),
        (
            "new Uint8Array([1, 2, 3]).slice(1).join() + 'aXb'.replace('X', '-').toUpperCase()",
            "2,3A-B",
        ),
        ("[].concat.name + [].concat.length + [].slice.length", "concat12"),
    ] {
        assert_eq!(run(&mut shell, input), [printed], "{input}");
    }
}

fn db_count(shell: &mut Shell) -> u64 {
    run(shell, "db.c.countDocuments()").pop().and_then(|count| count.parse().ok()).unwrap_or(0)
}

#[test]
fn output_has_an_end() {
    let mut shell = shell();
    for input in ["while (true) print('y')", "while (true) try { print('y') } catch (e) {}"] {
        ends(&mut shell, input, "Stopped after printing 1 MB, the limit");
    }
    ends(&mut shell, "'z'.repeat(1 << 20)", "Stopped after printing 1 MB, the limit");
}

#[test]
fn cancel_takes_no_longer_than_a_blink() {
    let mut shell = shell();
    for input in [
        "while (true) {}",
        "while (true) try { sleep(1000) } catch (e) {}",
        "while (true) db.c.insertOne({})",
        "await new Promise(() => { while (true) {} })",
    ] {
        let (cancel, stop) = (Cancel::default(), Cancel::default());
        let stopping = cancel.clone();
        let thread = thread::Builder::new().spawn(move || {
            thread::sleep(Duration::from_millis(50));
            stopping.cancel();
            SystemClock.monotonic()
        });
        let mut lines = Vec::new();
        shell.run_input(input, &cancel, &mut |output| lines.push(output));
        let ended = SystemClock.monotonic();
        let canceled = thread.expect("a thread").join().expect("it cancels");
        let took = ended.saturating_sub(canceled);
        assert!(took < Duration::from_secs(1), "{input} took {took:?}");
        assert_eq!(lines, [super::Output::Failed("Stopped.".to_owned())], "{input}");
        assert!(shell.run_input("1 + 1", &stop, &mut |_| ()), "after {input}");
    }
}

#[test]
fn promises_are_awaited() {
    let mut shell = shell();
    let mut check = |input, lines: &[&str]| assert_eq!(run(&mut shell, input), lines, "{input}");
    check("await Promise.resolve(7)", &["7"]);
    check("const all = await db.c.find().toArray()\nall.length", &["0"]);
    check("(async () => { await null; return 9 })()", &["9"]);
    check("Promise.reject(new TypeError('no'))", &["TypeError: no"]);
    check("Promise.reject(new TypeError('late')); 5", &["TypeError: late"]);
    check("Promise.reject(new Error('x')).catch(e => print(e.message)); 6", &["x", "6"]);
}
