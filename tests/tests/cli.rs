//! The command line from outside: last lines, exit codes and sentences.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use mayfly_engine::store::{Store, StoreOptions};
use mayfly_tests::{program, server::Server};

fn mayfly(folder: &Path, arguments: &str) -> Output {
    Command::new(program::path())
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .expect("build the program first: cargo build -p mayfly")
}

/// Runs a command and checks the exit code, the last line of standard output and a part of standard
/// error. An empty part checks nothing there.
fn check(folder: &Path, arguments: &str, code: i32, last: &str, error: &str) {
    let output = mayfly(folder, arguments);
    let stdout = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments}: {stdout}{stderr}");
    assert_eq!(stdout.lines().last().unwrap_or_default(), last, "{arguments}: {stderr}");
    assert!(stderr.contains(error), "{arguments}: {stderr}");
}

/// Runs a command that must succeed, and checks for words on standard output.
fn says(folder: &Path, arguments: &str, words: &str) {
    let output = mayfly(folder, arguments);
    let stdout = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments}: {stdout}{stderr}");
    assert!(stdout.contains(words), "{arguments}: {stdout}, not {words}; {stderr}");
}

#[test]
fn files_in_and_out() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("a.jsonl"), "{\"_id\":1,\"a\":1.0}\n{\"_id\":2}\n").unwrap();
    fs::write(at.join("b.jsonl"), "{\"_id\":2}\n{\"_id\":3,}\n{\"_id\":4}\n").unwrap();
    let store = "--data data --db d --collection c";
    check(at, &format!("import {store} a.jsonl"), 0, "imported 2, skipped 0, rejected 0", "");
    check(
        at,
        &format!("import {store} b.jsonl --mode skip"),
        1,
        "imported 1, skipped 1, rejected 1",
        "b.jsonl: line 2, column 9, document 2",
    );
    assert!(at.join("b.jsonl.rejected.jsonl").exists());
    check(at, &format!("export {store} -o out.jsonl"), 0, "exported 3", "");
    let text = fs::read_to_string(at.join("out.jsonl")).unwrap();
    assert_eq!(text, "{\"_id\":1,\"a\":1.0}\n{\"_id\":2}\n{\"_id\":4}\n");
    let filtered = format!("export {store} --format json --filter {{\"_id\":4}} -o out.json");
    check(at, &filtered, 0, "exported 1", "");
    let filter = r#"{"$expr":{"$gt":["$_id",{"$add":[1,1]}]}}"#;
    check(at, &format!("export {store} --filter {filter} -o more"), 0, "exported 1", "");
    check(at, &format!("export {store} -o data/out"), 1, "", "inside the data folder");
    check(at, "export --data data --db d --collection x -o o", 1, "", "Collection d.x not found");
    check(at, &format!("import {store} missing"), 1, "", "file not found");
}

#[test]
fn an_existing_file_is_replaced_only_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("a.jsonl"), "{\"_id\":1}\n").unwrap();
    let store = "--data data --db d --collection c";
    check(at, &format!("import {store} a.jsonl"), 0, "imported 1, skipped 0, rejected 0", "");
    fs::write(at.join("out"), "mine").unwrap();
    let export = format!("export {store} -o out");
    check(at, &export, 1, "", "out exists; add --overwrite, or choose another name.");
    fs::write(at.join("new.indexes.json"), "mine").unwrap();
    let beside = format!("export {store} --indexes -o new");
    check(at, &beside, 1, "", "new.indexes.json exists; add --overwrite");
    assert!(!at.join("new").exists());
    let mine = |name: &str| fs::read_to_string(at.join(name)).unwrap();
    assert_eq!((mine("out"), mine("new.indexes.json")), ("mine".to_owned(), "mine".to_owned()));
    let mut permissions = fs::metadata(at.join("out")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(at.join("out"), permissions).unwrap();
    check(at, &format!("{export} --overwrite"), 1, "", "the file is read-only");
    assert_eq!(mine("out"), "mine");
    check(at, &format!("{beside} --overwrite"), 0, "exported 1", "");
    assert_eq!(mine("new"), "{\"_id\":1}\n");
    // A folder is never replaced.
    check(at, "export --data data --db d -o data", 1, "", "the folder has files");
    check(at, "export --data data --db d --overwrite -o x", 2, "", "--collection");
}

