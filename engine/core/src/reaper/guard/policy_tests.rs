use super::*;
use crate::store::{CollectionId, IndexId};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// Wall times in the tables below count from here.
const START: i64 = GUARD_EARLIEST_MS + YEAR;

fn reading(wall_ms: i64, boot_ms: i64, boot: &str) -> Reading {
    let since_boot = Duration::from_millis(u64::try_from(boot_ms).expect("not negative"));
    let wall_ms = START.saturating_add(wall_ms);
    Reading { wall_ms, since_boot, boot_id: Some(boot.to_owned()) }
}

/// Each step is (wall, since boot, boot, code of the hold or nothing); something is always due.
#[track_caller]
fn check(steps: &[(i64, i64, &str, &str)]) {
    let mut guard = Guard::default();
    for (number, (wall, boot_ms, boot, code)) in steps.iter().enumerate() {
        guard = Guard::from_document(&guard.to_document());
        guard.check(&reading(*wall, *boot_ms, boot), || true);
        let found = guard.held().map_or("", |held| held.reason.code());
        assert_eq!(found, *code, "step {number} of {steps:?}");
    }
}

const FORWARD: &str = "clockSteppedForward";
const BEHIND: &str = "clockBehindLastPass";
const ABSENT: &str = "longAbsence";

#[test]
fn clocks_that_agree_are_trusted() {
    check(&[(0, 0, "a", ""), (29 * DAY, 29 * DAY, "a", "")]); // asleep
    check(&[(0, 0, "a", ""), (HOUR, 0, "a", "")]); // an hour's step is allowed
    check(&[(0, 0, "a", ""), (-5 * MINUTE, 1_000, "a", "")]);
    check(&[(0, 0, "a", ""), (29 * DAY, 5, "b", "")]); // switched off
}

#[test]
fn jumps_are_held() {
    check(&[(0, 0, "a", ""), (HOUR + 1, 0, "a", FORWARD)]);
    check(&[(0, 0, "a", ""), (75 * YEAR, 1_000, "a", FORWARD)]);
    check(&[(0, 0, "a", ""), (-5 * MINUTE - 1, 1_000, "a", BEHIND)]);
    check(&[(0, 0, "a", ""), (-5 * MINUTE - 1, 0, "b", BEHIND)]);
    check(&[(0, 0, "a", ""), (i64::MAX, 0, "a", FORWARD), (i64::MIN, 0, "a", BEHIND)]);
}

#[test]
fn small_steps_add_up() {
    let step = |number: i64| (number * 40 * MINUTE, number, "a", "");
    check(&[step(0), step(1), (80 * MINUTE, 2, "a", FORWARD), (40 * MINUTE, 3, "a", "")]);
    // A clock that runs twice as fast as it should.
    let mut guard = Guard::default();
    let held = (0..=61).find(|minute| {
        guard.check(&reading(2 * minute * MINUTE, minute * MINUTE, "a"), || true);
        guard.held().is_some()
    });
    assert_eq!(held, Some(61));
}

#[test]
fn the_time_must_be_one_at_which_the_program_can_run() {
    check(&[(-YEAR - 1, 0, "a", "clockBeforeProgram"), (0, 5, "a", "")]);
    check(&[(-YEAR, 0, "a", "")]);
    check(&[(GUARD_LATEST_MS - START + 1, 0, "a", "clockFarAhead"), (0, 5, "a", "")]);
    check(&[(GUARD_LATEST_MS - START, 0, "a", "")]);
    check(&[(i64::MIN, 0, "a", "clockBeforeProgram"), (i64::MAX, 0, "a", "clockFarAhead")]);
}

