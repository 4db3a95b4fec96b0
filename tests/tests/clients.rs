//! Real clients do real work against `mayfly serve`: each in its own idiom, none imitated.
//!
//! The scripts are in `tests/clients`; `tests/clients/install` installs the clients, as `tests/run`
//! does.

#[path = "clients/corpus.rs"]
mod corpus;
#[path = "clients/rust_driver.rs"]
mod rust_driver;
#[path = "clients/s3_server.rs"]
mod s3_server;

use std::{
    ffi::OsStr,
    fs::File,
    path::{Path, PathBuf},
    process::Command,
};

use mayfly_tests::{program, server::Server};

/// The simulated start time of every server.
const START: [&str; 2] = ["--simulated-clock", "2024-01-01T00:00:00Z"];

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("clients")
}

/// The folder of `tests/clients/install`.
fn installed(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/clients").join(name);
    assert!(path.exists(), "{} is missing; run tests/clients/install", path.display());
    path
}

fn python() -> Command {
    let mut command = Command::new(installed("python/venv/bin/python"));
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

/// Runs a client against a new server; it must succeed and say so in its last line.
fn check(client: &mut Command, last_line: &str) {
    let server = Server::start(&START);
    check_with(client.env("MAYFLY_URI", &server.uri), last_line);
}

/// The same over a Unix socket.
fn check_socket(client: &mut Command, last_line: &str) {
    let server = Server::start(&[START.as_slice(), &["--socket"]].concat());
    assert!(server.uri.contains("@%2F"), "{}", server.uri);
    check_with(client.env("MAYFLY_URI", &server.uri), last_line);
}

fn check_with(client: &mut Command, last_line: &str) {
    let output = client.output().unwrap_or_else(|error| panic!("{client:?}: {error}"));
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    println!("{stdout}");
    assert!(output.status.success(), "{client:?}\n{stdout}\n{stderr}");
    let last = stdout.trim_end().lines().last().unwrap_or_default();
    assert!(last.contains(last_line), "{client:?} ended with {last:?}\n{stderr}");
}

#[test]
fn pymongo_runs_the_samples() {
    check(python().arg(scripts().join("python/samples.py")), "samples and everyday work hold");
}

#[test]
fn pymongo_runs_the_samples_over_a_socket() {
    let script = scripts().join("python/samples.py");
    check_socket(python().arg(script), "samples and everyday work hold");
}

#[test]
fn pymongo_streams_exhaust_cursors() {
    check(python().arg(scripts().join("python/exhaust.py")), "exhaust cursors end as they must");
}

#[test]
fn pymongo_has_room_for_a_thousand_connections() {
    let script = scripts().join("python/many_clients.py");
    check(python().arg(script), "many clients share the server");
}

#[test]
fn pymongo_keeps_every_bson_type() {
    check(python().arg(scripts().join("python/bson_types.py")), "keep their bytes");
}

#[test]
fn pymongo_runs_every_ttl_case() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/ttl.jsonl");
    let script = scripts().join("python/ttl_cases.py");
    let arguments =
        [script.as_os_str(), program::path().as_os_str(), cases.as_os_str()].map(OsStr::to_owned);
    check_with(python().args(arguments), "query: ");
}

/// Node finds modules in the folders above a script, so copies of the scripts run in the folder of
/// the modules; they end with the first value.
fn node(script: &str) -> (tempfile::TempDir, Command) {
    let copies = tempfile::tempdir_in(installed("node")).expect("a folder for the scripts");
    for name in ["clock.mjs", script] {
        let copied = std::fs::copy(scripts().join("node").join(name), copies.path().join(name));
        copied.expect("a copy of the script");
    }
    let mut command = Command::new("node");
    command.arg(copies.path().join(script));
    (copies, command)
}

#[test]
fn the_node_driver_runs_the_samples() {
    let (_copies, mut client) = node("samples.mjs");
    check(&mut client, "samples and everyday work hold");
}

#[test]
fn the_node_driver_runs_the_samples_over_a_socket() {
    let (_copies, mut client) = node("samples.mjs");
    check_socket(&mut client, "samples and everyday work hold");
}

#[test]
fn client_library_beanie_fetches_links() {
    let script = scripts().join("python/beanie_links.py");
    check(python().arg(script), "links are fetched and their documents expire");
}

#[test]
fn client_library_mongoengine_counts_queries() {
    let script = scripts().join("python/mongoengine_counter.py");
    check(python().arg(script), "queries are counted and documents expire");
}

#[test]
fn client_library_connect_mongo_keeps_sessions() {
    let (_copies, mut client) = node("sessions.mjs");
    check(&mut client, "sessions hold and expire");
}

