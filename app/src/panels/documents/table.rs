//! The documents as a table: a column for each field of the documents that are there.

use std::ops::Range;

use egui::{Align2, Id, Role, Sense, Stroke, Ui, WidgetInfo};
use egui_table::{CellInfo, Column, HeaderCellInfo, HeaderRow, PrefetchInfo, Table, TableDelegate};

use super::{row_head, words};
use crate::action::{Action, Actions, DocumentsAction};
use crate::state::documents::due::Due;
use crate::state::documents::{DocumentsDraft, Row};
use crate::state::{State, Tab};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::{marks, menu, paint, value};

/// The first width of a column, in points.
const COLUMN: f32 = 170.0;

/// The first width of the column with `_id`, in points.
const COLUMN_ID: f32 = 270.0;

/// The widest first width of a column, in points.
const COLUMN_FIRST_MAX: f32 = 330.0;

/// Draws the table. Returns the rows on the screen.
pub fn ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    draft: &mut DocumentsDraft,
    actions: &mut Actions,
) -> Range<u64> {
    let view = &tab.documents;
    let fields: Vec<&String> = view.shown_columns().collect();
    let stays = state.tree.why_nothing_expires(&tab.namespace.db).is_some();
    let expires = view.tells_due() && !stays;
    let mut columns: Vec<Column> = fields
        .iter()
        .map(|field| {
            let width = if *field == "_id" { COLUMN_ID } else { COLUMN };
            column(field, width)
        })
        .collect();
    if expires {
        columns.insert(usize::from(!columns.is_empty()), column("expires in", COLUMN));
    }
    let count = columns.len();
    let mut delegate = Delegate { state, tab, actions, fields, expires, shown: 0..0 };
    let sticky = usize::from(delegate.fields.first().is_some_and(|field| *field == "_id"));
    let table = Table::new()
        .id_salt("documents table")
        .num_rows(view.pages.len())
        .columns(columns)
        .num_sticky_cols(sticky)
        .headers([HeaderRow::new(sizes::ROW)]);
    moved(table, count, sticky, draft).show(ui, &mut delegate);
    let shown = delegate.shown;
    draft.scroll.row = shown.start;
    draft.scroll.offset = 0.0;
    draft.table_row = Some(shown.start);
    shown
}

/// The table, moved to the row that is asked for.
fn moved(table: Table, columns: usize, sticky: usize, draft: &mut DocumentsDraft) -> Table {
    let brought = draft.brought.take();
    match draft.table_row {
        // It takes the place of the list, at the list's row. What is aligned is aligned sideways
        // too, so the first column that scrolls is named as well.
        None => {
            let start = Some(egui::Align::Min);
            let table = table.scroll_to_row(draft.scroll.row, start);
            if sticky < columns { table.scroll_to_column(sticky, start) } else { table }
        }
        Some(stands) => {
            let moved = (draft.scroll.row != stands).then_some(draft.scroll.row);
            match brought.or(moved) {
                Some(row) => table.scroll_to_row(row, None),
                None => table,
            }
        }
    }
}

fn column(field: &str, width: f32) -> Column {
    Column::new(width).range(60.0..=900.0).id(Id::unique(("column", field)))
}

struct Delegate<'a> {
    state: &'a State,
    tab: &'a Tab,
    actions: &'a mut Actions,
    fields: Vec<&'a String>,
    expires: bool,
    shown: Range<u64>,
}

/// What a column shows.
#[derive(Clone, Copy)]
enum Shows<'a> {
    Field(&'a str),
    Expires,
}

impl<'a> Delegate<'a> {
    fn column(&self, at: usize) -> Option<Shows<'a>> {
        if self.expires && at == 1 {
            return Some(Shows::Expires);
        }
        let at = if self.expires && at > 1 { at - 1 } else { at };
        self.fields.get(at).map(|field| Shows::Field(field.as_str()))
    }

    fn push(&mut self, action: DocumentsAction) {
        self.actions.push(Action::Documents(self.tab.id, action));
    }

    fn field_cell(ui: &Ui, row: &Row, field: &str) {
        if let Some(found) = row.document.get(field) {
            let mut job = egui::text::LayoutJob::default();
            let append = if field == "_id" { value::append_id } else { value::append_value };
            append(&mut job, found, colors(ui));
            value::line_in(ui, cell_rect(ui), job);
        }
    }

    /// How wide the content of a cell would like to be, for the first width of its column.
    fn wanted_width(ui: &Ui, row: &Row, shows: Shows<'_>) -> f32 {
        let Shows::Field(field) = shows else { return COLUMN };
        let Some(found) = row.document.get(field) else { return COLUMN / 2.0 };
        let words = if field == "_id" { value::id(found) } else { value::short(found) };
        let words = value::cut(&words, 60);
        let width = paint::measured(ui, &words, text::mono()).x + 2.0 * sizes::GAP_SMALL + 4.0;
        width.clamp(COLUMN / 2.0, COLUMN_FIRST_MAX)
    }

    fn due_cell(&mut self, ui: &Ui, due: Due) {
        let colors = colors(ui);
        let (words, overdue) = words::due(due, &self.state.clock);
        if let Due::At { threshold_ms, .. } = due {
            self.actions.count_down(&self.state.clock, threshold_ms);
        }
        let ink = match (due, overdue) {
            (Due::Never, _) => colors.dim,
            (_, true) => colors.overdue,
            _ => colors.accent,
        };
        let rect = cell_rect(ui);
        let align = Align2::LEFT_CENTER;
        paint::text_at(ui, rect.left_center(), align, &words, text::mono(), ink, rect.width());
    }
}

