//! A listener's password appears only in the address that the window shows.
//!
//! The test searches for it as it is and in the forms that programs give to a secret. As a check,
//! it plants a word in a document, in each of these forms, and in a collection's name, and searches
//! for it in the same way: where the word is not found, the password would not be either.

use std::{
    fs::{self, File},
    path::Path,
    process::Command,
};

use mayfly_engine::engine::{Engine, EngineOptions};
use mayfly_tests::{program, server::Server, store};
use mongodb::{
    bson::{Binary, Bson, DateTime, Document, doc, spec::BinarySubtype},
    sync::Client,
};

/// The planted word. Like a password it is 16 bytes in Base64.
const CANARY: &str = "canaryCanaryCanary012w";

fn to_base64(bytes: &[u8]) -> String {
    let binary = Binary { subtype: BinarySubtype::Generic, bytes: bytes.to_vec() };
    let json = Bson::Binary(binary).into_canonical_extjson();
    json["$binary"]["base64"].as_str().expect("a text").to_owned()
}

fn from_base64(word: &str) -> Vec<u8> {
    let word = format!("{}==", word.replace('-', "+").replace('_', "/"));
    let json = serde_json::json!({ "$binary": { "base64": word, "subType": "00" } });
    match Bson::try_from(json) {
        Ok(Bson::Binary(binary)) => binary.bytes,
        other => panic!("{other:?}"),
    }
}

/// The forms in which a program may write this word: as it is, its random bytes, and both in the
/// byte notations of other programs.
fn forms(word: &str) -> Vec<Vec<u8>> {
    let hex = |bytes: &[u8]| format!("{bytes:02x?}").replace([',', ' ', '[', ']'], "");
    let random = from_base64(word);
    assert_eq!(random.len(), 16);
    let mut forms = vec![word.as_bytes().to_vec(), random.clone()];
    for bytes in [word.as_bytes(), &random] {
        let hex = hex(bytes);
        forms.extend([hex.to_uppercase().into_bytes(), hex.into_bytes()]);
    }
    forms.push(word.encode_utf16().flat_map(u16::to_le_bytes).collect());
    forms.push(word.encode_utf16().flat_map(u16::to_be_bytes).collect());
    forms.push(word.bytes().rev().collect());
    for before in 0..3 {
        // Without the characters that depend on their neighbors.
        let base64 = to_base64(&[&vec![0; before], word.as_bytes()].concat());
        let whole = (before * 8).div_ceil(6)..(before + word.len()) * 8 / 6;
        forms.push(base64.as_bytes()[whole].to_vec());
    }
    forms
}

/// Everything that can be read later, with the name of the place.
#[derive(Default)]
struct Places(Vec<(String, Vec<u8>)>);

impl Places {
    fn add(&mut self, place: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.0.push((place.into(), bytes.into()));
    }

    /// Every file below a folder, as it is now.
    fn add_files(&mut self, when: &str, folder: &Path) {
        for entry in fs::read_dir(folder).expect("listed") {
            let path = entry.expect("listed").path();
            if path.is_dir() {
                self.add_files(when, &path);
            } else if path.is_file() {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                self.add(format!("{when}: {name}"), fs::read(&path).expect("read"));
            }
        }
    }

    /// The places with this word in one of its forms.
    fn places(&self, word: &[u8]) -> Vec<&str> {
        let holds = |bytes: &[u8]| bytes.windows(word.len()).any(|part| part == word);
        self.0.iter().filter(|(_, bytes)| holds(bytes)).map(|(place, _)| place.as_str()).collect()
    }

    /// The password is nowhere; the planted word is in each of these places.
    fn check(&self, password: &str, planted: &[&str]) {
        assert_eq!(password.len(), 22, "a whole password");
        for (form, canary) in forms(password).iter().zip(forms(CANARY)) {
            let places = self.places(form);
            assert_eq!(places, [""; 0], "the password stands there as {}", form.escape_ascii());
            let found = self.places(&canary);
            let data = "while it runs: data.mdb";
            assert!(found.contains(&data), "{} is not found", canary.escape_ascii());
        }
        let found = self.places(CANARY.as_bytes());
        for place in planted {
            assert!(found.contains(place), "nothing is found in {place}, only in {found:?}");
        }
    }
}