#[test]
fn a_long_absence_is_a_question() {
    check(&[(0, 0, "a", ""), (30 * DAY + 1, 5, "b", ABSENT), (31 * DAY, DAY, "b", ABSENT)]);
    check(&[(0, 0, "a", ""), (31 * DAY, 31 * DAY, "a", ABSENT)]); // asleep all the time
    let mut guard = Guard::default();
    guard.check(&reading(0, 0, "a"), || true);
    guard.check(&reading(YEAR, 0, "b"), || false);
    assert_eq!(guard.held(), None, "nothing is due, so there is nothing to ask");
    guard.check(&reading(YEAR + MINUTE, MINUTE, "b"), || true);
    assert_eq!(guard.held(), None, "what is due from now on is ordinary");
}

#[test]
fn time_that_was_observed_is_no_absence() {
    let mut guard = Guard::default();
    for day in 0..60 {
        guard.observe(&reading(day * DAY, day * DAY, "a"));
    }
    guard.check(&reading(60 * DAY, 60 * DAY, "a"), || true);
    assert_eq!(guard.held(), None);
}

#[test]
fn a_restored_store_waits_until_it_is_released() {
    let mut guard = Guard::default();
    guard.note_restored(Some(START));
    guard.check(&reading(0, 0, "a"), || false);
    assert_eq!(guard.held(), None, "nothing to remove yet");
    guard.check(&reading(DAY, DAY, "a"), || true);
    assert_eq!(guard.held().map(|held| held.reason), Some(HoldReason::Restored));
    guard.release(reading(DAY, DAY, "a"));
    guard.check(&reading(2 * DAY, 2 * DAY, "a"), || true);
    assert_eq!(guard.held(), None);
}

#[test]
fn what_a_simulated_clock_dated_waits_until_it_is_released_by_the_computers() {
    let held = |guard: &Guard| guard.held().map(|held| held.reason);
    let mut guard = Guard::default();
    guard.check(&reading(0, 0, "a"), || true);
    assert!(guard.note_simulated(START + 5 * YEAR));
    guard = Guard::from_document(&guard.to_document());
    assert!(guard.note_simulated(START) && !guard.note_simulated(START), "only the time is new");
    assert_eq!(guard.simulated_now_ms(), Some(START));
    guard.check(&reading(HOUR, HOUR, "a"), || false);
    assert_eq!(held(&guard), None, "nothing to remove yet");
    assert!(guard.is_doubtful(&reading(HOUR, HOUR, "a")), "what is kept is not thrown away");
    guard.check(&reading(DAY, DAY, "a"), || true);
    assert_eq!(held(&guard), Some(HoldReason::Simulated));
    assert_eq!(guard.held().map(|held| held.expected_ms), Some(START + 5 * YEAR));
    guard.release_simulated();
    assert_eq!(held(&guard), None);
    guard.check(&reading(2 * DAY, 2 * DAY, "a"), || true);
    assert_eq!(held(&guard), Some(HoldReason::Simulated), "that was about another clock");
    guard.release(reading(2 * DAY, 2 * DAY, "a"));
    guard = Guard::from_document(&guard.to_document());
    guard.check(&reading(3 * DAY, 3 * DAY, "a"), || true);
    assert_eq!(held(&guard), None);
}

#[test]
fn a_store_without_a_pass_counts_the_absence_from_its_creation() {
    let held = |created: i64| {
        let mut guard = Guard::default();
        guard.note_created(START + created);
        guard.observe(&reading(0, 0, "a"));
        guard.check(&reading(0, 0, "a"), || true);
        guard.held().map(|held| (held.reason, held.expected_ms))
    };
    assert_eq!(held(-30 * DAY), None);
    assert_eq!(held(DAY), None, "created by a clock that was ahead");
    let by_ms = 30 * DAY + 1;
    assert_eq!(held(-by_ms), Some((HoldReason::NoPassYet { by_ms }, START - by_ms)));
}

