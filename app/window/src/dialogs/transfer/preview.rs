//! The beginning of a file, before anything is stored.

use bson::{Bson, Document};
use egui::{Align, Label, Layout, Response, ScrollArea, Ui};
use egui_extras::{Column, TableBuilder};
use mayfly_engine::transfer::{FieldTypes, Preview, Reject};

use super::parts::{error_ui, notice_ui};
use crate::job::FileLook;
use crate::state::number;
use crate::state::transfer::import::file_name;
use crate::state::transfer::types::value_words;
use crate::state::transfer::{ImportDraft, Loadable};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::value_text::{self, Kind};
use crate::widgets::{card, cell, chip, empty_state, figure};

/// Columns that the preview shows.
const COLUMNS_MAX: usize = 12;
/// Rows that the preview shows without scrolling, in points.
const ROWS_HEIGHT: f32 = 168.0;
/// The width of a value, in points.
const VALUE: f32 = 200.0;
/// The width of a value with its converted one, in points: two dates with their times.
const CONVERTED: f32 = 360.0;
/// The least width of a column, in points.
const COLUMN_MIN: f32 = 64.0;
/// The height of a row, in points.
const ROW: f32 = 20.0;
/// The height of a name with its types below it, in points.
const HEADER: f32 = 36.0;
/// Characters of a value.
const VALUE_CHARS_MAX: usize = 80;
/// Between a value and what it becomes.
const ARROW: &str = "→";
/// Characters of a value that is shown next to the converted one.
const BEFORE_CHARS_MAX: usize = 32;
/// Problems that are listed.
const PROBLEMS_MAX: usize = 2;

/// Draws what the shown file holds.
pub fn ui(ui: &mut Ui, draft: &ImportDraft) {
    let name = draft.shown_file().map(|file| file_name(file)).unwrap_or_default();
    let name = value_text::with_marks(&name);
    match &draft.look {
        Loadable::Nothing => {}
        Loadable::Waiting(_) if draft.shown_look().is_some() => {
            if let Some(look) = draft.shown_look() {
                look_ui(ui, look, &name);
            }
        }
        Loadable::Waiting(_) => empty_state::hint(ui, &format!("Reading {name}…")),
        // The reason is next to the button then.
        Loadable::Failed(_) if draft.refusal().is_some() => {}
        Loadable::Failed(error) => error_ui(ui, Some(error)),
        Loadable::Here(look) => look_ui(ui, look, &name),
    }
}

fn look_ui(ui: &mut Ui, look: &FileLook, name: &str) {
    let colors = colors(ui);
    let preview = &look.preview;
    ui.horizontal(|ui| {
        chip::tag(ui, &preview.detected.words(), colors.accent, colors.accent_background);
        let count = u64::try_from(preview.documents.len()).unwrap_or(u64::MAX);
        let documents = number::counted(count, "document", "documents");
        let first = if preview.more { "the first " } else { "" };
        let words = format!("{} · {first}{documents}", number::bytes(look.bytes));
        ui.label(text::rich(words, text::small()).color(colors.dim));
    });
    problems_ui(ui, &preview.rejects);
    for words in preview.tally.sentences() {
        notice_ui(ui, Icon::Info, "Converted", colors.dim, &words);
    }
    if !preview.documents.is_empty() {
        card::ui(ui, |ui| grid_ui(ui, preview, name));
    }
}

fn problems_ui(ui: &mut Ui, rejects: &[Reject]) {
    let ink = colors(ui).error;
    for reject in rejects.iter().take(PROBLEMS_MAX) {
        notice_ui(ui, Icon::Warning, "Problem", ink, &problem(reject));
    }
    if let Some(more) = rejects.len().checked_sub(PROBLEMS_MAX).filter(|more| *more > 0) {
        ui.label(text::rich(format!("and {more} more like this"), text::small()).color(ink));
    }
}

