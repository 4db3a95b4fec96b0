//! The list of documents as cards or as JSON. Only visible rows are drawn; a row that is not loaded
//! is a placeholder.

use std::ops::Range;
use std::sync::Arc;

use bson::Bson;
use egui::{
    Galley, Pos2, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2,
};

use super::find_bar::Found;
use super::words::settled_width;
use super::{field_menu, row_head};
use crate::action::{Action, Actions, DocumentsAction};
use crate::state::documents::json_lines::ShownLine;
use crate::state::documents::view::key;
use crate::state::documents::{DocumentsDraft, Folds, Mode, Row, field_path};
use crate::state::{State, Tab, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::row_scroll::RowScroll;
use crate::widgets::{code_box, marks, menu, paint, value};

/// Fields on a card; the inspector shows all.
const CARD_FIELDS_MAX: usize = 9;

/// The narrowest column of fields on a card, in points.
const FIELD_COLUMN: f32 = 290.0;

/// The inner margin of a card.
const PADDING: f32 = 11.0;

/// The height of a card that is not there yet.
const CARD_ESTIMATE: f32 = 104.0;

/// The room left of JSON for the marks that fold.
const GUTTER: f32 = 18.0;

/// Draws the list. Returns the rows on the screen.
pub fn ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    draft: &mut DocumentsDraft,
    actions: &mut Actions,
) -> Range<u64> {
    let view = &tab.documents;
    let json = view.mode == Mode::Json;
    let list = RowScroll {
        name: "documents",
        rows: view.pages.len(),
        estimate: if json { 2.0 * CARD_ESTIMATE } else { CARD_ESTIMATE },
        version: u64::from(json),
    };
    let found = Found::of(draft);
    let DocumentsDraft { scroll, folds, .. } = draft;
    let mut toggled = None;
    let shown =
        list.ui(ui, &mut scroll.row, &mut scroll.offset, |ui, at| match view.pages.row(at) {
            Some(row) => {
                let shown = ListRow { at, row, state, tab, folds, found: &found };
                toggled = shown.ui(ui, actions).or(toggled.take());
            }
            None => placeholder_ui(ui, list.estimate),
        });
    if let Some((document, path)) = toggled {
        folds.toggle(document, path);
    }
    shown
}

struct ListRow<'a> {
    at: u64,
    row: &'a Row,
    state: &'a State,
    tab: &'a Tab,
    folds: &'a Folds,
    found: &'a Found,
}

