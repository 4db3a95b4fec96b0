//! Each finding from facts that have it, and nothing else.

use bson::{Bson, doc};
use mayfly_engine::reply::DocCount::{self, AtLeast, Exact};
use mayfly_engine::reply::PassSpan;

use super::*;
use crate::inspect::audit::facts::{
    Ahead, ClockFacts, FieldFacts, Minute, MonitorFacts, MonitorState, NeverFacts, OwnTtlFacts,
    PastAtInsertion, PlainIndex, RuleKind, SampleFacts, Unreadable,
};
use crate::inspect::audit::finding::{FindingId, Severity};
use crate::inspect::audit::samples::{CollectionBacklog, Sample};
use crate::inspect::schema::{Instants, Unit};

/// 2026-06-01T12:00:00Z.
const NOW_MS: i64 = 1_780_315_200_000;

const DAY_MS: i64 = 86_400_000;

fn rule() -> RuleFacts {
    RuleFacts {
        kind: RuleKind::Date,
        name: "createdAt_1".to_owned(),
        field: "createdAt".to_owned(),
        key: doc! { "createdAt": 1 },
        secs: 3_600,
        is_hidden: false,
        partial: None,
        total: Exact(50_000),
        overdue: Exact(0),
        earliest_ms: Some(NOW_MS + 5_000),
        removable_ms: None,
        days: None,
        never: Vec::new(),
        never_in_all: None,
        seconds_as_millis: Exact(0),
        millis_as_seconds: Exact(0),
    }
}

fn never(code: &str, documents: DocCount) -> NeverFacts {
    NeverFacts { code: code.to_owned(), documents, example: Some(Bson::Int32(7)) }
}

fn field(path: &str, dates: u64) -> FieldFacts {
    FieldFacts { path: path.to_owned(), dates, ..FieldFacts::default() }
}

fn sample(fields: Vec<FieldFacts>) -> SampleFacts {
    SampleFacts { documents: 800, fields, ..SampleFacts::default() }
}

/// A collection of a healthy store.
fn collection() -> CollectionFacts {
    CollectionFacts {
        documents: Exact(50_000),
        bytes_each: Some(200),
        rules: vec![rule()],
        ahead: Some(Ahead::default()),
        sample: Some(sample(vec![field("createdAt", 800)])),
        ..CollectionFacts::new(Namespace::new("shop", "carts"))
    }
}

fn facts(collection: CollectionFacts) -> Facts {
    Facts {
        name: "here".to_owned(),
        is_server: true,
        now_ms: NOW_MS,
        monitor: MonitorFacts {
            state: MonitorState::Works,
            sleep_secs: Some(60),
            last_pass_ms: Some(2_000),
            ..MonitorFacts::default()
        },
        clock: Some(ClockFacts { ahead_ms: 900, uncertain_ms: 20 }),
        collections: vec![collection],
        ..Facts::default()
    }
}

/// The only finding of a collection with this rule.
#[track_caller]
fn of_rule(change: impl FnOnce(&mut RuleFacts)) -> Finding {
    let mut collection = collection();
    change(&mut collection.rules[0]);
    of_collection(collection)
}

#[track_caller]
fn of_collection(collection: CollectionFacts) -> Finding {
    only(&facts(collection))
}

#[track_caller]
fn only(facts: &Facts) -> Finding {
    let mut found = of(facts);
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0)
}

#[track_caller]
fn check(finding: &Finding, id: FindingId, words: &[&str]) {
    assert_eq!(finding.id, id, "{finding:#?}");
    let command = finding.mend.command.clone().unwrap_or_default();
    let all = [
        finding.sentence.clone(),
        finding.evidence.join("\n"),
        finding.mend.sentence.clone(),
        command,
    ];
    let all = all.join("\n");
    for word in words {
        assert!(all.contains(word), "{word}\n{all}");
    }
}

#[test]
fn a_healthy_store_has_no_finding() {
    assert_eq!(of(&facts(collection())), []);
    // Just not late: three periods and the last pass.
    let mut waits = collection();
    waits.rules[0].earliest_ms = Some(NOW_MS - 182_000);
    assert_eq!(of(&facts(waits)), []);
    // A few that never expire.
    let mut few = collection();
    few.rules[0].never = vec![never("null", Exact(500)), never("ownTtlNever", Exact(40_000))];
    assert_eq!(of(&facts(few)), []);
}

