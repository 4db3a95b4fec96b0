//! Results as a table: a column for each field.

use bson::Bson;
use egui::{Align2, Id, Role, Sense, Stroke, Ui, WidgetInfo};
use egui_table::{CellInfo, Column, HeaderCellInfo, HeaderRow, Table, TableDelegate};
use mayfly_engine::value::{Layout, shell};

use crate::action::{Action, ViewAction};
use crate::panels::documents::words;
use crate::panels::tab_actions::AggregateActions;
use crate::state::aggregate::Output;
use crate::state::documents::Row;
use crate::state::{State, Tab};
use crate::theme::{colors, sizes, text};
use crate::widgets::{cell, marks, menu, paint, value};

/// The first width of a column, in points.
const COLUMN: f32 = 130.0;

/// The widest first width of a column, in points.
const COLUMN_FIRST_MAX: f32 = 280.0;

pub fn ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    output: &Output,
    actions: &mut AggregateActions<'_>,
) {
    let columns: Vec<Column> = output
        .columns
        .iter()
        .map(|field| Column::new(COLUMN).range(60.0..=900.0).id(Id::unique(("result", field))))
        .collect();
    let cuts = cell::Cuts::default();
    let mut delegate = Delegate { state, output, actions, cuts };
    cell::keep_bars_beside(ui);
    // Another run has other columns: their first widths are found again.
    let ids: Vec<Id> = (0..).zip(&columns).map(|(at, column)| column.id_for(at)).collect();
    let table = Table::new()
        .id_salt(("results", tab.id.0, &output.columns))
        .num_rows(output.rows.len() as u64 + 1)
        .columns(columns)
        .headers([HeaderRow::new(sizes::ROW)]);
    let id = table.get_id(ui);
    table.show(ui, &mut delegate);
    for (column, field) in ids.into_iter().zip(&output.columns) {
        paint::name_column_edge(ui, id, column, &marks::visible(field));
    }
    delegate.cuts.fade(ui);
}

struct Delegate<'a, 'b> {
    state: &'a State,
    output: &'a Output,
    actions: &'a mut AggregateActions<'b>,
    cuts: cell::Cuts,
}

fn row(output: &Output, row: u64) -> Option<&Row> {
    usize::try_from(row).ok().and_then(|row| output.rows.get(row))
}

fn cell_rect(ui: &Ui) -> egui::Rect {
    ui.max_rect().shrink2(egui::vec2(sizes::GAP_SMALL, 0.0))
}

impl TableDelegate for Delegate<'_, '_> {
    fn header_cell_ui(&mut self, ui: &mut Ui, cell: &HeaderCellInfo) {
        let colors = colors(ui);
        let rect = ui.max_rect();
        let line = Stroke::new(sizes::LINE, colors.hairline);
        ui.painter().rect_filled(rect, 0.0, colors.raised);
        ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, line);
        let Some(field) = self.output.columns.get(cell.col_range.start) else { return };
        let title = marks::visible(field);
        if ui.is_sizing_pass() {
            ui.set_min_width(paint::measured(ui, &title, text::small()).x + 24.0);
            return;
        }
        self.cuts.note(ui);
        let inner = cell_rect(ui);
        let first = self.output.rows.iter().find_map(|row| row.document.get(field));
        let is_right = first.is_some_and(cell::is_right);
        let (at, align) = if is_right {
            (inner.right_center(), Align2::RIGHT_CENTER)
        } else {
            (inner.left_center(), Align2::LEFT_CENTER)
        };
        paint::text_at(ui, at, align, &title, text::small(), colors.dim, inner.width());
        let response = ui.interact(rect, ui.scope_id().with("head"), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::ColumnHeader, ui.is_enabled(), &title));
    }

    fn row_ui(&mut self, ui: &mut Ui, at: u64) {
        if row(self.output, at).is_none() {
            return;
        }
        let rect = ui.max_rect();
        if ui.rect_contains_pointer(rect) {
            ui.painter().rect_filled(rect, 0.0, colors(ui).raised);
        }
        let line = Stroke::new(sizes::LINE, colors(ui).hairline);
        ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, line);
    }

    fn cell_ui(&mut self, ui: &mut Ui, at: &CellInfo) {
        let output = self.output;
        let Some(field) = output.columns.get(at.col_nr) else { return };
        let Some(row) = row(output, at.row_nr) else { return };
        let found = row.document.get(field);
        self.cuts.note(ui);
        if ui.is_sizing_pass() {
            let words = found.map_or_else(String::new, cell::words);
            let width = paint::measured(ui, &value::cut(&words, 60), text::mono()).x;
            let width = width + 2.0 * sizes::GAP_SMALL + 4.0;
            ui.set_min_width(width.clamp(60.0, COLUMN_FIRST_MAX));
            return;
        }
        let id = ui.scope_id().with(("cell", at.row_nr, at.col_nr));
        let response = ui.interact(ui.max_rect(), id, Sense::click());
        let spoken = found.map_or_else(String::new, |found| {
            marks::visible(&value::cut(&value::short(found), 80))
        });
        response.widget_info(|| WidgetInfo::labeled(Role::Cell, ui.is_enabled(), &spoken));
        if response.has_focus() {
            paint::focus_ring(ui, ui.max_rect().shrink(2.0), 4.0);
        }
        if let Some(found) = found {
            cell::paint(ui, cell_rect(ui), found, cell::job(found, colors(ui)));
            cell::hint_ui(&response, found, |ms| words::instant(ms, &self.state.clock));
        }
        menu::context(&response, |ui| {
            if menu::entry(ui, "Copy value", "", found.is_some()).clicked()
                && let Some(found) = row.document.get(field)
            {
                let text = match found {
                    Bson::String(text) => text.clone(),
                    other => shell::write_value(other, Layout::Indented),
                };
                self.actions.queue.push(Action::View(ViewAction::CopyLines(text)));
            }
            copy_ui(ui, row, self.actions);
        });
    }

    fn default_row_height(&self) -> f32 {
        cell::row_height(self.state.settings.compact)
    }

    fn row_top_offset(&self, _context: &egui::Context, _table: Id, row: u64) -> f32 {
        cell::row_top(row, self.output.rows.len() as u64, self.default_row_height())
    }
}

/// The entries of a result's menu.
pub(super) fn copy_ui(ui: &mut Ui, row: &Row, actions: &mut AggregateActions<'_>) {
    if menu::entry(ui, "Copy document", "", true).clicked() {
        let value = Bson::Document(row.document.clone());
        let layout = Layout::Indented;
        let text = shell::write_value(&value, layout);
        actions.queue.push(Action::View(ViewAction::CopyLines(text)));
    }
}