pub fn problem(reject: &Reject) -> String {
    let position = reject.position;
    if position.is_row() {
        let row = number::count(position.line);
        return format!("Row {row}: {}", value_text::with_marks(&reject.reason));
    }
    if !position.has_lines() {
        return format!(
            "Document {}, byte {}: {}",
            number::count(position.document),
            number::count(position.offset),
            value_text::with_marks(&reject.reason),
        );
    }
    let start = match reject.start_line {
        start if start < position.line => format!(" (starts on line {})", number::count(start)),
        _ => String::new(),
    };
    format!(
        "Line {}, column {}, document {}{start}: {}",
        number::count(position.line),
        number::count(position.column),
        number::count(position.document),
        value_text::with_marks(&reject.reason),
    )
}

/// Draws the first documents of the file with this name. Fields that get another type come first.
fn grid_ui(ui: &mut Ui, preview: &Preview, name: &str) {
    let owned = |documents: &[bson::RawDocumentBuf]| -> Vec<Document> {
        let owned = documents.iter().map(|document| Document::try_from(document.as_ref()).ok());
        owned.map(Option::unwrap_or_default).collect()
    };
    let (rows, converted) = (owned(&preview.documents), owned(&preview.converted));
    let changes = |field: &&FieldTypes| {
        let mut all = rows.iter().zip(&converted);
        all.any(|(row, after)| row.get(&field.name) != after.get(&field.name))
    };
    let (mut fields, others): (Vec<_>, Vec<_>) = preview.fields.iter().partition(changes);
    // Another file, or another choice of types, is shown from its start.
    let of: Vec<&str> = fields.iter().map(|field| &*field.name).chain([name]).collect();
    let of = egui::Id::unique(of);
    fields.extend(others);
    let more = fields.len().saturating_sub(COLUMNS_MAX);
    fields.truncate(COLUMNS_MAX);
    let widths: Vec<f32> = fields.iter().map(|field| width(ui, field, &rows, &converted)).collect();
    cell::keep_bars_beside(ui);
    let scroll = ScrollArea::horizontal().id_salt(("preview", of)).auto_shrink([false, true]);
    scroll.show(ui, |ui| {
        ui.spacing_mut().item_spacing = egui::vec2(sizes::GAP_LARGE, 0.0);
        let mut table = TableBuilder::new(ui).id_salt(("preview rows", of)).vscroll(true);
        for width in widths {
            table = table.column(Column::exact(width).clip(true));
        }
        let layout = Layout::left_to_right(Align::Center);
        let table = table.cell_layout(layout).auto_shrink([false, true]);
        let table = table.max_scroll_height(ROWS_HEIGHT).min_scrolled_height(ROWS_HEIGHT);
        let table = table.header(HEADER, |mut header| {
            for field in &fields {
                let align = if is_figure(field, &rows) { Align::Max } else { Align::Min };
                header.col(|ui| header_ui(ui, field, align));
            }
        });
        table.body(|body| {
            body.rows(ROW, rows.len(), |mut row| {
                let at = row.index();
                let (Some(before), after) = (rows.get(at), converted.get(at)) else { return };
                for field in &fields {
                    row.col(|ui| {
                        let value = before.get(&field.name);
                        let after = after.and_then(|row| row.get(&field.name));
                        match after.filter(|after| Some(*after) != value) {
                            Some(after) => converted_ui(ui, &field.name, value, after),
                            None => value_ui(ui, &field.name, value, is_figure(field, &rows)),
                        }
                    });
                }
            });
        });
    });
    if more > 0 {
        let ink = colors(ui).dim;
        let words = format!("and {}", number::counted(more as u64, "more field", "more fields"));
        ui.label(text::rich(words, text::small()).color(ink));
    }
}