/// Names, contents and times of a folder's files.
fn files_of(folder: &Path) -> Vec<(String, Vec<u8>, std::time::SystemTime)> {
    let mut found: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.metadata().unwrap().is_file())
        .map(|entry| {
            let changed = entry.metadata().unwrap().modified().unwrap();
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, fs::read(entry.path()).unwrap(), changed)
        })
        .collect();
    found.sort();
    found
}

#[test]
fn an_audit_changes_nothing_and_says_by_its_exit_code_what_it_found() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let documents = "{\"_id\":1,\"at\":\"2026-01-02\"}\n{\"_id\":2,\"at\":\"2026-01-03\"}\n";
    fs::write(at.join("a.jsonl"), documents).unwrap();
    let import = "import --data data --db d --collection c a.jsonl";
    check(at, import, 0, "imported 2, skipped 0, rejected 0", "");
    says(at, "audit --data data --fail-on warning", "Nothing is wrong with the TTL rules");
    let index =
        "shell --data data --quiet --db d --eval db.c.createIndex({at:1},{expireAfterSeconds:0})";
    says(at, index, "at_1");
    let before = files_of(&at.join("data"));
    says(at, "audit --data data", "ERROR    never-all  d.c, index at_1");
    let none = "audit --data data --db none --collection c";
    check(at, none, 2, "", "There is no database none; check --db.");
    let none = "audit --data data --db d --collection none";
    check(at, none, 2, "", "There is no collection none; check --collection and --db.");
    let code = |arguments: &str| mayfly(at, arguments).status.code();
    assert_eq!(code("audit --data data --fail-on error"), Some(1));
    assert_eq!(code("audit --data data --fail-on warning --json"), Some(1));
    assert_eq!(code("audit --data data --time-limit soon"), Some(2));
    assert_eq!(code("audit --uri-env NOT_SET"), Some(2));
    check(at, "audit --data gone", 2, "", "Data folder gone not found.");
    check(at, "audit --data data --html no/page.html", 2, "", "Can't write no/page.html");
    says(at, "audit --data data --html page.html", "");
    let page = fs::read_to_string(at.join("page.html")).unwrap();
    assert!(page.contains("never-all") && page.contains("_id 1 (string)"), "{page}");
    says(at, "audit --data data --html page.html --no-examples", "");
    assert!(!fs::read_to_string(at.join("page.html")).unwrap().contains("_id 1"));
    assert!(files_of(&at.join("data")) == before, "the store changed");
    let server = Server::start_in(&at.join("data"), &[]);
    let way = "with --uri-env and its connection string, which mayfly serve prints";
    for (command, code) in [("audit --data data", 2), ("metrics --data data", 1)] {
        check(at, command, code, "", "in use by another program");
        check(at, command, code, "", way);
    }
    let output = program::keeping_in(&at.join("kept"))
        .args(["audit", "--uri-env", "AUDITED", "--fail-on", "error"])
        .env("AUDITED", &server.uri)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("ERROR    never-all  d.c, index at_1"), "{text}");
}

