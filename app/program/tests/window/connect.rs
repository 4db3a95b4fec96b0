//! The window over a server: the driver reaches the listener of an engine in this process.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use bson::{Document, doc};
use mayfly::action::lookup::missing;
use mayfly::action::{Action, DialogAction, ExpiryAction, StoreAction, entries};
use mayfly::source::embedded::opener;
use mayfly::source::{OpenRequest, Source};
use mayfly::state::dialogs::DropTarget;
use mayfly::state::tabs::ViewKind;
use mayfly_engine::clock::{Clock as _, SystemClock};

use super::support::Window;

/// A store that listens on a port of this machine.
pub struct Served {
    pub source: Arc<dyn Source>,
    pub uri: String,
    _folder: tempfile::TempDir,
}

impl Served {
    /// A server on the system's time, in which commands were run before, on the database `test`.
    pub fn start(commands: &[Document]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let request =
            OpenRequest { folder: Some(folder.path().join("served")), ..OpenRequest::default() };
        let source = opener()(&request).map_err(|error| error.message).expect("a store").source;
        for command in commands {
            let reply = source.run("test", command);
            assert!(reply.get_f64("ok").is_ok_and(|ok| ok > 0.0), "{command}: {reply}");
        }
        let status = source.run("admin", &doc! { "mayflyListen": 1, "on": true, "port": 0_i64 });
        let uri = status.get_str("uri").unwrap_or_else(|_| panic!("{status}")).to_owned();
        Self { source, uri, _folder: folder }
    }

    /// The password in its connection string.
    pub fn password(&self) -> String {
        let login = self.uri.split_once("://").and_then(|(_, rest)| rest.split_once('@'));
        let login = login.expect("a login").0;
        login.split_once(':').expect("a password").1.to_owned()
    }

    pub fn count(&self, collection: &str) -> i32 {
        self.source.run("test", &doc! { "count": collection }).get_i32("n").expect("a count")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.source.close();
    }
}

pub fn notes() -> Vec<Document> {
    vec![doc! { "insert": "notes", "documents": [{"_id": 1, "n": 1}, {"_id": 2, "n": 2}] }]
}

pub fn dialog(window: &mut Window, uri: &str) {
    window.choose("Menu", "Connect to a server…");
    window.type_into("Connection string", uri);
}

/// A window on a server.
pub fn attached(served: &Served) -> Window {
    let mut window = Window::open();
    dialog(&mut window, &served.uri);
    window.click("Connect");
    window.until("the server is shown", |state| {
        state.is_open() && state.store.connection.is_some() && state.tree.loaded
    });
    window
}

#[test]
fn a_server_is_tried_and_opened() {
    let served = Served::start(&notes());
    let mut window = Window::open();
    dialog(&mut window, "mongodb://");
    window.until_named("The host is missing");
    assert!(!window.is_enabled("Connect"));
    window.type_into("Connection string", &served.uri);
    window.click("Test");
    window.until_named("Log in: done");
    window.until_named("It answers: standalone");
    assert!(window.state().store.connection.is_none(), "a test opens nothing");
    // The password left the string as soon as it was used.
    assert!(!window.value("Connection string").contains(&served.password()));
    window.click("Connect");
    window.until_named("Collection test.notes");
    window.until_named("Locked");
    assert!(window.state().store.folder.is_none());
    window.until("its documents are shown", |state| {
        state.tabs.active().is_some_and(|tab| tab.view == ViewKind::Documents)
    });
    window.until_named("2 documents");
}

#[test]
fn each_failure_names_its_step() {
    let served = Served::start(&[]);
    let password = served.password();
    let wrong = served.uri.replace(&password, "wr0ng");
    let mut window = Window::open();
    for (uri, step, sentence) in [
        ("mongodb://127.0.0.1:1/", "Reach the port: failed", "does not accept connections"),
        (wrong.as_str(), "Log in: failed", "refused the login"),
    ] {
        dialog(&mut window, uri);
        let before = window.place("Cancel");
        window.click("Test");
        window.until_named(step);
        window.until_named(sentence);
        let moved = (window.place("Cancel").min - before.min).length();
        assert!(moved < 2.0, "{step}: Cancel moved {moved} points");
        assert!(!window.has_part("wr0ng"), "the password is shown");
        window.click("Cancel");
    }
    assert!(window.state().store.connection.is_none());
}

#[test]
fn a_locked_server_is_not_changed_and_an_unlocked_one_is() {
    let served = Served::start(&notes());
    let mut window = attached(&served);
    window.until_named("Collection test.notes");
    let drop = |window: &mut Window| {
        window.choose("Menu", "Create database…");
        window.type_into("Database name", "other");
        window.type_into("First collection", "first");
    };
    drop(&mut window);
    // The dialog says it before anything is sent, and keeps what was typed while it is asked.
    window.until_named("is read-only");
    window.click("Unlock…");
    window.until_enabled("Unlock");
    window.click("Unlock");
    window.until_named("Unlocked: changes are made on");
    assert!(!window.has_part("is read-only"));
    window.click("Create database");
    window.until_named("Collection other.first");
    window.choose("Unlocked", "Lock this connection");
    window.until_named("Locked");
    assert_eq!(served.count("notes"), 2);
}

