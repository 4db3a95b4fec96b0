//! Text in stored documents becomes dates, and text again.

use bson::{Bson, Document, doc};
use mayfly::action::{Action, ConvertAction};
use mayfly::state::Namespace;

use super::support::Window;

/// Films whose release is text. One is no date.
fn films() -> Vec<Document> {
    let film = |id: i32, at: &str| doc! { "_id": id, "released": at, "n": id };
    let documents = vec![film(1, "Jun 12 1998"), film(2, "Aug 07 1998"), film(3, "TBD")];
    vec![doc! { "insert": "films", "documents": documents }]
}

impl Window {
    fn open_convert(&mut self, path: &str) {
        let namespace = Namespace::new("test", "films");
        self.ask(Action::Convert(ConvertAction::Open { namespace, path: path.to_owned() }));
        self.until_named("Convert field to dates");
    }

    fn released(&self) -> Vec<Bson> {
        let reply = self.run("test", &doc! { "find": "films", "sort": { "_id": 1 } });
        let batch = reply.get_document("cursor").expect("a cursor").get_array("firstBatch");
        let values = batch.expect("a batch").iter().filter_map(Bson::as_document);
        values.map(|it| it.get("released").cloned().expect("a field")).collect()
    }
}

#[test]
fn a_field_is_converted_and_undone() {
    let mut window = Window::open_view(&films(), "Documents");
    window.open_convert("");
    window.until_named("Convert released");
    window.click("Convert released");
    window.until_named("2 of 3 sampled values look like dates");
    window.until_named("2 values convert, 1 does not (“TBD”: it does not match the layout)");
    assert!(window.has("1998-06-12 00:00:00Z"));
    let command = window.copied("Copy command");
    assert!(command.contains("$dateFromString"), "{command}");
    window.click("Convert 2 values");
    window.until_named("Converted released to dates in 2 documents of test.films");
    let date =
        |text: &str| Bson::DateTime(bson::DateTime::parse_rfc3339_str(text).expect("a date"));
    let tbd = Bson::String("TBD".to_owned());
    assert_eq!(
        window.released(),
        [date("1998-06-12T00:00:00Z"), date("1998-08-07T00:00:00Z"), tbd.clone()]
    );
    window.click("Undo");
    window.until_named("Restored released in 2 documents of test.films");
    let text = |text: &str| Bson::String(text.to_owned());
    assert_eq!(window.released(), [text("Jun 12 1998"), text("Aug 07 1998"), tbd]);
}

#[test]
fn many_documents_are_converted_in_steps() {
    let film =
        |id: i32| doc! { "_id": id, "released": format!("{}/{}/2015", id % 12 + 1, id % 28 + 1) };
    let documents: Vec<Document> = (0..2_500).map(film).collect();
    let mut window =
        Window::open_view(&[doc! { "insert": "films", "documents": documents }], "Documents");
    window.open_convert("released");
    window.until_named("Convert 2,500 values");
    window.click("Convert 2,500 values");
    window.until_named("Converted released to dates in 2,500 documents");
    let left = window
        .run("test", &doc! { "count": "films", "query": { "released": { "$type": "string" } } });
    assert_eq!(left.get_i32("n").ok(), Some(0));
    let steps = window.sent().iter().filter(|command| command.contains("$in")).count();
    assert!(steps >= 3, "{steps} steps");
}

#[test]
fn the_order_is_asked_in_place_too() {
    let documents = vec![doc! { "_id": 1, "released": "03/04/2020" }];
    let mut window =
        Window::open_view(&[doc! { "insert": "films", "documents": documents }], "Documents");
    window.open_convert("released");
    window.until_named("03/04/2020 in row 1 can be read in two ways");
    assert!(!window.is_enabled("Convert"), "nothing is guessed");
    window.click("Month first");
    window.until_named("Convert 1 value");
    assert!(window.has("2020-03-04 00:00:00Z"));
    window.click("What does not convert: Null");
    window.until_named("Convert 1 value");
}

#[test]
fn never_expiring_text_offers_its_conversion() {
    let mut commands = films();
    commands.push(doc! { "createIndexes": "films", "indexes": [
        { "key": { "released": 1 }, "name": "released_1", "expireAfterSeconds": 60 }
    ] });
    let mut window = Window::open_view(&commands, "Expiry");
    window.until_named("Never expires: 3");
    window.ask(Action::Convert(ConvertAction::Open {
        namespace: Namespace::new("test", "films"),
        path: "released".to_owned(),
    }));
    window.until_named("released_1 is a TTL index on this field");
    window.until_named("Convert 2 values");
    window.click("Convert 2 values");
    window.until_named("Converted released");
    window.advance(120);
    window.until_window("they expired", |window| {
        window.run("test", &doc! { "count": "films" }).get_i32("n").ok() == Some(1)
    });
}
