//! The same commands to both kinds of server.

use bson::{DateTime, Document, doc};
use mayfly_tests::documentdb::{DocumentDb, Habits};

use super::{Remote, open_by};
use crate::job::reply::is_ok;
use crate::job::{Cancel, ConnectFailure, ConnectionString};
use crate::source::Source as _;

fn servers() -> [DocumentDb; 2] {
    [Habits::documentdb(), Habits::mongodb()].map(|habits| {
        let server = DocumentDb::start(habits);
        let documents: Vec<Document> = (0..20).map(|id| doc! { "_id": id, "a": id }).collect();
        server.prepare("d", &doc! { "insert": "c", "documents": documents });
        server
    })
}

fn connect(uri: &str) -> Result<Remote, ConnectFailure> {
    let string = ConnectionString::read(uri).expect("a string");
    Remote::connect(&string, &Cancel::default(), &|_| ())
}

#[test]
fn empty_parts_are_not_sent() {
    for server in servers() {
        let remote = connect(&server.uri()).map_err(|failed| failed.sentence).expect("it connects");
        let find = doc! {
            "find": "c", "filter": {}, "sort": {}, "projection": {}, "collation": {}, "hint": {},
        };
        let reply = remote.run("d", &find);
        assert!(is_ok(&reply), "{reply}");
        let mut read = 0;
        let done = remote.read_batches("d", &find, &Cancel::default(), &mut |documents| {
            read += documents.len();
            Ok(())
        });
        assert_eq!((done, read), (Ok(()), 20));
        let explain = doc! { "explain": find, "verbosity": "executionStats" };
        assert!(is_ok(&remote.run("d", &explain)));
        remote.set_locked(false);
        let statement = doc! { "q": { "_id": 1 }, "u": { "$set": { "a": 2 } }, "collation": {} };
        let update = doc! { "update": "c", "updates": [statement], "let": {} };
        let reply = remote.run("d", &update);
        assert!(is_ok(&reply), "{reply}");
    }
}

#[test]
fn a_list_of_users_is_a_read() {
    for server in servers() {
        let remote = connect(&server.uri()).map_err(|failed| failed.sentence).expect("it connects");
        let reply = remote.run("d", &doc! { "usersInfo": 1 });
        assert!(is_ok(&reply), "{reply}");
        let refused = remote.run("d", &doc! { "createUser": "x", "pwd": "y", "roles": [] });
        assert!(!is_ok(&refused));
        assert_eq!(server.writes(), [""; 0]);
    }
}

#[test]
fn a_refused_login_has_the_reason_of_the_server() {
    let server = DocumentDb::start(Habits::documentdb());
    let uri = server.uri().replace("mongodb://", "mongodb://ann:secret@");
    let check = |mechanism: &str, reason: &str| {
        let failed = connect(&format!("{uri}&authMechanism={mechanism}")).err();
        let sentence = failed.expect("it is refused").sentence;
        assert!(sentence.contains(reason), "{sentence}");
    };
    check("SCRAM-SHA-1", "Only SCRAM-SHA-256 and MONGODB-OIDC are supported");
    check("SCRAM-SHA-256", "Invalid key");
}

#[test]
fn a_document_is_removable_from_the_change_of_its_ttl_on() {
    for server in servers() {
        let at = DateTime::from_millis(server.now_ms() - 86_400_000);
        server.prepare("d", &doc! { "insert": "e", "documents": [{ "_id": 1, "at": at }] });
        let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 8_640_000 };
        server.prepare("d", &doc! { "createIndexes": "e", "indexes": [index] });
        let remote = connect(&server.uri()).map_err(|failed| failed.sentence).expect("it connects");
        let removable = || {
            let page = remote.run("d", &doc! { "mayflyExpiring": "e" });
            let row = page.get_array("batch").expect("rows")[0].as_document().cloned();
            row.expect("a row").get_datetime("removable").ok().copied()
        };
        assert_eq!(removable(), None);
        remote.set_locked(false);
        let before_ms = remote.now_ms();
        let index = doc! { "name": "at_1", "expireAfterSeconds": 60 };
        let reply = remote.run("d", &doc! { "collMod": "e", "index": index });
        assert!(is_ok(&reply), "{reply}");
        let since_ms = removable().expect("an instant").timestamp_millis();
        assert!((before_ms..=remote.now_ms()).contains(&since_ms), "{since_ms}");
    }
}

#[test]
fn an_option_that_was_left_out_is_named_when_connecting_fails() {
    let fails = |_: &ConnectionString| Err::<(), _>("No answer".to_owned());
    let said = open_by("mongodb://h/?tlsAllowInvalidHostnames=true", fails).err();
    let said = said.expect("it fails");
    assert!(said.starts_with("No answer. ") && said.contains("tlsAllowInvalidHostnames"), "{said}");
}