/// Runs a command with this on standard input. Returns its exit code, standard output and error.
fn piped(folder: &Path, arguments: &str, input: &[u8]) -> (Option<i32>, String, String) {
    fs::write(folder.join("input"), input).unwrap();
    let output = Command::new(program::path())
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .stdin(fs::File::open(folder.join("input")).unwrap())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_minus_is_standard_input_and_output() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let store = "--data data --db d --collection c";
    let import = format!("import {store} -");
    let (code, said, _) = piped(at, &import, b"{\"_id\":1,\"n\":5}\n{\"_id\":2}\n");
    assert_eq!((code, said.as_str()), (Some(0), "imported 2, skipped 0, rejected 0\n"));
    let csv = piped(at, &format!("{import} --format csv"), b"_id;n\n3;7\n");
    assert_eq!((csv.0, csv.1.as_str()), (Some(0), "imported 1, skipped 0, rejected 0\n"));
    let (code, text, said) = piped(at, &format!("export {store} -o -"), b"");
    let all = "{\"_id\":1,\"n\":5}\n{\"_id\":2}\n{\"_id\":3,\"n\":7}\n";
    assert_eq!((code, text.as_str(), said.as_str()), (Some(0), all, "exported 3\n"));
    let (code, _, said) = piped(at, &import, b"{\"_id\":4}\nx\n");
    assert_eq!(code, Some(1));
    assert!(said.contains("Standard input: line 2") && !said.contains("/tmp/mayfly"), "{said}");
    let rejects = at.join("stdin.rejected.jsonl");
    assert_eq!(fs::read_to_string(&rejects).unwrap().lines().count(), 1);
    let (code, _, said) = piped(at, &import, b"%PDF-1.7");
    assert_eq!(code, Some(1));
    assert!(said.starts_with("Standard input: the file is a PDF"), "{said}");
    // Its end can't be read again, so it is not remembered.
    let (_, _, said) = piped(at, &format!("{import} --stop-on-error"), b"{}\nx\n{}\n");
    assert!(said.contains("--mode skip") && !said.contains("--resume"), "{said}");
    for (arguments, words) in [
        (format!("{import} --resume"), "can be read only once"),
        (format!("{import} a.jsonl"), "imported alone"),
        ("export --data data -o -".to_owned(), "add --collection"),
        (format!("export {store} --indexes -o -"), "--indexes writes a second file"),
    ] {
        let (code, text, said) = piped(at, &arguments, b"{}\n");
        assert_eq!((code, text.as_str()), (Some(1), ""), "{arguments}: {said}");
        assert!(said.contains(words), "{arguments}: {said}");
    }
    assert!(!at.join("-").exists());
}

#[test]
fn a_file_without_documents_is_named_first() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (name, text, why) in [
        ("a.csv", "a,b\n", "a.csv: the file has a header row and no rows below it"),
        ("a.json", " \n", "a.json: the file is empty"),
        ("b.json", "[]", "b.json: the file has no documents"),
    ] {
        fs::write(at.join(name), text).unwrap();
        let store = "--data data --db d --collection c";
        let output = mayfly(at, &format!("import {store} {name}"));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with(why), "{name}: {said}");
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn the_zone_of_the_machine_changes_nothing() {
    const DOCUMENT: &str = r#"{"_id":1,"at":{"$date":"2026-03-29T01:30:00Z"}}"#;
    for (zone, offset) in [
        ("UTC0", "+0000"),
        ("<+0545>-5:45", "+0545"),
        ("<-0330>3:30", "-0330"),
        ("<+14>-14", "+1400"),
        ("<-0930>9:30", "-0930"),
    ] {
        let run = |program: &mut Command| {
            let output = program.env("TZ", zone).output().expect("it runs");
            assert!(output.status.success(), "{zone}: {output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        assert_eq!(run(Command::new("date").arg("+%z")).trim(), offset, "the zone is known");
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.jsonl"), DOCUMENT).unwrap();
        let mayfly = |arguments: &str| {
            let mut program = Command::new(program::path());
            let store = "--data data --db d --collection c";
            let arguments = arguments.replace("STORE", store);
            run(program.args(arguments.split_whitespace()).current_dir(folder.path()))
        };
        mayfly("import STORE a.jsonl");
        for (wanted, found) in [("gte", 1), ("gt", 0)] {
            let filter = format!(r#"{{"at":{{"${wanted}":{{"$date":"2026-03-29T01:30:00Z"}}}}}}"#);
            let out = mayfly(&format!("export STORE --filter {filter} -o {wanted}.jsonl"));
            assert_eq!(out.trim(), format!("exported {found}"), "{zone}");
        }
        let text = fs::read_to_string(folder.path().join("gte.jsonl")).unwrap();
        assert_eq!(text.trim(), DOCUMENT, "{zone}");
        mayfly("export STORE --format csv -o out.csv");
        let text = fs::read_to_string(folder.path().join("out.csv")).unwrap();
        assert_eq!(text.lines().last(), Some("1,2026-03-29T01:30:00Z"), "{zone}");
    }
}

#[test]
fn what_is_not_as_it_should_be_is_told_on_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("a.jsonl"), "{\"_id\":1}\n").unwrap();
    let store = "--data data --db d --collection c";
    check(at, &format!("import {store} a.jsonl"), 0, "imported 1, skipped 0, rejected 0", "");

    // An interrupted session leaves its process id.
    fs::write(at.join("data/app.lock"), "1\n").unwrap();
    let export = format!("export {store} --overwrite -o out.jsonl");
    check(at, &export, 0, "exported 1", "The data file was checked; no damage found");
    let again = mayfly(at, &export);
    assert_eq!(String::from_utf8(again.stderr).unwrap(), "", "it is said once");

    let (opened, _) = Store::open(&at.join("data"), &StoreOptions::default()).unwrap();
    let free = opened.status().free_bytes.expect("the system tells it");
    drop(opened);
    // A sparse file.
    let huge = fs::File::options().append(true).open(at.join("a.jsonl")).unwrap();
    huge.set_len(free * 2).unwrap();
    check(at, &format!("import {store} a.jsonl"), 1, "", "or use --no-space-check");
    check(at, &export, 0, "exported 1", "");
}

#[test]
fn verify_and_backup() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("a.jsonl"), "{\"_id\":1}\n").unwrap();
    check(
        at,
        "import --data data --db d --collection c a.jsonl",
        0,
        "imported 1, skipped 0, rejected 0",
        "",
    );
    let sound = "checked 1 collections, 1 documents, 0 index entries: no problems found";
    check(at, "verify --data data", 0, sound, "");
    check(at, "verify --data nowhere", 1, "", "not found");
    says(at, "backup --data data copy.mdb", "backed up");
    says(at, "backup --data data copy.mdb", "kept copy.mdb.1");
    let walked_ms = {
        let card = fs::read_to_string(at.join("data/identity.json")).unwrap();
        let (_, walked) = card.split_once("\"lastWalkMs\":").unwrap();
        let digits: String = walked.trim_start().chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u64>().unwrap()
    };
    assert!(walked_ms > 1_700_000_000_000, "a backup knows what time it is, not {walked_ms}");
    says(at, "check copy.mdb", "no problems found");
    check(at, "check a.jsonl", 1, "", "not a Mayfly store");
    check(at, "backup --data data a.jsonl", 1, "", "is not a backup");
}

