//! Text in stored documents becomes dates, and text again.

use bson::{Bson, Document, doc};
use egui::Key;
use mayfly::action::{Action, ConvertAction};
use mayfly::state::Namespace;

use super::support::Window;

/// Films whose release is text. One isn't a date.
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
    window.until_named("2 values convert, 1 does not (_id 3, “TBD”: it does not match the layout)");
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
    window.until_named("Undone: restored 2 documents");
    let text = |text: &str| Bson::String(text.to_owned());
    assert_eq!(window.released(), [text("Jun 12 1998"), text("Aug 07 1998"), tbd]);
}

#[test]
fn a_value_that_does_not_convert_stops_everything_when_asked_to() {
    let mut window = Window::open_view(&films(), "Documents");
    window.open_convert("released");
    window.until_named("Convert 2 values");
    window.click("What does not convert: Convert nothing");
    window.until_named(
        "2 values convert, 1 does not (_id 3, “TBD”: it does not match the layout), so nothing \
         will be converted",
    );
    assert!(!window.is_enabled("Convert 0 values"));
    // The failing document is mended while the dialog is open, and another one appears just before
    // the start.
    let mend = doc! { "q": { "_id": 3 }, "u": { "$set": { "released": "Jan 1 2000" } } };
    window.run("test", &doc! { "update": "films", "updates": [mend] });
    window.click("What does not convert: Keep as it is");
    window.until_named("Convert 3 values");
    window.click("What does not convert: Convert nothing");
    window.until_named("3 values convert; none fails");
    let shown = window.copied("Copy command");
    assert!(shown.starts_with("// First, this has to find no document\n"), "{shown}");
    window.run("test", &doc! { "insert": "films", "documents": [{ "_id": 4, "released": "?" }] });
    window.click("Convert 3 values");
    window.until_named("Nothing was converted, because values of released do not convert: _id 4");
    let stored = window.released();
    assert!(stored.iter().all(|value| value.as_str().is_some()), "{stored:?}");
    window.run("test", &doc! { "delete": "films", "deletes": [{ "q": { "_id": 4 }, "limit": 1 }] });
    window.open_convert("released");
    window.until_named("Convert 3 values");
    window.click("What does not convert: Convert nothing");
    window.until_named("3 values convert; none fails");
    window.click("Convert 3 values");
    window.until_named("Converted released to dates in 3 documents of test.films");
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
    let steps = window.sent().iter().filter(|command| command.contains("update")).count();
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
        { "key": { "released": 1 }, "name": "released_1", "expireAfterSeconds": 60 },
        { "key": { "n": 1 }, "name": "n_1", "expireAfterSeconds": 60 },
    ] });
    let mut window = Window::open_view(&commands, "Expiry");
    window.choose("TTL index", "released_1 · 1 min");
    window.until_named("Never expires: 3");
    window.point("Never expires: 3");
    window.until_named("string: 3");
    assert!(!window.has("Convert n to dates…"), "only the chosen index is looked at");
    window.point("Convert released to dates…");
    window.until_named("2 values become dates past the threshold, and the next pass removes");
    window.until_named("Convert 2 values");
    window.click("Convert 2 values");
    window.until_named("Converted released");
    window.advance(120);
    window.until_window("they expired", |window| {
        window.run("test", &doc! { "count": "films" }).get_i32("n").ok() == Some(1)
    });
}

#[test]
fn the_menus_of_the_table_lead_to_the_conversion() {
    let mut window = Window::open_view(&films(), "Documents");
    window.until_named("Document 1");
    window.key(Key::F4);
    window.until_named("Sort by released");
    window.point_secondary("Sort by _id");
    window.until_named("Copy path");
    assert!(!window.has("Convert to dates…"), "an _id never changes");
    window.key(Key::Escape);
    window.point_secondary("Sort by released");
    window.point("Convert to dates…");
    window.until_named("2 of 3 sampled values look like dates");
    assert_eq!(window.value("Field to convert"), "released");
    window.click("Cancel");
    window.point_secondary("'TBD'");
    window.point("Convert to dates…");
    window.until_named("2 of 3 sampled values look like dates");
}

#[test]
fn the_index_dialog_leads_to_the_conversion_and_comes_back() {
    let date = |n: i32| doc! { "_id": n, "released": bson::DateTime::from_millis(0) };
    let mut commands = films();
    commands.push(doc! { "insert": "films", "documents": [date(10)] });
    let mut window = Window::open_view(&commands, "Indexes");
    window.click("Create index…");
    window.until_named("Create index on films");
    window.type_into("Field 1", "released");
    window.click("Expire documents (TTL)");
    window.until_named("3 sampled documents have text or numbers in released");
    window.click("Convert to dates…");
    window.until_named("2 of 3 sampled values look like dates");
    window.click("Cancel");
    window.until_named("Create index on films");
    assert_eq!(window.value("Field 1"), "released", "what was typed is still there");
    window.type_into("Field 1", "n");
    window.until_named("No sampled document has a date in n, so none would expire");
}

#[test]
fn a_column_fits_what_its_values_become() {
    let mut window = Window::open_view(&films(), "Documents");
    window.key(Key::F4);
    window.until_named("Sort by released");
    let width = |window: &Window| window.place("Sort by released").width();
    let before = width(&window);
    window.open_convert("released");
    window.until_named("Convert 2 values");
    window.click("Convert 2 values");
    window.until_named("Converted released");
    window.until_window("it is wider", |window| width(window) > before + 20.0);
}