/// Every dialog that changes the server says in its head that it can't yet; those that only read don't.
#[test]
fn each_dialog_of_a_locked_server_offers_to_unlock_it() {
    let served = Served::start(&due_each_hour());
    let mut window = attached(&served);
    window.until_named("Collection test.due");
    window.click("Documents");
    for (label, is_change) in [
        ("Create collection…", true),
        ("Rename collection…", true),
        ("Drop collection…", true),
        ("Add document…", true),
        ("Create index…", true),
        ("Change TTL…", true),
        ("Import…", true),
        ("Export…", false),
        ("Collection statistics", false),
        ("Settings…", false),
    ] {
        let entry = entries().find(|entry| entry.label == label).expect(label);
        window.ask(entry.now(window.state()).expect(label));
        window.until(label, |state| state.dialogs.open().is_some());
        window.settle_and_draw(2);
        assert_eq!(window.has("Unlock…"), is_change, "{label}: {}", window.on_screen());
        assert_eq!(window.has_part("is read-only"), is_change, "{label}");
        window.ask(Action::Dialog(DialogAction::Close));
        window.until_window("it closes", |window| window.state().dialogs.open().is_none());
    }
}

#[test]
fn what_a_server_cannot_do_says_why() {
    let served = Served::start(&notes());
    let mut window = attached(&served);
    window.until_named("Collection test.notes");
    assert!(!window.has("Run pass") && !window.has("TTL monitor"));
    for (label, why) in [
        ("Backup and maintenance…", "with its own tools"),
        ("Connect other programs…", "connect to the server itself"),
        ("Run pass", "runs its own TTL monitor"),
        ("Recently removed…", "keeps no copy"),
        ("Copy this collection into a sandbox", "with Copy to a store…"),
    ] {
        let entry = entries().find(|entry| entry.label == label).expect(label);
        assert!(!entry.is_enabled(window.state()), "{label}");
        let said = missing(entry, window.state());
        assert!(said.contains(why), "{label}: {said}");
    }
}

#[test]
fn a_server_is_among_the_recent_stores_without_its_password() {
    let served = Served::start(&notes());
    let mut window = attached(&served);
    window.until_named("Collection test.notes");
    let settings = format!("{:?}", window.state().settings);
    assert!(settings.contains("mongodb://mayfly@127.0.0.1"), "{settings}");
    // Nothing that the window knows can show the password, whatever prints it.
    assert!(!format!("{:?}", window.state()).contains(&served.password()));
    assert!(!window.sent().iter().any(|line| line.contains(&served.password())));
    let folder = window.folder.path().join("store");
    let request = OpenRequest { folder: Some(folder), ..OpenRequest::default() };
    window.ask(Action::Store(StoreAction::Open(request)));
    window.until("the own store is back", |state| {
        state.is_open() && state.store.connection.is_none()
    });
    let name = window.state().settings.stores.list()[1].name.clone();
    // While it is attached, no password is needed.
    window.choose("Store", &format!("Open {name}"));
    window.until("the server is shown", |state| state.store.connection.is_some());
    let slot = window.state().store.slot;
    window.ask(Action::Store(StoreAction::Close(slot)));
    window.until("the own store is shown", |state| state.store.connection.is_none());
    window.choose("Store", &format!("Open {name}"));
    window.until_named("Password");
    assert!(!window.is_enabled("Connect"));
    window.type_into("Password", &served.password());
    window.click("Connect");
    window.until_named("Collection test.notes");
}

/// A collection whose documents are due an hour apart; the first is overdue.
fn due_each_hour() -> Vec<Document> {
    let now_ms = SystemClock.now_ms();
    let at = |hours: i64| bson::DateTime::from_millis(now_ms + hours * 3_600_000 - 60_000);
    let documents: Vec<Document> =
        (0..5).map(|n| doc! { "_id": n, "at": at(i64::from(n)) }).collect();
    vec![
        doc! { "create": "due" },
        doc! { "insert": "due", "documents": documents },
        doc! { "createIndexes": "due", "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 0},
        ] },
    ]
}

#[test]
fn documents_of_a_server_count_down_and_go() {
    let served = Served::start(&[]);
    // Passes only when this test asks for one.
    served.source.run("admin", &doc! { "setParameter": 1, "ttlMonitorEnabled": false });
    for command in &due_each_hour() {
        served.source.run("test", command);
    }
    let mut window = attached(&served);
    window.until("its lanes are shown", |state| {
        state.tabs.active().is_some_and(|tab| tab.expiry.lanes.len() == 5)
    });
    window.until_named("Overdue: 1");
    window.until_named("Will expire: 4");
    // The log has what the server was asked, and no command of Mayfly's own.
    let log = window.state().commands.records();
    assert!(log.iter().any(|sent| sent.text.contains("find") && sent.text.contains("at_1")));
    let own: Vec<_> = log.iter().filter(|sent| sent.text.contains("mayflyExpiring")).collect();
    assert!(own.iter().all(|sent| sent.store != window.state().store.number), "{own:?}");
    served.source.run("admin", &doc! { "mayflyReap": 1 });
    let tab = window.tab().id;
    window.ask(Action::Expiry(tab, ExpiryAction::Refresh));
    window.until("its tombstone is shown", |state| {
        state.tabs.active().is_some_and(|tab| tab.expiry.ledger.len() == 1)
    });
    window.until_named("Overdue: 0");
}

