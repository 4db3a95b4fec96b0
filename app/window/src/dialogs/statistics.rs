//! The figures of a collection.

use bson::{Bson, Document};
use egui::{Context, Ui};
use mayfly_engine::value::{shell, whole};

use super::frame::DialogFrame;
use super::words::LOADING;
use crate::action::{Action, Actions, ViewAction};
use crate::job::reply;
use crate::state::dialogs::Statistics;
use crate::state::number;
use crate::theme::{colors, sizes, text};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, key_value};

/// The height of the figures of a collection with two indexes, in points.
const FIGURES_HEIGHT: f32 = 190.0;

pub fn ui(context: &Context, draft: &mut Statistics, actions: &mut Actions) {
    let title = format!("Statistics of {}", with_marks(&draft.namespace.to_string()));
    let copy = Button::plain("Copy the reply").tooltip("Copy the reply to collStats");
    let is_here = matches!(draft.reply, Some(Ok(_)));
    let frame = DialogFrame::new(title)
        .width(sizes::DIALOG_NARROW)
        .height(FIGURES_HEIGHT)
        .done("Done")
        .button(copy.enabled(is_here), ());
    let outcome = frame.ui(context, |ui| match &draft.reply {
        None => _ = ui.label(text::rich(LOADING, text::body()).color(colors(ui).dim)),
        Some(Err(error)) => {
            ui.label(text::rich(error, text::body()).color(colors(ui).error));
        }
        Some(Ok(reply)) => figures_ui(ui, reply),
    });
    if let (Some(()), Some(Ok(reply))) = (outcome.end(actions), &draft.reply) {
        let text = shell::write_value(&Bson::Document(reply.clone()), shell::Layout::Indented);
        actions.push(Action::View(ViewAction::CopyLines(text)));
    }
}

fn figures_ui(ui: &mut Ui, reply: &Document) {
    ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
    for (name, value) in figures(reply) {
        key_value::ui(ui, name, &value);
    }
    let indexes = indexes(reply);
    ui.add_space(sizes::GAP_SMALL);
    ui.label(text::rich("Indexes", text::title()).color(colors(ui).text));
    for (name, value) in indexes {
        key_value::ui(ui, &with_marks(&name), &value);
    }
}

/// The figures of a collection, from the reply to `collStats`.
fn figures(reply: &Document) -> Vec<(&'static str, String)> {
    let count = |name: &str| reply::number(reply, name).map(number::count);
    let bytes = |name: &str| reply::number(reply, name).map(number::bytes);
    let is_capped = reply.get_bool("capped").unwrap_or(false);
    let bound = |name: &str| reply::number(reply, name).filter(|bound| *bound > 0);
    let rows = [
        ("Documents", count("count")),
        ("Size of the documents", bytes("size")),
        ("Average document", bytes("avgObjSize")),
        ("Size of the indexes", bytes("totalIndexSize")),
        ("Together", bytes("totalSize")),
        ("Capped at", bound("maxSize").filter(|_| is_capped).map(number::bytes)),
        ("Capped at documents", bound("max").filter(|_| is_capped).map(number::count)),
    ];
    rows.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Entries and size of each index.
fn indexes(reply: &Document) -> Vec<(String, String)> {
    let sizes = reply.get_document("indexSizes").ok();
    let entries = reply.get_document("mayfly").and_then(|more| more.get_document("indexEntries"));
    let row = |(name, size): (&String, &Bson)| {
        let count = entries.as_ref().ok().and_then(|entries| reply::number(entries, name));
        let size = whole(size).and_then(|size| u64::try_from(size).ok()).unwrap_or(0);
        let place = if size == 0 { "in documents".to_owned() } else { number::bytes(size) };
        let entries = count.map(|count| number::counted(count, "entry", "entries"));
        (name.clone(), entries.map_or(place.clone(), |entries| format!("{entries} · {place}")))
    };
    sizes.into_iter().flatten().map(row).collect()
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn figures_are_read_from_the_reply() {
        let reply = doc! {
            "count": 3_200, "size": 412_000.0, "avgObjSize": 128, "capped": true, "maxSize": 4_096,
            "max": 0, "totalIndexSize": 9_000_i64, "totalSize": 421_000_i64,
            "indexSizes": {"_id_": 0, "at_1": 9_000}, "mayfly": {"indexEntries": {"_id_": 3_200,
            "at_1": 1}},
        };
        let found: Vec<String> =
            figures(&reply).into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert_eq!(
            found,
            [
                "Documents: 3,200",
                "Size of the documents: 412 kB",
                "Average document: 128 B",
                "Size of the indexes: 9.0 kB",
                "Together: 421 kB",
                "Capped at: 4.0 kB",
            ]
        );
        assert_eq!(
            indexes(&reply),
            [
                ("_id_".to_owned(), "3,200 entries · in documents".to_owned()),
                ("at_1".to_owned(), "1 entry · 9.0 kB".to_owned()),
            ]
        );
    }
}