fn password_of(uri: &str) -> String {
    let rest = uri.strip_prefix("mongodb://mayfly:").expect("an address with a user");
    rest.split_once('@').expect("an address with a password").0.to_owned()
}

/// Commands of the `admin` database that describe the server, its log and its clients.
const TELLING: [&str; 16] = [
    "serverStatus",
    "currentOp",
    "connectionStatus",
    "usersInfo",
    "getCmdLineOpts",
    "hostInfo",
    "buildInfo",
    "hello",
    "whatsmyuri",
    "connPoolStats",
    "lockInfo",
    "listCommands",
    "listDatabases",
    "mayflyHeld",
    "mayflyArchives",
    "mayflyDamaged",
];

/// Runs every command that returns information; `run` returns the reply or the error as text.
fn ask_all(told: &mut Places, mut run: impl FnMut(&str, Document) -> String) {
    for name in TELLING {
        told.add(name, run("admin", doc! { name: 1 }));
    }
    told.add("getParameter", run("admin", doc! { "getParameter": "*" }));
    told.add("startupWarnings", run("admin", doc! { "getLog": "startupWarnings" }));
    told.add("log", run("admin", doc! { "getLog": "global" }));
    for db in ["admin", "shop"] {
        let profile = doc! { "find": "system.profile", "batchSize": 10_000 };
        told.add(format!("profile of {db}"), run(db, profile));
    }
}

/// Records each operation in the profile and in the log from now on, and plants the word.
fn plant(told: &mut Places, mut run: impl FnMut(&str, Document) -> String) {
    run("admin", doc! { "profile": 2, "slowms": 0 });
    run("shop", doc! { "profile": 2, "slowms": 0 });
    let binary = |bytes| Bson::Binary(Binary { subtype: BinarySubtype::Generic, bytes });
    let planted: Vec<Bson> = forms(CANARY).into_iter().map(binary).collect();
    let documents =
        [doc! { "_id": 1, "text": CANARY }, doc! { "_id": 2 }, doc! { "_id": 4, "forms": planted }];
    run("shop", doc! { "insert": CANARY, "documents": documents });
    run("shop", doc! { "find": CANARY, "filter": { "text": CANARY } });
    let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 0 };
    run("shop", doc! { "createIndexes": CANARY, "indexes": [index] });
    let due = doc! { "_id": 3, "at": DateTime::from_millis(0) };
    run("shop", doc! { "insert": CANARY, "documents": [due] });
    run("admin", doc! { "mayflyReap": 1 });
    let refused = [
        doc! { "insert": CANARY, "documents": [{ "_id": 1 }] },
        doc! { "find": CANARY, "filter": { "a": { "$unknown": 1 } } },
        doc! { "collMod": CANARY, "index": { "name": "other", "expireAfterSeconds": 1 } },
        doc! { "create": CANARY, "capped": true },
        doc! { "noCommand": CANARY },
    ];
    for command in refused {
        told.add("refusals", run("shop", command));
    }
}

fn run(client: &Client, db: &str, command: Document) -> String {
    match client.database(db).run_command(command).run() {
        Ok(reply) => reply.to_string(),
        Err(error) => error.to_string(),
    }
}

/// Logins that fail although they have the right password, and one that succeeds.
fn log_in(told: &mut Places, uri: &str, password: &str) {
    let find = |uri: &str| match Client::with_uri_str(uri) {
        Ok(client) => run(&client, "shop", doc! { "find": CANARY }),
        Err(error) => error.to_string(),
    };
    assert!(find(uri).contains(CANARY), "the address is right");
    let wrong = [
        // As the user's name, and as a part of another password.
        uri.replacen("mayfly:", &format!("{password}:"), 1),
        uri.replacen('@', "0@", 1),
        uri.replacen("authSource=admin", "authSource=test", 1),
        // In clear text, without SCRAM.
        uri.replacen("authSource=admin", "authSource=$external&authMechanism=PLAIN", 1),
    ];
    for wrong in wrong {
        let answer = find(&wrong);
        assert!(!answer.contains("firstBatch"), "{wrong} is let in");
        told.add("failed logins", answer);
    }
}

