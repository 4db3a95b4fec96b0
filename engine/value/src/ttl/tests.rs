//! Expiry, by tables of rule, document, threshold or reason.

use bson::{Bson, DateTime, Timestamp, doc, oid::ObjectId, raw::RawDocumentBuf};

use super::*;
use crate::value::Path;

fn date(ms: i64) -> Bson {
    Bson::DateTime(DateTime::from_millis(ms))
}

fn raw(document: &bson::Document) -> RawDocumentBuf {
    RawDocumentBuf::try_from(document).expect("plain document")
}

fn on(field: &str, expire_after_secs: i64) -> Rule {
    Rule::Date { field: Path::parse(field).expect(field), expire_after_secs }
}

fn due(rule: &Rule, document: &bson::Document, threshold_ms: i64) {
    let found = expiry(rule, &raw(document), 5_700);
    assert_eq!(found.threshold_ms(), Some(threshold_ms), "{rule:?} {document}: {found:?}");
    assert!(found.is_due(threshold_ms), "the threshold itself counts");
    assert!(!found.is_due(threshold_ms - 1));
}

fn never(rule: &Rule, document: &bson::Document, reason: Never) {
    let found = expiry(rule, &raw(document), 5_700);
    assert_eq!(found, Expiry::Never(reason), "{rule:?} {document}");
    assert!(!found.is_due(i64::MAX));
}

#[test]
fn dates() {
    due(&on("a", 10), &doc! {"a": date(5)}, 10_005);
    due(&on("a", 0), &doc! {"a": date(5)}, 5);
    due(&on("a", 10), &doc! {"a": date(-1_000)}, 9_000);
    due(&on("a", 10), &doc! {"a": [date(9), date(3), date(7)]}, 10_003);
    due(&on("a", 10), &doc! {"a": ["x", date(3), 1]}, 10_003);
    due(&on("a.b", 1), &doc! {"a": {"b": date(3)}}, 1_003);
    due(&on("a.b", 1), &doc! {"a": [{"b": date(7)}, {"b": [date(3), "x"]}, 5]}, 1_003);
    due(&on("a.0", 1), &doc! {"a": [date(3), date(1)]}, 1_003);
    due(&on("a.0", 1), &doc! {"a": {"0": date(3)}}, 1_003);
    due(&on("a", 2_147_483_647), &doc! {"a": date(0)}, 2_147_483_647_000);
}

#[test]
fn values_that_are_no_dates() {
    let rule = on("a", 10);
    never(&rule, &doc! {}, Never::FieldMissing);
    never(&rule, &doc! {"a": Bson::Null}, Never::Null);
    never(&rule, &doc! {"a": 1_700_000_000_000_i64}, Never::Number);
    never(&rule, &doc! {"a": 1.5}, Never::Number);
    never(&rule, &doc! {"a": "2024-01-01T00:00:00Z"}, Never::Text);
    never(&rule, &doc! {"a": true}, Never::Bool);
    never(&rule, &doc! {"a": ObjectId::from_bytes([1; 12])}, Never::ObjectId);
    never(&rule, &doc! {"a": Timestamp { time: 1, increment: 1 }}, Never::Timestamp);
    never(&rule, &doc! {"a": {"b": date(1)}}, Never::Document);
    never(&rule, &doc! {"a": []}, Never::ArrayEmpty);
    never(&rule, &doc! {"a": Bson::Undefined}, Never::Null);
    never(&rule, &doc! {"a": [1, "x"]}, Never::ArrayWithoutDates);
    never(&rule, &doc! {"a": [[date(1)]]}, Never::ArrayWithoutDates);
    never(&rule, &doc! {"a": Bson::MaxKey}, Never::OtherType("MaxKey"));
    never(&on("a.b", 1), &doc! {"a": [{"c": date(1)}]}, Never::FieldMissing);
    never(&on("f.b", 1), &doc! {"f": [[{"b": date(1)}]]}, Never::FieldMissing);
}

#[test]
fn ends_of_time() {
    never(&on("a", 1), &doc! {"a": date(i64::MAX)}, Never::BeyondTime);
    never(&on("a", i64::MAX), &doc! {"a": date(0)}, Never::BeyondTime);
    due(&on("a", 0), &doc! {"a": date(i64::MAX)}, i64::MAX);
    assert_eq!(cutoff_ms(10_000, 3), 7_000);
    assert_eq!(cutoff_ms(i64::MIN, 1), i64::MIN);
    assert_eq!(cutoff_ms(0, i64::MAX), -i64::MAX);
    assert_eq!(cutoff_ms(-5_000, i64::MAX), i64::MIN);
    assert_eq!(cutoff_ms(0, 0), 0);
}

#[test]
fn clustered_collections() {
    let rule = Rule::ClusteredId { expire_after_secs: 10 };
    due(&rule, &doc! {"_id": date(0)}, 10_000);
    due(&rule, &doc! {"_id": date(5)}, 10_005);
    never(&rule, &doc! {"_id": date(-1)}, Never::BeforeEpoch);
    never(&rule, &doc! {"_id": 7}, Never::Number);
    never(&rule, &doc! {"a": 7}, Never::FieldMissing);
}

