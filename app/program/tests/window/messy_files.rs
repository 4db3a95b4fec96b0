//! Files like those that people have: text dates, through clicks, to a countdown.

use std::fs;

use bson::{Binary, doc, spec::BinarySubtype};
use egui::Key;
use mayfly::action::{Action, TransferAction};

use super::support::Window;

/// The longest TTL, 68 years: old dates still count down under it.
const TTL_SECS: i32 = i32::MAX;

struct MessyFile {
    name: &'static str,
    text: &'static str,
    field: &'static str,
    /// The buttons to press until the field converts.
    clicks: &'static [&'static str],
    /// A converted value.
    shown: &'static str,
    /// Documents that count down, and those that never expire.
    expected: (u64, u64),
}

const FILES: &[MessyFile] = &[
    MessyFile {
        name: "movies.json",
        text: "[{\"Title\": \"The Land Girls\", \"Release Date\": \"Jun 12 1998\"},\n \
               {\"Title\": \"Following\", \"Release Date\": \"Apr 04 1999\", \"x\": null},\n \
               {\"Title\": 1776, \"Release Date\": null}]",
        field: "Release Date",
        clicks: &["Convert Release Date to dates"],
        shown: "1998-06-12 00:00:00Z",
        expected: (2, 1),
    },
    MessyFile {
        name: "weather.csv",
        text: "location,date,temp_max\nSeattle,2012/01/01 00:00,12.8\nSeattle,2012/01/02 00:00,10.6\n",
        field: "date",
        clicks: &[],
        shown: "2012-01-01 00:00:00Z",
        expected: (2, 0),
    },
    MessyFile {
        name: "github.csv",
        text: "time,count\n1/1/2015 01:00,2\n1/2/2015 04:00,3\n1/13/2015 05:00,1\n",
        field: "time",
        clicks: &[],
        shown: "2015-01-13 05:00:00Z",
        expected: (3, 0),
    },
    MessyFile {
        name: "flights.json",
        text: "{\"date\":\"2001/01/14 21:55\",\"delay\":0}\n{\"date\":\"2001/03/26 20:15\",\"delay\":-11}\n\
               {\"date\":\"cancelled\"}\n",
        field: "date",
        clicks: &["Convert date to dates"],
        shown: "2001-01-14 21:55:00Z",
        expected: (2, 1),
    },
    MessyFile {
        name: "birdstrikes.csv",
        text: "Airport Name,Flight Date,Cost\nBARKSDALE AIR FORCE BASE ARPT,1/8/90 0:00,0\n\
               \"BROWN, SAM\",1/9/90 0:00,7\n",
        field: "Flight Date",
        clicks: &["Flight Date: Month first"],
        shown: "1990-01-08 00:00:00Z",
        expected: (2, 0),
    },
];

#[test]
fn messy_files_count_down_after_a_few_clicks() {
    for file in FILES {
        let mut window = Window::open();
        let path = window.folder.path().join(file.name);
        fs::write(&path, file.text).expect("a file can be written");
        window.ask(Action::Transfer(TransferAction::Import { files: vec![path], into: None }));
        window.until_named("Types");
        for click in file.clicks {
            window.until_named(click);
            window.click(click);
        }
        window.until_named(file.shown);
        window.until_enabled("Import");
        window.click("Import");
        window.until_named("Import finished");
        window.click("Done");
        let collection = file.name.split('.').next().expect("a name");
        window.until(file.name, |state| {
            state.tabs.active().is_some_and(|tab| tab.namespace.collection == collection)
        });
        window.run(
            "test",
            &doc! { "createIndexes": collection, "indexes": [
                { "key": { file.field: 1 }, "name": "ttl", "expireAfterSeconds": TTL_SECS }
            ] },
        );
        window.click("Expiry");
        window.until("they count down", |state| {
            let totals = state.tabs.active().and_then(|tab| tab.expiry.totals.clone());
            totals.is_some_and(|it| {
                (it.waiting.likely(), it.never.likely()) == file.expected && it.overdue.is_zero()
            })
        });
    }
}

#[test]
fn a_date_before_1970_is_a_date_in_every_view() {
    let at = bson::DateTime::from_millis(-58_968_000_000);
    let insert = doc! { "insert": "notes", "documents": [{ "_id": 1, "at": at }] };
    let mut window = Window::open_view(&[insert], "Documents");
    window.until_named("Document 1");
    let check = |window: &mut Window, view: &str| {
        window.until_window(view, |window| window.has_part("1968-02-18"));
        assert!(!window.has_part("58968000000"), "{view}");
    };
    window.key(Key::F4);
    check(&mut window, "table");
    window.key(Key::F2);
    window.point("Document 1");
    window.until_named("Edit as text");
    check(&mut window, "inspector");
    window.click("Edit as text");
    window.until_named("Edit 1");
    let text = window.value("Document");
    assert!(text.contains("ISODate('1968-02-18T12:00:00.000Z')"), "{text}");
    window.key(Key::Escape);
    window.until_gone("Edit 1");
    window.click("Schema");
    check(&mut window, "schema");
}

#[test]
fn the_filter_finds_the_uuids_of_old_drivers() {
    let uuid = |id: i32, number: u128| {
        let (subtype, bytes) = (BinarySubtype::UuidOld, number.to_be_bytes().to_vec());
        doc! { "_id": id, "u": Binary { subtype, bytes } }
    };
    // As the drivers of Java and C# wrote it.
    let documents = vec![
        uuid(1, 0x6648_3860_4778_2ca1_e579_f690_2da6_b284),
        uuid(2, 0x4778_2ca1_3860_6648_84b2_a62d_90f6_79e5),
    ];
    let insert = doc! { "insert": "notes", "documents": documents };
    let mut window = Window::open_view(&[insert], "Documents");
    window.until_named("Document 2");
    window.type_into("Filter", "{ u: LegacyJavaUUID('a12c7847-6038-4866-84b2-a62d90f679e5') }");
    window.key(Key::Enter);
    window.until_gone("Document 2");
    assert!(window.has("Document 1"));
}
