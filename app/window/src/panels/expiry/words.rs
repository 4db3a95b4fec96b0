//! The words of the Expiry view about a document.

use bson::Bson;

use super::pass_times::{PassTimes, Removals, lateness};
use super::server;
use crate::state::expiry::{Brush, Cliff, ExpiryView, InRange, Lane, Phase, Summary, mark};
use crate::state::indexes::TtlIndex;
use crate::state::monitor::OFF;
use crate::state::{Zone, number};

/// Why a document of Cosmos DB's rules stays longer than until the next pass. Lessons say it in the same words.
const IN_BACKGROUND: &str = "Azure deletes in the background, when request units are left over, and names no \
    time. Mayfly chose 1 to 5 minutes after a document expires.";

/// Characters of an `_id` that a lane shows.
const LABEL_CHARS_MAX: usize = 36;

/// Characters of an `_id` where there is room for several lines.
const FULL_LABEL_CHARS_MAX: usize = 400;

/// The document's `_id` as a short label.
pub(super) fn label(lane: &Lane) -> String {
    cut(&name(lane), LABEL_CHARS_MAX)
}

/// The document's `_id`, nearly all of it.
pub(super) fn full_label(lane: &Lane) -> String {
    cut(&name(lane), FULL_LABEL_CHARS_MAX)
}

fn name(lane: &Lane) -> String {
    let text = match &lane.id {
        Bson::String(text) => text.clone(),
        Bson::ObjectId(id) => id.to_hex(),
        other => mayfly_engine::value::shell::write_value(
            other,
            mayfly_engine::value::extjson::Layout::OneLine,
        ),
    };
    crate::widgets::value_text::with_marks(&text)
}

fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The `_id` where room is scarce. Of an `ObjectId` both ends: those of one minute differ in the last
/// digits only.
pub(super) fn short_label(lane: &Lane) -> String {
    match &lane.id {
        Bson::ObjectId(id) => {
            let hex = id.to_hex();
            format!("{}…{}", &hex[..4], &hex[hex.len() - 6..])
        }
        _ => label(lane),
    }
}

/// The label, and what is special about the threshold.
pub(super) fn note(lane: &Lane) -> String {
    let label = short_label(lane);
    if lane.own_ttl {
        return format!("{label} · ttl {}", ttl(lane));
    }
    label
}

/// From the date or the last modification to the threshold.
fn ttl(lane: &Lane) -> String {
    number::secs(lane.threshold_ms.saturating_sub(lane.base_ms) / 1_000)
}

/// Below the last row, when more documents wait, or are in the chosen range, than are listed.
pub(super) fn more(listed: usize, is_range: bool) -> String {
    let listed = number::count(listed as u64);
    if is_range {
        return format!("Showing the first {listed} of this range");
    }
    format!("Showing the next {listed} to expire")
}

/// How many documents are in the chosen range, and how many of them are listed if not all.
pub(super) fn range(
    brush: Brush,
    found: InRange,
    listed: Option<usize>,
    now_ms: i64,
    zone: Zone,
) -> String {
    let least = if found.is_exact { "" } else { "At least " };
    let documents = number::counted(found.documents, "document", "documents");
    let expire = if found.documents == 1 { "expires" } else { "expire" };
    let [from, to] = [brush.from_ms, brush.to_ms].map(|at| zone.when(at, now_ms));
    let part = listed.map_or_else(String::new, |listed| {
        format!("; the first {} are listed", number::count(listed as u64))
    });
    format!("{least}{documents} {expire} between {from} and {to}{part}")
}

/// Which of several TTL indexes expires a document.
pub(super) fn winner(lane: &Lane, indexes: &[TtlIndex]) -> Option<String> {
    let mark = mark(indexes, &lane.index)?;
    let (letter, index) = (mark.letter, &lane.index);
    if lane.removed_ms.is_some() {
        return Some(format!("{letter}: {index} removed it first"));
    }
    let others = number::counted(indexes.len() as u64, "TTL index", "TTL indexes");
    Some(format!("{letter}: of {others}, {index} expires it first"))
}

/// Below the tombstones, for documents of a pass that have none.
pub(super) fn summary(summary: &Summary) -> String {
    format!("{} more removed by pass {}", number::count(summary.removed), summary.pass)
}

