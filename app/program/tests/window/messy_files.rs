//! Files like those that people have: text dates, through clicks, to a countdown.

use std::fs;

use bson::doc;
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
