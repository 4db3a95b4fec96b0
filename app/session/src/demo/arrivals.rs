//! The documents that arrive in the demo store. The instant decides everything about them, so no
//! state outlives a start: a store that was closed for a while gets what would have arrived.

use bson::{DateTime, Document, doc};

/// How often a session arrives, in milliseconds.
const SESSION_EVERY_MS: i64 = 5 * SECOND_MS;

/// How often a cart arrives, in milliseconds.
const CART_EVERY_MS: i64 = 20 * SECOND_MS;

/// How often an event arrives, in milliseconds.
const EVENT_EVERY_MS: i64 = MINUTE_MS;

/// The time between two heartbeats of a session, in milliseconds. Less than its TTL.
const HEARTBEAT_MS: i64 = 4 * MINUTE_MS;

/// The heartbeats of one session at most.
const HEARTBEATS_MAX: i64 = 3;

/// How long carts live, in seconds.
const CART_SECS: &[i64] = &[45, 150, 75, 240, 30, 110];

/// How long events live, in minutes.
const EVENT_MINUTES: &[i64] = &[2, 7, 3, 12, 5, 25, 4, 60];

/// How long ago a document may have expired and still arrive, in milliseconds. The first pass
/// removes these documents.
const OVERDUE_MS: i64 = 10 * SECOND_MS;

/// No document that arrived longer ago is still stored, in milliseconds.
pub(super) const LIFE_MAX_MS: i64 = 61 * MINUTE_MS;

/// The arrivals of a period.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Arrivals {
    /// New documents of `sessions`.
    pub sessions: Vec<Document>,
    /// New documents of `carts`, each with its own `ttl`.
    pub carts: Vec<Document>,
    /// New documents of `events`.
    pub events: Vec<Document>,
    /// The `_id` of each session that was active again.
    pub heartbeats: Vec<String>,
}

/// Documents that arrived after one instant until another one, in milliseconds since 1970, as far
/// as they are still stored at the end.
pub(super) fn arrivals(after_ms: i64, now_ms: i64) -> Arrivals {
    let is_new = |at_ms: i64| after_ms < at_ms && at_ms <= now_ms;
    let mut found = Arrivals::default();
    // A heartbeat may be due for a session that arrived before the period.
    for (number, at_ms) in slots(now_ms, SESSION_EVERY_MS) {
        let beats: Vec<i64> = heartbeats(number, at_ms).filter(|beat| *beat <= now_ms).collect();
        let touched_ms = beats.last().copied().unwrap_or(at_ms);
        let threshold_ms = touched_ms + i64::from(SESSION_SECS) * SECOND_MS;
        if threshold_ms <= now_ms - OVERDUE_MS {
            continue;
        }
        if is_new(at_ms) {
            found.sessions.push(session(number, touched_ms, beats.len()));
        } else if beats.iter().any(|beat| is_new(*beat)) {
            found.heartbeats.push(session_id(number));
        }
    }
    for (number, at_ms) in slots(now_ms, CART_EVERY_MS).filter(|(_, at_ms)| is_new(*at_ms)) {
        let expires_ms = at_ms + nth(CART_SECS, number) * SECOND_MS;
        // The store notes the time of the write, so what is left counts from now on.
        if expires_ms > now_ms {
            found.carts.push(cart(number, (expires_ms - now_ms + SECOND_MS - 1) / SECOND_MS));
        }
    }
    for (number, at_ms) in slots(now_ms, EVENT_EVERY_MS).filter(|(_, at_ms)| is_new(*at_ms)) {
        let expires_ms = at_ms + nth(EVENT_MINUTES, number) * MINUTE_MS;
        if expires_ms > now_ms - OVERDUE_MS {
            found.events.push(event(number, expires_ms));
        }
    }
    found
}

/// The number and the instant of each arrival that may still be stored, up to now.
fn slots(now_ms: i64, every_ms: i64) -> impl Iterator<Item = (i64, i64)> {
    let first = (now_ms - LIFE_MAX_MS).div_euclid(every_ms);
    let last = now_ms.div_euclid(every_ms);
    let at_ms = move |number: i64| {
        // Not every one at a full second.
        let jitter_ms = (number * 7_919).rem_euclid(every_ms * 4 / 5);
        (number, number * every_ms + jitter_ms)
    };
    (first..=last).map(at_ms).filter(move |(_, at_ms)| *at_ms <= now_ms)
}

/// When a session is active again: a third of them, one to three times.
fn heartbeats(number: i64, at_ms: i64) -> impl Iterator<Item = i64> {
    let is_active = number.rem_euclid(3) == 0;
    let beats = if is_active { 1 + (number / 3).rem_euclid(HEARTBEATS_MAX) } else { 0 };
    (1..=beats).map(move |beat| at_ms + beat * HEARTBEAT_MS)
}

fn session_id(number: i64) -> String {
    format!("session-{number}")
}

fn session(number: i64, touched_ms: i64, beats: usize) -> Document {
    let (user, city) = person(number);
    doc! {
        "_id": session_id(number),
        "user": user,
        "city": city,
        "device": pick(&["phone", "tablet", "laptop", "watch"], number),
        "lastModifiedDate": date(touched_ms),
        "pages": i32::try_from(beats).unwrap_or(0) + 1,
    }
}

