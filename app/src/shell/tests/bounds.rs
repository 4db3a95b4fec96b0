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
    assert_eq!(run(shell, "1 + 1"), ["2"], "after {input}");
}

#[test]
fn memory_has_an_end() {
    let mut shell = shell_within(Duration::from_mins(1));
    for (input, words) in [
        ("'x'.repeat(1e10)", "invalid repeat count"),
        ("s = 'x'; while (true) s += s", "string too long"),
        ("s = null; a = []; while (true) a.push('xxxxxxxx' + a.length)", "Out of memory"),
        ("while (true) try { while (true) a.push({}) } catch (e) { a = [a] }", ""),
        ("a = null; Array(1e9).fill()", "Out of memory"),
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
    assert!(db_count(&mut shell) > 0, "some documents were stored");
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