fn cell_rect(ui: &Ui) -> egui::Rect {
    ui.max_rect().shrink2(egui::vec2(sizes::GAP_SMALL, 0.0))
}

impl TableDelegate for Delegate<'_> {
    fn prepare(&mut self, info: &PrefetchInfo) {
        self.shown = info.visible_rows.clone();
    }

    fn header_cell_ui(&mut self, ui: &mut Ui, cell: &HeaderCellInfo) {
        let colors = colors(ui);
        let rect = ui.max_rect();
        let line = Stroke::new(sizes::LINE, colors.hairline);
        ui.painter().rect_filled(rect, 0.0, colors.raised);
        ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, line);
        let Some(shows) = self.column(cell.col_range.start) else { return };
        if ui.is_sizing_pass() {
            let words = if let Shows::Field(field) = shows { field } else { "Expires in" };
            ui.set_min_width(paint::measured(ui, words, text::small()).x + 40.0);
            return;
        }
        let inner = cell_rect(ui);
        let (Shows::Field(field), center) = (shows, inner.left_center()) else {
            let align = Align2::LEFT_CENTER;
            let at = inner.left_center();
            let words = "Expires in";
            paint::text_at(ui, at, align, words, text::small(), colors.dim, inner.width());
            let response = ui.interact(rect, ui.scope_id().with("head"), Sense::hover());
            response
                .widget_info(|| WidgetInfo::labeled(Role::ColumnHeader, ui.is_enabled(), words));
            return;
        };
        let sorted = self.tab.documents.sorted_by(field);
        let response = ui.interact(
            rect.shrink2(egui::vec2(6.0, 0.0)),
            ui.scope_id().with("head"),
            Sense::click(),
        );
        let title = marks::visible(field);
        let name = format!("Sort by {title}");
        response.widget_info(|| WidgetInfo::labeled(Role::ColumnHeader, ui.is_enabled(), &name));
        if response.has_focus() {
            paint::focus_ring(ui, rect.shrink(2.0), 4.0);
        }
        let ink = if response.hovered() || sorted.is_some() { colors.text } else { colors.dim };
        let room = inner.width() - 18.0;
        paint::text_at(ui, center, Align2::LEFT_CENTER, &title, text::small(), ink, room);
        if let Some(up) = sorted {
            let icon = if up { Icon::Up } else { Icon::Unfolded };
            let at = inner.right_center() - egui::vec2(6.0, 0.0);
            paint::icon_at(ui.painter(), at, icon, 14.0, colors.accent);
        }
        if response.clicked() {
            self.push(DocumentsAction::Sort(field.to_owned()));
        }
        let mut hide = false;
        menu::context(&response, |ui| {
            hide = menu::entry(ui, "Hide column", "", true).clicked();
        });
        if hide {
            self.push(DocumentsAction::SetHidden { field: field.to_owned(), hidden: true });
        }
        response.hint("Click to sort, right-click to hide");
    }

    fn row_ui(&mut self, ui: &mut Ui, row_nr: u64) {
        let colors = colors(ui);
        let view = &self.tab.documents;
        let rect = ui.max_rect();
        let Some(row) = view.pages.row(row_nr) else { return };
        let chosen = row.has_id() && (view.is_selected(&row.id) || view.is_focused(&row.id));
        if chosen {
            paint::selection(ui, rect, 0.0);
        } else if ui.rect_contains_pointer(rect) {
            ui.painter().rect_filled(rect, 0.0, colors.raised);
        }
        let line = Stroke::new(sizes::LINE, colors.hairline);
        ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, line);
    }

    fn cell_ui(&mut self, ui: &mut Ui, cell: &CellInfo) {
        let tab = self.tab;
        let Some(shows) = self.column(cell.col_nr) else { return };
        let Some(row) = tab.documents.pages.row(cell.row_nr) else {
            let rect = cell_rect(ui);
            let bar =
                egui::Rect::from_center_size(rect.center(), egui::vec2(rect.width() * 0.7, 8.0));
            ui.painter().rect_filled(bar, 4.0, colors(ui).well);
            return;
        };
        if ui.is_sizing_pass() {
            ui.set_min_width(Self::wanted_width(ui, row, shows));
            return;
        }
        let id = ui.scope_id().with(("cell", cell.row_nr, cell.col_nr));
        let response = ui.interact(ui.max_rect(), id, Sense::click());
        let spoken = match shows {
            Shows::Field("_id") => row_head::name(row),
            Shows::Field(field) => row.document.get(field).map_or_else(String::new, |found| {
                marks::visible(&value::cut(&value::short(found), 80))
            }),
            Shows::Expires => {
                let zone = self.state.clock.zone();
                row.due.map(|due| words::due_spoken(due, zone)).unwrap_or_default()
            }
        };
        response.widget_info(|| WidgetInfo::labeled(Role::Cell, ui.is_enabled(), &spoken));
        if response.has_focus() {
            paint::focus_ring(ui, ui.max_rect().shrink(2.0), 4.0);
        }
        match shows {
            Shows::Field(field) => Self::field_cell(ui, row, field),
            Shows::Expires => {
                if let Some(due) = row.due {
                    self.due_cell(ui, due);
                }
            }
        }
        if !row.has_id() {
            return;
        }
        if response.double_clicked() {
            self.push(DocumentsAction::Edit(row.id.clone()));
        } else if response.clicked() {
            let how = row_head::how(ui);
            self.push(DocumentsAction::Select { row: cell.row_nr, id: row.id.clone(), how });
        }
    }

    fn default_row_height(&self) -> f32 {
        sizes::ROW
    }
}
