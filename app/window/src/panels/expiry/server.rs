//! The words of the Expiry view about documents of a server: never more than is known.

use super::pass_times;
use super::pass_times::PassTimes;
use crate::limits::SERVER_UNSEEN_MS;
use crate::state::expiry::{Lane, Phase};
use crate::state::monitor::{NextPass, OFF};
use crate::state::{Zone, duration};

/// When a document is removed, or what is known of its removal.
pub(super) fn bracket(lane: &Lane, now_ms: i64, next: NextPass, zone: Zone) -> String {
    match lane.phase(now_ms) {
        Phase::Removed { .. } => gone(lane, now_ms, zone),
        Phase::Waiting | Phase::Overdue => due(lane.threshold_ms, now_ms, next, zone),
    }
}

/// When a stored document with this threshold is removed.
pub(crate) fn due(threshold_ms: i64, now_ms: i64, next: NextPass, zone: Zone) -> String {
    let at = |ms: i64| zone.when(ms, now_ms);
    if next == NextPass::Off {
        return OFF.to_owned();
    }
    match (next.removal_ms(threshold_ms, now_ms), threshold_ms > now_ms) {
        (Some((from_ms, to_ms)), true) => {
            format!("Will be removed between {} and about {}", at(from_ms), at(to_ms))
        }
        (None, true) => format!(
            "Will be removed from {} on, usually within a minute, if the server's monitor runs",
            at(threshold_ms)
        ),
        (Some((from_ms, to_ms)), _) if from_ms <= now_ms => {
            format!("Overdue. Will be removed by about {}", at(to_ms))
        }
        (Some((from_ms, to_ms)), _) if from_ms == to_ms => {
            format!("Overdue. Will be removed by the pass at {}", at(to_ms))
        }
        (Some((from_ms, to_ms)), _) => format!(
            "Overdue. Will be removed by the pass between {} and about {}",
            at(from_ms),
            at(to_ms)
        ),
        (None, _) => {
            "Overdue. Usually removed within a minute, if the server's monitor runs".to_owned()
        }
    }
}

/// How a document went. No server says why.
fn gone(lane: &Lane, now_ms: i64, zone: Zone) -> String {
    let at = |ms: i64| zone.when(ms, now_ms);
    let (due_ms, gone_ms) = (lane.threshold_ms, lane.removed_ms.unwrap_or(lane.threshold_ms));
    let seen_ms = lane.seen_ms.filter(|seen_ms| *seen_ms < gone_ms);
    if gone_ms < due_ms {
        return format!("Deleted before its threshold, at {}", at(gone_ms));
    }
    let Some(seen_ms) = seen_ms else {
        let late = duration::span(gone_ms.saturating_sub(due_ms));
        return format!(
            "Gone at {}, {late} after its threshold: expired, most likely",
            at(gone_ms)
        );
    };
    let between = format!("between {} and {}", at(seen_ms), at(gone_ms));
    if gone_ms.saturating_sub(seen_ms) >= SERVER_UNSEEN_MS {
        return format!("Gone while the view was closed, {between}");
    }
    if seen_ms < due_ms {
        return format!("Gone {between}; its threshold passed at {}", at(due_ms));
    }
    format!("Gone {between}; its threshold had passed")
}

/// How late the removal of a document was, in short.
pub(super) fn lag(lane: &Lane, late_ms: i64) -> String {
    /// From this many seconds on, the lag of a document that was deleted between two looks is one
    /// figure.
    const FIGURE_SECS: i64 = 120;
    if late_ms < 0 {
        return "deleted before its threshold".to_owned();
    }
    let Some(seen_ms) = lane.seen_ms else { return pass_times::lateness(late_ms) };
    let from_ms = lane.removable_ms.unwrap_or(lane.threshold_ms).max(lane.threshold_ms);
    let least = seen_ms.saturating_sub(from_ms).max(0);
    let [least, most] = [least, late_ms].map(|ms| ms / 1_000);
    if most >= FIGURE_SECS {
        return format!("gone, {} lag at most", duration::span(late_ms));
    }
    format!("gone, {least}–{most} s lag")
}

