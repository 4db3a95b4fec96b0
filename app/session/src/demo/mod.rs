//! The demo store: documents that are already counting down, and [`Traffic`] that brings more.
//!
//! Everything derives from the given time, so two stores filled at the same time are equal.
//!
//! The demo store has its own folder next to the user's store. A first start opens it; *Open my store* makes
//! the user's own. A start without arguments opens the store of this machine that was open last; a server is
//! attached only when you ask. `source/embedded.rs` fills it while it is empty, and notes the UUIDs of its
//! collections in `sample-data.txt` (`source/sample_mark.rs`). While the window is open, traffic adds
//! documents: `demo/arrivals.rs` computes from the instant alone what arrived, `demo/traffic.rs` sends it to
//! the noted collections that still have their TTL index, and `worker/traffic.rs` does so each second in the
//! write lane. Its commands are background commands.

mod arrivals;
mod sample_data;
mod traffic;

use bson::{Bson, Document, doc};

use self::arrivals::{MINUTE_MS, SECOND_MS, SESSION_SECS, date, person, pick};
use arrivals::LIFE_MAX_MS;
pub use sample_data::{Run, SampleData};
pub use traffic::{Sent, Traffic};

const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

/// How long the demo store keeps removed documents, in seconds.
const TRASH_SECS: i32 = 600;

/// Documents of `demo.events`.
const EVENTS: i64 = 3_000;

/// Documents in one insert command.
const INSERT_DOCS: usize = 1_000;

/// Fills an empty store. `now_ms` is the store's time in milliseconds since 1970.
pub fn fill(run: Run<'_>, now_ms: i64) {
    // A newcomer wants back what a pass just removed, before having heard of the trash.
    run("admin", &doc! { "setParameter": 1, "mayflyTrashSecs": TRASH_SECS });
    sessions(run, now_ms);
    carts(run);
    events(run, now_ms);
    tickets(run, now_ms);
    orders(run, now_ms);
}

/// Sessions that expire ten minutes after their last change, some overdue, some never.
fn sessions(run: Run<'_>, now_ms: i64) {
    let mut documents = arrivals::arrivals(now_ms - LIFE_MAX_MS, now_ms).sessions;
    documents.extend(never_sessions(now_ms));
    insert(run, "demo", "sessions", documents);
    index(
        run,
        "demo",
        "sessions",
        doc! {
            "key": { "lastModifiedDate": 1 },
            "name": "lastModifiedDate_1",
            "expireAfterSeconds": SESSION_SECS,
        },
    );
}

/// Sessions that never expire, each for another reason, and one with several dates.
fn never_sessions(now_ms: i64) -> Vec<Document> {
    let old = now_ms - DAY_MS;
    vec![
        doc! { "_id": "never-missing", "user": "Ayşe Yıldız", "note": "has no lastModifiedDate" },
        doc! {
            "_id": "never-text", "user": "王小明", "note": "the date is text",
            "lastModifiedDate": "2026-01-01T00:00:00Z",
        },
        doc! {
            "_id": "never-number", "user": "Тарас Шевчук", "note": "the date is a number",
            "lastModifiedDate": Bson::Int64(old),
        },
        doc! {
            "_id": "never-null", "user": "ليلى حداد", "note": "the date is null",
            "lastModifiedDate": Bson::Null,
        },
        doc! {
            "_id": "never-empty", "user": "佐藤 さくら", "note": "an empty array has no date",
            "lastModifiedDate": [],
        },
        doc! {
            "_id": "never-words", "user": "Zoë Brontë", "note": "an array without dates",
            "lastModifiedDate": ["yesterday", "today"],
        },
        doc! {
            "_id": "earliest-of-three", "user": "高橋 健",
            "note": "the earliest date of an array counts",
            "lastModifiedDate": [
                date(now_ms), date(now_ms - 8 * MINUTE_MS), date(now_ms - 5 * MINUTE_MS),
            ],
        },
    ]
}

