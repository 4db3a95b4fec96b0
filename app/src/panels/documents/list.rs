//! The list of documents as cards or as JSON. Only visible rows are drawn; a row that is not loaded
//! is a placeholder.

use std::ops::Range;

use egui::{Rect, Role, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2};

use super::row_head;
use crate::action::{Action, Actions, DocumentsAction};
use crate::state::documents::{DocumentsDraft, Mode, Row};
use crate::state::{State, Tab, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::row_scroll::RowScroll;
use crate::widgets::{code_box, paint, value};

/// Fields on a card; the inspector shows all.
const CARD_FIELDS_MAX: usize = 9;

/// The narrowest column of fields on a card, in points.
const FIELD_COLUMN: f32 = 290.0;

/// The inner margin of a card.
const PADDING: f32 = 11.0;

/// The height of a card that is not there yet.
const CARD_ESTIMATE: f32 = 104.0;

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
    let scroll = &mut draft.scroll;
    list.ui(ui, &mut scroll.row, &mut scroll.offset, |ui, at| match view.pages.row(at) {
        Some(row) => document_ui(ui, at, row, state, tab, actions),
        None => placeholder_ui(ui, list.estimate),
    })
}

fn document_ui(ui: &mut Ui, at: u64, row: &Row, state: &State, tab: &Tab, actions: &mut Actions) {
    let view = &tab.documents;
    let colors = colors(ui);
    let width = ui.available_width() - 4.0;
    let inner_width = width - 2.0 * PADDING;
    let body = match view.mode {
        Mode::Json => Body::json(ui, row, inner_width),
        _ => Body::fields(row, inner_width),
    };
    let height = 2.0 * PADDING + row_head::HEIGHT + body.height();
    let (outer, response) =
        ui.allocate_exact_size(vec2(width, height + sizes::GAP_SMALL), Sense::click());
    let card = Rect::from_min_size(outer.min, vec2(width, height));
    let name = row_head::name(row);
    let chosen = view.is_selected(&row.id) && row.has_id();
    response.widget_info(|| WidgetInfo::selected(Role::ListItem, ui.is_enabled(), chosen, &name));
    if !ui.is_rect_visible(card) {
        return;
    }
    let focused = view.is_focused(&row.id);
    let hot = response.contains_pointer() || focused;
    let border = if focused || chosen { colors.dim } else { colors.hairline };
    let fill = if chosen { colors.raised_hover } else { colors.raised };
    let stroke = Stroke::new(sizes::LINE, border);
    ui.painter().rect(card, sizes::RADIUS_CARD, fill, stroke, StrokeKind::Inside);
    if chosen {
        paint::selection_bar(ui, card, sizes::RADIUS_CARD);
    }
    if response.has_focus() {
        paint::focus_ring(ui, card, sizes::RADIUS_CARD);
    }
    let inner = card.shrink(PADDING);
    let top = Rect::from_min_size(inner.min, vec2(inner.width(), row_head::HEIGHT));
    let rest = Rect::from_min_max(pos2(inner.left(), top.bottom()), inner.max);
    body.paint(ui, rest, row);
    row_head::ui(ui, top, at, row, hot, state, tab, actions);
    if !row.has_id() {
        return;
    }
    if response.double_clicked() {
        actions.push(Action::Documents(tab.id, DocumentsAction::Edit(row.id.clone())));
    } else if response.clicked() {
        let (id, how) = (row.id.clone(), row_head::how(ui));
        let select = DocumentsAction::Select { row: at, id, how };
        actions.push(Action::Documents(tab.id, select));
    }
}

/// What stands below the first line.
enum Body {
    Fields { columns: usize, lines: usize, more: usize },
    Json { galley: std::sync::Arc<egui::Galley>, cut: bool },
}

impl Body {
    fn fields(row: &Row, width: f32) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 3")]
        let columns = (width / FIELD_COLUMN).clamp(1.0, 3.0) as usize;
        let all = row.document.len().saturating_sub(usize::from(row.has_id()));
        let shown = all.min(CARD_FIELDS_MAX);
        Self::Fields { columns, lines: shown.div_ceil(columns), more: all - shown }
    }

    fn json(ui: &Ui, row: &Row, width: f32) -> Self {
        let (json, cut) = row.json();
        let job = code_box::highlighted(ui, json, width);
        Self::Json { galley: ui.fonts_mut(|fonts| fonts.layout_job(job)), cut }
    }

    #[expect(clippy::cast_precision_loss, reason = "a few lines")]
    fn height(&self) -> f32 {
        let (content, note) = match self {
            Self::Fields { lines, more, .. } => (*lines as f32 * value::FIELD_LINE, *more > 0),
            Self::Json { galley, cut } => (galley.size().y, *cut),
        };
        content + if note { value::FIELD_LINE } else { 0.0 } + 2.0
    }

    #[expect(clippy::cast_precision_loss, reason = "a few lines and columns")]
    fn paint(&self, ui: &Ui, rect: Rect, row: &Row) {
        let colors = colors(ui);
        let note = match self {
            Self::Fields { columns, lines, more } => {
                let width = rect.width() / *columns as f32;
                let fields = row.document.iter().filter(|(name, _)| *name != "_id");
                for (at, (name, found)) in fields.take(CARD_FIELDS_MAX).enumerate() {
                    let (column, line) = (at / lines.max(&1), at % lines.max(&1));
                    let place = pos2(
                        rect.left() + column as f32 * width,
                        rect.top() + line as f32 * value::FIELD_LINE,
                    );
                    let size = vec2(width - sizes::GAP, value::FIELD_LINE);
                    let job = value::field_line_job(ui, name, found, size.x);
                    value::line_in(ui, Rect::from_min_size(place, size), job);
                }
                (*more > 0).then(|| number::counted(*more as u64, "more field", "more fields"))
            }
            Self::Json { galley, cut } => {
                ui.painter().galley(rect.min, galley.clone(), colors.text);
                cut.then(|| "See all fields in the inspector".to_owned())
            }
        };
        if let Some(note) = note {
            let at = rect.left_bottom() - Vec2::new(0.0, value::FIELD_LINE / 2.0);
            let align = egui::Align2::LEFT_CENTER;
            paint::text_at(ui, at, align, &note, text::small(), colors.dim, rect.width());
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