impl ListRow<'_> {
    /// Draws the document. Returns the value that is to be folded or opened.
    fn ui(&self, ui: &mut Ui, actions: &mut Actions) -> Option<(String, Vec<usize>)> {
        let (view, row) = (&self.tab.documents, self.row);
        let colors = colors(ui);
        let width = ui.available_width() - 4.0;
        let inner_width = width - 2.0 * PADDING;
        let key = self.key();
        let body = match view.mode {
            Mode::Json => self.json(ui, inner_width, |path| self.folds.is_folded(&key, path)),
            _ => Body::fields(row, settled_width(ui, self.state, self.tab) - 2.0 * PADDING),
        };
        let height = 2.0 * PADDING + row_head::HEIGHT + body.height();
        let (outer, response) =
            ui.allocate_exact_size(vec2(width, height + sizes::GAP_SMALL), Sense::click());
        let card = Rect::from_min_size(outer.min, vec2(width, height));
        let name = row_head::name(row);
        let chosen = view.is_selected(&row.id) && row.has_id();
        response
            .widget_info(|| WidgetInfo::selected(Role::ListItem, ui.is_enabled(), chosen, &name));
        if !ui.is_rect_visible(card) {
            return None;
        }
        let focused = view.is_focused(&row.id);
        let hot = response.contains_pointer() || focused;
        let border = match (self.found.at == Some(self.at), focused || chosen) {
            (true, _) => colors.busy,
            (false, true) => colors.dim,
            (false, false) => colors.hairline,
        };
        let stroke = Stroke::new(sizes::LINE, border);
        ui.painter().rect(card, sizes::RADIUS_CARD, colors.raised, stroke, StrokeKind::Inside);
        if chosen {
            paint::selection_bar(ui, card, sizes::RADIUS_CARD);
        }
        if response.has_focus() {
            paint::focus_ring(ui, card, sizes::RADIUS_CARD);
        }
        let inner = card.shrink(PADDING);
        let top = Rect::from_min_size(inner.min, vec2(inner.width(), row_head::HEIGHT));
        let rest = Rect::from_min_max(pos2(inner.left(), top.bottom()), inner.max);
        body.paint(ui, rest, row, self.found);
        let toggled = body.folds_ui(ui, rest, row);
        row_head::ui(ui, top, self.at, row, hot, self.state, self.tab, actions);
        self.menu_ui(&response, &body, rest, actions);
        if row.has_id() {
            self.press(ui, &response, actions);
        }
        toggled.map(|path| (key, path))
    }

    fn json(&self, ui: &Ui, width: f32, is_folded: impl Fn(&[usize]) -> bool) -> Body {
        let (lines, cut) = self.row.json().shown(is_folded);
        let text: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        let mut job = code_box::highlighted(ui, &text.join("\n"), width - GUTTER);
        self.found.set_off(&mut job, colors(ui));
        Body::Json { galley: ui.fonts_mut(|fonts| fonts.layout_job(job)), lines, cut }
    }

    /// Identifies the document among the others.
    fn key(&self) -> String {
        if self.row.has_id() { key(&self.row.id) } else { format!("row {}", self.at) }
    }

    fn press(&self, ui: &Ui, response: &Response, actions: &mut Actions) {
        let id = self.row.id.clone();
        if response.double_clicked() {
            actions.push(Action::Documents(self.tab.id, DocumentsAction::Edit(id)));
        } else if response.clicked() {
            let select = DocumentsAction::Select { row: self.at, id, how: row_head::how(ui) };
            actions.push(Action::Documents(self.tab.id, select));
        }
    }

    /// The menu of the field under the pointer.
    fn menu_ui(&self, response: &Response, body: &Body, rest: Rect, actions: &mut Actions) {
        let id = response.id.with("field");
        if response.secondary_clicked() {
            let at = response.interact_pointer_pos().unwrap_or(rest.min);
            let names = body.field_at(rest, at, self.row).unwrap_or_default();
            response.ctx.data_mut(|data| data.insert_temp(id, names));
        }
        menu::context(response, |ui| {
            let names: Vec<String> = ui.data(|data| data.get_temp(id)).unwrap_or_default();
            let target = field_menu::Target {
                tab: self.tab,
                id: self.row.has_id().then_some(&self.row.id),
                row: self.at,
                document: &self.row.document,
                names: &names,
                in_list: false,
                editable: true,
            };
            field_menu::ui(ui, &target, actions);
        });
    }
}

/// The part below the first line.
enum Body {
    Fields { columns: usize, lines: usize, more: usize },
    Json { galley: Arc<Galley>, lines: Vec<ShownLine>, cut: bool },
}