/// Runs the program's other commands, without the listener, in `folder`.
fn command_line(told: &mut Places, folder: &Path) {
    let lines = [
        format!("export --data data --db shop --collection {CANARY} -o out.jsonl"),
        format!("export --data data --db shop --collection no{CANARY} -o none.jsonl"),
        "backup --data data copy.mdb".to_owned(),
        "check copy.mdb".to_owned(),
        "verify --data data".to_owned(),
        "scrub --data data".to_owned(),
        "compact --data data".to_owned(),
        "restore --from copy.mdb --data again".to_owned(),
    ];
    for line in lines {
        let output = Command::new(program::path())
            .args(line.split_whitespace())
            .current_dir(folder)
            .output()
            .expect("the program runs");
        told.add("command line", [output.stdout, output.stderr].concat());
    }
}

#[test]
fn the_password_of_a_server_stands_in_its_first_line_alone() {
    stands_in_the_first_line_alone(&[]);
}

#[test]
fn the_password_of_a_server_on_a_socket_stands_in_its_first_line_alone() {
    stands_in_the_first_line_alone(&["--socket"]);
}

fn stands_in_the_first_line_alone(arguments: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let stderr = File::create(folder.path().join("stderr")).expect("a file");
    let mut server = Server::start_telling(stderr, &data, arguments);
    let (uri, password) = (server.uri.clone(), password_of(&server.uri));
    let mut told = Places::default();
    {
        let client = Client::with_uri_str(&uri).expect("a client");
        plant(&mut told, |db, command| run(&client, db, command));
        log_in(&mut told, &uri, &password);
        // A user with the same password is refused, but the command must not be logged whole.
        for name in ["createUser", "updateUser"] {
            let user = doc! { name: CANARY, "pwd": &password, "roles": [] };
            told.add("users", run(&client, "shop", user));
        }
        let address = uri.replacen("mongodb://", "https://", 1);
        for target in [&address, &uri] {
            let archive = doc! { "mayflyArchive": CANARY, "target": target };
            told.add("archives", run(&client, "shop", archive));
        }
        ask_all(&mut told, |db, command| run(&client, db, command));
        told.add_files("while it runs", folder.path());
    }
    assert_eq!(server.terminate(), Some(0));
    told.add("standard output", server.last_words());
    told.add_files("after its end", folder.path());
    command_line(&mut told, folder.path());
    told.add_files("at last", folder.path());
    told.check(
        &password,
        &[
            "refusals",
            "log",
            "profile of shop",
            "while it runs: data.mdb",
            "after its end: data.mdb",
            "command line",
            "at last: out.jsonl",
            "at last: copy.mdb",
            "at last: data.mdb",
        ],
    );
}

#[test]
fn the_password_of_the_windows_listener_is_told_to_the_window_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let mut told = Places::default();
    let engine = Engine::open(&data, EngineOptions::default()).expect("a store");
    plant(&mut told, |db, command| engine.run(db, &command).to_string());
    let on = store::run(&engine, "admin", &doc! { "mayflyListen": 1, "on": true, "port": 0 });
    let uri = on.get_str("uri").expect("an address").to_owned();
    let password = password_of(&uri);
    log_in(&mut told, &uri, &password);
    {
        let client = Client::with_uri_str(&uri).expect("a client");
        // Only the window gets the address.
        told.add("a client's question", run(&client, "admin", doc! { "mayflyListen": 1 }));
        ask_all(&mut told, |db, command| run(&client, db, command));
    }
    // A second time, and in another place.
    store::run(&engine, "admin", &doc! { "mayflyListen": 1, "on": true, "port": 0 });
    let taken = doc! { "mayflyListen": 1, "on": true, "socket": "relative.sock" };
    engine.run("admin", &taken);
    let copy = folder.path().join("copy.mdb").to_string_lossy().into_owned();
    store::run(&engine, "admin", &doc! { "mayflyBackup": 1, "to": copy });
    ask_all(&mut told, |db, command| engine.run(db, &command).to_string());
    store::run(&engine, "admin", &doc! { "mayflyListen": 1, "on": false });
    told.add(
        "the listener that is off",
        engine.run("admin", &doc! { "mayflyListen": 1 }).to_string(),
    );
    told.add_files("while it runs", folder.path());
    engine.close().expect("closed");
    told.add_files("after its end", folder.path());
    told.check(
        &password,
        &[
            "refusals",
            "log",
            "profile of shop",
            "while it runs: data.mdb",
            "while it runs: copy.mdb",
            "after its end: data.mdb",
        ],
    );
}
