//! An archive in a bucket of a real S3 server, also while that server can't be reached.
//!
//! The server itself is not killed: unlike the real service, it may then forget what it has
//! acknowledged, or leave a list that it can't read.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Child, Command},
    thread,
    time::Duration,
};

use mayfly_tests::{deadline::Deadline, gateway::Gateway, server::Server};
use mongodb::{
    bson::{DateTime, Document, doc},
    sync::{Client, Database},
};

use super::{START, installed};

/// The name and password of the server's only user.
const SECRET: &str = "S3RVER";

/// How long it may take to start.
const PATIENCE: Duration = Duration::from_mins(1);

const DOCUMENTS: usize = 3_000;

/// A server with the bucket `archive-test`.
struct S3 {
    child: Child,
    port: u16,
}

impl S3 {
    fn start(folder: &Path) -> Self {
        // It logs every request, so a pipe would have to be drained.
        let told = folder.with_extension("log");
        let child = Command::new("node")
            .arg(installed("node/node_modules/s3rver/bin/s3rver.js"))
            .args(["--address", "127.0.0.1", "--port", "0", "--directory"])
            .arg(folder)
            .args(["--configure-bucket", "archive-test"])
            .stdout(fs::File::create(&told).expect("a file"))
            .spawn()
            .expect("node runs");
        let mut server = Self { child, port: 0 };
        let deadline = Deadline::after(PATIENCE);
        loop {
            let text = fs::read_to_string(&told).expect("read");
            let listening = text.lines().find_map(|line| line.split_once("listening on "));
            let port = listening.and_then(|(_, address)| address.rsplit(':').next());
            if let Some(port) = port.and_then(|port| port.trim().parse().ok()) {
                server.port = port;
                return server;
            }
            assert!(!deadline.is_over(), "it said only {text:?}");
            thread::park_timeout(Duration::from_millis(20));
        }
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ids(documents: usize) -> impl Iterator<Item = i32> {
    (0..).take(documents)
}

struct World {
    /// Dropped last, so the server ends last.
    _server: Server,
    client: Client,
    folder: tempfile::TempDir,
    way: Gateway,
    _s3: S3,
}

fn world() -> World {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("s3")).expect("made");
    let s3 = S3::start(&folder.path().join("s3"));
    let way = Gateway::to(s3.port).expect("a way");
    let endpoint = format!("http://127.0.0.1:{}", way.port());
    let variables = [
        ("AWS_ACCESS_KEY_ID", SECRET),
        ("AWS_SECRET_ACCESS_KEY", SECRET),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ENDPOINT_URL", &endpoint),
        ("NO_PROXY", "127.0.0.1"),
    ];
    let server = Server::start_with(&folder.path().join("data"), &START, &variables);
    let client = Client::with_uri_str(&server.uri).expect("connected");
    World { _server: server, client, folder, way, _s3: s3 }
}

impl World {
    fn db(&self) -> Database {
        self.client.database("shop")
    }

    fn run(&self, command: Document) -> Document {
        self.db().run_command(command).run().expect("a reply")
    }

    fn admin(&self, command: Document) -> Document {
        self.client.database("admin").run_command(command).run().expect("a reply")
    }

    /// Documents that are due, and an archive in the bucket.
    fn fill(&self, documents: usize) {
        let index = doc! { "key": { "at": 1 }, "name": "ttl", "expireAfterSeconds": 0 };
        self.run(doc! { "createIndexes": "carts", "indexes": [index] });
        let at = DateTime::from_millis(0);
        let documents =
            ids(documents).map(|id| doc! { "_id": id, "at": at, "text": "x".repeat(50) });
        self.db().collection("carts").insert_many(documents).run().expect("inserted");
        let target = "s3://archive-test/old/ones";
        let made = self.run(doc! { "mayflyArchive": "carts", "target": target });
        assert_eq!(made.get_str("state").ok(), Some("ready"), "{made}");
    }

    fn left(&self) -> BTreeSet<i32> {
        let found = self.db().collection::<Document>("carts").find(doc! {}).run().expect("found");
        found.map(|document| document.expect("read").get_i32("_id").expect("an id")).collect()
    }