#[test]
fn a_monitor_that_is_off_slow_or_on_hold() {
    let mut off = facts(collection());
    off.monitor.state = MonitorState::Off;
    check(&only(&off), FindingId::MonitorOff, &["ttlMonitorEnabled: true"]);
    let mut held = facts(collection());
    held.monitor.holds = vec!["The clock jumped.".to_owned()];
    check(&only(&held), FindingId::MonitorOff, &["on hold", "The clock jumped.", "mayflyRelease"]);
    let mut slow = facts(collection());
    slow.monitor.sleep_secs = Some(3_600);
    assert_eq!(of(&slow), [], "an hour is allowed");
    slow.monitor.sleep_secs = Some(3_601);
    let words = ["once in 1 h (3,601 s)", "ttlMonitorSleepSecs: 60"];
    check(&only(&slow), FindingId::MonitorSlow, &words);
}

#[test]
fn clocks_that_differ() {
    let mut facts = facts(collection());
    for (ahead_ms, uncertain_ms, is_found) in
        [(1_000, 0, false), (1_001, 0, true), (-1_500, 100, true), (1_500, 600, false)]
    {
        facts.clock = Some(ClockFacts { ahead_ms, uncertain_ms });
        assert_eq!(of(&facts).len(), usize::from(is_found), "{ahead_ms} {uncertain_ms}");
    }
    facts.clock = Some(ClockFacts { ahead_ms: -90_000, uncertain_ms: 3 });
    check(&only(&facts), FindingId::Clock, &["here is 1 min 30 s slow by this computer's"]);
}

/// A store on this computer, whose passes left and removed these numbers of documents, one a minute.
fn store_with(passes: &[(u64, u64)], oldest_ms: i64) -> Facts {
    let mut collection = collection();
    collection.rules[0].earliest_ms = Some(NOW_MS - oldest_ms);
    let mut facts = facts(collection);
    (facts.is_server, facts.clock) = (false, None);
    let first_ms = NOW_MS - 60_000 * i64::try_from(passes.len()).expect("few");
    let span = |(at, (left, removed)): (i64, &(u64, u64))| PassSpan {
        at_ms: first_ms + at * 60_000,
        secs: 60,
        passes: 1,
        removed: *removed,
        left: *left,
        lag_p50_ms: 0,
        lag_p99_ms: 0,
        duration_micros: 0,
    };
    facts.history = (0..).zip(passes).map(span).collect();
    facts
}

#[test]
fn a_store_whose_passes_leave_documents_does_not_keep_up() {
    for (passes, is_late) in [
        // The documents were inserted with old dates since the last pass.
        (&[(0, 0), (0, 0), (0, 0), (0, 0)][..], false),
        // They come all the time, a few while a pass runs.
        (&[(3, 900), (9, 900), (7, 900), (5, 900)], false),
        // A pass found many, and the next ones removed them.
        (&[(900, 0), (500, 400), (100, 400), (0, 100)], false),
        (&[(900, 0), (900, 0), (900, 0), (900, 0)], true),
        (&[(5_000, 100), (4_900, 100), (4_800, 100), (4_700, 100)], true),
        (&[(5_000, 90_000), (7_000, 90_000), (9_000, 90_000), (11_000, 90_000)], true),
        // No pass in the last day.
        (&[], true),
    ] {
        let found = of(&store_with(passes, DAY_MS));
        assert_eq!(found.len(), usize::from(is_late), "{passes:?} {found:?}");
        let words = ["does not keep up", "2026-05-31 12:00:00 UTC, 1 d ago"];
        for one in &found {
            check(one, FindingId::FallingBehind, &words);
        }
    }
    let mut stalled = store_with(&[(0, 0), (0, 0), (0, 0), (0, 0)], DAY_MS);
    stalled.history.iter_mut().for_each(|span| span.at_ms -= 3_600_000);
    check(&only(&stalled), FindingId::FallingBehind, &["No pass has ended for 1 h."]);
    // Three periods and the last pass are allowed.
    assert_eq!(of(&store_with(&[], 182_000)), []);
    let mut new = store_with(&[], DAY_MS);
    new.collections[0].rules[0].removable_ms = Some(NOW_MS - 60_000);
    assert_eq!(of(&new), [], "the index is newer than the threshold");
    // A program that just opened the store has made no pass yet.
    let mut opened = store_with(&[], DAY_MS);
    opened.monitor.passes = Some(0);
    assert_eq!(of(&opened), []);
}

