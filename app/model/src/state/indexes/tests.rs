//! The rules of the Indexes view and its dialogs.

use bson::{Bson, doc};
use mayfly_engine::reply::DocCount;

use super::age::SLIDER_SECS;
use super::*;
use crate::job::number_draft::NumberDraft;
use crate::job::number_draft::Unit;

fn create(fields: &[(&str, bool)], ttl: Option<&str>) -> CreateIndex {
    CreateIndex {
        fields: fields.iter().map(|(field, down)| ((*field).to_owned(), *down)).collect(),
        has_ttl: ttl.is_some(),
        ttl: NumberDraft { text: ttl.unwrap_or_default().to_owned(), unit: Unit::Minutes },
        ..CreateIndex::default()
    }
}

#[test]
fn a_ttl_index_becomes_its_command() {
    let command = create(&[("at", false)], Some("10")).command("c").expect("it is valid");
    let expected = doc! { "createIndexes": "c", "indexes": [
        { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 600 }
    ] };
    assert_eq!(command, expected);
}

#[test]
fn what_can_not_be_is_said_before_it_is_sent() {
    let check = |create: CreateIndex, part: &str| {
        let error = create.command("c").expect_err("it is not valid");
        assert!(error.contains(part), "{error}");
    };
    check(create(&[], None), "Choose a field");
    check(create(&[("at", false)], Some("")), "Enter a number");
    check(create(&[("a", false), ("b", true)], Some("1")), "single-field");
    check(create(&[("_id", false)], Some("1")), "_id");
    let partial = "{ a: ".to_owned();
    check(CreateIndex { partial, ..create(&[("a", false)], None) }, "partial filter");
}

#[test]
fn nothing_typed_is_not_wrong_yet_and_the_ttl_speaks_for_itself() {
    let check = |field, text, is_wrong, is_valid| {
        let create = create(&[(field, false)], Some(text));
        assert_eq!(create.ttl_problem().is_some(), is_wrong, "{field} {text}");
        assert_eq!(create.secs().is_ok(), is_valid, "{field} {text}");
        assert_eq!(create.problem(), None, "{field} {text}: the sentence is not said twice");
    };
    check("at", "", false, false);
    check("at", "x", true, false);
    check("at", "0", false, true);
    check("_ts", "", false, false);
    check("_ts", "0", true, false);
    check("_ts", "5", false, true);
    let missing = create(&[("", false)], Some("")).problem();
    assert_eq!(missing.as_deref(), create(&[], None).command("c").err().as_deref());
}

#[test]
fn the_slider_is_logarithmic_and_reversible() {
    for secs in [1, 60, 3_600, 86_400, SLIDER_SECS.1] {
        let back = slider_secs(slider_fraction(secs));
        assert!((back - secs).abs() * 1_000 <= secs, "{secs}: {back}");
    }
    assert!(slider_fraction(60) > 0.2 && slider_fraction(60) < 0.3);
}

const NOW_MS: i64 = 1_704_844_800_000;

/// Figures of documents with dates this long before now, in milliseconds, and of two without.
fn ages(ages_ms: &[i64]) -> AgeCounts {
    let command = AgeCounts::command("c", "at_1", NOW_MS);
    assert_eq!(AgeCounts::index_of(&command), Some("at_1"));
    let edges = command.get_array("edges").expect("edges").iter();
    let edges: Vec<i64> =
        edges.map(|at| at.as_datetime().expect("a date").timestamp_millis()).collect();
    assert!(edges.windows(2).all(|pair| pair[0] < pair[1]), "they rise");
    let mut counts = vec![0_i64; edges.len() + 1];
    for age_ms in ages_ms {
        counts[edges.partition_point(|edge| *edge <= NOW_MS - age_ms)] += 1;
    }
    let total = i64::try_from(ages_ms.len()).expect("a few") + 2;
    let reply = doc! { "total": total, "never": { "null": 2_i64 }, "counts": counts };
    AgeCounts::read(&command, &reply).expect("a reply")
}

#[test]
fn every_stop_of_the_slider_is_known_to_the_document() {
    let (second, hour, day) = (1_000, 3_600_000, 86_400_000);
    let found = ages(&[-30 * 60_000, 5 * second, 60 * second, 2 * hour, 40 * day, 4_000 * day]);
    let check = |secs, now, soon, later| {
        let effect = found.what_if(secs, NOW_MS);
        let counts = [effect.overdue_now, effect.next_hour, effect.later(), effect.stays()];
        assert_eq!(counts, [now, soon, later, 2].map(DocCount::Exact), "{secs} s");
    };
    check(5, 5, 1, 0);
    check(6, 4, 2, 0);
    check(60, 4, 2, 0);
    check(70, 3, 3, 0);
    check(7_200, 3, 0, 3);
    check(40 * 86_400, 2, 0, 4);
    check(SLIDER_SECS.1, 1, 0, 5);
}

