//! The documents of the timeline as a table, soonest first; and the table that the ledger has too.

use egui::text::TextFormat;
use egui::{Response, RichText, Sense, Ui};
use egui_extras::{Column, TableBuilder};

use super::marks;
use super::pass_times::PassTimes;
use super::words;
use crate::action::ExpiryAction;
use crate::panels::tab_actions::ExpiryActions;
use crate::state::expiry::{Lane, Phase};
use crate::state::{State, Tab, duration};
use crate::theme::{colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::{cell, figure, paint};

/// Documents that wait or are overdue. Returns whether the pointer is over them.
pub(super) fn waiting_ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    times: &PassTimes,
    actions: &mut ExpiryActions<'_>,
) -> bool {
    let (view, indexes) = (&tab.expiry, tab.indexes.ttl());
    let clock = &state.clock;
    let (now_ms, shown_ms, zone) = (clock.now_ms(), clock.shown_ms(), clock.zone());
    let expires = zone.heading("Expires at");
    let columns = [
        ("_id", sizes::COLUMN),
        ("Remaining", sizes::COLUMN_REMAINING),
        (expires.as_str(), sizes::COLUMN_DATE),
        ("Removal window", sizes::COLUMN_WIDE),
        ("Index", sizes::COLUMN),
        ("Date", sizes::COLUMN_DATE),
    ];
    let rows: Vec<&Lane> = view.lanes.iter().filter(|lane| view.is_brushed(lane)).collect();
    let name = "expiring documents";
    let chosen = view.selected_lane().map(|lane| (&lane.id, lane.removed_ms));
    let is_chosen = |lane: &Lane| chosen == Some((&lane.id, lane.removed_ms));
    let table = Table { name, columns: &columns, rows: &rows, is_chosen: &is_chosen, state };
    let mut clicked = |response: &Response, lane: &Lane| {
        if response.clicked() {
            actions.push(ExpiryAction::select(lane));
        }
    };
    table.ui(ui, &mut clicked, |ui, lane, column| {
        let ink = colors(ui);
        let mono = |words: String| RichText::new(words).font(text::mono());
        if column == 0 {
            marks::ui(ui, &indexes, &lane.index);
            return id_ui(ui, lane, lane.removed_ms.is_some());
        }
        let words = match column {
            1 => match lane.phase(now_ms) {
                Phase::Waiting => {
                    let left = duration::countdown(lane.threshold_ms.saturating_sub(shown_ms));
                    return drop(figure::ui(ui, &left, figure::mono(ink.text)));
                }
                Phase::Overdue => {
                    let known_ms = shown_ms.min(times.known_ms);
                    let past = known_ms.saturating_sub(lane.threshold_ms).max(0);
                    let past = format!("{} overdue", duration::overdue(past));
                    return drop(figure::ui(ui, &past, figure::mono(ink.overdue)));
                }
                Phase::Removed { .. } => mono("removed".to_owned()).color(ink.removed),
            },
            2 => mono(zone.date_time_millis(lane.threshold_ms)).color(ink.date),
            3 => RichText::new(words::removal_window(lane, now_ms, times)).color(ink.dim),
            4 => RichText::new(&lane.index).color(ink.dim),
            _ => mono(zone.date_time_millis(lane.base_ms)).color(ink.dim),
        };
        let words = if lane.removed_ms.is_some() { words.strikethrough() } else { words };
        text_ui(ui, words, true);
    })
}

/// A text in one line. What isn't on the screen is cut, with `…`: the first half of a date would be
/// another date.
pub(super) fn text_ui(ui: &mut Ui, words: RichText, has_tooltip: bool) -> Response {
    let next = ui.available_rect_before_wrap();
    let width = figure::seen(ui, next).right() - next.left();
    if width < next.width() {
        ui.set_max_width(width.max(0.0));
    }
    ui.add(egui::Label::new(words).truncate().show_tooltip_when_elided(has_tooltip))
}

/// The `_id` in one line. The tooltip shows one that is too long for it.
pub(super) fn id_ui(ui: &mut Ui, lane: &Lane, is_struck: bool) {
    let (full, note) = (words::full_label(lane), words::note(lane));
    let is_cut = full != words::short_label(lane);
    let response = if cell::is_right(&lane.id) {
        let format = TextFormat::simple(text::body(), colors(ui).text);
        figure::ui(ui, &note, if is_struck { figure::struck(format) } else { format })
    } else {
        let words = RichText::new(note);
        text_ui(ui, if is_struck { words.strikethrough() } else { words }, !is_cut)
    };
    if is_cut {
        response.hint(full);
    }
}