/// The *Removal window* column.
pub(super) fn window(lane: &Lane, now_ms: i64, next: NextPass, times: &PassTimes) -> String {
    let at = |ms: i64| times.zone.when(ms, now_ms);
    match (lane.phase(now_ms), next.removal_ms(lane.threshold_ms, now_ms)) {
        (Phase::Removed { .. }, _) => at(lane.removed_ms.unwrap_or(lane.threshold_ms)),
        _ if next == NextPass::Off => "TTL monitor is off".to_owned(),
        (_, Some((from_ms, to_ms))) if from_ms < to_ms => {
            format!("{}–{}", at(from_ms), at(to_ms))
        }
        (_, Some((_, to_ms))) => at(to_ms),
        (Phase::Waiting, None) => format!("from {}", at(lane.threshold_ms)),
        (Phase::Overdue, None) => "soon".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use bson::Bson;

    use super::*;

    const DUE: i64 = 20_000;

    fn lane(seen_ms: Option<i64>, removed_ms: Option<i64>) -> Lane {
        Lane {
            id: Bson::Int32(7),
            index: "at_1".into(),
            field: "at".into(),
            base_ms: 0,
            threshold_ms: DUE,
            own_ttl: false,
            dates_ms: Vec::new(),
            removed_ms,
            removable_ms: None,
            seen_ms,
        }
    }

    fn estimated(span_ms: Option<(i64, i64)>) -> NextPass {
        NextPass::Estimated { sleep_secs: 60, span_ms }
    }

    #[test]
    fn a_document_has_the_span_of_its_pass() {
        let check = |now_ms, next, expected: &str| {
            assert_eq!(bracket(&lane(None, None), now_ms, next, Zone::Utc), expected);
        };
        let next = estimated(Some((30_000, 35_000)));
        check(10_000, next, "Will be removed between 00:00:30 and about 00:00:35");
        check(
            21_000,
            next,
            "Overdue. Will be removed by the pass between 00:00:30 and about 00:00:35",
        );
        check(31_000, next, "Overdue. Will be removed by about 00:00:35");
        check(10_000, estimated(None), "Will be removed between 00:00:20 and about 00:01:20");
        let if_it_runs = "within a minute, if the server's monitor runs";
        check(21_000, NextPass::Unknown, &format!("Overdue. Usually removed {if_it_runs}"));
        let from = format!("Will be removed from 00:00:20 on, usually {if_it_runs}");
        check(10_000, NextPass::Unknown, &from);
        check(21_000, NextPass::Off, OFF);
    }

    #[test]
    fn the_lag_counts_from_the_rule_that_removed_it() {
        let lane = Lane { removable_ms: Some(80_000), ..lane(Some(82_000), Some(88_000)) };
        assert_eq!(lag(&lane, lane.late_ms().expect("gone")), "gone, 2–8 s lag");
        assert_eq!(lane.lag_figure(), "≤ 8 s");
    }

    #[test]
    fn a_job_of_the_server_is_named() {
        let next = NextPass::Minutely { at_ms: 60_000, most: 10_000 };
        let said = "A job removes documents at each full minute, at most 10,000 with one index; next at 00:01:00";
        assert_eq!(next.sentence(10_000, Zone::Utc), said);
        let due = |now_ms| bracket(&lane(None, None), now_ms, next, Zone::Utc);
        assert_eq!(due(10_000), "Will be removed between 00:01:00 and about 00:01:01");
    }

    #[test]
    fn a_removal_says_no_more_than_is_known() {
        let check = |seen_ms, removed_ms, expected: &str, short: &str| {
            let lane = lane(seen_ms, Some(removed_ms));
            let said = bracket(&lane, removed_ms, NextPass::Unknown, Zone::Utc);
            assert_eq!(said, expected);
            assert_eq!(lag(&lane, removed_ms - DUE), short);
        };
        check(
            None,
            27_000,
            "Gone at 00:00:27, 7 s after its threshold: expired, most likely",
            "7 s lag",
        );
        check(
            Some(25_000),
            35_000,
            "Gone between 00:00:25 and 00:00:35; its threshold had passed",
            "gone, 5–15 s lag",
        );
        check(
            Some(15_000),
            25_000,
            "Gone between 00:00:15 and 00:00:25; its threshold passed at 00:00:20",
            "gone, 0–5 s lag",
        );
        check(
            Some(15_000),
            605_000,
            "Gone while the view was closed, between 00:00:15 and 00:10:05",
            "gone, 9 min 45 s lag at most",
        );
        check(
            None,
            12_000,
            "Deleted before its threshold, at 00:00:12",
            "deleted before its threshold",
        );
    }
}
