//! The documents as a table: a column for each field of the documents that are there.

use std::ops::Range;
use std::rc::Rc;

use bson::Bson;
use egui::{Align2, Event, Id, Key, Role, Sense, Stroke, Ui, WidgetInfo};
use egui_table::{CellInfo, Column, HeaderCellInfo, HeaderRow, PrefetchInfo, Table, TableDelegate};

use super::find_bar::Found;
use super::{copy, field_menu, row_head, value_editor, words};
use crate::action::{Action, Actions, DocumentsAction, ViewAction};
use crate::state::documents::due::Due;
use crate::state::documents::{
    DocumentsDraft, DocumentsView, FieldTask, FieldTaskKind, Row, field_path, filter_text,
};
use crate::state::{State, Tab};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::{cell, figure, marks, menu, paint, value};

/// The first width of a column, in points.
const COLUMN: f32 = 170.0;

/// The first width of the column with `_id`, in points: a shortened `ObjectId` fits.
const COLUMN_ID: f32 = 150.0;

/// The widest first width of a column, in points, unless the view has room for more.
const COLUMN_FIRST_MAX: f32 = 300.0;

/// Rows whose values a column is fitted to.
const FIT_ROWS_MAX: usize = 20;

/// Rows that the menu of a column looks at.
const HEAD_ROWS_MAX: usize = 200;

/// Draws the table. Returns the rows on the screen.
pub fn ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    draft: &mut DocumentsDraft,
    actions: &mut Actions,
) -> Range<u64> {
    let view = &tab.documents;
    let paths: Vec<Rc<[String]>> = view.shown_columns().into_iter().map(Rc::from).collect();
    let stays = state.tree.why_nothing_expires(&tab.namespace.db).is_some();
    let expires = view.tells_due() && !stays;
    let starts_with_id = paths.first().is_some_and(|path| is_id(path));
    let mut columns: Vec<Column> = Vec::new();
    for path in &paths {
        let (field, width) =
            (field_path::dotted(path), if is_id(path) { COLUMN_ID } else { COLUMN });
        let column = column(&field, width);
        columns.push(column.auto_size_this_frame(fits_again(view, path, field, draft)));
    }
    if expires {
        columns.insert(usize::from(!columns.is_empty()), column("expires in", COLUMN));
    }
    if columns.iter().any(|column| column.auto_size_this_frame) {
        ui.ctx().request_repaint();
    }
    let count = columns.len();
    let edit = draft.field.as_ref().filter(|edit| edit.in_list);
    let edited = edit.map(|edit| {
        let id = edit.opened.get("_id").cloned().unwrap_or(Bson::Null);
        (id, edit.names.clone())
    });
    let found = Found::of(draft);
    #[expect(clippy::cast_precision_loss, reason = "a few columns")]
    let first_max = (ui.available_width() / count.max(1) as f32).max(COLUMN_FIRST_MAX);
    let shown = 0..0;
    let cuts = cell::Cuts::default();
    let mut delegate =
        Delegate { state, tab, actions, paths, expires, edited, found, shown, first_max, cuts };
    let sticky = usize::from(starts_with_id);
    cell::keep_bars_beside(ui);
    let ids: Vec<Id> = (0..).zip(&columns).map(|(at, column)| column.id_for(at)).collect();
    let table = Table::new()
        .id_salt("documents table")
        .num_rows(view.pages.len() + 1)
        .columns(columns)
        .num_sticky_cols(sticky)
        .headers([HeaderRow::new(sizes::ROW)]);
    let id = table.get_id(ui);
    moved(table, count, sticky, draft).show(ui, &mut delegate);
    for (column, title) in ids.into_iter().zip(delegate.titles()) {
        paint::name_column_edge(ui, id, column, &marks::visible(&title));
    }
    delegate.cuts.fade(ui);
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

/// Whether a column has values of another type than it was fitted to, or its first values.
fn fits_again(
    view: &DocumentsView,
    path: &[String],
    field: String,
    draft: &mut DocumentsDraft,
) -> bool {
    let mut rows = view.pages.rows().take(FIT_ROWS_MAX);
    let first = rows.find_map(|(_, row)| field_path::value(&row.document, path));
    let Some(kind) = first.map(Bson::element_type) else { return false };
    draft.fitted.insert(field, kind) != Some(kind)
}

struct Delegate<'a> {
    state: &'a State,
    tab: &'a Tab,
    actions: &'a mut Actions,
    paths: Vec<Rc<[String]>>,
    expires: bool,
    /// The `_id` of the document whose cell is under edit, and the path of the column.
    edited: Option<(Bson, Vec<String>)>,
    found: Found,
    shown: Range<u64>,
    /// The widest first width of a column: its share of the view where that is wide, in points.
    first_max: f32,
    cuts: cell::Cuts,
}

