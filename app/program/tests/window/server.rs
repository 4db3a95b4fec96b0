//! An attached server's facts about itself and its removals.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering::SeqCst};

use bson::{DateTime, Document, doc};
use mayfly::action::{Action, ExpiryAction};
use mayfly::state::tabs::ViewKind;
use mayfly_engine::clock::{Clock, SystemClock};

use super::scripted::{Scripted, cursor, hello};
use super::support::Window;

/// A scripted server with one collection that has a TTL index and two documents.
struct Member {
    now_ms: i64,
    /// Calls of `getMore` of the change stream.
    awaited: AtomicUsize,
    /// Seconds of the TTL that `listIndexes` shows.
    secs: AtomicI64,
}

impl Member {
    fn new() -> Self {
        Self {
            now_ms: SystemClock.now_ms(),
            awaited: AtomicUsize::new(0),
            secs: AtomicI64::new(60),
        }
    }

    /// The date of a document that expires this many seconds after the start.
    fn date(&self, secs: i64) -> DateTime {
        DateTime::from_millis(self.now_ms + (secs - 60) * 1_000)
    }

    fn answer(&self, command: &Document) -> Option<Document> {
        let name = command.keys().next()?;
        let secs = i32::try_from(self.secs.load(SeqCst)).ok()?;
        Some(match name.as_str() {
            "hello" | "isMaster" | "ismaster" => hello(doc! {
                "setName": "rs0", "hosts": ["a.example:27017", "b.example:27017"],
                "primary": "a.example:27017", "me": "a.example:27017", "setVersion": 1,
                "secondary": false,
            }),
            "listDatabases" => doc! { "databases": [{"name": "test"}], "ok": 1.0 },
            "listCollections" => cursor(
                0,
                "firstBatch",
                vec![doc! { "name": "due", "type": "collection", "options": {
                    "changeStreamPreAndPostImages": { "enabled": true },
                } }],
            ),
            "listIndexes" => cursor(
                0,
                "firstBatch",
                vec![
                    doc! { "v": 2, "key": {"_id": 1}, "name": "_id_" },
                    doc! { "v": 2, "key": {"at": 1}, "name": "at_1", "expireAfterSeconds": secs },
                ],
            ),
            "count" => doc! { "n": 2, "ok": 1.0 },
            "find" => cursor(
                0,
                "firstBatch",
                vec![
                    doc! { "_id": 1, "at": self.date(-30) },
                    doc! { "_id": 2, "at": self.date(3_600) },
                ],
            ),
            _ => return None,
        })
    }

    /// A server with a change stream, which reports two deletions.
    fn streams(&self, command: &Document) -> Option<Document> {
        let name = command.keys().next()?;
        let pipeline = command.get_array("pipeline").ok();
        let first = pipeline.and_then(|stages| stages.first()?.as_document());
        match name.as_str() {
            "aggregate" if first.is_some_and(|stage| stage.contains_key("$changeStream")) => {
                Some(cursor(9, "firstBatch", Vec::new()))
            }
            "getMore" if self.awaited.fetch_add(1, SeqCst) == 0 => {
                let event = |id: i32, secs: i64, wall_ms: i64| {
                    doc! {
                        "_id": {"_data": format!("{id}")}, "operationType": "delete",
                        "documentKey": {"_id": id}, "wallTime": DateTime::from_millis(wall_ms),
                        "fullDocumentBeforeChange": {"_id": id, "at": self.date(secs)},
                    }
                };
                let events =
                    vec![event(1, -30, self.now_ms - 22_000), event(2, 3_600, self.now_ms - 1_000)];
                Some(cursor(9, "nextBatch", events))
            }
            "getMore" => {
                // It awaits events that never come; the connection is dropped when the view is left.
                std::thread::park_timeout(std::time::Duration::from_secs(20));
                Some(cursor(9, "nextBatch", Vec::new()))
            }
            _ => None,
        }
    }
}