/// A sample of the server: seconds from now, passes and removed documents so far, overdue documents and the oldest.
fn looked(secs: i64, counters: Option<(u64, u64)>, overdue: u64, since_ms: i64) -> Sample {
    let (passes, removed) = counters.unzip();
    let namespace = collection().namespace;
    let (overdue, since_ms) = (Exact(overdue), Some(NOW_MS - since_ms));
    let backlog = CollectionBacklog { namespace, overdue, since_ms, arrived: None };
    Sample { at_ms: NOW_MS + secs * 1_000, passes, removed, collections: vec![backlog] }
}

#[test]
fn a_server_does_not_keep_up_if_documents_were_seen_to_wait() {
    let with = |samples: &[Sample]| {
        let mut collection = collection();
        collection.rules[0].earliest_ms = Some(NOW_MS - DAY_MS);
        let mut facts = facts(collection);
        facts.monitor.passes = samples.first().and_then(|sample| sample.passes);
        facts.samples = samples.iter().cloned().collect();
        facts
    };
    let unknown = |samples: &[Sample]| {
        let found = only(&with(samples));
        check(&found, FindingId::FallingBehind, &["is not known", "--time-limit 3m"]);
        assert_eq!(found.severity, Severity::Warning);
    };
    let late = |samples: &[Sample], word: &str| {
        let found = only(&with(samples));
        check(&found, FindingId::FallingBehind, &["createdAt_1 of shop.carts", word, "1 d ago"]);
        assert_eq!(found.severity, Severity::Error);
    };
    let first = looked(0, Some((7, 1_000)), 400, DAY_MS);
    unknown(&[]);
    unknown(std::slice::from_ref(&first));
    unknown(&[first.clone(), looked(20, Some((7, 1_000)), 400, DAY_MS)]);
    late(&[first.clone(), looked(20, Some((8, 1_000)), 400, DAY_MS)], "does not keep up");
    late(
        &[first.clone(), looked(70, Some((7, 1_000)), 400, DAY_MS)],
        "No pass has ended for 1 min",
    );
    // A pass removed them, and as many were inserted with the same old date.
    assert_eq!(of(&with(&[first.clone(), looked(60, Some((8, 1_400)), 400, DAY_MS)])), []);
    // Some of them are left for certain.
    let grows = looked(62, Some((8, 1_200)), 500, DAY_MS - 9_000);
    late(&[first.clone(), grows], "Falling behind by about 97 a minute; at this rate");
    // Without counters, the oldest one must be the same.
    let plain = |secs, since_ms| looked(secs, None, 400, since_ms);
    late(&[plain(0, DAY_MS), plain(70, DAY_MS)], "does not keep up");
    assert_eq!(of(&with(&[plain(0, DAY_MS), plain(70, DAY_MS - 5)])), []);
    unknown(&[plain(0, DAY_MS), plain(50, DAY_MS)]);
    // A collection that was not looked at.
    let mut other = with(&[first.clone(), looked(20, Some((8, 1_000)), 400, DAY_MS)]);
    other.collections[0].namespace = Namespace::new("shop", "other");
    check(&only(&other), FindingId::FallingBehind, &["is not known"]);
}