/// The contents of a column.
#[derive(Clone)]
enum Shows {
    Field(Rc<[String]>),
    Expires,
}

impl Delegate<'_> {
    /// The titles of the columns.
    fn titles(&self) -> Vec<String> {
        let mut titles: Vec<String> =
            self.paths.iter().map(|path| field_path::dotted(path)).collect();
        if self.expires {
            titles.insert(usize::from(!titles.is_empty()), "Expires in".to_owned());
        }
        titles
    }

    fn column(&self, at: usize) -> Option<Shows> {
        if self.expires && at == 1 {
            return Some(Shows::Expires);
        }
        let at = if self.expires && at > 1 { at - 1 } else { at };
        self.paths.get(at).map(|path| Shows::Field(Rc::clone(path)))
    }

    fn push(&mut self, action: DocumentsAction) {
        self.actions.push(Action::Documents(self.tab.id, action));
    }

    /// How wide the content of a cell would like to be, for the first width of its column.
    fn wanted_width(&self, ui: &Ui, row: &Row, shows: &Shows) -> f32 {
        let Shows::Field(path) = shows else { return COLUMN };
        let Some(found) = field_path::value(&row.document, path) else { return COLUMN / 2.0 };
        let words = value::cut(&cell_words(path, found), 60);
        let width = paint::measured(ui, &words, text::mono()).x + 2.0 * sizes::GAP_SMALL + 4.0;
        width.clamp(COLUMN / 2.0, self.first_max)
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
        figure::paint(ui, cell_rect(ui), Align2::LEFT_CENTER, &words, figure::mono(ink));
    }

    fn expires_head_ui(ui: &mut Ui) {
        let (rect, inner) = (ui.max_rect(), cell_rect(ui));
        let (words, ink) = ("Expires in", colors(ui).dim);
        let align = Align2::LEFT_CENTER;
        paint::text_at(ui, inner.left_center(), align, words, text::small(), ink, inner.width());
        let response = ui.interact(rect, ui.scope_id().with("head"), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::ColumnHeader, ui.is_enabled(), words));
    }

    fn head_ui(&mut self, ui: &mut Ui, path: &[String]) {
        let colors = colors(ui);
        let (rect, inner) = (ui.max_rect(), cell_rect(ui));
        let field = field_path::dotted(path);
        let sorted = self.tab.documents.sorted_by(&field);
        let area = rect.shrink2(egui::vec2(6.0, 0.0));
        let response = ui.interact(area, ui.scope_id().with("head"), Sense::click());
        let title = marks::visible(&field);
        let name = format!("Sort by {title}");
        response.widget_info(|| WidgetInfo::labeled(Role::ColumnHeader, ui.is_enabled(), &name));
        if response.has_focus() {
            paint::focus_ring(ui, rect.shrink(2.0), 4.0);
        }
        let ink = if response.hovered() || sorted.is_some() { colors.text } else { colors.dim };
        let room = inner.width() - 18.0;
        let mut rows = self.tab.documents.pages.rows().take(HEAD_ROWS_MAX);
        let first = rows.find_map(|(_, row)| {
            field_path::value(&row.document, path).filter(|value| **value != Bson::Null)
        });
        let (at, align) = if first.is_some_and(cell::is_right) {
            let mark = if sorted.is_some() { 18.0 } else { 0.0 };
            (inner.right_center() - egui::vec2(mark, 0.0), Align2::RIGHT_CENTER)
        } else {
            (inner.left_center(), Align2::LEFT_CENTER)
        };
        paint::text_at(ui, at, align, &title, text::small(), ink, room);
        if let Some(up) = sorted {
            let icon = if up { Icon::Up } else { Icon::Down };
            let at = inner.right_center() - egui::vec2(6.0, 0.0);
            paint::icon_at(ui.painter(), at, icon, 14.0, colors.accent);
        }
        if response.clicked() && field_path::is_plain(path) {
            self.push(DocumentsAction::Sort(field));
        }
        menu::context(&response, |ui| self.head_menu_ui(ui, path));
        response.hint("Click to sort, right-click for more");
    }

    fn head_menu_ui(&mut self, ui: &mut Ui, path: &[String]) {
        let (tab, field) = (self.tab, field_path::dotted(path));
        if menu::entry(ui, "Copy path", "", true).clicked() {
            self.actions.push(Action::View(ViewAction::Copy(field.clone())));
        }
        let mut push = |action| self.actions.push(Action::Documents(tab.id, action));
        if field_path::is_plain(path) {
            field_menu::sort_ui(ui, tab, &field, &mut push);
            for (label, there) in [("Filter by having it", true), ("Filter by missing it", false)] {
                if menu::entry(ui, label, "", true).clicked() {
                    push(DocumentsAction::Narrow(filter_text::exists(&field, there)));
                }
            }
            menu::line(ui);
        }
        let has_documents = || {
            let mut rows = tab.documents.pages.rows().take(HEAD_ROWS_MAX);
            let inner =
                |row: &Row| row.document.get(&path[0]).and_then(Bson::as_document).is_some();
            rows.any(|(_, row)| inner(row))
        };
        let top = || path[0].clone();
        if path.len() > 1 {
            if menu::entry(ui, &format!("Show {} as one column", path[0]), "", true).clicked() {
                push(DocumentsAction::SetExpanded { field: top(), expanded: false });
            }
        } else if has_documents()
            && menu::entry(ui, "Show its fields as columns", "", true).clicked()
        {
            push(DocumentsAction::SetExpanded { field: top(), expanded: true });
        }
        if menu::entry(ui, "Hide column", "", true).clicked() {
            push(DocumentsAction::SetHidden { field: field.clone(), hidden: true });
        }
        let may_be = |row: &Row| {
            field_path::value(&row.document, path).is_some_and(field_menu::may_become_date)
        };
        let mut rows = tab.documents.pages.rows().take(HEAD_ROWS_MAX);
        if field_path::is_plain(path) && path[0] != "_id" && rows.any(|(_, row)| may_be(row)) {
            field_menu::convert_ui(ui, tab, &field, self.actions);
        }
    }

    fn field_cell_ui(
        &mut self,
        ui: &mut Ui,
        (at, row): (u64, &Row),
        path: &[String],
        response: &egui::Response,
    ) {
        value_editor::saved_ui(ui, self.state, self.tab, (row, path), self.actions);
        let found = field_path::value(&row.document, path);
        if let Some(found) = found {
            if is_id(path) && matches!(found, Bson::Document(_) | Bson::Array(_)) {
                let mut job = egui::text::LayoutJob::default();
                value::append_id(&mut job, found, colors(ui));
                value::line_in(ui, cell_rect(ui), job);
            } else {
                let mut job = cell::job(found, colors(ui));
                self.found.set_off_cell(ui, &mut job, found);
                cell::paint(ui, cell_rect(ui), found, job);
            }
            cell::hint_ui(response, found, |ms| words::instant(ms, &self.state.clock));
        }
        let is_edited =
            self.edited.as_ref().is_some_and(|(id, names)| *id == row.id && names == path);
        if is_edited {
            value_editor::note_cell(ui, ui.max_rect(), response.id);
        }
        let target = field_menu::Target {
            tab: self.tab,
            id: row.has_id().then_some(&row.id),
            row: at,
            document: &row.document,
            names: path,
            in_list: true,
            editable: true,
        };
        field_menu::cell_ui(ui, response, &target, self.actions);
    }

    /// The right arrow key goes from the selected document to its first value; with Ctrl also where
    /// the key alone moves a simulated clock.
    fn enter_row(&self, ui: &Ui, row: &Row, shows: &Shows, response: &egui::Response) {
        let first = self.paths.iter().find(|path| !is_id(path));
        let is_first = matches!(shows, Shows::Field(path) if Some(path) == first);
        let is_free = || ui.memory(|memory| memory.focused().is_none());
        if is_first
            && self.tab.documents.is_focused(&row.id)
            && ui.input(|input| input.key_pressed(Key::ArrowRight) && !input.modifiers.shift)
            && is_free()
            && !self.state.is_covered()
        {
            response.request_focus();
        }
    }

    /// Handles presses and keys on a cell.
    fn cell_keys(&mut self, ui: &Ui, at: u64, row: &Row, shows: &Shows, response: &egui::Response) {
        let entered = response.has_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        let is_copied = |event: &Event| matches!(event, Event::Copy);
        if response.has_focus()
            && ui.input(|input| input.events.iter().any(is_copied))
            && let Shows::Field(path) = shows
            && let Some(found) = field_path::value(&row.document, path)
        {
            self.actions.push(Action::View(ViewAction::CopyLines(copy::value_text(found))));
        }
        self.enter_row(ui, row, shows, response);
        if response.double_clicked() || entered {
            let id = row.id.clone();
            self.push(match shows {
                Shows::Field(path) if path[0] != "_id" => {
                    let task = FieldTask { names: path.to_vec(), kind: FieldTaskKind::EditInList };
                    DocumentsAction::Field { id, task }
                }
                _ => DocumentsAction::Edit(id),
            });
        } else if response.clicked() {
            let how = row_head::how(ui);
            self.push(DocumentsAction::Select { row: at, id: row.id.clone(), how });
        }
    }
}