#[test]
fn a_hold_ends_when_the_clock_returns() {
    let jump = (YEAR, 1_000, "a", FORWARD);
    check(&[(0, 0, "a", ""), jump, (2_000, 2_000, "a", "")]);
    check(&[(0, 0, "a", ""), jump, (YEAR + MINUTE, MINUTE + 1_000, "a", FORWARD)]);
    check(&[(0, 0, "a", ""), (DAY, 1_000, "a", FORWARD), (DAY + MINUTE, 10, "b", FORWARD)]);
    check(&[(0, 0, "a", ""), jump, (MINUTE, 10, "b", "")]);
}

#[test]
fn a_kept_hold_stays() {
    let mut guard = Guard::default();
    guard.check(&reading(0, 0, "a"), || true);
    guard.check(&reading(YEAR, 0, "a"), || true);
    guard.keep();
    guard = Guard::from_document(&guard.to_document());
    guard.check(&reading(MINUTE, MINUTE, "a"), || true);
    assert_eq!(guard.held().map(|held| held.kept), Some(true), "the clock has returned");
    guard.release(reading(MINUTE, MINUTE, "a"));
    guard.check(&reading(2 * MINUTE, 2 * MINUTE, "a"), || true);
    assert_eq!(guard.held(), None);
}

#[test]
fn release_trusts_the_clock() {
    let years = 73 * YEAR;
    let mut guard = Guard::default();
    guard.check(&reading(0, 0, "a"), || true);
    guard.check(&reading(years, 0, "a"), || true);
    assert!(guard.held().is_some());
    guard.release(reading(years, 10, "a"));
    for minute in 1..200 {
        guard.check(&reading(years + minute * MINUTE, minute * MINUTE, "a"), || true);
        assert_eq!(guard.held(), None, "minute {minute}");
    }
}

/// A step of `by_ms` between two checks is noted as small, and puts the clock ahead by `ahead_ms`.
#[track_caller]
fn check_step(by_ms: i64, noted: bool, ahead_ms: i64) {
    let mut guard = Guard::default();
    guard.check(&reading(0, 0, "a"), || true);
    let step = guard.check(&reading(HOUR + by_ms, HOUR, "a"), || true);
    assert_eq!(step.map(|step| step.by_ms), noted.then_some(by_ms));
    assert_eq!(guard.ahead_ms(), ahead_ms);
    assert_eq!(Guard::from_document(&guard.to_document()), guard);
    guard.pass_ended();
    assert_eq!(guard.ahead_ms(), 0);
}

#[test]
fn small_steps_are_noted() {
    check_step(0, false, 0);
    check_step(120_000, false, 0);
    check_step(120_001, true, 120_001);
    check_step(HOUR, true, HOUR);
    check_step(-5_000, false, 0);
    check_step(-5_001, true, 0);
}

#[test]
fn holds_of_rules_are_kept_with_the_state() {
    let rule = (CollectionId(3), IndexId(4), false);
    let mut guard = Guard::default();
    guard.check(&reading(0, 0, "a"), || true);
    guard.check(&reading(HOUR, 0, "a"), || true);
    guard.hold_index(rule, IndexHoldReason::LargeRemoval { documents: 5_000 }, START);
    guard.hold_index((rule.0, rule.1, true), IndexHoldReason::RestoredDocuments, START);
    let read = Guard::from_document(&guard.to_document());
    assert_eq!(read, guard);
    assert_eq!(guard.held_indexes()[0].ahead_ms, HOUR);
    guard.check(&reading(1_000, 1_000, "a"), || true);
    assert_eq!(guard.held_indexes()[0].ahead_ms, 0, "the clock has returned");
    assert!(guard.release_index(rule));
    assert!(!guard.release_index(rule));
}