/// Shopping carts that expire some time after their last change, some with a ttl field.
fn carts(run: Run<'_>) {
    let mut documents = Vec::new();
    for number in 0..60 {
        let (user, city) = person(number);
        let mut cart = doc! {
            "_id": format!("cart-{number:03}"),
            "user": user,
            "city": city,
            "items": [pick(&["çay", "чай", "お茶", "茶", "شاي", "tea"], number)],
            "total": f64::from(int(number * 37 % 900)) / 10.0,
        };
        match number % 5 {
            0 => drop(cart.insert("ttl", int(20 + number * 5))),
            1 => drop(cart.insert("ttl", -1)),
            2 => drop(cart.insert("ttl", int(HOUR_MS / SECOND_MS + number))),
            _ => {}
        }
        documents.push(cart);
    }
    insert(run, "demo", "carts", documents);
    index(
        run,
        "demo",
        "carts",
        doc! {
            "key": { "_ts": 1 }, "name": "_ts_1", "expireAfterSeconds": 900,
        },
    );
}

/// Events with their own expiration date, within hours and days.
fn events(run: Run<'_>, now_ms: i64) {
    let mut documents = Vec::new();
    for number in 0..EVENTS {
        let (user, city) = person(number);
        let spread_ms = number * number * 61 + number * 9 * SECOND_MS;
        documents.push(doc! {
            "_id": int(number),
            "kind": pick(&["login", "search", "view", "purchase", "logout"], number * 7 / 3),
            "user": user,
            "place": { "city": city, "zone": int(number % 24) - 12 },
            "logEvent": int(number % 4),
            "expireAt": date(now_ms + 90 * SECOND_MS + spread_ms),
        });
    }
    insert(run, "demo", "events", documents);
    index(
        run,
        "demo",
        "events",
        doc! {
            "key": { "expireAt": 1 }, "name": "expireAt_1", "expireAfterSeconds": 0,
        },
    );
}

/// Tickets with a plain index on a date, which can become a TTL index.
fn tickets(run: Run<'_>, now_ms: i64) {
    let documents = (0..200)
        .map(|number| {
            let (user, city) = person(number * 5);
            doc! {
                "_id": int(1_000 + number),
                "customer": user,
                "city": city,
                "subject": pick(
                    &["Fatura sorunu", "Не приходит письмо", "パスワードを忘れました", "退货申请",
                      "تأخر الطلب", "Broken screen"],
                    number,
                ),
                "status": pick(&["open", "waiting", "closed"], number),
                "createdAt": date(now_ms - number * 5 * HOUR_MS),
            }
        })
        .collect();
    insert(run, "shop", "tickets", documents);
    index(run, "shop", "tickets", doc! { "key": { "createdAt": 1 }, "name": "createdAt_1" });
}

/// Orders, which never expire.
fn orders(run: Run<'_>, now_ms: i64) {
    let documents = (0..300)
        .map(|number| {
            let (user, city) = person(number * 11);
            doc! {
                "_id": int(50_000 + number),
                "customer": { "name": user, "city": city },
                "lines": [
                    { "sku": format!("A-{:03}", number % 70), "count": int(number % 3 + 1) },
                    { "sku": format!("B-{:03}", number % 40), "count": 1 },
                ],
                "paid": number % 4 != 0,
                "orderedAt": date(now_ms - number * 3 * HOUR_MS),
            }
        })
        .collect();
    insert(run, "shop", "orders", documents);
}

fn insert(run: Run<'_>, db: &str, collection: &str, documents: Vec<Document>) {
    let mut documents = documents.into_iter().peekable();
    while documents.peek().is_some() {
        let part: Vec<Document> = documents.by_ref().take(INSERT_DOCS).collect();
        run(db, &doc! { "insert": collection, "documents": part });
    }
}

fn index(run: Run<'_>, db: &str, collection: &str, spec: Document) {
    run(db, &doc! { "createIndexes": collection, "indexes": [spec] });
}

fn int(number: i64) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All commands of a fill.
    fn commands(now_ms: i64) -> Vec<(String, Document)> {
        let mut commands = Vec::new();
        fill(
            &mut |db, command| {
                commands.push((db.to_owned(), command.clone()));
                doc! { "ok": 1.0 }
            },
            now_ms,
        );
        commands
    }

    #[test]
    fn the_same_time_gives_the_same_store() {
        assert_eq!(commands(1_000_000_000_000), commands(1_000_000_000_000));
        assert_ne!(commands(1_000_000_000_000), commands(1_000_000_000_001));
    }

    #[test]
    fn no_insert_is_larger_than_a_batch() {
        for (_, command) in commands(0) {
            if let Ok(documents) = command.get_array("documents") {
                assert!((1..=INSERT_DOCS).contains(&documents.len()));
            }
        }
    }
}