#[test]
fn a_rotten_document_is_told_and_costs_no_good_backup() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("a.jsonl"), "{\"_id\":1,\"a\":\"needle\"}\n{\"_id\":\"b\"}\n").unwrap();
    says(at, "import --data data --db d --collection c a.jsonl", "imported 2");
    says(at, "backup --data data b", "backed up");
    says(at, "scrub --data data", "read 2 documents, 1 index entries: no damage found");
    let good = fs::read(at.join("b")).unwrap();
    let mut bytes = fs::read(at.join("data/data.mdb")).unwrap();
    let places: Vec<usize> =
        (0..bytes.len()).filter(|at| bytes[*at..].starts_with(b"needle")).collect();
    for place in places {
        bytes[place] ^= 1;
    }
    fs::write(at.join("data/data.mdb"), bytes).unwrap();
    let damage = "1 stored item is damaged (document with _id 1 of d.c), so the copy is saved as \
         b.damaged";
    for _ in 0..4 {
        let output = mayfly(at, "backup --data data b");
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains(damage), "{output:?}");
    }
    assert!(fs::read(at.join("b")).unwrap() == good, "the good backup is as it was");
    check(
        at,
        "check b.damaged",
        1,
        "document with _id 1 of collection 1 does not match its checksum",
        "1 problem found",
    );
    says(at, "import --data sound --db d --collection c a.jsonl", "imported 2");
    says(at, "backup --data sound b", "kept b.damaged, an older copy with damaged documents");
    let read = "read 2 documents, 1 index entries: see above";
    check(at, "scrub --data data", 1, read, "1 problem found");
    check(at, "scrub --data nowhere", 1, "", "not found");
    let told = "1 document is damaged and not exported; the first is document with _id 1.";
    check(at, "export --data data --db d --collection c --output o", 1, "exported 1", told);
    assert_eq!(fs::read_to_string(at.join("o")).unwrap(), "{\"_id\":\"b\"}\n");
    let again = "export --data data --db d --collection c --output o --overwrite";
    check(at, again, 1, "", "may have them");
}

#[test]
fn restore_and_compact() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("a.jsonl"), "{\"_id\":1}\n{\"_id\":2}\n").unwrap();
    let import = "import --data data --db d --collection c --drop a.jsonl";
    says(at, import, "imported 2");
    says(at, "backup --data data b", "backed up");
    fs::write(at.join("a.jsonl"), "{\"_id\":3}\n").unwrap();
    says(at, import, "imported 1");
    says(at, "compact --data data", "compacted");
    check(at, "compact --data nowhere", 1, "", "not found");
    check(at, "restore --from b --data data", 1, "", "already contains a store");
    check(at, "restore --from nowhere --data data --replace", 1, "", "Can't read the backup");
    says(at, "restore --from b --data data --replace", "restored 2 documents");
    says(at, "verify --data data", "2 documents");
    says(at, "verify --data data.before-restore-1", "1 documents");
    says(at, "restore --from b --data new", "restored 2 documents");
}