#[test]
fn last_modification_and_own_ttl() {
    let ten = Rule::LastModified { default_secs: Some(10) };
    let open = Rule::LastModified { default_secs: None };
    // Modified at 5,700 ms, which `_ts` counts as 5 whole seconds.
    due(&ten, &doc! {}, 15_000);
    due(&ten, &doc! {"ttl": 20.0}, 25_000);
    due(&ten, &doc! {"ttl": 20}, 25_000);
    due(&ten, &doc! {"ttl": 20_i64}, 25_000);
    due(&ten, &doc! {"ttl": 20.5}, 15_000);
    due(&ten, &doc! {"ttl": 2_147_483_649_i64}, 15_000);
    due(&ten, &doc! {"ttl": 2_147_483_647}, 2_147_483_652_000);
    due(&ten, &doc! {"ttl": "20"}, 15_000);
    due(&ten, &doc! {"ttl": Bson::Null}, 15_000);
    due(&ten, &doc! {"ttl": 0}, 15_000);
    due(&ten, &doc! {"ttl": -2}, 15_000);
    due(&ten, &doc! {"ttl": f64::NAN}, 15_000);
    due(&ten, &doc! {"ttl": f64::INFINITY}, 15_000);
    due(&ten, &doc! {"TTL": 99}, 15_000);
    due(&ten, &doc! {"a": {"ttl": 99}}, 15_000);
    never(&ten, &doc! {"ttl": -1}, Never::OwnTtlNever);
    never(&ten, &doc! {"ttl": -1.0}, Never::OwnTtlNever);
    never(&open, &doc! {}, Never::NoDefault);
    never(&open, &doc! {"ttl": 20.5}, Never::NoDefault);
    never(&open, &doc! {"ttl": -1_i64}, Never::OwnTtlNever);
    due(&open, &doc! {"ttl": 20}, 25_000);
    assert_eq!(modified_base_ms(-1), -1_000);
    assert_eq!(modified_base_ms(i64::MIN), i64::MIN);
}

#[test]
fn what_a_deadline_is_made_of() {
    let found = expiry(&on("a", 10), &raw(&doc! {"a": [date(9), date(3)]}), 0);
    let Expiry::At(deadline) = found else { panic!("{found:?}") };
    assert_eq!((deadline.base_ms, deadline.dates, deadline.source), (3, 2, Source::Index));
    assert!(deadline.sentence("a").contains("earliest of the 2 dates in a"));
    let found = expiry(&on("a", 0), &raw(&doc! {"a": date(9)}), 0);
    let Expiry::At(deadline) = found else { panic!("{found:?}") };
    assert_eq!(deadline.sentence("a"), "It expires at the date in a.");
    let found = expiry(&Rule::LastModified { default_secs: None }, &raw(&doc! {"ttl": 1}), 5_700);
    let Expiry::At(deadline) = found else { panic!("{found:?}") };
    assert_eq!((deadline.base_ms, deadline.source), (5_000, Source::Item));
    assert!(deadline.sentence("_ts").contains("1 second after its last modification"));
    let ten = Rule::LastModified { default_secs: Some(10) };
    for (document, is_ignored) in
        [(doc! {}, false), (doc! {"ttl": 0}, true), (doc! {"ttl": "1"}, true)]
    {
        let Expiry::At(deadline) = expiry(&ten, &raw(&document), 5_700) else {
            panic!("{document}")
        };
        assert_eq!((deadline.ignores_own_ttl, deadline.source), (is_ignored, Source::Index));
        let sentence = deadline.sentence("_ts");
        assert_eq!(sentence.contains("Its ttl is ignored"), is_ignored, "{sentence}");
        assert!(sentence.contains("10 seconds after its last modification"), "{sentence}");
    }
}

#[test]
fn inert_indexes() {
    let rule = Rule::Inert(InertReason::Hashed);
    never(&rule, &doc! {"a": date(1)}, Never::Inert(InertReason::Hashed));
    assert_eq!(Never::Inert(InertReason::Hashed).code(), "inertHashed");
    assert!(Never::Text.sentence("lastSeen").starts_with("lastSeen is a string"));
}

#[test]
fn several_rules() {
    let verdict = |ms: Option<i64>| match ms {
        Some(ms) => expiry(&on("a", 0), &raw(&doc! {"a": date(ms)}), 0),
        None => Expiry::Never(Never::FieldMissing),
    };
    let place =
        |times: &[Option<i64>]| winner(&times.iter().map(|ms| verdict(*ms)).collect::<Vec<_>>());
    assert_eq!(place(&[Some(5), Some(3), None]), Some(1));
    assert_eq!(place(&[None, Some(3), Some(3)]), Some(1));
    assert_eq!(place(&[None, None]), None);
    let window = removal_window(1_000, 60, 250);
    assert_eq!((window.earliest_ms, window.latest_ms), (1_000, 61_250));
    assert_eq!(removal_window(i64::MAX, 60, 0).latest_ms, i64::MAX);
}
