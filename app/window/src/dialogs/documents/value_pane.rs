//! One value in a pane.

use bson::{Bson, Document};
use egui::{Context, ScrollArea, Ui};

use crate::action::{Action, Actions, ViewAction};
use crate::dialogs::frame::DialogFrame;
use crate::state::documents::field;
use crate::state::documents::find::Needle;
use crate::state::documents::value_pane::{HEX_BYTES, ValuePane, beginning, hex_line};
use crate::state::number::counted;
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::field::Field;
use crate::widgets::{Button, marks, picture, value, value_text};

/// The height of the value, in points.
const AREA: f32 = 420.0;

/// The tallest picture of an image, in points.
const IMAGE: f32 = 240.0;

/// Draws the dialog.
pub fn ui(context: &Context, draft: &mut ValuePane, actions: &mut Actions) {
    let title = marks::visible(&value::cut(&draft.path, 80));
    let summary = draft.summary();
    let frame = DialogFrame::new(title)
        .subtitle(summary)
        .width(sizes::DIALOG_WIDE)
        .done("Close")
        .button(Button::plain("Copy value").icon(Icon::Copy), ());
    if frame.ui(context, |ui| content_ui(ui, draft)).end(actions).is_some() {
        let words = field::text_of(&draft.value);
        actions.push(Action::View(ViewAction::CopyLines(words)));
    }
}

fn content_ui(ui: &mut Ui, draft: &mut ValuePane) {
    match &draft.value {
        Bson::Binary(binary) => {
            image_ui(ui, &binary.bytes);
            hex_ui(ui, &binary.bytes);
        }
        Bson::String(content) => text_ui(ui, content, &mut draft.search),
        Bson::Document(inner) => tree_ui(ui, inner),
        Bson::Array(items) => {
            let numbered =
                items.iter().enumerate().map(|(at, item)| (at.to_string(), item.clone()));
            tree_ui(ui, &numbered.collect());
        }
        other => {
            let words = field::text_of(other);
            ui.label(text::rich(words, text::mono()));
        }
    }
}

fn tree_ui(ui: &mut Ui, document: &Document) {
    ScrollArea::vertical().id_salt("value").max_height(AREA).show(ui, |ui| {
        ui.set_min_width(ui.available_width());
        value::document_ui(ui, document);
    });
}

fn text_ui(ui: &mut Ui, content: &str, search: &mut String) {
    let (shown, is_whole) = beginning(content);
    let needle = Needle::new(search);
    let ranges = needle.ranges(shown);
    ui.horizontal(|ui| {
        let field = Field {
            name: "Find in this text",
            hint: "Find in this text",
            icon: Some(Icon::Search),
            clearable: true,
            width: Some(260.0),
            ..Field::default()
        };
        field.ui(ui, search);
        if !needle.is_empty() {
            let words = counted(ranges.len() as u64, "match", "matches");
            ui.label(text::rich(words, text::small()).color(colors(ui).dim));
        }
    });
    if !is_whole {
        let words = "Only the beginning is shown; copy the value or export it to see all";
        ui.label(text::rich(words, text::small()).color(colors(ui).dim));
    }
    ScrollArea::vertical().id_salt("value").max_height(AREA).show(ui, |ui| {
        ui.set_min_width(ui.available_width());
        let look = colors(ui);
        let mut job = egui::text::LayoutJob::default();
        let format = egui::TextFormat::simple(text::mono(), look.text);
        job.append(&readable(shown), 0.0, format);
        // Where a mark replaced a character, the places are others.
        if job.text == shown {
            value_text::set_off(&mut job, &ranges, look);
        }
        value_text::wrap(ui, &mut job, ui.available_width());
        ui.add(egui::Label::new(job).selectable(true)).accessible_name("Value");
    });
}

/// The text with marks for characters that can't be seen; lines stay lines.
fn readable(content: &str) -> String {
    content.split('\n').map(marks::visible).collect::<Vec<_>>().join("\n")
}

fn hex_ui(ui: &mut Ui, bytes: &[u8]) {
    let lines = bytes.len().div_ceil(HEX_BYTES);
    let height = ui.fonts_mut(|fonts| fonts.row_height(&text::mono())) + 2.0;
    ScrollArea::vertical().id_salt("bytes").max_height(AREA).show_rows(
        ui,
        height,
        lines,
        |ui, rows| {
            ui.set_min_width(ui.available_width());
            ui.spacing_mut().item_spacing.y = 2.0;
            let look = colors(ui);
            for at in rows {
                let line = hex_line(bytes, at);
                let mut job = egui::text::LayoutJob::default();
                for (words, ink) in [
                    (format!("{}  ", line.offset), look.dim),
                    (format!("{:<50}", line.hex), look.text),
                    (line.text, look.string),
                ] {
                    job.append(&words, 0.0, egui::TextFormat::simple(text::mono(), ink));
                }
                ui.add(egui::Label::new(job).selectable(true));
            }
        },
    );
}

/// The picture that the bytes are, if they are one of a kind that is known.
fn image_ui(ui: &mut Ui, bytes: &[u8]) {
    let id = egui::Id::unique(("image of a value", bytes.len(), bytes.get(..64)));
    let Some(texture) = picture::texture(ui, id, bytes) else { return };
    let size = texture.size_vec2();
    let words = format!("Image, {} × {} pixels", size.x, size.y);
    ui.label(text::rich(&words, text::small()).color(colors(ui).dim));
    picture::ui(ui, &texture, IMAGE, &words);
    ui.add_space(sizes::GAP_SMALL);
}
