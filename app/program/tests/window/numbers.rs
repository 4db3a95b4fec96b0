//! Numbers before a change of a TTL on a server whose samples are runs of neighbors.

use bson::{DateTime, Document, doc};
use mayfly_engine::clock::{Clock, SystemClock};
use mayfly_tests::documentdb::{DocumentDb, Habits};

use super::documentdb::attached;

/// Documents in the order of their dates: more than are read one by one.
const DOCUMENTS: i64 = 12_000;

/// Those that are older than five days.
const OLD: u64 = 4_740;

/// 60 documents an hour, whose dates are half an hour away from a full one.
fn server() -> DocumentDb {
    let now_ms = SystemClock.now_ms();
    let server = DocumentDb::start_at(Habits::documentdb(), now_ms);
    let documents = (0..DOCUMENTS).map(|id| -> Document {
        let hours = (DOCUMENTS - 1 - id) / 60;
        let date = DateTime::from_millis(now_ms - hours * 3_600_000 + 1_800_000);
        doc! { "_id": id, "at": date, "plain": date, "none": date }
    });
    let documents: Vec<Document> = documents.collect();
    server.prepare("test", &doc! { "insert": "visits", "documents": documents });
    let made = server.engine().run(
        "test",
        &doc! { "createIndexes": "visits", "indexes": [
            { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 8_640_000 },
            { "key": { "plain": 1 }, "name": "plain_1" },
        ] },
    );
    assert_eq!(made.get_f64("ok").ok(), Some(1.0), "{made}");
    server
}

/// The numbers in a text.
fn numbers(text: &str) -> Vec<u64> {
    let text = text.replace(',', "");
    let words = text.split(|sign: char| !sign.is_ascii_digit());
    words.filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn the_number_on_a_button_is_counted_or_says_how_far_off_it_may_be() {
    let server = server();
    let mut window = attached(&server);
    // A locked connection has *Unlock…* in its place.
    window.choose("Locked", "Unlock this connection…");
    window.click("Unlock");
    window.until_named("Unlocked: changes are made on");
    window.click("Indexes");
    window.until_named("Change TTL… at_1");
    window.click("Change TTL… at_1");
    window.type_into("TTL", "5");
    window.until_named("Change and expire 4,740");
    window.until_named("The first pass would remove 4,740 documents (39 %)");
    window.click("Cancel");
    window.click("Add TTL… plain_1");
    window.type_into("TTL", "5");
    window.choose("TTL: unit", "days");
    window.until_named("Add TTL and expire 4,740");
    window.click("Cancel");
    window.click("Create index…");
    window.type_into("Field 1", "none");
    window.click("Expire documents (TTL)");
    window.type_into("TTL", "5");
    window.choose("TTL: unit", "days");
    window.until_window("it is estimated", |window| window.has_part("Create and expire about"));
    window.until_named("Estimated from samples");
    let check = |label: &str| {
        let [about, low, high] = numbers(label)[..] else { panic!("{label}") };
        assert!(label.contains(", could be "), "{label}");
        assert!(low <= OLD && OLD <= high && low <= about && about <= high, "{label}");
    };
    check(&window.part("Create and expire about"));
    window.click("Plan a rollout…");
    window.until_window("it is planned", |window| window.has_part("Start, about"));
    check(&window.part("Start, about"));
}

#[test]
fn the_chips_of_a_large_collection_are_counted() {
    let server = server();
    let mut window = attached(&server);
    window.click("Expiry");
    window.until_named("Will expire: 12,000");
    window.until_named("Overdue: 0");
    window.until_named("Never expires: 0");
}

#[test]
fn the_count_of_a_collection_follows_what_expiry_sees() {
    for habits in [Habits::mongodb(), Habits::documentdb()] {
        let now_ms = SystemClock.now_ms();
        let server = DocumentDb::start_at(habits, now_ms);
        let at = |secs: i64| DateTime::from_millis(now_ms + secs * 1_000);
        let documents: Vec<Document> = (0..38_i64)
            .map(|id| doc! { "_id": id, "at": at(if id < 24 { -600 } else { 3_600 }) })
            .collect();
        server.prepare("test", &doc! { "insert": "visits", "documents": documents });
        let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 60 };
        server.prepare("test", &doc! { "createIndexes": "visits", "indexes": [index] });
        let mut window = attached(&server);
        let counted = |state: &mayfly::state::State| {
            let tab = state.tabs.active().expect("a tab");
            state.tree.documents_of(&tab.namespace)
        };
        window.click("Expiry");
        window.until_named("Overdue: 24");
        window.until("all are counted", |state| counted(state) == Some(38));
        assert_eq!(server.pass(), 24);
        let tab = window.tab().id;
        let look = mayfly::action::ExpiryAction::Refresh;
        window.ask(mayfly::action::Action::Expiry(tab, look));
        window.until_named("Overdue: 0");
        window.until("what is left is counted", |state| counted(state) == Some(14));
    }
}