/// The *Removal window* column: `05:37:04–05:38:04`. The sentence is in the tooltip of a lane.
pub(super) fn removal_window(lane: &Lane, now_ms: i64, schedule: &PassTimes) -> String {
    if let Some(next) = schedule.server {
        return server::window(lane, now_ms, next, schedule);
    }
    let due = schedule.zone.when(lane.threshold_ms, now_ms);
    match (lane.phase(now_ms), schedule.removals) {
        (Phase::Removed { .. }, _) => {
            schedule.zone.when(lane.removed_ms.unwrap_or(lane.threshold_ms), now_ms)
        }
        (_, Removals::ReadOnly) => "store is read-only".to_owned(),
        (_, Removals::Off | Removals::ServerOff) => "TTL monitor is off".to_owned(),
        (_, Removals::Held) => "on hold".to_owned(),
        (_, Removals::Go) if schedule.in_background => background_window(lane, now_ms, schedule),
        (Phase::Overdue, Removals::Go | Removals::Server | Removals::Silent) => {
            match schedule.next_pass_ms {
                Some(next) if next > now_ms => schedule.zone.when(next, now_ms),
                Some(_) => "current pass".to_owned(),
                // A lesson runs its passes itself and names the next one only after the first.
                None => "next pass".to_owned(),
            }
        }
        (Phase::Waiting, Removals::Go | Removals::Server | Removals::Silent)
            if schedule.at_threshold =>
        {
            due
        }
        (Phase::Waiting, Removals::Go | Removals::Server | Removals::Silent) => {
            format!("{due}–{}", schedule.zone.when(latest_removal_ms(lane, schedule), now_ms))
        }
    }
}

/// The end of the last pass that may remove the document.
fn latest_removal_ms(lane: &Lane, schedule: &PassTimes) -> i64 {
    lane.threshold_ms.saturating_add(schedule.allowed_ms())
}

/// From when to when a pass removes it in the background.
fn background_window(lane: &Lane, now_ms: i64, schedule: &PassTimes) -> String {
    let earliest_ms = lane.threshold_ms.saturating_add(schedule.delays_ms().0);
    let [from, to] = [earliest_ms, latest_removal_ms(lane, schedule)];
    format!("{}–{}", schedule.zone.when(from, now_ms), schedule.zone.when(to, now_ms))
}

/// The next pass: when, and how many of the listed documents it removes.
pub(super) fn next_pass(view: &ExpiryView, next_ms: i64, now_ms: i64, times: &PassTimes) -> String {
    let at = times.zone.when(next_ms, now_ms);
    if let Some(why) = stays(times.removals) {
        return format!("Next pass at {at}\n{why}");
    }
    let last_ms = next_ms.saturating_sub(times.delays_ms().0);
    let is_due = |lane: &&Lane| lane.removed_ms.is_none() && lane.threshold_ms <= last_ms;
    let due = view.lanes.iter().filter(is_due).count();
    let is_part = view.brush.is_some() || view.has_more && due == view.lanes.len();
    let least = match (times.in_background, is_part) {
        // How many of them, only the pass decides.
        (true, _) => "at most ",
        (false, true) => "at least ",
        (false, false) => "",
    };
    let documents = number::counted(due as u64, "document", "documents");
    format!("Next pass at {at}\nWill remove {least}{documents}")
}

/// Documents that will go together: how many, when, and whether one pass removes them.
pub(super) fn cliff(cliff: &Cliff, now_ms: i64, times: &PassTimes) -> String {
    let documents = number::count(cliff.documents);
    let [from, to] = [cliff.from_ms, cliff.to_ms].map(|at| times.zone.when(at, now_ms));
    let length_ms = cliff.to_ms.saturating_sub(cliff.from_ms);
    let is_first_pass = times.removals == Removals::Go && !times.in_background;
    let is_one_pass = length_ms <= times.sleep_ms && is_first_pass;
    let pass = if is_one_pass { "; one pass will remove them" } else { "" };
    if length_ms <= 60_000 {
        return format!("{documents} documents expire within one minute, from {from} on{pass}");
    }
    format!("{documents} documents expire between {from} and {to}{pass}")
}