#[test]
fn client_library_rate_limiter_flexible_counts() {
    let (_copies, mut client) = node("rate_limits.mjs");
    check(&mut client, "limits hold and expire");
}

#[test]
fn client_library_keyv_keeps_values() {
    let (_copies, mut client) = node("cache.mjs");
    check(&mut client, "values hold and expire");
}

#[test]
fn client_library_agenda_runs_jobs() {
    let (_copies, mut client) = node("jobs.mjs");
    check(&mut client, "jobs run and expire");
}

#[test]
fn mongosh_runs_the_samples_word_for_word() {
    let folder = scripts().join("mongosh");
    let server = Server::start(&START);
    let home = tempfile::tempdir().expect("a home for the shell's settings");
    let mut mongosh = Command::new("node");
    mongosh
        .arg(installed("node/node_modules/mongosh/bin/mongosh.js"))
        .args([&server.uri, "--quiet", "--norc", "--file"])
        .arg(folder.join("clock.js"))
        .arg("--file")
        .arg(folder.join("samples.js"))
        .env("MAYFLY_SAMPLES", &folder)
        .env("HOME", home.path());
    check_with(&mut mongosh, "samples and everyday work hold");
}

/// mongosh with empty settings and `mayfly shell`, each on a new store with the same time.
fn both_shells() -> (Server, tempfile::TempDir, Command, Command) {
    let server = Server::start(&START);
    let home = tempfile::tempdir().expect("a home for the shell's settings");
    let mut mongosh = Command::new("node");
    mongosh
        .arg(installed("node/node_modules/mongosh/bin/mongosh.js"))
        .args([&server.uri, "--quiet", "--norc"])
        .env("HOME", home.path());
    let mut mayfly = Command::new(program::path());
    mayfly.args(["shell", "--quiet"]).args(START);
    (server, home, mongosh, mayfly)
}

/// The output of a shell, without prompts, empty lines and the digits of ids made at random.
fn printed(shell: &mut Command) -> Vec<String> {
    let output = shell.output().unwrap_or_else(|error| panic!("{shell:?}: {error}"));
    assert!(output.status.success(), "{shell:?}: {output:?}");
    let stdout = String::from_utf8(output.stdout).expect("text");
    let shown = |line: &str| {
        let mut line = line;
        while let Some((prompt, rest)) = line.split_once("> ") {
            if !["test", "other"].contains(&prompt) {
                break;
            }
            line = rest;
        }
        // The prompt of a line that continues.
        let line = line.trim_start_matches("| ").trim_start_matches("... ").trim_end();
        masked(line)
    };
    stdout.lines().map(shown).filter(|line| !line.is_empty()).collect()
}

fn masked(line: &str) -> String {
    let mut parts = line.split("ObjectId('");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |line, part| line + "ObjectId('…" + part.get(24..).unwrap_or(part))
}

#[test]
fn mongosh_and_mayfly_shell_print_the_same_for_a_file() {
    let (_server, _home, mut mongosh, mut mayfly) = both_shells();
    let script = scripts().join("shell/everyday.js");
    let expected = printed(mongosh.arg("--file").arg(&script));
    assert!(expected.len() > 100, "{expected:?}");
    assert_eq!(printed(mayfly.arg(&script)), expected);
}

#[test]
fn mongosh_and_mayfly_shell_print_the_same_for_a_paste() {
    let (_server, _home, mut mongosh, mut mayfly) = both_shells();
    let script = || File::open(scripts().join("shell/pasted.js")).expect("the script");
    let expected = printed(mongosh.stdin(script()));
    assert!(expected.len() > 20, "{expected:?}");
    assert_eq!(printed(mayfly.stdin(script())), expected);
}

#[test]
fn the_java_driver_runs_the_samples() {
    let classes = installed("java");
    let path = format!(
        "/usr/share/java/mongo-java-driver.jar:/usr/share/java/bson.jar:{}",
        classes.display()
    );
    // This driver is older than SCRAM-SHA-256.
    let server = Server::start(&[START.as_slice(), &["--no-auth"]].concat());
    let mut java = Command::new("java");
    java.args(["-cp", &path, "Samples"]).env("MAYFLY_URI", &server.uri);
    check_with(&mut java, "samples and everyday work hold");
}

#[test]
fn the_c_driver_runs_the_samples() {
    check(&mut Command::new(installed("c/samples")), "samples hold");
}

#[test]
fn the_c_driver_runs_the_samples_over_a_socket() {
    check_socket(&mut Command::new(installed("c/samples")), "samples hold");
}