    /// The ids of all archived documents, page by page.
    fn archived(&self) -> Vec<i32> {
        let (mut ids, mut after) = (Vec::new(), None);
        loop {
            let mut command = doc! { "mayflyTrash": "carts", "archived": true, "limit": 1_000 };
            command.extend(after.map(|after: Document| ("after".to_owned(), after.into())));
            let page = self.run(command);
            let rows = page.get_array("batch").expect("rows").iter();
            ids.extend(
                rows.map(|row| row.as_document().expect("a row").get_i32("_id").expect("an id")),
            );
            match page.get_document("next") {
                Ok(next) => after = Some(next.clone()),
                Err(_) => return ids,
            }
        }
    }
}

#[test]
fn s3_server_keeps_what_expired_and_gives_it_back() {
    let world = world();
    world.fill(500);
    assert_eq!(world.admin(doc! { "mayflyReap": 1 }).get_i64("deletedDocuments").ok(), Some(500));
    let mut archived = world.archived();
    assert_eq!(archived.len(), 500);
    archived.sort_unstable();
    assert!(archived.windows(2).all(|pair| pair[0] + 1 == pair[1]), "each once");
    let restore = doc! { "mayflyRestoreTrash": "carts", "archived": true, "ids": [7, 9] };
    assert_eq!(world.run(restore).get_i64("restored").ok(), Some(2));
    assert_eq!(world.left(), BTreeSet::from([7, 9]));

    // Limits: each batch is an object, and the oldest are deleted.
    world.run(
        doc! { "mayflyArchive": "carts", "target": "s3://archive-test/old/ones", "maxAgeSecs": 60 },
    );
    world.admin(doc! { "mayflyClock": 1, "advanceMS": 120_000 });
    world.admin(doc! { "mayflyReap": 1 });
    let listed = world.run(doc! { "mayflyArchives": 1 });
    let archive = listed.get_array("archives").expect("a list")[0].as_document().expect("one");
    assert_eq!(archive.get_i64("documents").ok(), Some(2), "only what has just expired: {listed}");
    check_secrets(&world);
}

#[test]
fn s3_server_that_is_gone_holds_no_removal_and_costs_no_document() {
    let world = world();
    world.fill(DOCUMENTS);
    world.way.cut();
    let reply = world.admin(doc! { "mayflyReap": 1 });
    let count = i64::try_from(DOCUMENTS).expect("few");
    assert_eq!(reply.get_i64("deletedDocuments").ok(), Some(count), "{reply}");
    assert!(world.left().is_empty());
    let failing = reply.get_array("failing").expect("a list");
    assert!(failing[0].to_string().contains("archiveFailed"), "{reply}");
    let waiting = || {
        let trash = world.run(doc! { "mayflyTrash": "carts", "limit": 1 });
        trash.get_document("trash").and_then(|trash| trash.get_i64("waiting")).expect("a number")
    };
    assert_eq!(waiting(), count);
    check_secrets(&world);

    // The server is reachable again: every document must move to its bucket.
    world.way.mend();
    let again = world.admin(doc! { "mayflyReap": 1 });
    assert_eq!(again.get_array("failing").map(Vec::len).ok(), Some(0), "{again}");
    assert_eq!(waiting(), 0);
    let archived = world.archived();
    let all: BTreeSet<i32> = archived.iter().copied().collect();
    assert_eq!((archived.len(), all), (DOCUMENTS, ids(DOCUMENTS).collect()), "each once");
}

/// The password appears in no reply and in no file.
fn check_secrets(world: &World) {
    let replies = [
        world.run(doc! { "mayflyArchives": 1 }),
        world.admin(doc! { "serverStatus": 1 }),
        world.admin(doc! { "getLog": "global" }),
        world.admin(doc! { "mayflyHeld": 1 }),
    ];
    for reply in replies {
        assert!(!reply.to_string().contains(SECRET), "{reply}");
    }
    for entry in fs::read_dir(world.folder.path().join("data")).expect("listed") {
        let path = entry.expect("listed").path();
        let bytes = if path.is_file() { fs::read(&path).unwrap_or_default() } else { Vec::new() };
        let found = bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
        assert!(!found, "the password stands in {}", path.display());
    }
}
