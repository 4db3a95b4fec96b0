//! The words in the columns of the members.

use mayfly_engine::value::shell::write_value;

use crate::job::Zone;
use crate::job::lesson::{MemberLane, MemberRole, MemberView, OplogEntryView};
use crate::state::{duration, number};
use crate::widgets::value::cut;
use crate::widgets::value_text::with_marks;

/// The limits of the model, one sentence a line.
pub(super) const LIMITS: [&str; 7] = [
    "This model shows where documents expire. It is not a replica set.",
    "There is no election protocol and no vote: a step-down chooses the most up-to-date secondary.",
    "Nothing is rolled back.",
    "A write waits for the primary only.",
    "The network never fails.",
    "The oplog is never truncated.",
    "No driver can connect.",
];

/// Characters of an `_id` in the name of a lane.
const ID_CHARS_MAX: usize = 60;

/// The word on the chip of a role.
pub(super) fn role(role: MemberRole) -> &'static str {
    match role {
        MemberRole::Primary => "PRIMARY",
        MemberRole::Secondary => "SECONDARY",
        MemberRole::Down => "DOWN",
    }
}

/// The state of a member's monitor.
pub(super) fn monitor(member: &MemberView) -> &str {
    if member.monitor.is_empty() { "TTL monitor: shown after the answer" } else { &member.monitor }
}

/// The state of a monitor where there is no room for its name. The role of its member is next to
/// it.
pub(super) fn short_monitor(monitor: &str) -> &str {
    let does = monitor.strip_prefix("TTL monitor: ").unwrap_or(monitor);
    does.strip_suffix(" on a secondary").unwrap_or(does)
}

/// The lag of a member where room is scarce.
pub(super) fn short_lag(member: &MemberView) -> String {
    if member.role == MemberRole::Primary || member.behind == 0 {
        return lag(member);
    }
    format!("{} to apply, {}", number::count(member.behind), whole_secs(member.lag_ms))
}

/// How far a clock is off, in words. Empty if it is right.
pub(super) fn skew(skew_ms: i64) -> String {
    match skew_ms {
        0 => String::new(),
        1.. => format!("clock {} fast", duration::span(skew_ms)),
        _ => format!("clock {} slow", duration::span(skew_ms.saturating_neg())),
    }
}

/// The lag of a member; of the primary, its position.
pub(super) fn lag(member: &MemberView) -> String {
    if member.role == MemberRole::Primary {
        return format!("operation {}", number::count(member.applied));
    }
    if member.behind == 0 {
        return "up to date".to_owned();
    }
    let operations = number::counted(member.behind, "operation", "operations");
    format!("{}, {operations} to apply", whole_secs(member.lag_ms))
}

/// A lag, rounded up to seconds.
fn whole_secs(ms: i64) -> String {
    duration::span(ms.max(0).saturating_add(999) / 1_000 * 1_000)
}

/// The `_id` of a document.
pub(super) fn id(lane: &MemberLane) -> String {
    let id = match &lane.id {
        bson::Bson::String(text) => with_marks(text),
        bson::Bson::ObjectId(id) => id.to_hex(),
        other => with_marks(&write_value(other, mayfly_engine::value::extjson::Layout::OneLine)),
    };
    cut(&id, ID_CHARS_MAX)
}

/// A screen reader's text for a document. It has no running digits, which would be read again and
/// again.
pub(super) fn lane(lane: &MemberLane, member: &str, now_ms: i64, zone: Zone) -> String {
    let id = id(lane);
    let time = |ms| format!("{} {}", zone.date_time(ms), zone.name(ms));
    match (lane.removed_ms, lane.threshold_ms) {
        (Some(at_ms), _) => format!("{id} on {member}: removed at {}", time(at_ms)),
        (None, None) => format!("{id} on {member}: never expires"),
        (None, Some(at_ms)) if at_ms <= now_ms => {
            format!("{id} on {member}: overdue since {}", time(at_ms))
        }
        (None, Some(at_ms)) => format!("{id} on {member}: expires at {}", time(at_ms)),
    }
}