/// The width of a column that has room for its longest value, within bounds.
fn width(ui: &Ui, field: &FieldTypes, rows: &[Document], converted: &[Document]) -> f32 {
    let measure = |words: String, font| {
        ui.painter().layout_no_wrap(words, font, egui::Color32::PLACEHOLDER).size().x
    };
    let name = measure(value_text::with_marks(&field.name), text::strong());
    let values = rows.iter().enumerate().map(|(at, row)| {
        let (before, after) =
            (row.get(&field.name), converted.get(at).and_then(|row| row.get(&field.name)));
        let one =
            |value: Option<&Bson>| value.map_or(0.0, |value| measure(shown(value), text::mono()));
        match after.filter(|after| Some(*after) != before) {
            Some(after) => {
                one(Some(after))
                    + one(before.filter(|before| is_short(before)))
                    + sizes::GAP_LARGE * 2.0
            }
            None => one(before).min(VALUE),
        }
    });
    values.fold(name.min(VALUE), f32::max).clamp(COLUMN_MIN, CONVERTED)
}

fn header_ui(ui: &mut Ui, field: &FieldTypes, align: Align) {
    let colors = colors(ui);
    let kinds: Vec<&str> = field.types.iter().map(|(kind, _)| *kind).collect();
    ui.with_layout(Layout::top_down(align), |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let name = value_text::with_marks(&field.name);
        ui.add(Label::new(text::rich(name, text::strong())).truncate());
        let mixed = kinds.len() > 1;
        let ink = if mixed { colors.text } else { colors.dim };
        let kinds = text::rich(kinds.join(", "), text::mono_small()).color(ink);
        let response = ui.add(Label::new(kinds).truncate());
        if mixed {
            let counts = field
                .types
                .iter()
                .map(|(kind, count)| format!("{} × {kind}", number::count(*count as u64)));
            response.hint(counts.collect::<Vec<_>>().join(", "));
        }
    });
}

/// Whether the first value of a field is one whose column is read from the right.
fn is_figure(field: &FieldTypes, rows: &[Document]) -> bool {
    rows.iter().find_map(|row| row.get(&field.name)).is_some_and(cell::is_right)
}

fn value_ui(ui: &mut Ui, field: &str, value: Option<&Bson>, is_figure: bool) {
    let Some(value) = value else {
        let missing = text::rich("–", text::mono()).color(colors(ui).dim);
        let missing_ui = |ui: &mut Ui| {
            ui.label(missing).accessible_name(format!("{field} is missing"));
        };
        if is_figure {
            ui.with_layout(Layout::right_to_left(Align::Center), missing_ui);
        } else {
            missing_ui(ui);
        }
        return;
    };
    if cell::is_right(value) {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| one_ui(ui, value));
    } else {
        one_ui(ui, value);
    }
}

/// A value, cut where there is no room for it.
fn one_ui(ui: &mut Ui, value: &Bson) -> Response {
    let (colors, kind) = (colors(ui), Kind::of(value));
    if cell::is_right(value) {
        return figure::ui(ui, &shown(value), figure::mono(kind.ink(colors)));
    }
    ui.add(Label::new(value_text::job(&shown(value), kind, colors)).truncate())
}

/// A value next to the converted one.
fn converted_ui(ui: &mut Ui, field: &str, before: Option<&Bson>, after: &Bson) {
    let colors = colors(ui);
    ui.spacing_mut().item_spacing.x = sizes::GAP_SMALL;
    if let Some(before) = before.filter(|before| is_short(before)) {
        ui.label(text::rich(shown(before), text::mono_small()).color(colors.dim));
        ui.label(text::rich(ARROW, text::small()).color(colors.dim)).accessible_name("becomes");
    }
    one_ui(ui, after).hint(format!("{field} gets another type"));
}

/// Whether there is room for the converted value next to it.
fn is_short(value: &Bson) -> bool {
    value_words(value).chars().count() <= BEFORE_CHARS_MAX
}

/// The header has the type, so that a number needs no word for it.
fn shown(value: &Bson) -> String {
    let whole = match value {
        Bson::Double(number) if number.is_finite() => format!("{number:?}"),
        Bson::Int64(number) => number.to_string(),
        Bson::Decimal128(number) => number.to_string(),
        value => value_words(value),
    };
    let mut shown: String = whole.chars().take(VALUE_CHARS_MAX).collect();
    if shown.len() < whole.len() {
        shown.push('…');
    }
    shown
}