/// Commands that a server has answered.
fn commands(served: &Served) -> i64 {
    let status = served.source.run("admin", &doc! { "mayflyListen": 1 });
    status.get_i64("commands").unwrap_or_else(|_| panic!("{status}"))
}

#[test]
fn a_question_costs_a_server_few_commands() {
    let served = Served::start(&due_each_hour());
    let mut window = attached(&served);
    window.until("its lanes are shown", |state| {
        state.tabs.active().is_some_and(|tab| tab.expiry.lanes.len() == 5)
    });
    let tab = window.tab().id;
    // The driver asks on its own, to see whether the server is there: once in ten seconds.
    for (action, most) in [(ExpiryAction::RefreshDensity, 4), (ExpiryAction::Select(None), 0)] {
        let before = commands(&served);
        window.ask(Action::Expiry(tab, action.clone()));
        let sent = commands(&served) - before;
        assert!(sent <= most + 2, "{action:?}: {sent}");
    }
}

/// Passes bytes on to a server until the flag is set; then it drops them.
fn through_a_proxy(uri: &str) -> (String, Arc<AtomicBool>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (before, after) = uri.split_once("127.0.0.1:").expect("a host");
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    let to: u16 = after[..after.len() - rest.len()].parse().expect("a port");
    let hangs = Arc::new(AtomicBool::new(false));
    let pass = |mut from: TcpStream, mut to: TcpStream, hangs: Arc<AtomicBool>| {
        let copy = move || {
            let mut bytes = [0; 4_096];
            while let Ok(count) = from.read(&mut bytes) {
                if count == 0 || !hangs.load(Relaxed) && to.write_all(&bytes[..count]).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("proxy".to_owned()).spawn(copy).expect("a thread");
    };
    let flag = Arc::clone(&hangs);
    let accept = move || {
        while let Ok((client, _)) = listener.accept() {
            let Ok(server) = TcpStream::connect(("127.0.0.1", to)) else { return };
            let (Ok(back), Ok(answers)) = (client.try_clone(), server.try_clone()) else { return };
            pass(client, server, Arc::clone(&flag));
            pass(answers, back, Arc::clone(&flag));
        }
    };
    std::thread::Builder::new().name("proxy".to_owned()).spawn(accept).expect("a thread");
    (format!("{before}127.0.0.1:{port}{rest}"), hangs)
}

#[test]
fn a_server_that_hangs_does_not_keep_the_window_open() {
    /// Far less than any time limit of a command, and far more than the second that a write is
    /// waited for.
    const CLOSES: Duration = Duration::from_secs(15);
    let mut served = Served::start(&notes());
    let (uri, hangs) = through_a_proxy(&served.uri);
    served.uri = uri;
    let mut window = attached(&served);
    window.until_named("Collection test.notes");
    window.choose("Locked", "Unlock this connection…");
    window.click("Unlock");
    window.until_named("Unlocked: changes are made on");
    hangs.store(true, Relaxed);
    // A read and a write wait.
    window.ask_only(Action::Store(StoreAction::Refresh));
    window.ask_only(Action::Store(StoreAction::Drop(DropTarget::Database("test".to_owned()))));
    let began = SystemClock.monotonic();
    drop(window);
    assert!(SystemClock.monotonic().saturating_sub(began) < CLOSES);
}

#[test]
fn a_production_server_asks_for_the_name_before_a_change() {
    let served = Served::start(&due_each_hour());
    let mut window = Window::open();
    dialog(&mut window, &served.uri);
    window.click("Production: others depend on this data");
    window.click("Connect");
    window.until("the server is shown", |state| state.store.connection.is_some());
    window.until_named("Production");
    window.choose("Locked", "Unlock this connection…");
    window.until_named("It is marked as production");
    window.click("Unlock");
    window.click("Indexes");
    window.until_named("Change TTL… at_1");
    window.click("Change TTL… at_1");
    window.type_into("TTL", "9");
    window.until_enabled("Change and expire 1");
    window.click("Change and expire 1");
    window.until_named("This changes the indexes of test.due on");
    assert!(!window.is_enabled("Change it"));
    window.type_into("Name to confirm", "due");
    window.click("Change it");
    window.until_named("The TTL of at_1 is now");
    let listed = served.source.run("test", &doc! { "listIndexes": "due" });
    assert!(listed.to_string().contains("\"expireAfterSeconds\": 9"), "{listed}");
}