#[test]
fn a_rule_that_a_person_has_released_is_asked_about_further_steps_only() {
    let rule = (CollectionId(3), IndexId(4), false);
    let mut guard = Guard::default();
    guard.check(&reading(0, 0, "a"), || true);
    guard.check(&reading(HOUR / 2, 0, "a"), || true);
    assert!(!guard.answer_index(rule), "it is not held");
    assert_eq!(guard.ahead_ms_of(rule), HOUR / 2);
    guard.hold_index(rule, IndexHoldReason::LargeRemoval { documents: 5_000 }, START);
    assert!(guard.answer_index(rule));
    guard = Guard::from_document(&guard.to_document());
    assert_eq!((guard.ahead_ms_of(rule), guard.ahead_ms()), (0, HOUR / 2));
    assert_eq!(guard.ahead_ms_of((rule.0, rule.1, true)), HOUR / 2, "of another rule");
    guard.check(&reading(HOUR / 2 + 10 * MINUTE, 0, "a"), || true);
    assert_eq!(guard.ahead_ms_of(rule), 10 * MINUTE, "a further step");
    // The clock returns, and is set ahead again.
    guard.check(&reading(MINUTE, MINUTE, "a"), || true);
    guard.check(&reading(20 * MINUTE, MINUTE, "a"), || true);
    assert_eq!(guard.ahead_ms_of(rule), 19 * MINUTE);
}

#[test]
fn what_another_version_holds_stays_held() {
    let rule = (CollectionId(3), IndexId(4), false);
    let mut guard = Guard::default();
    guard.check(&reading(0, 0, "a"), || true);
    guard.check(&reading(2 * HOUR, 0, "a"), || true);
    guard.hold_index(rule, IndexHoldReason::RestoredDocuments, START);
    let is_lost = |document: &bson::Document| {
        let held = Guard::from_document(document).held().copied();
        held.is_some_and(|held| held.reason == HoldReason::StateLost && held.kept)
    };
    let known = guard.to_document();
    assert!(!is_lost(&known));
    let mut of_all = known.clone();
    of_all.get_document_mut("held").expect("held").insert("reason", "moonPhase");
    assert!(is_lost(&of_all));
    let mut of_one = known;
    let indexes = of_one.get_array_mut("indexes").expect("one is held");
    indexes[0].as_document_mut().expect("a document").insert("reason", "moonPhase");
    assert!(is_lost(&of_one));
}

#[test]
fn a_rule_is_held_just_as_the_one_that_it_is_named_after() {
    let rule = |number: u32| (CollectionId(number), IndexId(number), false);
    let mut guard = Guard::default();
    let large = IndexHoldReason::LargeRemoval { documents: 5_000 };
    guard.hold_index(rule(1), IndexHoldReason::RestoredDocuments, START);
    guard.hold_index(rule(2), large, START + 1);
    assert!(!guard.hold_as(rule(3), rule(1)), "nobody holds the third");
    assert!(guard.hold_as(rule(2), rule(3)));
    assert!(guard.hold_as(rule(2), rule(1)), "in the place of its own hold");
    let held = guard.held_indexes();
    let found: Vec<_> = held.iter().map(|held| (held.rule, held.reason, held.wall_ms)).collect();
    let as_second = |number| (rule(number), large, START + 1);
    assert_eq!(found, [as_second(2), as_second(3), as_second(1)]);
    assert!(held.iter().all(|held| !held.kept), "{held:?}");
}

#[test]
fn a_hold_keeps_the_readings_with_which_it_began_until_its_reason_is_another_one() {
    let mut guard = Guard::default();
    guard.check(&reading(0, 0, "a"), || true);
    let mut after = |wall: i64, boot_ms: i64| {
        guard.check(&reading(wall, boot_ms, "a"), || true);
        let held = guard.held().expect("held");
        (held.reason.code(), held.wall_ms - START, held.expected_ms - START)
    };
    assert_eq!(after(DAY, 0), (FORWARD, DAY, 0));
    assert_eq!(after(DAY + MINUTE, MINUTE), (FORWARD, DAY, 0));
    assert_eq!(after(2 * DAY, 2 * MINUTE), (FORWARD, DAY, 0));
    assert_eq!(after(-HOUR, HOUR), (BEHIND, -HOUR, HOUR));
    assert_eq!(after(2 * DAY, 2 * HOUR), (FORWARD, 2 * DAY, 2 * HOUR));
}