/// When the document is removed: between its threshold and the end of the pass after it.
pub(super) fn bracket(lane: &Lane, now_ms: i64, schedule: &PassTimes) -> String {
    if let Some(next) = schedule.server {
        return server::bracket(lane, now_ms, next, schedule.zone);
    }
    let due = lane.threshold_ms;
    match lane.phase(now_ms) {
        Phase::Removed { late_ms } => {
            let at = lane.removed_ms.unwrap_or(due);
            let at = schedule.zone.when(at, now_ms);
            let after = if lane.removable_ms.is_some() {
                "its index could remove it, as it had expired before"
            } else {
                "expiring"
            };
            format!("Removed at {at}, {}", schedule.lateness(late_ms, after))
        }
        Phase::Overdue if schedule.is_hidden(lane, now_ms) => {
            hidden(schedule.removals, schedule.in_background)
        }
        _ if let Some(words) = stays(schedule.removals) => words.to_owned(),
        Phase::Overdue => match schedule.next_pass_ms {
            Some(next) if next > now_ms => {
                format!("Will be removed by the pass at {}", schedule.zone.when(next, now_ms))
            }
            Some(_) => "Being removed by the current pass".to_owned(),
            None => "Will be removed by the next pass".to_owned(),
        },
        Phase::Waiting if schedule.at_threshold => {
            format!("Will be removed at {}", schedule.zone.when(due, now_ms))
        }
        Phase::Waiting => {
            let latest = latest_removal_ms(lane, schedule);
            let earliest = due.saturating_add(schedule.delays_ms().0);
            format!(
                "Will be removed between {} and {}",
                schedule.zone.when(earliest, now_ms),
                schedule.zone.when(latest, now_ms)
            )
        }
    }
}

/// Where a document is past its threshold and reads don't return it.
pub(crate) fn hidden(removals: Removals, in_background: bool) -> String {
    match stays(removals) {
        None if in_background => {
            "Hidden from reads; removed 1 to 5 minutes after it expired".to_owned()
        }
        None => "Hidden from reads; removed by the next pass".to_owned(),
        Some(words) => format!("Hidden from reads. {words}"),
    }
}

/// Why a document stays although passes are made; `None` while they remove it.
pub(crate) fn stays(removals: Removals) -> Option<&'static str> {
    match removals {
        Removals::Go | Removals::Server | Removals::Silent => None,
        Removals::ReadOnly => Some("The store is read-only; nothing is removed"),
        Removals::Off => Some("The TTL monitor is off; the document is kept until you resume it"),
        Removals::Held => Some("Removals are on hold until you release them"),
        Removals::ServerOff => Some(OFF),
    }
}

/// The base of the threshold, and the consequence.
pub(super) fn verdict(lane: &Lane, now_ms: i64, times: &PassTimes) -> String {
    let ttl = ttl(lane);
    let base = times.zone.when(lane.base_ms, now_ms);
    let due = times.zone.when(lane.threshold_ms, now_ms);
    if lane.removed_ms.is_some_and(|at| at < lane.threshold_ms) {
        let index = &lane.index;
        return format!("It would have expired at {due}: {ttl} after {base}, by index {index}.");
    }
    if lane.removed_ms.is_some() {
        return format!("It expired at {due}: {ttl} after {base}, by index {}.", lane.index);
    }
    let pass = match times.removals {
        Removals::Go if times.in_background && lane.threshold_ms > now_ms => {
            format!("Reads hide it from {due} on. {IN_BACKGROUND}")
        }
        Removals::Go if times.in_background => {
            format!("It expired at {due}, and reads hide it. {IN_BACKGROUND}")
        }
        Removals::Go if times.is_hidden(lane, now_ms) => {
            format!("It expired at {due}. Reads hide it; the next pass will remove it.")
        }
        Removals::Go => format!("The first pass after {due} will remove it."),
        Removals::Server | Removals::Silent => {
            format!("The server's TTL monitor removes it after {due}.")
        }
        // Why it stays is said elsewhere.
        Removals::Held | Removals::Off | Removals::ReadOnly | Removals::ServerOff => {
            let verb = if lane.threshold_ms > now_ms { "expires" } else { "expired" };
            format!("It {verb} at {due}.")
        }
    };
    if lane.own_ttl {
        return format!(
            "Its ttl field sets expiry to {ttl} after its last modification ({base}). {pass}"
        );
    }
    if lane.field == "_ts" {
        return format!(
            "Index {} sets expiry to {ttl} after its last modification ({base}). {pass}",
            lane.index
        );
    }
    let which = if lane.dates_ms.len() > 1 { "the earliest date in " } else { "" };
    let (index, field) = (&lane.index, &lane.field);
    format!("Index {index} sets expiry to {ttl} after {which}{field} ({base}). {pass}")
}

/// The remark on an overdue document. Empty while it can be read and a pass removes it.
pub(super) fn overdue(removals: Removals, is_hidden: bool) -> &'static str {
    match removals {
        Removals::Go if is_hidden => "hidden from reads",
        Removals::ReadOnly => "store is read-only",
        Removals::Off | Removals::ServerOff => "TTL monitor is off",
        Removals::Held => "on hold",
        Removals::Silent => "no answer",
        Removals::Go | Removals::Server => "",
    }
}