#[test]
fn no_document_can_expire() {
    let of = |never: NeverFacts, fields: Vec<FieldFacts>| {
        let mut collection = collection();
        collection.rules[0].earliest_ms = None;
        collection.rules[0].never = vec![never];
        collection.sample = Some(sample(fields));
        of_collection(collection)
    };
    let missing = of(never("fieldMissing", Exact(50_000)), vec![field("createdDate", 790)]);
    let words =
        ["createdDate has dates", "createIndex({ createdDate: 1 }", "dropIndex('createdAt_1')"];
    check(&missing, FindingId::NeverAll, &words);
    assert_eq!(missing.examples[0].id, Bson::Int32(7));
    let rare = of(never("fieldMissing", Exact(50_000)), vec![field("createdDate", 40)]);
    check(&rare, FindingId::NeverAll, &["Set createdAt to a date", "$exists: false"]);
    let text = FieldFacts { texts: 700, ..field("createdAt", 0) };
    let text = of(never("string", Exact(50_000)), vec![text]);
    check(
        &text,
        FindingId::NeverAll,
        &["string, 50,000 documents", "$dateFromString", "updateMany"],
    );
    let instants = Some(Instants { unit: Unit::Seconds, documents: 700, example: 1_700_000_000 });
    let numbers = FieldFacts { instants, ..field("createdAt", 0) };
    let numbers = of(never("number", Exact(50_000)), vec![numbers]);
    check(&numbers, FindingId::NeverAll, &["$multiply", "1000"]);
    let inert = of(never("inertHashed", Exact(50_000)), Vec::new());
    check(&inert, FindingId::NeverAll, &["hashed index", "dropIndex"]);
}

#[test]
fn some_documents_never_expire() {
    let with = |documents| of_rule(|rule| rule.never = vec![never("string", documents)]);
    check(&with(Exact(501)), FindingId::NeverSome, &["501 documents, 1.0 % of 50,000"]);
    check(&with(AtLeast(1_001)), FindingId::NeverSome, &["at least 1,001 documents"]);
    assert_eq!(with(Exact(501)).severity, Severity::Warning);
    // Each of them expires by another rule.
    let mut two = collection();
    two.rules[0].never = vec![never("string", Exact(501))];
    two.rules.push(RuleFacts { name: "until_1".to_owned(), ..rule() });
    let found = of(&facts(two.clone()));
    let some = found.iter().find(|one| one.id == FindingId::NeverSome).expect("it is there");
    assert_eq!(some.severity, Severity::Info);
    check(some, FindingId::NeverSome, &["They expire by until_1, as all documents do."]);
    two.rules[1].never = vec![never("null", Exact(1))];
    let found = of(&facts(two));
    assert!(found.iter().any(|one| one.severity == Severity::Warning), "not all do");
    let unseen = of_rule(|rule| {
        (rule.earliest_ms, rule.never) = (None, vec![never("string", Exact(501))]);
    });
    check(&unseen, FindingId::NeverSome, &["501 documents, 1.0 % of 50,000"]);
}

#[test]
fn units_that_were_mixed_up() {
    let seconds = of_rule(|rule| rule.seconds_as_millis = Exact(9_000));
    check(&seconds, FindingId::Unit, &["January 1970", "$multiply", "ISODate('1970-01-11"]);
    let millis = of_rule(|rule| rule.millis_as_seconds = Exact(1_200));
    check(&millis, FindingId::Unit, &["After the year 30000", "$divide"]);
    assert_eq!(millis.severity, Severity::Error);
    let few = of_rule(|rule| rule.millis_as_seconds = Exact(3));
    assert_eq!(few.severity, Severity::Warning);
}

#[test]
fn a_minute_that_removes_many() {
    let with = |documents| {
        let mut collection = collection();
        let steepest = Some(Minute { from_ms: NOW_MS + DAY_MS, documents });
        collection.ahead = Some(Ahead { steepest, ..Ahead::default() });
        collection
    };
    assert_eq!(of(&facts(with(Exact(10_000)))), []);
    let cliff = of_collection(with(Exact(10_001)));
    let words =
        ["10,001 documents, 20 % of 50,000", "about 2.0 MB", "2026-06-02 12:00:00", "lag() > 10"];
    check(&cliff, FindingId::Cliff, &words);
    assert_eq!(cliff.place.index.as_deref(), Some("createdAt_1"), "its TTL is changed");
    check(&cliff, FindingId::Cliff, &["perStep = 1000", "set(608400)", "7 d longer"]);
    let huge = DocCount::About { count: 9_000_000, low: 8_000_000, high: None };
    check(&of_collection(with(huge)), FindingId::Cliff, &["perStep = 30000"]);
    let mut large = with(Exact(10_001));
    large.documents = Exact(1_000_000);
    assert_eq!(of(&facts(large)), [], "less than 5 %");
}