#[test]
fn a_shell_creates_no_store_from_a_typing_error() {
    let folder = tempfile::tempdir().unwrap();
    check(folder.path(), "shell --data d --eval 1", 1, "", "Data folder d not found.");
    assert!(!folder.path().join("d").exists());
}

#[test]
fn serving_is_refused_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    check(
        at,
        "serve --data d --simulated-clock noon",
        1,
        "",
        "use a time such as 2026-01-01T00:00:00Z",
    );
    check(at, "serve --data d --port 0 --sleep-secs 0", 1, "", "--sleep-secs 0: ");
    let server = Server::start_in(&at.join("d"), &[]);
    check(at, "serve --data d --port 0", 1, "", "is in use by another program");
    let port = server.uri.rsplit_once(':').and_then(|(_, rest)| rest.split_once('/')).unwrap().0;
    check(at, &format!("serve --data e --port {port}"), 1, "", "is in use");
}

#[test]
fn serving_ends_cleanly_on_a_signal() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [["--no-auth"].as_slice(), &[]] {
        let mut server = Server::start_in(folder.path(), arguments);
        let is_open = server.uri.starts_with("mongodb://127.0.0.1:");
        assert_eq!(is_open, !arguments.is_empty(), "{}", server.uri);
        assert_eq!(server.terminate(), Some(0));
    }
}

#[test]
#[cfg(unix)]
fn serving_on_a_socket_keeps_others_out() {
    use std::os::unix::{fs::PermissionsExt as _, net::UnixStream};

    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let socket = at.join("d/socket/mayfly.sock");
    let mut server = Server::start_in(&at.join("d"), &["--socket", "--no-auth"]);
    let host = socket.to_str().unwrap().replace('/', "%2F");
    assert_eq!(server.uri, format!("mongodb://{host}/"));
    assert!(UnixStream::connect(&socket).is_ok());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&at.join("d/socket")), mode(&socket)), (0o700, 0o600));
    let same = format!("serve --data e --socket {}", socket.display());
    check(at, &same, 1, "", "is in use by another program");
    assert_eq!(server.terminate(), Some(0));
    assert!(!socket.exists());

    // A killed server leaves its socket file, which the next one replaces.
    let killed = Server::start_in(&at.join("d"), &["--socket"]);
    program::signal(killed.pid(), "KILL");
    drop(killed);
    assert!(socket.exists());
    let server = Server::start_in(&at.join("d"), &["--socket", socket.to_str().unwrap()]);
    assert!(server.uri.ends_with("mayfly.sock/?authSource=admin"), "{}", server.uri);
    drop(server);

    let open = at.join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
    let refused = "serve --data e --socket open/mayfly.sock";
    check(at, refused, 1, "", "put the socket in a private folder (mode 0700)");
    check(at, "serve --data e --socket e/mayfly", 1, "", "use a path that ends in .sock");
    check(at, "serve --data e --socket --port 1", 2, "", "cannot be used with");
}

/// A server that is started under `nohup` outlives the terminal.
#[test]
#[cfg(target_os = "linux")]
fn a_hangup_that_is_ignored_stays_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start_by("nohup", folder.path());
    let status = fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let blocked = status.lines().find_map(|line| line.strip_prefix("SigBlk:")).unwrap();
    assert_eq!(u64::from_str_radix(blocked.trim(), 16).unwrap() & 1, 1, "{status}");
    program::signal(server.pid(), "HUP");
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn watching_ends_when_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.jsonl"), "{}\n").unwrap();
    mayfly(folder.path(), "import --data data --db d --collection c a.jsonl");
    check(folder.path(), "watch --data data", 0, "no more documents to expire", "");
}

