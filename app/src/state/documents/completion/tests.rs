use bson::{Bson, DateTime, doc};

use super::*;

fn known() -> KnownFields {
    let mut known = KnownFields::default();
    for (status, city) in [("paid", "Oslo"), ("paid", "Rome"), ("open", "Oslo")] {
        let at = Bson::DateTime(DateTime::from_millis(0));
        known.add(&doc! {
            "status": status, "at": at, "place": { "city": city }, "items": [{ "sku": "a1" }],
            "n": 5,
        });
    }
    known
}

/// The labels that are offered where `|` is.
fn labels(text: &str) -> Vec<String> {
    let cursor = text.find('|').expect("a cursor");
    let found = offers(&text.replace('|', ""), cursor, &known(), &|_| Vec::new());
    found.map(|it| it.list.into_iter().map(|offer| offer.label).collect()).unwrap_or_default()
}

/// The text, with the cursor as `|`, once the first word that is offered was put in.
fn completed(text: &str) -> String {
    let cursor = text.find('|').expect("a cursor");
    let mut text = text.replace('|', "");
    let found = offers(&text, cursor, &known(), &|_| Vec::new()).expect("something is offered");
    let first = &found.list[0];
    text.replace_range(found.replaced.clone(), &first.insert);
    let end = found.replaced.start + first.insert.len();
    let back: usize = first.insert.chars().rev().take(first.back).map(char::len_utf8).sum();
    text.insert(end - back, '|');
    text
}

#[test]
fn a_field_becomes_a_name() {
    assert_eq!(completed("sta|"), "{ status: | }");
    assert_eq!(completed("{ sta|"), "{ status: |");
    assert_eq!(completed("{ sta| }"), "{ status: | }");
    assert_eq!(completed("{ sta|: 1 }"), "{ status|: 1 }");
    assert_eq!(completed("{ city| }"), "{ 'place.city': | }");
    assert_eq!(completed("{ 'pl|' }"), "{ 'place': | }");
    assert_eq!(completed("{ \"place.c| }"), "{ \"place.city\": | }");
    assert_eq!(completed("{ $or: [{ n: 1 }, { st|"), "{ $or: [{ n: 1 }, { status: |");
    assert_eq!(
        completed("{ items: { $elemMatch: { s| } } }"),
        "{ items: { $elemMatch: { sku: | } } }"
    );
}

#[test]
fn an_operator_comes_with_its_argument() {
    assert_eq!(completed("{ status: { $in| } }"), "{ status: { $in: [|] } }");
    assert_eq!(completed("{ n: { $gte| } }"), "{ n: { $gte: | } }");
    assert_eq!(completed("{ $o| }"), "{ $or: [{ | }] }");
    assert_eq!(completed("{ n: { $not: { $l| } } }"), "{ n: { $not: { $lt: | } } }");
    assert_eq!(completed("{ $expr: { $gt| } }"), "{ $expr: { $gt: [|, ] } }");
    let all = labels("{ n: { | } }");
    assert!(all.contains(&"$exists".to_owned()) && !all.contains(&"$or".to_owned()), "{all:?}");
}

#[test]
fn values_of_the_field_are_offered() {
    assert_eq!(labels("{ status: 'p|' }"), ["'paid'", "'open'"], "those that begin with it first");
    assert_eq!(completed("{ status: 'p|' }"), "{ status: 'paid'| }");
    assert_eq!(completed("{ status: p| }"), "{ status: 'paid'| }");
    assert_eq!(completed("{ status: { $in: ['paid', 'o|"), "{ status: { $in: ['paid', 'open'|");
    assert_eq!(labels("{ 'place.city': | }")[..2], ["'Oslo'", "'Rome'"]);
    assert_eq!(labels("{ 'place.city': { $ne: R| } }"), ["'Rome'"]);
    assert_eq!(completed("{ n: { $type: 'da|' } }"), "{ n: { $type: 'date'| } }");
    assert_eq!(completed("{ $expr: { $gt: ['$n|"), "{ $expr: { $gt: ['$n'|");
    assert_eq!(labels("{ n: 5|"), Vec::<String>::new(), "it is typed already");
}

#[test]
fn dates_are_relative_to_now() {
    assert_eq!(labels("{ at: | }")[0], "{ $gt: now - 1d }");
    assert_eq!(labels("{ at: { $lt: now| } }")[..2], ["now", "now - 1h"]);
    assert_eq!(completed("{ at: { $lt: | } }"), "{ at: { $lt: now| } }");
    assert_eq!(completed("{ at: { $lt: now - 3| } }"), "{ at: { $lt: now - 3h| } }");
    assert_eq!(completed("{ at: { $lt: now -| } }"), "{ at: { $lt: now - 1h| } }");
    assert_eq!(labels("{ at: { $lt: now - 3d| } }"), Vec::<String>::new());
}

#[test]
fn nothing_is_offered_where_nothing_is_known() {
    for text in ["|", "{ a: 1 }|", "{ a: /x|", "{ a: ISODate('2|", "{ $jsonSchema: { r|", "} |"] {
        assert_eq!(labels(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_list_opens_where_a_name_or_a_value_is_due() {
    let opens = ["{", "{ ", "{ a:", "{ a", "{ a: { $in: [", "sta"];
    assert!(opens.into_iter().all(opens_after));
    let stays = ["", "{ a: 1 }", "{ a: 1, ", "{ a: ISODate("];
    assert!(!stays.into_iter().any(opens_after));
}

#[test]
fn values_of_an_analysis_follow_those_that_were_read() {
    let text = "{ status: '";
    let analyzed = |path: &str| match path {
        "status" => ["paid", "lost"].map(|text| Bson::String(text.to_owned())).to_vec(),
        _ => Vec::new(),
    };
    let found = offers(text, text.len(), &known(), &analyzed).expect("values");
    let labels: Vec<&str> = found.list.iter().map(|offer| offer.label.as_str()).collect();
    assert_eq!(labels, ["'paid'", "'open'", "'lost'"]);
}