#[test]
fn the_first_pass_after_a_pause() {
    let with = |state, overdue| {
        let mut facts = facts(collection());
        facts.collections[0].ahead = Some(Ahead { overdue: Exact(overdue), ..Ahead::default() });
        (facts.monitor.state, facts.is_server) = (state, false);
        facts
    };
    let first = only(&with(MonitorState::AtRest, 501));
    check(&first, FindingId::BacklogAtStart, &["501 documents", "opens the store", "perStep = 50"]);
    assert_eq!(of(&with(MonitorState::AtRest, 500)), []);
    assert_eq!(of(&with(MonitorState::Works, 501)), []);
    let mut began = with(MonitorState::Works, 501);
    began.monitor.passes = Some(0);
    assert_eq!(of(&began), [], "they are due since the last minute");
    began.collections[0].rules[0].earliest_ms = Some(NOW_MS - 3_600_000);
    check(
        &only(&began),
        FindingId::BacklogAtStart,
        &["501 documents", "the next one is the first"],
    );
}

/// Three rules of which the first has most overdue.
fn three_rules() -> CollectionFacts {
    let mut collection = collection();
    let until = RuleFacts { name: "until_1".to_owned(), field: "until".to_owned(), ..rule() };
    let clustered = RuleFacts { kind: RuleKind::Clustered, name: "_id_".to_owned(), ..rule() };
    collection.rules.extend([until, clustered]);
    collection
}

#[test]
fn the_rule_that_removes_the_documents_of_a_cliff_is_named() {
    let with = |name: &str| {
        let mut collection = three_rules();
        collection.rules[0].overdue = Exact(5);
        let documents = Exact(12_000);
        collection.ahead = Some(Ahead {
            steepest: Some(Minute { from_ms: NOW_MS + DAY_MS, documents }),
            steepest_rule: Some(name.to_owned()),
            ..Ahead::default()
        });
        let found = of(&facts(collection));
        found.into_iter().find(|finding| finding.id == FindingId::Cliff).expect("it is there")
    };
    let until = with("until_1");
    assert_eq!(until.place.index.as_deref(), Some("until_1"));
    check(&until, FindingId::Cliff, &["index = 'until_1'"]);
    let clustered = with("_id_");
    assert_eq!(clustered.place.index.as_deref(), Some("_id_"));
    assert_eq!(clustered.mend.command, None);
    check(&clustered, FindingId::Cliff, &["more seconds with collMod", "no script"]);
}

#[test]
fn the_rule_with_the_backlog_is_named() {
    let with = |overdue: [u64; 3]| {
        let mut collection = three_rules();
        for (rule, overdue) in collection.rules.iter_mut().zip(overdue) {
            rule.overdue = Exact(overdue);
        }
        collection.ahead = Some(Ahead { overdue: Exact(900), ..Ahead::default() });
        let mut facts = facts(collection);
        facts.monitor.state = MonitorState::AtRest;
        let mut found = of(&facts).into_iter();
        found.find(|finding| finding.id == FindingId::BacklogAtStart).expect("it is there")
    };
    check(&with([5, 895, 0]), FindingId::BacklogAtStart, &["index = 'until_1'", "perStep = 90"]);
    let clustered = with([5, 0, 895]);
    assert_eq!(clustered.place.index.as_deref(), Some("_id_"));
    assert_eq!(clustered.mend.command, None);
    check(&clustered, FindingId::BacklogAtStart, &["no script"]);
}

#[test]
fn rules_that_do_more_or_less_than_meant() {
    let mut two = collection();
    two.rules.push(RuleFacts { name: "until_1".to_owned(), field: "until".to_owned(), ..rule() });
    let winners = vec![("createdAt_1".to_owned(), 500), ("until_1".to_owned(), 1)];
    two.sample = Some(SampleFacts { winners, ..two.sample.unwrap_or_default() });
    let words = ["2 TTL rules", "1 h (3,600 s)", "until_1 removes 1 document first"];
    check(&of_collection(two.clone()), FindingId::TwoRules, &words);
    two.sample =
        Some(SampleFacts { documents: 1, is_whole: true, ..two.sample.unwrap_or_default() });
    check(&of_collection(two), FindingId::TwoRules, &["Of 1 document, createdAt_1"]);
    let partial = of_rule(|rule| {
        rule.partial = Some(doc! { "paid": false });
        rule.never = vec![never("outsidePartialFilter", Exact(20))];
    });
    check(
        &partial,
        FindingId::PartialLeavesOut,
        &["never removes 20 documents", "$nor", "{ paid: false }"],
    );
    let hidden = of_rule(|rule| rule.is_hidden = true);
    check(&hidden, FindingId::Hidden, &["hidden: false"]);
    let overdue = of_rule(|rule| rule.overdue = Exact(3));
    let filter = "{ createdAt: { $not: { $lte: new Date(Date.now() - 3600 * 1000) } } }";
    check(&overdue, FindingId::ReadsExpired, &["3 documents", filter]);
}