#[test]
fn a_data_folder_inside_a_synced_one_is_told_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("a.jsonl"), "{}\n").unwrap();
    let lines = |arguments: &str| {
        let output = mayfly(at, arguments);
        let stderr = String::from_utf8(output.stderr).unwrap();
        let told = stderr.lines().filter(|line| line.contains("Dropbox"));
        told.map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    let found = lines("import --data Dropbox/data --db d --collection c a.jsonl");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("Warning: This data folder is inside Dropbox"));
    assert_eq!(lines("watch --data Dropbox/data"), found);
    assert_eq!(lines("serve --data Dropbox/data --port 0 --sleep-secs 0"), found);
    mayfly(at, "import --data data --db d --collection c a.jsonl");
    assert!(lines("watch --data data").is_empty());
}

#[test]
fn every_command_has_help() {
    let folder = tempfile::tempdir().unwrap();
    for command in [
        "", "watch", "serve", "shell", "import", "export", "verify", "backup", "restore",
        "compact", "scrub", "check",
    ] {
        let output = mayfly(folder.path(), &format!("{command} --help"));
        assert_eq!(output.status.code(), Some(0), "{command}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("Usage:"), "{command}");
    }
}

#[test]
fn the_samples_of_both_pages_expire_in_the_shell() {
    let folder = tempfile::tempdir().unwrap();
    let clients = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients");
    let text = |name: &str| fs::read_to_string(clients.join(name)).unwrap();
    let tickets = "db.tickets.createIndex({lastModifiedDate: 1})\n".to_owned();
    let script =
        [tickets, text("mongosh/cosmos.js"), text("mongosh/manual.js"), text("shell/expiry.js")];
    fs::write(folder.path().join("samples.js"), script.concat()).unwrap();
    let start = "--simulated-clock 2026-01-01T00:00:00Z";
    let output = mayfly(folder.path(), &format!("shell --data data {start} samples.js"));
    let stdout = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<_> = stdout.lines().filter(|line| !line.contains("deprecated")).collect();
    let expected =
        ["at the start: 5 2 2", "after 10 s: 3 2 2", "after 20 s: 0 2 2", "after 60 s: 0 1 1"];
    assert_eq!(lines, expected, "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_shell_says_where_a_script_failed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("bad.js"), "let a = 1\n\nnope()\n").unwrap();
    check(at, "shell --quiet bad.js", 1, "", "bad.js:3: ReferenceError: nope is not defined");
    check(at, "shell --quiet --eval nope() --json", 1, "", r#"{"error":"ReferenceError: nope is"#);
    check(at, "shell --quiet --eval 1;({a:2}) --json", 0, r#"{"a":2}"#, "");
    check(at, "shell --eval 7 --eval 8", 0, "8", "Using a temporary sandbox");
    check(
        at,
        "shell --quiet --time-limit 1 --eval while(1){}",
        1,
        "",
        "the time limit of an input",
    );
    check(at, "shell missing.js", 1, "", "Can't read missing.js");
    check(at, "shell --data missing", 1, "", "Data folder missing not found");
}

#[test]
fn metrics_are_printed_once_or_answered_on_a_port() {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::TcpStream;
    use std::process::Stdio;

    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let line = "{\"_id\":1,\"at\":{\"$date\":\"2020-01-01T00:00:00Z\"}}\n";
    fs::write(at.join("a.jsonl"), line).unwrap();
    check(
        at,
        "import --data data --db d --collection c a.jsonl",
        0,
        "imported 1, skipped 0, rejected 0",
        "",
    );
    says(at, "metrics --data data", "mayfly_audit_findings{severity=\"error\"} 0\n");
    check(at, "metrics --data nowhere", 1, "", "nowhere");
    let mut child = Command::new(program::path())
        .args(["metrics", "--data", "data", "--port", "0"])
        .current_dir(at)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("http://").and_then(|it| it.strip_suffix("/metrics"));
    let address = address.unwrap_or_else(|| panic!("the first line was {line:?}"));
    let ask = |request: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply
    };
    // One that says nothing is given up, and the next is answered.
    let silent = TcpStream::connect(address).unwrap();
    let reply = ask("GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n");
    drop(silent);
    assert!(
        reply.starts_with("HTTP/1.1 200 OK\r\nContent-Type: application/openmetrics-text"),
        "{reply}"
    );
    assert!(reply.ends_with("# EOF\n"), "{reply}");
    assert!(ask("GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
    assert!(ask("PUT /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405"));
    program::signal(child.id(), "TERM");
    assert!(child.wait().unwrap().success());
}
