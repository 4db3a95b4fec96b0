//! Without a display the terminal shows the store that the window would show.

#[cfg(target_os = "linux")]
mod pty;

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use bson::{DateTime, doc};
use mayfly_engine::clock::{Clock as _, SystemClock};
use mayfly_engine::engine::{Engine, EngineOptions};

/// The first line that `mayfly` prints, started without a display for a user with this data folder.
fn first_line(data: &Path, arguments: &[&str]) -> String {
    let (mut child, _out, line) = started(data, arguments);
    child.kill().expect("it still runs");
    child.wait().expect("it ends");
    line
}

/// The program, the rest of its output, and its first line.
fn started(data: &Path, arguments: &[&str]) -> (Child, BufReader<ChildStdout>, String) {
    let mut command = program();
    for display in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
        command.env_remove(display);
    }
    command.args(arguments).env("XDG_DATA_HOME", data);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().expect("it is piped"));
    out.read_line(&mut line).expect("it can be read");
    (child, out, line)
}

/// The program, with the default action on a hangup: the test runner may ignore it, as `nohup`
/// does.
#[cfg(target_os = "linux")]
fn program() -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal=HUP", env!("CARGO_BIN_EXE_mayfly")]);
    command
}

#[cfg(not(target_os = "linux"))]
fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_mayfly"))
}

/// A folder for data with a store of the user's, which has one document.
fn own_store() -> tempfile::TempDir {
    let data = tempfile::tempdir().expect("a temporary folder");
    let folder = data.path().join("mayfly");
    std::fs::create_dir(&folder).expect("a folder");
    let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
    let engine = Engine::open(&folder.join("store"), options).expect("a store");
    let soon = DateTime::from_millis(SystemClock.now_ms() + 3_600_000);
    for command in [
        doc! {"createIndexes": "c", "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 0},
        ]},
        doc! {"insert": "c", "documents": [{"_id": "mine", "at": soon}]},
    ] {
        let reply = engine.run("own", &command);
        assert_eq!(reply.get_f64("ok").ok(), Some(1.0), "{reply}");
    }
    engine.close().expect("the store closes");
    data
}

#[test]
fn what_somebody_stored_is_shown() {
    let data = own_store();
    let folder = data.path().join("mayfly");
    for arguments in [&[] as &[&str], &["watch"]] {
        let line = first_line(data.path(), arguments);
        assert!(line.contains("next to expire: own.c 'mine' at"), "{line}");
    }
    let line = first_line(data.path(), &["--demo"]);
    assert!(line.contains("next to expire: ") && !line.contains("own.c"), "{line}");
    assert!(folder.join("demo").exists(), "the demo has a store of its own");
}

/// Without a display a signal ends what the window would have been, and the next start has nothing
/// to tell.
#[test]
#[cfg(unix)]
fn a_signal_ends_it_cleanly() {
    let data = tempfile::tempdir().expect("a temporary folder");
    for signal in ["TERM", "INT", "HUP"] {
        let (mut child, _out, line) = started(data.path(), &[]);
        assert!(line.contains("next to expire: "), "{line}");
        let kill = ["-c", "kill -\"$0\" \"$1\"", signal, &child.id().to_string()];
        let sent = Command::new("sh").args(kill).status().expect("kill runs");
        assert!(sent.success(), "{signal}");
        assert_eq!(child.wait().expect("it ends").code(), Some(0), "{signal}");
        let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
        let engine = Engine::open(&data.path().join("mayfly/demo"), options).expect("a store");
        assert!(!engine.open_report().unclean, "{signal}");
        engine.close().expect("the store closes");
    }
}

#[test]
fn the_first_start_opens_a_demo_store_and_makes_no_other() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let line = first_line(data.path(), &[]);
    assert!(line.contains("next to expire: "), "{line}");
    let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
    let engine = Engine::open(&data.path().join("mayfly/demo"), options).expect("a store");
    let reply = engine.run("admin", &doc! {"listDatabases": 1});
    let found = reply.get_array("databases").map_or(0, Vec::len);
    assert!(found > 0, "{reply}");
    engine.close().expect("the store closes");
    assert!(!data.path().join("mayfly/store").exists(), "the user's own store is not made");
}

/// The errors of a start without a display, and its exit code.
fn refused(folder: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    let mut command = program();
    for display in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
        command.env_remove(display);
    }
    command.args(arguments).env("XDG_DATA_HOME", folder.join("data")).current_dir(folder);
    let ended = command.stdin(Stdio::null()).output().expect("it runs");
    (String::from_utf8_lossy(&ended.stderr).into_owned(), ended.status.code())
}

#[test]
fn files_need_the_window() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, bytes) in [("people 1.json", &b"{}"[..]), ("photo.png", b"\x89PNG"), ("a.md", b"")] {
        std::fs::write(folder.path().join(name), bytes).expect("a file");
    }
    let instead = |what: &str| format!("No display found. To {what}.\n");
    for (names, expected) in [
        (&["people 1.json"][..], instead("import files without a window, use mayfly import")),
        (&["a.md"], instead("play a lesson without a window, use mayfly lesson play")),
        (&["gone.json"], "gone.json doesn't exist.\n".to_owned()),
    ] {
        assert_eq!(refused(folder.path(), names), (expected, Some(1)), "{names:?}");
    }
    let (sentence, code) = refused(folder.path(), &["photo.png"]);
    assert!(sentence.starts_with("photo.png is of no known kind. Mayfly opens JSON"), "{sentence}");
    assert_eq!((sentence.lines().count(), code), (1, Some(1)), "{sentence}");
    assert!(!folder.path().join("data").exists(), "no store is made");
}
