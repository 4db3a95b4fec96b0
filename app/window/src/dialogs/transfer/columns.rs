//! The columns of a table: their names, and how their cells read where that isn't obvious.

use egui::{Align, Id, Label, Layout, ScrollArea, Ui, vec2};
use mayfly_engine::transfer::{ColumnNote, TableColumn};

use super::parts::ask;
use crate::action::{Actions, TransferAction};
use crate::state::number;
use crate::state::transfer::ImportDraft;
use crate::state::transfer::columns::ColumnsDraft;
use crate::theme::{colors, sizes, text};
use crate::widgets::card;
use crate::widgets::field::Field;
use crate::widgets::hint::Hint as _;
use crate::widgets::value_text::with_marks;

/// The height of the list without scrolling, in points.
const LIST_HEIGHT: f32 = 150.0;
/// The width of a header cell, in points.
const HEADER: f32 = 150.0;
/// The width of a name, in points.
const NAME: f32 = 190.0;

/// Draws the columns. The file is read again when a name changes.
pub(super) fn ui(ui: &mut Ui, draft: &mut ImportDraft, actions: &mut Actions) {
    let columns = &mut draft.types.columns;
    if columns.first.is_empty() {
        return;
    }
    let mut typed = None;
    card::ui(ui, |ui| {
        ui.horizontal(|ui| {
            ui.label(text::rich("Columns", text::strong()));
            let words = number::counted(columns.first.len() as u64, "column", "columns");
            ui.checkbox(&mut columns.shows_all, format!("Rename any of {words}"));
        });
        let listed: Vec<TableColumn> = columns.listed().cloned().collect();
        if listed.is_empty() {
            return;
        }
        let scroll = ScrollArea::vertical().id_salt("columns").auto_shrink([false, true]);
        scroll.max_height(LIST_HEIGHT).show(ui, |ui| {
            for column in &listed {
                let change = column_ui(ui, column, columns);
                typed = change.map(|name| (column.name.clone(), name)).or(typed.take());
            }
        });
    });
    if let Some((first, typed)) = typed
        && draft.types.rename(&first, typed)
    {
        ask(actions, TransferAction::Look);
    }
}

/// Draws a column. Returns its name if another one was typed.
fn column_ui(ui: &mut Ui, column: &TableColumn, columns: &ColumnsDraft) -> Option<String> {
    let ink = colors(ui).dim;
    let mut typed = columns.name(column).to_owned();
    let row = ui.horizontal(|ui| {
        let size = vec2(HEADER, sizes::CONTROL);
        ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
            ui.set_min_width(HEADER);
            let header = match column.header.trim() {
                "" => text::rich("no name", text::small()),
                header => text::rich(with_marks(header), text::mono_small()),
            };
            ui.add(Label::new(header.color(ink)).truncate());
        });
        let arrow = text::rich("→", text::small()).color(ink);
        ui.label(arrow).accessible_name("becomes");
        let name = format!("Name of {}", with_marks(&column.name));
        let field = Field {
            name: &name,
            hint: &column.name,
            mono: true,
            width: Some(NAME),
            id: Some(Id::unique(("name of a column", &column.name))),
            ..Field::default()
        };
        let is_changed = field.ui(ui, &mut typed).changed();
        let notes: Vec<String> = column.notes.iter().map(ColumnNote::words).collect();
        if !notes.is_empty() {
            let words = with_marks(&notes.join("; "));
            ui.add(Label::new(text::rich(&*words, text::small()).color(ink)).truncate())
                .hint(&words);
        }
        is_changed
    });
    row.inner.then_some(typed)
}
