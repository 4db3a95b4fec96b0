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

fn filter(fields: &KnownFields) -> Known<'_> {
    Known { whole: Names::Filter, fields, analyzed: &|_| Vec::new(), takes_relative_times: true }
}

/// The labels that are offered where `|` is.
fn labels(text: &str) -> Vec<String> {
    let cursor = text.find('|').expect("a cursor");
    let found = offers(&text.replace('|', ""), cursor, &filter(&known()));
    found.map(|it| it.list.into_iter().map(|offer| offer.label).collect()).unwrap_or_default()
}

/// The text, with the cursor as `|`, once the first word that is offered was put in.
fn completed(text: &str) -> String {
    let cursor = text.find('|').expect("a cursor");
    let mut text = text.replace('|', "");
    let found = offers(&text, cursor, &filter(&known())).expect("something is offered");
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
    let opens = ["{", "{ ", "{ a:", "{ a", "{ a: '", "{ a: { $in: [", "sta"];
    assert!(opens.into_iter().all(|text| opens_after(text, &Names::Filter)));
    let stays = ["", "{ a: 1 }", "{ a: 1, ", "{ a: ISODate("];
    assert!(!stays.into_iter().any(|text| opens_after(text, &Names::Filter)));
}

#[test]
fn values_of_an_analysis_follow_those_that_were_read() {
    let text = "{ status: '";
    let analyzed = |path: &str| match path {
        "status" => ["paid", "lost"].map(|text| Bson::String(text.to_owned())).to_vec(),
        _ => Vec::new(),
    };
    let known = known();
    let known = Known { analyzed: &analyzed, ..filter(&known) };
    let found = offers(text, text.len(), &known).expect("values");
    let labels: Vec<&str> = found.list.iter().map(|offer| offer.label.as_str()).collect();
    assert_eq!(labels, ["'paid'", "'open'", "'lost'"]);
}

/// The words put in at `|`, in the value of a stage, or in a whole pipeline without one.
fn words(marked: &str, stage: Option<&str>) -> Vec<String> {
    let mut fields = KnownFields::default();
    fields.add(&doc! {
        "_id": 1, "user": { "name": "a", "mail": "b" }, "lines": [{ "price": 1 }],
        "Major Genre": 1, "at": DateTime::from_millis(0),
    });
    let whole = stage.map_or(Names::Stage, of_stage);
    let known = Known { whole, takes_relative_times: false, ..filter(&fields) };
    let cursor = marked.find('|').expect("a cursor");
    let found = offers(&marked.replace('|', ""), cursor, &known);
    found.into_iter().flat_map(|found| found.list).map(|offer| offer.insert).collect()
}

#[test]
fn a_stage_offers_its_own_operators() {
    let first = |marked, stage| words(marked, stage).into_iter().next().expect("a word");
    assert_eq!(first("{ a: { $el|", Some("$match")), "$elemMatch: {  }");
    assert_eq!(first("{ n: { $addT| } }", Some("$group")), "$addToSet: ");
    assert_eq!(first("{ n: { $su| } }", Some("$group")), "$sum: ");
    let dates =
        ["$dateTrunc: { date: , unit: 'day' }", "$dateToString: { date: , format: '%Y-%m-%d' }"];
    assert_eq!(words("{ n: { $dateT| } }", Some("$project")), dates);
    assert_eq!(words("{ $expr: { $dateT|", Some("$match")), dates);
    assert_eq!(words("{ n: { $addT| } }", Some("$project")), [""; 0], "it combines no documents");
    assert_eq!(words("[ { $unw|", None), ["$unwind: '$field'"]);
    assert_eq!(words("[ { $facet: { a: [ { $unw|", None), ["$unwind: '$field'"]);
    assert_eq!(words("[{ $lookup: { pipeline: [{ $unw|", None), ["$unwind: '$field'"]);
    assert_eq!(words("[ { $match: { a: { $el|", None), ["$elemMatch: {  }"]);
    assert_eq!(words("[ { $group: { n: { $addT|", None), ["$addToSet: "]);
    let window = |text: &str| words(text, Some("$setWindowFields"));
    assert_eq!(window("{ output: { n: { $ran|"), ["$rank: {}"]);
    assert_eq!(window("{ output: { n: { $addT|"), ["$addToSet: "]);
    assert_eq!(window("{ output: { n: { $sum: '$user.m|"), ["'$user.mail'"]);
    assert_eq!(window("{ sortBy: { 'user.n|"), ["'user.name': "]);
    assert_eq!(words("{ n: { $denseR|", Some("$group")), [""; 0]);
}

#[test]
fn fields_are_names_and_references_of_a_stage() {
    let names = ["user: ", "'user.mail': ", "'user.name': "];
    assert_eq!(words("{ us|", Some("$match")), names);
    assert_eq!(words("{ 'user.n|", Some("$match")), ["'user.name': "]);
    assert_eq!(words("{ us|", Some("$sort")), names);
    assert_eq!(words("{ _id: '$user.m|' }", Some("$group")), ["'$user.mail'"]);
    assert_eq!(words("'$lines.|'", Some("$unwind")), ["'$lines.price'"]);
    assert_eq!(words("{ at: '$$N|' }", Some("$set")), ["'$$NOW'"]);
    assert_eq!(words("{ Maj|", Some("$group")), ["'Major Genre': "]);
    assert_eq!(words("{ _id: '$Major Ge|", Some("$group")), ["'$Major Genre'"]);
}

#[test]
fn a_pipeline_takes_no_relative_times() {
    assert!(labels("{ at: { $lt: | } }").contains(&"now".to_owned()));
    assert!(words("{ at: { $lt: | } }", Some("$match")).iter().all(|word| !word.contains("now")));
}

#[test]
fn nothing_is_offered_for_what_a_stage_counts_with() {
    for (text, stage) in [("1|", "$limit"), ("{ _id|: 1 }", "$sort"), ("{ zzz|", "$match")] {
        assert_eq!(words(text, Some(stage)), [""; 0], "{text}");
    }
}

#[test]
fn an_operator_is_offered_once_and_in_one_line() {
    for list in [LOGICAL, TESTS, ACCUMULATORS, WINDOW_FUNCTIONS, EXPRESSIONS, VARIABLES] {
        for (at, operator) in list.iter().enumerate() {
            let Operator { name, help, .. } = operator;
            assert!(name.starts_with('$'), "{name}");
            assert!(help.chars().count() <= 40, "{name}: {help}");
            assert!(list.iter().skip(at + 1).all(|other| other.name != *name), "{name} twice");
        }
    }
}

#[test]
fn an_update_offers_operators_fields_and_values() {
    let known = known();
    let words = |text: &str| {
        let cursor = text.find('|').expect("a cursor");
        let whole = Known { whole: Names::Update, takes_relative_times: false, ..filter(&known) };
        let found = offers(&text.replace('|', ""), cursor, &whole);
        let list = found.map(|it| it.list).unwrap_or_default();
        list.into_iter().map(|offer| offer.label).collect::<Vec<String>>()
    };
    assert_eq!(words("{ $uns| }"), ["$unset"]);
    assert_eq!(words("{ $set: { sta| } }"), ["status"]);
    assert!(words("{ $set: { status: 'pa| } }").contains(&"'paid'".to_owned()));
    assert!(words("[{ $unse| }]").contains(&"$unset".to_owned()), "a pipeline");
    assert!(words("{ $set: { place: { ci| } } }").is_empty());
}