#[test]
fn indexes_that_no_query_uses() {
    let mut kept = collection();
    kept.unused_indexes = vec!["place_2dsphere".to_owned()];
    let words = ["place_2dsphere of", "no query uses it", "dropIndex(", "Nothing, if you copy"];
    check(&of_collection(kept), FindingId::UnusedIndex, &words);
}

#[test]
fn zero_seconds_on_the_time_of_insertion() {
    let with = |known, past| {
        let mut collection = collection();
        collection.rules[0].secs = 0;
        let index = collection.rules[0].name.clone();
        let seen = vec![PastAtInsertion { index, known, past }];
        collection.sample = Some(SampleFacts { past_at_insertion: seen, ..SampleFacts::default() });
        facts(collection)
    };
    check(&only(&with(40, 21)), FindingId::ZeroAndPast, &["21 of 40 sampled documents", "86400"]);
    assert_eq!(of(&with(40, 20)), []);
    assert_eq!(of(&with(19, 19)), [], "too few");
}

#[test]
fn a_ttl_that_does_not_count() {
    let with = |has_index, counting, ignored: Vec<(String, DocCount)>| {
        let mut collection = collection();
        if has_index {
            collection.rules[0].kind = RuleKind::LastModified;
        } else {
            (collection.rules, collection.ahead) = (Vec::new(), None);
        }
        collection.sample = None;
        collection.own_ttl = Some(OwnTtlFacts { has_index, counting: Exact(counting), ignored });
        facts(collection)
    };
    let without = only(&with(false, 40_000, Vec::new()));
    check(&without, FindingId::CosmosTtl, &["without an index on _ts", "expireAfterSeconds: -1"]);
    let ignored = vec![("string".to_owned(), Exact(12)), ("bool".to_owned(), Exact(1))];
    let ignored = only(&with(true, 5, ignored));
    check(
        &ignored,
        FindingId::CosmosTtl,
        &["13 documents", "string: 12 documents.", "bool: 1 document."],
    );
    assert_eq!(of(&with(true, 5, Vec::new())), []);
}

#[test]
fn collections_that_could_carry_a_ttl() {
    let with = |field: FieldFacts| {
        let mut collection = collection();
        (collection.rules, collection.ahead) = (Vec::new(), None);
        collection.sample = Some(sample(vec![field]));
        facts(collection)
    };
    let range_ms = Some((NOW_MS - 400 * DAY_MS, NOW_MS - DAY_MS));
    let would_remove = Some([Exact(45_000), Exact(4_000)]);
    let old = FieldFacts { range_ms, would_remove, ..field("at", 760) };
    let words = [
        "the oldest at seen in the sample is from 2025-04-27",
        "30 days would remove 45,000 documents",
        "365 days 4,000",
    ];
    check(&only(&with(old.clone())), FindingId::Candidate, &words);
    let mut whole = with(old.clone());
    whole.collections[0].sample.iter_mut().for_each(|sample| sample.is_whole = true);
    check(&only(&whole), FindingId::Candidate, &["TTL; the oldest at is from 2025-04-27"]);
    assert_eq!(of(&with(FieldFacts { dates: 759, ..old.clone() })), [], "too few dates");
    let ended = Some((NOW_MS - 400 * DAY_MS, NOW_MS - 31 * DAY_MS));
    assert_eq!(of(&with(FieldFacts { range_ms: ended, ..old.clone() })), [], "it does not grow");
    let young = Some((NOW_MS - 300 * DAY_MS, NOW_MS - DAY_MS));
    let young = FieldFacts { range_ms: young, ..old.clone() };
    assert_eq!(of(&with(young.clone())), []);
    let key = doc! { "at": -1 };
    let index = Some(PlainIndex { name: "at_-1".to_owned(), field: "at".to_owned(), key });
    let indexed = only(&with(FieldFacts { index: index.clone(), ..young }));
    check(&indexed, FindingId::UnusedCandidate, &["at_-1", "collMod", "31536000"]);
    let both = only(&with(FieldFacts { index, ..old }));
    check(&both, FindingId::Candidate, &["collMod"]);
}