/// A window on a scripted server, with the Expiry view of its collection.
fn attached(server: &Scripted) -> Window {
    let mut window = Window::open();
    window.choose("Menu", "Connect to a server…");
    window.type_into("Connection string", &server.uri);
    window.click("Connect");
    window.until("the server is shown", |state| {
        state.is_open() && state.store.connection.is_some() && state.tree.loaded
    });
    window.until("a collection is shown", |state| state.tabs.active().is_some());
    if window.tab().view != ViewKind::Expiry {
        window.click("Expiry");
    }
    window.until("its lanes are shown", |state| {
        state.tabs.active().is_some_and(|tab| tab.expiry.loaded)
    });
    window
}

#[test]
fn deletions_are_streamed_where_a_server_has_change_streams() {
    let member = Arc::new(Member::new());
    let of = Arc::clone(&member);
    let server = Scripted::start(Arc::new(move |_, command| {
        of.streams(command).or_else(|| of.answer(command))
    }));
    let mut window = attached(&server);
    window.until("both tombstones are there", |state| {
        state.tabs.active().is_some_and(|tab| tab.expiry.ledger.len() == 2)
    });
    window.until_named("streamed, answered");
    let opened = server.asked("aggregate");
    let opened = opened.iter().find(|command| command.to_string().contains("$changeStream"));
    let pipeline = opened.expect("a stream").get_array("pipeline").expect("stages");
    let stage = |at: usize| pipeline[at].to_string();
    assert!(stage(0).contains("whenAvailable"), "{}", stage(0));
    assert!(stage(1).contains("delete") && stage(2).contains("fullDocumentBeforeChange.at"));
    let more = server.asked("getMore");
    assert_eq!(more[0].get("maxTimeMS").and_then(mayfly_engine::value::whole), Some(20_000));
    let tab = window.tab().id;
    for (id, words) in
        [(1, "8 s after its threshold: expired, most likely"), (2, "Deleted before its threshold")]
    {
        let ledger = &window.tab().expiry.ledger;
        let lane = ledger.iter().find(|lane| lane.id == bson::Bson::Int32(id)).expect("a lane");
        let at_ms = lane.removed_ms.expect("an instant");
        window.ask(Action::Expiry(tab, ExpiryAction::SelectRemoved(id.into(), at_ms)));
        window.until_named(words);
    }
    // The stream ends with the view.
    window.click("Documents");
    window.until("the stream is closed", |state| state.stream.is_none());
}

#[test]
fn a_server_without_change_streams_is_polled_and_says_why() {
    let member = Arc::new(Member::new());
    let server = Scripted::start(Arc::new(move |_, command| {
        let is_stream = command.to_string().contains("$changeStream");
        let refusal = doc! {
            "ok": 0.0, "errmsg": "only on replica sets", "code": 40573, "codeName": "Location40573",
        };
        // It answers yes to what it doesn't know.
        let yes = ["serverStatus", "getParameter"];
        let is_yes = command.keys().next().is_some_and(|name| yes.contains(&name.as_str()));
        let yes = is_yes.then(|| doc! { "result": [], "ok": 1.0 });
        is_stream.then_some(refusal).or(yes).or_else(|| member.answer(command))
    }));
    let mut window = attached(&server);
    window.until_named("polled");
    window.until_named("This server does not say when its TTL monitor runs");
    window.choose("Locked", "About this server…");
    window.until_named("Removals are polled: this server has no change streams");
    window.until_named("b.example:27017: member");
    window.until_named("a.example:27017: PRIMARY");
    window.until_named("Only the primary removes documents");
    window.until_named("States are not known");
    window.until_named("A server keeps no copy of what its TTL monitor removes");
    window.click("Done");
}

#[test]
fn the_passes_of_a_server_tell_the_next_one() {
    let member = Arc::new(Member::new());
    let on = Arc::new(AtomicI64::new(1));
    let is_on = Arc::clone(&on);
    let server = Scripted::start(Arc::new(move |_, command| {
        let is_on = is_on.load(SeqCst) == 1;
        match command.keys().next()?.as_str() {
            "getParameter" => Some(doc! {
                "ttlMonitorEnabled": is_on, "ttlMonitorSleepSecs": 60, "ok": 1.0,
            }),
            "serverStatus" => Some(doc! { "metrics": {"ttl": {"passes": 12_i64}}, "ok": 1.0 }),
            _ => member.answer(command),
        }
    }));
    let mut window = attached(&server);
    window.until_named("About every 60 s");
    let status = server.asked("serverStatus");
    assert_eq!(status.len(), 1, "once a minute at most");
    assert_eq!(status[0].get_i32("wiredTiger").ok(), Some(0), "{}", status[0]);
    drop(window);
    on.store(0, SeqCst);
    let mut window = attached(&server);
    window.until_named("The server's TTL monitor is off: nothing is removed until it is turned on");
}