/// The row as a screen reader hears it: thresholds, not every second.
pub(super) fn spoken(lane: &Lane, now_ms: i64, times: &PassTimes) -> String {
    let at = times.zone.when(lane.threshold_ms, now_ms);
    match lane.phase(now_ms) {
        Phase::Overdue if times.is_hidden(lane, now_ms) => {
            format!("{} expired at {at}, hidden from reads", label(lane))
        }
        Phase::Waiting => format!("{} expires at {at}", label(lane)),
        Phase::Overdue => format!("{} expired at {at}, not yet removed", label(lane)),
        Phase::Removed { late_ms } if late_ms < 0 || lane.seen_ms.is_some() => {
            format!("{} {}", label(lane), server::lag(lane, late_ms))
        }
        Phase::Removed { late_ms } => {
            format!("{} removed, {}", label(lane), lateness(late_ms))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(id: Bson) -> Lane {
        Lane {
            id,
            index: "at_1".into(),
            field: "at".into(),
            base_ms: 0,
            threshold_ms: 20_000,
            own_ttl: true,
            dates_ms: Vec::new(),
            removed_ms: None,
            removable_ms: None,
            seen_ms: None,
        }
    }

    fn times(removals: Removals) -> PassTimes {
        PassTimes {
            removals,
            zone: Zone::Utc,
            at_threshold: false,
            next_pass_ms: None,
            sleep_ms: 60_000,
            pass_ms: 1_000,
            server: None,
            hides: false,
            in_background: false,
            known_ms: i64::MAX,
        }
    }

    #[test]
    fn labels_are_short_and_hide_nothing() {
        assert_eq!(label(&lane(Bson::String("user:1".into()))), "user:1");
        assert_eq!(note(&lane(Bson::Int32(7))), "7 · ttl 20 s");
        let id = bson::oid::ObjectId::parse_str("6b05b228764665c6126f40d2").expect("an id");
        assert_eq!(note(&lane(Bson::ObjectId(id))), "6b05…6f40d2 · ttl 20 s");
        let hour = Lane { threshold_ms: 3_600_000, ..lane(Bson::Int32(7)) };
        assert_eq!(note(&hour), "7 · ttl 3,600 s");
        let whole = |removals| verdict(&hour, 0, &times(removals));
        assert!(whole(Removals::Go).starts_with("Its ttl field sets expiry to 3,600 s after "));
        assert!(whole(Removals::Go).ends_with("The first pass after 01:00:00 will remove it."));
        for removals in [Removals::Held, Removals::Off, Removals::ReadOnly] {
            assert!(whole(removals).ends_with("). It expires at 01:00:00."), "{removals:?}");
        }
        assert!(
            verdict(&hour, 3_600_000, &times(Removals::Held)).ends_with("It expired at 01:00:00.")
        );
        let long = label(&lane(Bson::String("é".repeat(99))));
        assert_eq!(long.chars().count(), LABEL_CHARS_MAX + 1);
        assert_eq!(full_label(&lane(Bson::String("é".repeat(99)))), "é".repeat(99));
        let tricky = label(&lane(Bson::String("a\u{202e}b".into())));
        assert!(!tricky.contains('\u{202e}'), "{tricky}");
    }

    #[test]
    fn a_waiting_document_has_an_honest_bracket() {
        let lane = lane(Bson::Int32(7));
        let times = PassTimes {
            removals: Removals::Go,
            zone: Zone::Utc,
            at_threshold: false,
            next_pass_ms: Some(50_000),
            sleep_ms: 60_000,
            pass_ms: 1_000,
            server: None,
            hides: false,
            in_background: false,
            known_ms: i64::MAX,
        };
        let check = |now_ms, times: PassTimes, expected: &str| {
            assert_eq!(bracket(&lane, now_ms, &times), expected, "{now_ms} {times:?}");
        };
        check(0, times, "Will be removed between 00:00:20 and 00:01:21");
        assert_eq!(removal_window(&lane, 0, &times), "00:00:20–00:01:21");
        check(0, PassTimes { at_threshold: true, ..times }, "Will be removed at 00:00:20");
        check(20_000, times, "Will be removed by the pass at 00:00:50");
        check(50_000, times, "Being removed by the current pass");
        let unknown = PassTimes { next_pass_ms: None, ..times };
        check(20_000, unknown, "Will be removed by the next pass");
        assert_eq!(removal_window(&lane, 20_000, &unknown), "next pass");
        let read_only = PassTimes { removals: Removals::ReadOnly, ..times };
        check(0, read_only, "The store is read-only; nothing is removed");
        assert_eq!(overdue(read_only.removals, false), "store is read-only");
        let held = PassTimes { removals: Removals::Held, ..times };
        check(0, held, "Removals are on hold until you release them");
        assert_eq!(overdue(times.removals, false), "");
        assert_eq!(overdue(held.removals, true), "on hold");
        let off = PassTimes { removals: Removals::Off, ..times };
        check(0, off, "The TTL monitor is off; the document is kept until you resume it");
    }

    #[test]
    fn where_expired_documents_are_hidden_the_words_say_so() {
        let lane = lane(Bson::Int32(7));
        let times = PassTimes { hides: true, next_pass_ms: Some(50_000), ..times(Removals::Go) };
        let expected = "Hidden from reads; removed by the next pass";
        assert_eq!(bracket(&lane, 20_000, &times), expected);
        assert!(
            verdict(&lane, 20_000, &times)
                .ends_with("Reads hide it; the next pass will remove it.")
        );
        assert_eq!(overdue(times.removals, times.is_hidden(&lane, 20_000)), "hidden from reads");
        assert!(spoken(&lane, 20_000, &times).ends_with("hidden from reads"));
        let off = PassTimes { removals: Removals::Off, ..times };
        assert!(
            bracket(&lane, 20_000, &off).starts_with("Hidden from reads. The TTL monitor is off")
        );
        assert!(!times.is_hidden(&lane, 19_999), "not yet");
        let by_date = Lane { own_ttl: false, ..lane };
        assert!(!times.is_hidden(&by_date, 20_000), "MongoDB's own TTL hides nothing");
    }

    #[test]
    fn what_cosmos_db_removes_later_is_said_so() {
        let lane = lane(Bson::Int32(7));
        let times = PassTimes {
            hides: true,
            in_background: true,
            next_pass_ms: Some(50_000),
            ..times(Removals::Go)
        };
        assert_eq!(removal_window(&lane, 0, &times), "00:01:20–00:05:21");
        assert_eq!(removal_window(&lane, 20_000, &times), "00:01:20–00:05:21");
        let expected = "Hidden from reads; removed 1 to 5 minutes after it expired";
        assert_eq!(bracket(&lane, 20_000, &times), expected);
        for now_ms in [0, 20_000] {
            let said = verdict(&lane, now_ms, &times);
            assert!(said.ends_with(IN_BACKGROUND), "{said}");
        }
        let gone = Lane { removed_ms: Some(260_000), ..lane.clone() };
        let said = bracket(&gone, 260_000, &times);
        assert!(said.contains("after expiring (normal: up to 5"), "{said}");
        assert!(!times.is_late(301_000) && times.is_late(302_000));
        for slug in [
            "25-ts-is-the-last-write",
            "31-hidden-or-visible",
            "s06-cosmos-hides-at-once",
            "s07-side-by-side",
        ] {
            let text = mayfly_session::lessons::shipped::text(slug).unwrap_or_default();
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(text.contains(IN_BACKGROUND), "{slug} says it in other words");
        }
    }

    #[test]
    fn of_several_dates_the_earliest_counts() {
        let lane = Lane { own_ttl: false, dates_ms: vec![0, 9_000], ..lane(Bson::Int32(7)) };
        let verdict = verdict(&lane, 0, &times(Removals::Go));
        assert!(verdict.contains(" 20 s after the earliest date in at (00:00:00)."), "{verdict}");
    }

    #[test]
    fn the_next_pass_says_how_much_it_removes() {
        let lanes = [1, 2, 3].map(|at| Lane { threshold_ms: at * 20_000, ..lane(Bson::Int32(7)) });
        let mut view = ExpiryView::default();
        view.lanes.extend(lanes);
        let words =
            |view: &ExpiryView, removals, next_ms| next_pass(view, next_ms, 0, &times(removals));
        let expected = "Next pass at 00:00:50\nWill remove 2 documents";
        assert_eq!(words(&view, Removals::Go, 50_000), expected);
        view.has_more = true;
        assert_eq!(words(&view, Removals::Go, 50_000), expected);
        assert!(words(&view, Removals::Go, 60_000).ends_with("Will remove at least 3 documents"));
        assert!(words(&view, Removals::Held, 60_000).ends_with("until you release them"));
    }

    #[test]
    fn a_range_says_how_many_and_whether_there_may_be_more() {
        let brush = Brush { from_ms: 60_000, to_ms: 120_000 };
        let words = |documents, is_exact, listed| {
            range(brush, InRange { documents, is_exact }, listed, 0, Zone::Utc)
        };
        assert_eq!(words(1, true, None), "1 document expires between 00:01:00 and 00:02:00");
        assert_eq!(
            words(5_000, true, Some(200)),
            "5,000 documents expire between 00:01:00 and 00:02:00; the first 200 are listed"
        );
        assert!(words(200, false, Some(200)).starts_with("At least 200 documents expire"));
        let mut view = ExpiryView::default();
        view.brush = Some(brush);
        view.lanes.push(Lane { threshold_ms: 30_000, ..lane(Bson::Int32(7)) });
        let words = next_pass(&view, 50_000, 0, &times(Removals::Go));
        assert!(words.ends_with("Will remove at least 1 document"), "others are not listed");
    }

    #[test]
    fn a_cliff_says_whether_one_pass_removes_it() {
        let of = |to_ms| Cliff { documents: 2_000, from_ms: 0, to_ms };
        let words = |to_ms, removals| cliff(&of(to_ms), 0, &times(removals));
        let minute = "2,000 documents expire within one minute, from 00:00:00 on";
        assert_eq!(words(60_000, Removals::Go), format!("{minute}; one pass will remove them"));
        assert_eq!(words(60_000, Removals::Off), minute);
        let hour = "2,000 documents expire between 00:00:00 and 01:00:00";
        assert_eq!(words(3_600_000, Removals::Go), hour);
    }

    #[test]
    fn of_several_indexes_the_one_that_wins_is_said() {
        let index = |name: &str| TtlIndex { name: name.to_owned(), ..TtlIndex::default() };
        let indexes = [index("b_1"), index("at_1")];
        let waits = lane(Bson::Int32(7));
        let expected = "B: of 2 TTL indexes, at_1 expires it first";
        assert_eq!(winner(&waits, &indexes).as_deref(), Some(expected));
        let gone = Lane { removed_ms: Some(1), ..waits.clone() };
        assert_eq!(winner(&gone, &indexes).as_deref(), Some("B: at_1 removed it first"));
        assert_eq!(winner(&waits, &indexes[1..]), None);
    }

    #[test]
    fn a_lag_up_to_one_period_is_normal() {
        let mut times = times(Removals::Go);
        let gone = Lane { removed_ms: Some(60_000), ..lane(Bson::Int32(7)) };
        let east = PassTimes { zone: Zone::Fixed(3_600), ..times };
        assert!(bracket(&gone, 70_000, &east).starts_with("Removed at 01:01:00, "));
        let expected = "Removed at 00:01:00, 40 s after expiring (normal: up to 1 min)";
        assert_eq!(bracket(&gone, 70_000, &times), expected);
        let before = Lane { removable_ms: Some(59_000), ..gone };
        let expected = "Removed at 00:01:00, 1 s after its index could remove it, as it had expired \
                        before (normal: up to 1 min)";
        assert_eq!(bracket(&before, 70_000, &times), expected);
        assert_eq!([60_999, 61_001].map(|late| times.is_late(late)), [false, true]);
        let words = [60_400, 66_000].map(|late| times.lateness(late, "expiring"));
        assert_eq!(words[0], "1 min after expiring (normal: up to 1 min and the pass itself)");
        assert_eq!(words[1], "1 min 6 s after expiring, longer than the 1 min between passes");
        times.at_threshold = true;
        assert_eq!(times.lateness(300, "expiring"), "300 ms after expiring");
    }

    #[test]
    fn a_tombstone_tells_what_was() {
        let gone = Lane { removed_ms: Some(21_500), field: String::new(), ..lane(Bson::Int32(7)) };
        let expected = "It expired at 00:00:20: 20 s after 00:00:00, by index at_1.";
        assert_eq!(verdict(&gone, 30_000, &times(Removals::Go)), expected);
    }

    #[test]
    fn a_screen_reader_hears_thresholds() {
        let times = times(Removals::Go);
        assert!(spoken(&lane(Bson::Int32(7)), 19_999, &times).starts_with("7 expires at "));
        assert!(spoken(&lane(Bson::Int32(7)), 20_000, &times).ends_with("not yet removed"));
    }
}