#[test]
fn between_two_stops_the_counts_are_about_right_and_add_up() {
    let found = ages(&[400_001, 402_000, 405_000, 409_000]);
    let effect = found.what_if(405, NOW_MS);
    let about = effect.overdue_now;
    assert_eq!((about.least(), about.likely(), about.most()), (0, 2, Some(4)));
    let parts = [about, effect.next_hour, effect.later(), effect.stays()];
    assert_eq!(parts.map(DocCount::likely).iter().sum::<u64>(), 6);
    // Time has passed since they were counted.
    assert_eq!(found.what_if(400, NOW_MS + 10_000).overdue_now, DocCount::Exact(4));
}

#[test]
fn each_document_is_in_one_slice_of_its_age() {
    let found = ages(&[-5_000, 0, 1_500, 90_000, 4_000 * 86_400_000]);
    let slices = found.slices(NOW_MS);
    assert_eq!(slices.len(), AGE_SLICES);
    assert_eq!(slices.iter().sum::<u64>(), 4, "one has a date ahead");
    assert_eq!((slices[0], slices[AGE_SLICES - 1]), (2, 1));
}

#[test]
fn the_slider_stops_at_round_numbers() {
    for fraction in [0.0, 0.013, 0.21, 0.34, 0.5, 0.77, 1.0] {
        let secs = slider_secs(fraction);
        let found = ages(&[secs * 1_000]).what_if(secs, NOW_MS).overdue_now;
        assert_eq!(found, DocCount::Exact(1), "{secs} s is a stop");
    }
}

#[test]
fn a_sample_names_date_fields_first() {
    let now = Bson::DateTime(bson::DateTime::from_millis(0));
    let documents = vec![
        doc! { "_id": 1, "a": "x", "in": { "at": now.clone() } },
        doc! {
            "_id": 2, "a": 1, "when": [now],
        },
    ];
    let mut view = IndexesView::default();
    view.take_sample(&doc! { "cursor": { "firstBatch": documents } });
    let paths: Vec<&str> = view.fields.iter().map(|field| field.path.as_str()).collect();
    assert_eq!(&paths[..2], ["in.at", "when"]);
    let types = |path: &str| {
        let found = view.fields.iter().find(|field| field.path == path);
        found.map(|field| field.types.as_str()).unwrap_or_default()
    };
    assert_eq!(types("in.at"), "Date 50% · missing 50%");
    assert_eq!(types("a"), "String 50% · Int32 50%", "a date in one document makes no date field");
    assert_eq!(view.sampled, 2);
}

#[test]
fn figures_may_come_before_the_list() {
    let list = doc! { "cursor": { "firstBatch": [{ "name": "at_1", "key": { "at": 1 } }] } };
    let sizes = doc! { "indexSizes": { "at_1": 60 }, "mayfly": { "indexEntries": { "at_1": 3 } } };
    let uses =
        doc! { "cursor": { "firstBatch": [{ "name": "at_1", "accesses": { "ops": 7_i64 } }] } };
    let check = |order: [usize; 3]| {
        let mut view = IndexesView::default();
        for at in order {
            match at {
                0 => view.take_list(&list),
                1 => view.take_stats(&sizes),
                _ => view.take_uses(&uses),
            }
        }
        let row = view.row("at_1").expect("it is listed");
        let figures = (row.bytes, row.entries, row.uses);
        assert_eq!(figures, (Some(60), Some(3), Some(7)), "{order:?}");
    };
    check([0, 1, 2]);
    check([1, 2, 0]);
    check([2, 0, 1]);
}

#[test]
fn a_ttl_is_readable_and_exact() {
    let check = |secs, expected: &str| assert_eq!(ttl_words(secs), expected, "{secs}");
    check(600, "10 min (600 s)");
    check(86_400, "1 d (86,400 s)");
    check(45, "45 s");
    check(0, "at the stored date (0 s)");
    check(-1, "on, without a default");
}

#[test]
fn the_index_of_ids_has_no_size_of_its_own_even_when_it_is_empty() {
    let row = |name: &str, bytes, entries| IndexRow {
        name: name.to_owned(),
        bytes: Some(bytes),
        entries: Some(entries),
        ..IndexRow::default()
    };
    assert!(row("_id_", 0, 0).has_no_entries_of_its_own());
    assert!(row("_id_", 0, 3_200).has_no_entries_of_its_own());
    assert!(!row("at_1", 0, 0).has_no_entries_of_its_own());
    assert!(!row("at_1", 9_000, 1).has_no_entries_of_its_own());
}