fn is_id(path: &[String]) -> bool {
    path == ["_id"]
}

fn cell_words(path: &[String], found: &Bson) -> String {
    match found {
        // The contents of an `_id` identify the document, so they are shown.
        Bson::Document(_) | Bson::Array(_) if is_id(path) => value::id(found),
        _ => cell::words(found),
    }
}

fn cell_rect(ui: &Ui) -> egui::Rect {
    ui.max_rect().shrink2(egui::vec2(sizes::GAP_SMALL, 0.0))
}

impl TableDelegate for Delegate<'_> {
    fn prepare(&mut self, info: &PrefetchInfo) {
        let rows = self.tab.documents.pages.len();
        self.shown = info.visible_rows.start.min(rows)..info.visible_rows.end.min(rows);
    }

    fn header_cell_ui(&mut self, ui: &mut Ui, cell: &HeaderCellInfo) {
        let colors = colors(ui);
        let rect = ui.max_rect();
        let line = Stroke::new(sizes::LINE, colors.hairline);
        ui.painter().rect_filled(rect, 0.0, colors.raised);
        ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, line);
        let Some(shows) = self.column(cell.col_range.start) else { return };
        if ui.is_sizing_pass() {
            let words = match &shows {
                Shows::Field(path) => field_path::dotted(path),
                Shows::Expires => "Expires in".to_owned(),
            };
            ui.set_min_width(paint::measured(ui, &words, text::small()).x + 40.0);
            return;
        }
        if !matches!(&shows, Shows::Field(path) if is_id(path)) {
            self.cuts.note(ui);
        }
        match shows {
            Shows::Field(path) => self.head_ui(ui, &path),
            Shows::Expires => Self::expires_head_ui(ui),
        }
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
        if self.found.at == Some(row_nr) {
            let line = Stroke::new(sizes::LINE, colors.busy);
            ui.painter().rect_stroke(rect.shrink(1.0), 0.0, line, egui::StrokeKind::Inside);
        }
    }

    fn cell_ui(&mut self, ui: &mut Ui, cell: &CellInfo) {
        let tab = self.tab;
        if cell.row_nr >= tab.documents.pages.len() {
            return;
        }
        let Some(shows) = self.column(cell.col_nr) else { return };
        if !matches!(&shows, Shows::Field(path) if is_id(path)) {
            self.cuts.note(ui);
        }
        let Some(row) = tab.documents.pages.row(cell.row_nr) else {
            let rect = cell_rect(ui);
            let bar =
                egui::Rect::from_center_size(rect.center(), egui::vec2(rect.width() * 0.7, 8.0));
            ui.painter().rect_filled(bar, 4.0, colors(ui).well);
            return;
        };
        if ui.is_sizing_pass() {
            ui.set_min_width(self.wanted_width(ui, row, &shows));
            return;
        }
        let id = ui.scope_id().with(("cell", cell.row_nr, cell.col_nr));
        let response = ui.interact(ui.max_rect(), id, Sense::click());
        let spoken = match &shows {
            Shows::Field(path) if is_id(path) => row_head::name(row),
            Shows::Field(path) => field_path::value(&row.document, path)
                .map_or_else(String::new, |found| {
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
        match &shows {
            Shows::Field(path) => self.field_cell_ui(ui, (cell.row_nr, row), path, &response),
            Shows::Expires => {
                if let Some(due) = row.due {
                    self.due_cell(ui, due);
                }
            }
        }
        if row.has_id() {
            self.cell_keys(ui, cell.row_nr, row, &shows, &response);
        }
    }

    fn default_row_height(&self) -> f32 {
        cell::row_height(self.state.settings.compact)
    }

    fn row_top_offset(&self, _context: &egui::Context, _table: Id, row: u64) -> f32 {
        cell::row_top(row, self.tab.documents.pages.len(), self.default_row_height())
    }
}