fn cart(number: i64, ttl_secs: i64) -> Document {
    let (user, city) = person(number);
    doc! {
        "_id": format!("cart-{number}"),
        "user": user,
        "city": city,
        "items": [pick(&["çay", "чай", "お茶", "茶", "شاي", "tea"], number)],
        "total": f64::from(i32::try_from(number * 37 % 900).unwrap_or(0)) / 10.0,
        "ttl": i32::try_from(ttl_secs).unwrap_or(i32::MAX),
    }
}

fn event(number: i64, expires_ms: i64) -> Document {
    let (user, city) = person(number);
    doc! {
        "_id": number,
        "kind": pick(&["login", "search", "view", "purchase", "logout"], number),
        "user": user,
        "place": { "city": city, "zone": i32::try_from(number % 24).unwrap_or(0) - 12 },
        "logEvent": i32::try_from(number % 4).unwrap_or(0),
        "expireAt": date(expires_ms),
    }
}

fn nth(values: &[i64], number: i64) -> i64 {
    let at = usize::try_from(number).unwrap_or(0) % values.len().max(1);
    values.get(at).copied().unwrap_or_default()
}

pub(super) const SECOND_MS: i64 = 1_000;

pub(super) const MINUTE_MS: i64 = 60 * SECOND_MS;

/// Seconds until a session expires.
pub(super) const SESSION_SECS: i32 = 600;

/// Names and cities in several scripts.
pub(super) const PEOPLE: &[(&str, &str)] = &[
    ("Ayşe Yıldız", "İstanbul"),
    ("Çağrı Öztürk", "Şanlıurfa"),
    ("Ольга Соколова", "Новосибирск"),
    ("Тарас Шевчук", "Київ"),
    ("佐藤 さくら", "大阪"),
    ("高橋 健", "東京"),
    ("王小明", "北京"),
    ("陳美玲", "台北"),
    ("ليلى حداد", "القاهرة"),
    ("يوسف منصور", "دمشق"),
    ("Zoë Brontë", "Leeds"),
    ("Łukasz Wójcik", "Łódź"),
];

pub(super) fn person(number: i64) -> (&'static str, &'static str) {
    let place = usize::try_from(number).unwrap_or(0) % PEOPLE.len();
    PEOPLE.get(place).copied().unwrap_or_default()
}

pub(super) fn pick(words: &[&'static str], number: i64) -> &'static str {
    let place = usize::try_from(number).unwrap_or(0) % words.len().max(1);
    words.get(place).copied().unwrap_or_default()
}

pub(super) fn date(ms: i64) -> DateTime {
    DateTime::from_millis(ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: i64 = 1_780_315_200_000;

    #[test]
    fn a_period_brings_the_same_whether_in_one_step_or_in_many() {
        let (mut sessions, mut carts, mut events, mut beats) = (0, 0, 0, 0);
        for second in 0..600 {
            let at_ms = NOW_MS + second * SECOND_MS;
            let found = arrivals(at_ms, at_ms + SECOND_MS);
            sessions += found.sessions.len();
            carts += found.carts.len();
            events += found.events.len();
            beats += found.heartbeats.len();
        }
        assert_eq!((sessions, carts, events), (120, 30, 10));
        // A third of the sessions, twice on average.
        assert_eq!(beats, 80);
        let at_once = arrivals(NOW_MS, NOW_MS + 600 * SECOND_MS);
        assert_eq!(at_once.sessions.len(), 120);
    }

    #[test]
    fn what_a_closed_store_missed_holds_waiting_and_overdue_documents() {
        let found = arrivals(i64::MIN, NOW_MS);
        let left = |document: &Document| {
            let touched = document.get_datetime("lastModifiedDate").expect("a date");
            touched.timestamp_millis() + i64::from(SESSION_SECS) * SECOND_MS - NOW_MS
        };
        let left: Vec<i64> = found.sessions.iter().map(left).collect();
        assert_eq!(left.iter().filter(|left| **left <= 0).count(), 2);
        assert_eq!(left.iter().filter(|left| (1..=MINUTE_MS).contains(*left)).count(), 12);
        assert!(left.iter().all(|left| *left < i64::from(SESSION_SECS) * SECOND_MS));
        assert!(found.heartbeats.is_empty(), "they are new");
        assert!(found.carts.iter().all(|cart| cart.get_i32("ttl").is_ok_and(|ttl| ttl > 0)));
        assert!((3..12).contains(&found.carts.len()), "{}", found.carts.len());
        assert!((5..30).contains(&found.events.len()), "{}", found.events.len());
        assert_eq!(arrivals(NOW_MS, NOW_MS), Arrivals::default());
    }

    #[test]
    fn a_heartbeat_comes_before_the_threshold() {
        for (number, at_ms) in slots(NOW_MS, SESSION_EVERY_MS) {
            let mut touched_ms = at_ms;
            for beat_ms in heartbeats(number, at_ms) {
                assert!(beat_ms < touched_ms + i64::from(SESSION_SECS) * SECOND_MS);
                touched_ms = beat_ms;
            }
            let life_ms = touched_ms - at_ms + i64::from(SESSION_SECS) * SECOND_MS;
            assert!(life_ms + OVERDUE_MS <= LIFE_MAX_MS);
        }
    }
}