#[test]
fn a_server_that_does_not_answer_is_said_to() {
    let member = Arc::new(Member::new());
    let server = Scripted::start(Arc::new(move |_, command| {
        let is_stream = command.to_string().contains("$changeStream");
        let refusal =
            doc! { "ok": 0.0, "errmsg": "no", "code": 40573, "codeName": "Location40573" };
        is_stream.then_some(refusal).or_else(|| member.answer(command))
    }));
    let mut window = attached(&server);
    window.until_named("polled");
    assert!(!window.has_part("No answer since"));
    let tab = window.tab().id;
    server.cut(true);
    window.ask(Action::Expiry(tab, ExpiryAction::Refresh));
    window.until_named("No answer since");
    window.until_named("documents may have been removed");
    window.until_named("server · no answer");
    // Nothing is known of an overdue document since the last answer.
    let connection = window.state().store.connection.as_ref().expect("a server");
    let since_ms = connection.silent_since_ms().expect("an instant");
    assert!(since_ms <= window.state().now_ms());
    server.cut(false);
    window.until_window("it answers again", |window| !window.has_part("No answer since"));
}

/// A window on an unlocked server whose `collMod` answers so, with a TTL of 90 minutes asked for.
fn changing_ttl(member: &Arc<Member>, answer: Document) -> (Window, Scripted) {
    let of = Arc::clone(member);
    let server =
        Scripted::start(Arc::new(move |_, command| match command.keys().next()?.as_str() {
            "collMod" => Some(answer.clone()),
            "dropIndexes" => Some(doc! { "nIndexesWas": 2, "ok": 1.0 }),
            "createIndexes" => {
                let made = command.get_array("indexes").ok()?.first()?.as_document()?;
                let secs = made.get("expireAfterSeconds").and_then(mayfly_engine::value::whole);
                of.secs.store(secs?, SeqCst);
                Some(doc! { "numIndexesAfter": 2, "ok": 1.0 })
            }
            _ => of.answer(command),
        }));
    let mut window = attached(&server);
    window.choose("Locked", "Unlock this connection…");
    window.click("Unlock");
    window.click("Indexes");
    window.until_named("Change TTL… at_1");
    window.click("Change TTL… at_1");
    window.type_into("TTL", "90");
    window.until_window("it can be changed", |window| {
        window.has_part("Change and expire 1") || window.has("Change TTL")
    });
    let button = window.part("Change");
    let button = if window.has("Change TTL") { "Change TTL".to_owned() } else { button };
    window.until_enabled(&button);
    window.click(&button);
    (window, server)
}

#[test]
fn an_index_is_created_again_where_a_server_does_not_change_its_ttl() {
    let unknown = doc! { "ok": 0.0, "errmsg": "not supported", "code": 115, "codeName": "CommandNotSupported" };
    for (answer, said) in [
        (unknown, "This server does not change a TTL in place"),
        (doc! { "ok": 1.0 }, "its list of indexes still shows 60 s"),
    ] {
        let member = Arc::new(Member::new());
        let (mut window, server) = changing_ttl(&member, answer);
        window.until_named(said);
        window.click("Drop and create again…");
        window.until_named("While the index is missing, no documents are removed");
        assert!(server.asked("dropIndexes").is_empty(), "nothing is dropped unasked");
        window.click("Drop and create again");
        window.until_named("Index at_1 was created again");
        // The field keeps the unit of the TTL before: minutes.
        assert_eq!(member.secs.load(SeqCst), 90 * 60);
        let made = server.asked("createIndexes");
        let made = made[0].get_array("indexes").expect("indexes")[0].as_document();
        assert_eq!(made.expect("an index").get_document("key").ok(), Some(&doc! { "at": 1 }));
    }
}