#[test]
fn places_that_could_not_be_read() {
    let mut facts = facts(collection());
    let place = |place: &str| Unreadable { place: place.to_owned(), why: "not allowed".to_owned() };
    facts.unreadable = vec![place("shop.a")];
    check(
        &only(&facts),
        FindingId::Unreadable,
        &["1 place could not be read", "about it.", "shop.a: not allowed."],
    );
    facts.unreadable.push(place("shop.b"));
    check(&only(&facts), FindingId::Unreadable, &["2 places", "about them.", "readAnyDatabase"]);
    facts.unreadable.extend((0..30).map(|n| place(&format!("shop.{n}"))));
    facts.is_server = false;
    let many = only(&facts);
    check(&many, FindingId::Unreadable, &["32 places", "12 more places", "mayfly verify"]);
    assert_eq!(many.evidence.len(), 21);
}

#[test]
fn a_time_series_of_which_none_is_certainly_overdue_is_fine() {
    let mut collection = collection();
    collection.is_time_series = true;
    let may_be = DocCount::About { count: 0, low: 0, high: Some(60) };
    collection.rules[0].overdue = may_be;
    collection.ahead = Some(Ahead { overdue: may_be, ..Ahead::default() });
    assert_eq!(of(&facts(collection)), []);
}

#[test]
fn a_time_series_that_grows_gets_its_ttl_by_the_collection() {
    let time = FieldFacts {
        range_ms: Some((NOW_MS - 400 * DAY_MS, NOW_MS - DAY_MS)),
        would_remove: Some([Exact(300), Exact(20)]),
        ..field("at", 800)
    };
    let series = CollectionFacts {
        is_time_series: true,
        rules: Vec::new(),
        ahead: None,
        sample: Some(sample(vec![time])),
        ..collection()
    };
    let found = of_collection(series);
    let command = "runCommand({ collMod: 'carts', expireAfterSeconds: 31536000 })";
    check(&found, FindingId::Candidate, &["grows without a TTL", command, "20 documents"]);
    assert_eq!(found.sample, None, "it was read whole");
}

#[test]
fn a_database_that_mongosh_cannot_name_gets_no_lines() {
    for (name, has_lines) in [("shop", true), ("o'neil", true), ("a:b", false), ("a b", false)] {
        let mut hidden = collection();
        hidden.rules[0].is_hidden = true;
        hidden.namespace = Namespace::new(name, "carts");
        let found = of_collection(hidden);
        assert_eq!(found.mend.command.is_some(), has_lines, "{name}");
        let said = found.evidence.iter().any(|line| line.contains("mongosh refuses the name"));
        assert_eq!(said, !has_lines, "{name}");
    }
}

#[test]
fn the_worst_and_largest_finding_comes_first() {
    let mut collection = collection();
    collection.rules[0].overdue = Exact(3);
    collection.rules[0].never = vec![never("null", Exact(2_000))];
    let mut large = collection.clone();
    large.namespace = Namespace::new("shop", "orders");
    large.rules[0].never = vec![never("null", Exact(3_000))];
    let mut facts = facts(collection);
    facts.collections.push(large);
    facts.monitor.sleep_secs = Some(86_400);
    let found = of(&facts);
    let order: Vec<(FindingId, Option<&str>)> = found
        .iter()
        .map(|one| (one.id, one.place.namespace.as_ref().map(|it| it.collection.as_str())))
        .collect();
    let expected = [
        (FindingId::MonitorSlow, None),
        (FindingId::NeverSome, Some("orders")),
        (FindingId::NeverSome, Some("carts")),
        (FindingId::ReadsExpired, Some("carts")),
        (FindingId::ReadsExpired, Some("orders")),
    ];
    assert_eq!(order, expected);
}
