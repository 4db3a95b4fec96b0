//! Logging in as drivers do it, and every way in which it fails.

use std::{sync::Arc, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bson::{Binary, Bson, Document, RawDocumentBuf, doc, spec::BinarySubtype};

use super::{
    Credentials, Login,
    scram::{HASHED, client_final},
};
use crate::command::Client;

const PASSWORD: &str = "pencil";
const FIRST: &str = "n,,n=mayfly,r=rOprNGfwEbeRWgbNEkqO";

struct Connection {
    login: Login,
    client: Client,
}

impl Connection {
    fn new() -> Self {
        let credentials = Credentials::of_password(PASSWORD).expect("random numbers");
        Self::of(Some(Arc::new(credentials)))
    }

    fn of(credentials: Option<Arc<Credentials>>) -> Self {
        Self { login: Login::new(credentials), client: Client::default() }
    }

    #[track_caller]
    fn send(&mut self, db: &str, command: &Document) -> Document {
        let command = RawDocumentBuf::try_from(command).expect("a command");
        let reply = self.login.handle(db, &command, &self.client).expect("a login command");
        Document::try_from(reply).expect("a document")
    }

    fn start(&mut self, first: &str) -> Document {
        self.send("admin", &sasl_start(first))
    }

    fn go_on(&mut self, id: i32, text: &str) -> Document {
        let command = doc! { "saslContinue": 1, "conversationId": id, "payload": binary(text) };
        self.send("admin", &command)
    }

    fn hello(&mut self, command: &Document) -> Document {
        let command = RawDocumentBuf::try_from(command).expect("a command");
        let mut reply = RawDocumentBuf::new();
        self.login.extend_hello(&command, &mut reply);
        Document::try_from(reply).expect("a document")
    }
}

fn binary(text: &str) -> Bson {
    Bson::Binary(Binary { subtype: BinarySubtype::Generic, bytes: text.as_bytes().to_vec() })
}

fn sasl_start(first: &str) -> Document {
    doc! {
        "saslStart": 1,
        "mechanism": "SCRAM-SHA-256",
        "payload": binary(first),
        "options": { "skipEmptyExchange": true },
    }
}

fn payload(reply: &Document) -> String {
    let bytes = reply.get_binary_generic("payload").expect("a payload");
    String::from_utf8(bytes.clone()).expect("text")
}

#[track_caller]
fn check_failed(reply: &Document, code: i32, words: &str) {
    assert_eq!(reply.get_i32("code").ok(), Some(code), "{reply}");
    assert_eq!(reply.get_f64("ok").ok(), Some(0.0), "{reply}");
    assert!(reply.get_str("errmsg").is_ok_and(|text| text.contains(words)), "{reply}");
}

#[test]
fn a_login_without_the_empty_exchange() {
    let mut connection = Connection::new();
    assert!(!connection.login.allows("find"));
    let begun = connection.start(FIRST);
    assert_eq!(begun.get_bool("done").ok(), Some(false));
    assert_eq!(begun.get_f64("ok").ok(), Some(1.0));
    assert!(!connection.login.allows("find"), "half a login is none");
    let proof = client_final(PASSWORD, FIRST, &payload(&begun));
    let done = connection.go_on(1, &proof);
    assert_eq!(done.get_bool("done").ok(), Some(true), "{done}");
    assert!(payload(&done).starts_with("v="));
    assert!(connection.login.allows("find"));
    assert_eq!(connection.client.user().as_deref(), Some("mayfly"));
    connection.send("admin", &doc! { "logout": 1 });
    assert!(!connection.login.allows("find"));
    assert_eq!(connection.client.user(), None);
}

#[test]
fn a_login_with_the_empty_exchange_and_text_payloads() {
    let mut connection = Connection::new();
    let start = doc! {
        "saslStart": 1, "mechanism": "SCRAM-SHA-256", "payload": STANDARD.encode(FIRST),
        "autoAuthorize": 1,
    };
    let begun = connection.send("admin", &start);
    let decoded = |reply: &Document| {
        let text = reply.get_str("payload").expect("a text");
        String::from_utf8(STANDARD.decode(text).expect("base64")).expect("text")
    };
    let proof = client_final(PASSWORD, FIRST, &decoded(&begun));
    let go_on = |payload: &str| {
        let payload = STANDARD.encode(payload);
        doc! { "saslContinue": 1, "conversationId": 1, "payload": payload }
    };
    let proven = connection.send("admin", &go_on(&proof));
    assert_eq!(proven.get_bool("done").ok(), Some(false), "{proven}");
    assert!(!connection.login.allows("find"));
    let done = connection.send("admin", &go_on(""));
    assert_eq!(done.get_bool("done").ok(), Some(true), "{done}");
    assert_eq!(done.get_str("payload").ok(), Some(""));
    assert!(connection.login.allows("find"));
}

#[test]
fn hello_may_carry_the_first_message() {
    let mut connection = Connection::new();
    let mut first = sasl_start(FIRST);
    first.insert("db", "admin");
    let reply = connection.hello(&doc! {
        "hello": 1, "saslSupportedMechs": "admin.mayfly", "speculativeAuthenticate": first,
    });
    let mechanisms = reply.get_array("saslSupportedMechs").expect("mechanisms");
    assert_eq!(mechanisms, &vec![Bson::from("SCRAM-SHA-256")]);
    let begun = reply.get_document("speculativeAuthenticate").expect("a beginning");
    let proof = client_final(PASSWORD, FIRST, &payload(begun));
    let id = begun.get_i32("conversationId").expect("a number");
    assert_eq!(connection.go_on(id, &proof).get_bool("done").ok(), Some(true));
    let other =
        doc! { "hello": 1, "speculativeAuthenticate": { "saslStart": 1, "mechanism": "X" } };
    assert!(connection.hello(&other).is_empty(), "passed over");
    assert!(connection.hello(&doc! { "hello": 1 }).is_empty());
}

#[test]
fn every_wrong_login_gets_the_same_answer() {
    let attempts = [
        ("admin", FIRST, "wrong"),
        ("admin", "n,,n=nobody,r=abc", PASSWORD),
        ("test", FIRST, PASSWORD),
        ("$external", FIRST, PASSWORD),
    ];
    let mut answers = Vec::new();
    for (db, first, password) in attempts {
        let mut connection = Connection::new();
        let begun = connection.send(db, &sasl_start(first));
        let answer = connection.go_on(1, &client_final(password, first, &payload(&begun)));
        check_failed(&answer, 18, "Authentication failed.");
        assert!(!connection.login.allows("find"), "{db} {first}");
        answers.push(answer);
    }
    answers.dedup();
    assert_eq!(answers.len(), 1);
    let answer = Connection::new().start("nonsense");
    assert_eq!(answer, answers[0]);
}

#[test]
fn an_unknown_user_costs_the_same_work() {
    let hashes_of = |db: &str, user: &str| {
        let mut connection = Connection::new();
        let first = format!("n,,n={user},r=abc");
        let before = HASHED.get();
        let begun = connection.send(db, &sasl_start(&first));
        let at_start = HASHED.get() - before;
        let proof = client_final("wrong", &first, &payload(&begun));
        let before = HASHED.get();
        check_failed(&connection.go_on(1, &proof), 18, "Authentication failed.");
        (at_start, HASHED.get() - before)
    };
    let known = hashes_of("admin", "mayfly");
    assert!(known.0 > 0 && known.1 > 0, "{known:?}");
    for (db, user) in [("admin", "nobody"), ("test", "mayfly"), ("$external", "nobody")] {
        assert_eq!(hashes_of(db, user), known, "{db} {user}");
    }
}

#[test]
fn messages_out_of_order_end_the_exchange() {
    let mut connection = Connection::new();
    check_failed(&connection.go_on(1, ""), 17, "No SASL session state found");
    let begun = connection.start(FIRST);
    let proof = client_final(PASSWORD, FIRST, &payload(&begun));
    check_failed(&connection.go_on(7, &proof), 17, "Mismatched conversation id");
    check_failed(&connection.go_on(1, &proof), 17, "No SASL session state found");
    let again = connection.start(FIRST);
    let id = again.get_i32("conversationId").expect("a number");
    check_failed(&connection.go_on(id, &proof), 18, "Authentication failed.");
    check_failed(&connection.go_on(id, &proof), 17, "No SASL session state found");
    assert!(!connection.login.allows("find"));
}

#[test]
fn malformed_commands() {
    let mut connection = Connection::new();
    let mut check = |command: Document, code: i32, words: &str| {
        check_failed(&connection.send("admin", &command), code, words);
    };
    check(doc! { "saslStart": 1 }, 40414, "mechanism");
    check(doc! { "saslStart": 1, "mechanism": "SCRAM-SHA-1" }, 334, "SCRAM-SHA-1");
    check(doc! { "saslStart": 1, "mechanism": "PLAIN", "payload": "" }, 334, "PLAIN");
    check(doc! { "authenticate": 1, "mechanism": "MONGODB-X509" }, 334, "MONGODB-X509");
    check(doc! { "saslStart": 1, "mechanism": "SCRAM-SHA-256" }, 40414, "payload");
    check(doc! { "saslStart": 1, "mechanism": "SCRAM-SHA-256", "payload": 1 }, 14, "payload");
    check(doc! { "saslStart": 1, "mechanism": "SCRAM-SHA-256", "payload": "%" }, 9, "base64");
}

#[test]
fn what_is_free_before_the_login() {
    let connection = Connection::new();
    for free in ["hello", "isMaster", "ismaster", "ping", "buildInfo", "saslStart", "logout"] {
        assert!(connection.login.allows(free), "{free}");
    }
    for command in crate::command::table::COMMANDS {
        let free = ["hello", "ping", "buildInfo", "connectionStatus", "logout", "endSessions"];
        assert_eq!(connection.login.allows(command.name), free.contains(&command.name));
    }
    let refusal = Document::try_from(Login::refusal("find")).expect("a document");
    check_failed(&refusal, 13, "Command find requires authentication");
    assert!(Connection::of(None).login.allows("find"), "nobody has to log in");
}

#[test]
fn the_answer_to_a_failure_waits_after_the_fifth_and_a_success_does_not() {
    let mut connection = Connection::new();
    for attempt in 1..=7 {
        connection.start("nonsense");
        let pause = connection.login.take_pause();
        assert_eq!(pause > Duration::ZERO, attempt > 5, "{attempt}");
    }
    let begun = connection.start(FIRST);
    let id = begun.get_i32("conversationId").expect("a number");
    let done = connection.go_on(id, &client_final(PASSWORD, FIRST, &payload(&begun)));
    assert_eq!(done.get_bool("done").ok(), Some(true));
    assert_eq!(connection.login.take_pause(), Duration::ZERO);
}
