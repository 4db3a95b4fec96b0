//! The rules of the Indexes view and its dialogs.

use bson::{Bson, doc};

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

#[test]
fn documents_are_counted_by_age_in_one_command() {
    let now_ms = 1_704_844_800_000;
    let command = ages_command("c", "at", now_ms);
    let pipeline = command.get_array("pipeline").expect("a pipeline");
    let bucket = pipeline[1].as_document().and_then(|stage| stage.get_document("$bucket").ok());
    let boundaries = bucket.expect("a bucket").get_array("boundaries").expect("boundaries");
    assert_eq!(boundaries.len(), AGE_SLICES + 1);
    let ms = |at: &Bson| at.as_datetime().expect("a date").timestamp_millis();
    assert!(boundaries.windows(2).all(|pair| ms(&pair[0]) < ms(&pair[1])), "they ascend");
    assert_eq!(boundaries.last().map(ms), Some(now_ms + 1), "now is in the youngest slice");
    let batch = vec![
        doc! { "_id": boundaries[0].clone(), "count": 7 },
        doc! { "_id": boundaries[AGE_SLICES - 1].clone(), "count": 2_i64 },
        doc! { "_id": "other", "count": 3 },
    ];
    let reply = doc! { "cursor": { "firstBatch": batch } };
    let found = ages(&command, &reply, "at").expect("it is about this field");
    assert_eq!((found[0], found[AGE_SLICES - 1], found.iter().sum::<u64>()), (2, 7, 9));
    assert_eq!(ages(&command, &reply, "other"), None);
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