/// The name of an entry of the oplog, for screen readers and under the pointer.
pub(super) fn entry(entry: &OplogEntryView, zone: Zone) -> String {
    let OplogEntryView { position, at_ms, kind, documents, namespace } = entry;
    let what = match kind.as_str() {
        "index" => "index".to_owned(),
        kind => format!("{kind} of {}", number::counted(*documents, "document", "documents")),
    };
    let namespace = with_marks(namespace);
    format!("Operation {position}: {what} in {namespace} at {}", zone.time_of_day(*at_ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(role: MemberRole, behind: u64, lag_ms: i64) -> MemberView {
        MemberView {
            name: "B".to_owned(),
            role,
            now_ms: 0,
            skew_ms: 0,
            monitor: String::new(),
            next_pass_ms: None,
            lag_ms,
            behind,
            applied: 1_234,
            is_read: false,
            lanes: Vec::new(),
        }
    }

    #[test]
    fn lag_is_in_seconds_and_operations() {
        let check = |role, behind, lag_ms, expected| {
            assert_eq!(lag(&member(role, behind, lag_ms)), expected);
        };
        check(MemberRole::Primary, 0, 0, "operation 1,234");
        check(MemberRole::Secondary, 0, 9_000, "up to date");
        check(MemberRole::Secondary, 1, 1_001, "2 s, 1 operation to apply");
        check(MemberRole::Down, 12, 90_000, "1 min 30 s, 12 operations to apply");
        check(MemberRole::Secondary, 1, -5, "0 s, 1 operation to apply");
        assert_eq!(short_lag(&member(MemberRole::Down, 12, 90_000)), "12 to apply, 1 min 30 s");
        assert_eq!(short_lag(&member(MemberRole::Primary, 0, 0)), "operation 1,234");
        assert_eq!(short_monitor("TTL monitor: deletes"), "deletes");
        assert_eq!(short_monitor("TTL monitor: idle on a secondary"), "idle");
    }

    #[test]
    fn a_wrong_clock_is_named() {
        assert_eq!(skew(0), "");
        assert_eq!(skew(3_600_000), "clock 1 h fast");
        assert_eq!(skew(-90_000), "clock 1 min 30 s slow");
    }

    #[test]
    fn a_lane_says_where_and_when() {
        let document = |threshold_ms, removed_ms| MemberLane {
            id: "order-9".into(),
            base_ms: 0,
            threshold_ms,
            removed_ms,
        };
        let words = |lane_: &MemberLane| lane(lane_, "B", 10_000, Zone::Utc);
        let start = "1970-01-01 00:00:";
        assert_eq!(words(&document(None, None)), "order-9 on B: never expires");
        let overdue = format!("order-9 on B: overdue since {start}05 UTC");
        assert_eq!(words(&document(Some(5_000), None)), overdue);
        let expires = format!("order-9 on B: expires at {start}20 UTC");
        assert_eq!(words(&document(Some(20_000), None)), expires);
        let removed = format!("order-9 on B: removed at {start}09 UTC");
        assert_eq!(words(&document(Some(5_000), Some(9_000))), removed);
    }

    #[test]
    fn an_entry_names_its_kind_and_place() {
        let found = |kind: &str, documents| OplogEntryView {
            position: 7,
            at_ms: 60_000,
            kind: kind.to_owned(),
            documents,
            namespace: "lesson.orders".to_owned(),
        };
        let words = entry(&found("ttl delete", 3), Zone::Utc);
        let expected = "Operation 7: ttl delete of 3 documents in lesson.orders at 00:01:00";
        assert_eq!(words, expected);
        let words = entry(&found("index", 0), Zone::Utc);
        assert_eq!(words, "Operation 7: index in lesson.orders at 00:01:00");
    }
}