impl Body {
    fn fields(row: &Row, width: f32) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 3")]
        let columns = (width / FIELD_COLUMN).clamp(1.0, 3.0) as usize;
        let all = row.document.len().saturating_sub(usize::from(row.has_id()));
        let shown = all.min(CARD_FIELDS_MAX);
        Self::Fields { columns, lines: shown.div_ceil(columns), more: all - shown }
    }

    #[expect(clippy::cast_precision_loss, reason = "a few lines")]
    fn height(&self) -> f32 {
        let (content, note) = match self {
            Self::Fields { lines, more, .. } => (*lines as f32 * value::FIELD_LINE, *more > 0),
            Self::Json { galley, cut, .. } => (galley.size().y, *cut),
        };
        content + if note { value::FIELD_LINE } else { 0.0 } + 2.0
    }

    /// Where each field of a card is.
    #[expect(clippy::cast_precision_loss, reason = "a few lines and columns")]
    fn places(
        columns: usize,
        lines: usize,
        rect: Rect,
        row: &Row,
    ) -> impl Iterator<Item = (Rect, &String, &Bson)> {
        let width = rect.width() / columns as f32;
        let fields = row.document.iter().filter(|(name, _)| *name != "_id");
        fields.take(CARD_FIELDS_MAX).enumerate().map(move |(at, (name, found))| {
            let (column, line) = (at / lines.max(1), at % lines.max(1));
            let place = pos2(
                rect.left() + column as f32 * width,
                rect.top() + line as f32 * value::FIELD_LINE,
            );
            (Rect::from_min_size(place, vec2(width - sizes::GAP, value::FIELD_LINE)), name, found)
        })
    }

    fn paint(&self, ui: &Ui, rect: Rect, row: &Row, found: &Found) {
        let colors = colors(ui);
        let note = match self {
            Self::Fields { columns, lines, more } => {
                for (place, name, content) in Self::places(*columns, *lines, rect, row) {
                    let mut job = value::field_line_job(ui, name, content, place.width());
                    found.set_off(&mut job, colors);
                    value::line_in(ui, place, job);
                }
                (*more > 0).then(|| number::counted(*more as u64, "more field", "more fields"))
            }
            Self::Json { galley, cut, .. } => {
                let at = rect.min + vec2(GUTTER, 0.0);
                ui.painter().galley(at, galley.clone(), colors.text);
                cut.then(|| "See all fields in the inspector".to_owned())
            }
        };
        if let Some(note) = note {
            let at = rect.left_bottom() - Vec2::new(0.0, value::FIELD_LINE / 2.0);
            let align = egui::Align2::LEFT_CENTER;
            paint::text_at(ui, at, align, &note, text::small(), colors.dim, rect.width());
        }
    }

    /// Top and bottom of each line of JSON.
    fn line_spans(galley: &Galley) -> Vec<(f32, f32)> {
        let (mut spans, mut top) = (Vec::new(), None);
        for row in &galley.rows {
            let rect = row.rect();
            let first = *top.get_or_insert(rect.top());
            // A long line of JSON is wrapped onto several rows.
            if row.ends_with_newline {
                spans.push((first, rect.bottom()));
                top = None;
            }
        }
        let last = galley.rows.last().map_or(0.0, |row| row.rect().bottom());
        spans.extend(top.map(|first| (first, last)));
        spans
    }

    /// The marks that fold. Returns the value whose mark was pressed.
    fn folds_ui(&self, ui: &Ui, rect: Rect, row: &Row) -> Option<Vec<usize>> {
        let Self::Json { galley, lines, .. } = self else { return None };
        let mut pressed = None;
        for (line, (top, bottom)) in lines.iter().zip(Self::line_spans(galley)) {
            let (Some(folded), Some(path)) =
                (line.folded, row.json().lines.get(line.line).map(|line| &line.path))
            else {
                continue;
            };
            let first = (bottom - top).min(sizes::ROW_DENSE);
            let place =
                Rect::from_min_size(pos2(rect.left() - 2.0, rect.top() + top), vec2(GUTTER, first));
            if !ui.is_rect_visible(place) {
                continue;
            }
            let id = ui.scope_id().with(("fold", path));
            let response = ui.interact(place, id, Sense::click());
            let names = field_path::names(&row.document, path).unwrap_or_default();
            let verb = if folded { "Unfold" } else { "Fold" };
            let name = format!("{verb} {}", marks::visible(&field_path::dotted(&names)));
            response.widget_info(|| {
                WidgetInfo::labeled(Role::DisclosureTriangle, ui.is_enabled(), &name)
            });
            let colors = colors(ui);
            let hot = response.hovered() || response.has_focus();
            let ink = if hot { colors.text } else { colors.dim };
            let icon = if folded { Icon::Expand } else { Icon::Unfolded };
            paint::icon_at(ui.painter(), place.center(), icon, text::ICON - 2.0, ink);
            if response.clicked() {
                pressed = Some(path.clone());
            }
        }
        pressed
    }

    /// The names of the field at a point.
    fn field_at(&self, rect: Rect, point: Pos2, row: &Row) -> Option<Vec<String>> {
        match self {
            Self::Fields { columns, lines, .. } => {
                let mut places = Self::places(*columns, *lines, rect, row);
                let found = places.find(|(place, ..)| place.contains(point));
                found.map(|(_, name, _)| vec![name.clone()])
            }
            Self::Json { galley, lines, .. } => {
                let y = point.y - rect.top();
                let spans = Self::line_spans(galley);
                let at = spans.iter().position(|(top, bottom)| (*top..*bottom).contains(&y))?;
                let line = row.json().lines.get(lines.get(at)?.line)?;
                field_path::names(&row.document, &line.path)
            }
        }
    }
}

fn placeholder_ui(ui: &mut Ui, height: f32) {
    let colors = colors(ui);
    let width = ui.available_width() - 4.0;
    let (outer, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    let card = Rect::from_min_size(outer.min, vec2(width, height - sizes::GAP_SMALL));
    let stroke = Stroke::new(sizes::LINE, colors.hairline);
    ui.painter().rect(card, sizes::RADIUS_CARD, colors.panel, stroke, StrokeKind::Inside);
    for (line, share) in [0.24, 0.5, 0.38].into_iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "three lines")]
        let top = card.top() + PADDING + 6.0 + 24.0 * line as f32;
        let bar = Rect::from_min_size(
            pos2(card.left() + PADDING, top),
            vec2(width.min(700.0) * share, 10.0),
        );
        ui.painter().rect_filled(bar, 5.0, colors.well);
    }
}