/// A table of lanes.
pub(super) struct Table<'a> {
    pub name: &'static str,
    pub columns: &'a [(&'a str, f32)],
    pub rows: &'a [&'a Lane],
    pub is_chosen: &'a dyn Fn(&Lane) -> bool,
    pub state: &'a State,
}

/// Handles a press on a row.
type Pressed<'a> = dyn FnMut(&Response, &Lane) + 'a;

impl Table<'_> {
    /// The columns that are shown. A presentation has those that fit, and does not scroll sideways.
    fn columns_in(&self, width: f32, gap: f32) -> usize {
        if !self.state.view.is_presented() {
            return self.columns.len();
        }
        let mut end = 0.0;
        let fits = |(_, column): &&(&str, f32)| {
            end += column + gap;
            end <= width
        };
        self.columns.iter().take_while(fits).count().max(1)
    }

    /// Draws it. Returns whether the pointer is over it.
    pub(super) fn ui(
        &self,
        ui: &mut Ui,
        pressed: &mut Pressed<'_>,
        cell: impl FnMut(&mut Ui, &Lane, usize),
    ) -> bool {
        let area = ui.available_rect_before_wrap();
        let hovered = ui.rect_contains_pointer(area);
        let shown = egui::ScrollArea::horizontal()
            .id_salt(self.name)
            .auto_shrink(false)
            .show(ui, |ui| self.rows_ui(ui, pressed, cell));
        let (left, seen) = (shown.state.clamped_offset().x, shown.inner_rect);
        let is_cut = [left > 0.5, left + seen.width() < shown.content_size.x - 0.5];
        paint::fade(ui, seen, is_cut);
        hovered
    }

    fn rows_ui(
        &self,
        ui: &mut Ui,
        pressed: &mut Pressed<'_>,
        mut cell_ui: impl FnMut(&mut Ui, &Lane, usize),
    ) {
        let rows = self.rows;
        let (head_height, row_height) = if self.state.view.is_presented() {
            ui.spacing_mut().item_spacing.y = 0.0;
            (sizes::LANE_PRESENTED, sizes::LANE_PRESENTED)
        } else {
            (sizes::ROW, cell::row_height(self.state.settings.compact))
        };
        let shown = self.columns_in(ui.available_width(), ui.spacing().item_spacing.x);
        let columns = self.columns.get(..shown).unwrap_or_default();
        paint::neutral_rows(ui);
        let mut table = TableBuilder::new(ui)
            .id_salt((self.name, shown))
            .sense(Sense::click())
            .striped(false)
            .auto_shrink([false, false])
            .cell_layout(egui::Layout::left_to_right(egui::Align::Center));
        for (_, width) in columns {
            table = table.column(Column::exact(*width).clip(true));
        }
        let header = table.header(head_height, |mut header| {
            for (title, _) in columns {
                header.col(|ui| {
                    paint::name_header(ui, if title.is_empty() { "Actions" } else { title });
                    let words = RichText::new(*title).font(text::small()).color(colors(ui).dim);
                    ui.label(words);
                });
            }
        });
        header.body(|body| {
            let foot = std::iter::once(sizes::TABLE_FOOT);
            let heights = std::iter::repeat_n(row_height, rows.len()).chain(foot);
            body.heterogeneous_rows(heights, |mut row| {
                let Some(lane) = rows.get(row.index()).copied() else { return };
                let is_chosen = (self.is_chosen)(lane);
                row.set_selected(is_chosen);
                let label = words::label(lane);
                for (column, (title, _)) in columns.iter().enumerate() {
                    let name = format!("{label}: {title}");
                    row.col(|ui| {
                        if is_chosen && column == 0 {
                            paint::cell_selection_bar(ui);
                        }
                        paint::cell_focus_ring(ui, name.trim_end_matches(": "));
                        cell_ui(ui, lane, column);
                    });
                }
                let response = row.response().on_hover_cursor(egui::CursorIcon::PointingHand);
                pressed(&response, lane);
            });
        });
    }
}
