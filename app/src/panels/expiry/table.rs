//! The documents of the timeline as a table, soonest first, and the ledger of what was removed.

use bson::Bson;
use egui::{RichText, Sense, Ui};
use egui_extras::{Column, TableBuilder};

use super::words::{self, PassTimes};
use super::{TabActions, lag};
use crate::action::{
    Action, ArchiveAction, ExpiryAction, ReaperAction, TrashAction, archive, trash,
};
use crate::panels::reaper_log::RESTORE_HINT;
use crate::state::expiry::{ExpiryView, Lane, Phase};
use crate::state::{Namespace, State, Tab, duration, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::empty_state::{self, Picture};
use crate::widgets::hint::Hint as _;
use crate::widgets::{Button, paint};

/// Documents that wait or are overdue. Returns whether the pointer is over them.
pub(super) fn waiting_ui(
    ui: &mut Ui,
    state: &State,
    view: &ExpiryView,
    times: &PassTimes,
    actions: &mut TabActions<'_>,
) -> bool {
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
    let is_presented = state.view.is_presented();
    let name = "expiring documents";
    let table = Table { name, columns: &columns, rows: &rows, view, is_presented };
    table.ui(ui, actions, |ui, lane, column| {
        let ink = colors(ui);
        let mono = |words: String| RichText::new(words).font(text::mono());
        let words = match column {
            0 => RichText::new(words::note(lane)),
            1 => match lane.phase(now_ms) {
                Phase::Waiting => {
                    mono(duration::countdown(lane.threshold_ms.saturating_sub(shown_ms)))
                }
                Phase::Overdue => {
                    let past = shown_ms.saturating_sub(lane.threshold_ms);
                    mono(format!("{} overdue", duration::overdue(past))).color(ink.overdue)
                }
                Phase::Removed { .. } => mono("removed".to_owned()).color(ink.removed),
            },
            2 => mono(zone.date_time_millis(lane.threshold_ms)).color(ink.date),
            3 => RichText::new(words::removal_window(lane, now_ms, times)).color(ink.dim),
            4 => RichText::new(&lane.index).color(ink.dim),
            _ => mono(zone.date_time_millis(lane.base_ms)).color(ink.dim),
        };
        let words = if lane.removed_ms.is_some() { words.strikethrough() } else { words };
        cell_ui(ui, words, lane, column);
    })
}

/// A cell in one line. The tooltip shows an `_id` that is too long for it.
fn cell_ui(ui: &mut Ui, words: RichText, lane: &Lane, column: usize) {
    let full = words::full_label(lane);
    let is_cut = column == 0 && full != words::short_label(lane);
    let label = egui::Label::new(words).truncate().show_tooltip_when_elided(!is_cut);
    let response = ui.add(label);
    if is_cut {
        response.hint(full);
    }
}

/// What was removed while the view was open, and how late.
pub(super) fn removed_ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    times: &PassTimes,
    actions: &mut TabActions<'_>,
) {
    let (view, zone) = (&tab.expiry, state.clock.zone());
    if !view.ledger.is_empty() {
        ui.horizontal_wrapped(|ui| lag_ui(ui, view));
        lag::ui(ui, state, view, times);
    }
    let is_presented = state.view.is_presented();
    if !is_presented {
        let is_kept = |at_ms| state.reaper.keeps(at_ms, state.now_ms());
        let namespace = &tab.namespace;
        ui.horizontal_wrapped(|ui| ledger_buttons_ui(ui, view, namespace, &is_kept, actions));
    }
    if view.ledger.is_empty() {
        empty_state::ui(ui, Picture::Time, "No removals since you opened this tab", None);
        return;
    }
    ui.add_space(sizes::GAP_SMALL);
    let (removed, expired) = (zone.heading("Removed"), zone.heading("Expired at"));
    let columns = [
        ("_id", sizes::COLUMN),
        (removed.as_str(), sizes::COLUMN_DATE),
        ("Lag", sizes::COLUMN_SHORT),
        (expired.as_str(), sizes::COLUMN_DATE),
        ("Index", sizes::COLUMN),
        ("Date", sizes::COLUMN_DATE),
    ];
    let rows: Vec<&Lane> = view.ledger.iter().collect();
    let name = "removed documents";
    let table = Table { name, columns: &columns, rows: &rows, view, is_presented };
    table.ui(ui, actions, |ui, lane, column| {
        let ink = colors(ui);
        let mono = |words: String| RichText::new(words).font(text::mono());
        let at = lane.removed_ms.unwrap_or(lane.threshold_ms);
        let words = match column {
            0 => RichText::new(words::note(lane)),
            1 => mono(zone.date_time_millis(at)).color(ink.date),
            2 => mono(duration::figure(at.saturating_sub(lane.threshold_ms))),
            3 => mono(zone.date_time_millis(lane.threshold_ms)).color(ink.dim),
            4 => RichText::new(&lane.index).color(ink.dim),
            _ => mono(zone.date_time_millis(lane.base_ms)).color(ink.dim),
        };
        cell_ui(ui, words, lane, column);
    });
}

/// How late the removals were.
fn lag_ui(ui: &mut Ui, view: &ExpiryView) {
    let ink = colors(ui);
    let mut words = |words: RichText| ui.add(egui::Label::new(words).extend());
    if let Some((median, most, max)) = view.lag_ms() {
        let figure = |name: &str, ms| format!("{name} {}", duration::figure(ms));
        let lag = [figure("p50", median), figure("p99", most), figure("max", max)].join("   ");
        words(RichText::new("Removal lag").color(ink.dim));
        words(RichText::new(lag).font(text::mono()));
    }
    if view.ledger_dropped > 0 {
        let dropped = format!("{} more not shown", number::count(view.ledger_dropped));
        words(RichText::new(dropped).color(ink.dim));
    }
}

fn ledger_buttons_ui(
    ui: &mut Ui,
    view: &ExpiryView,
    namespace: &Namespace,
    is_kept: &dyn Fn(i64) -> bool,
    actions: &mut TabActions<'_>,
) {
    let copy = Button::plain("Copy as NDJSON").enabled(!view.ledger.is_empty());
    if ui.add(copy).clicked() {
        actions.push(ExpiryAction::ExportLedger);
    }
    let mut removed = view.ledger.iter().filter_map(|lane| lane.removed_ms);
    if removed.any(is_kept) {
        restore_ui(ui, view, namespace, is_kept, actions);
    }
    if ui.add(Button::plain("Trash…").tooltip(trash::SHOW.tooltip)).clicked() {
        actions.queue.push(Action::Trash(TrashAction::Open(Some(namespace.clone()))));
    }
    if ui.add(Button::plain("Archive…").tooltip(archive::SHOW.tooltip)).clicked() {
        actions.queue.push(Action::Archive(ArchiveAction::Open(namespace.clone())));
    }
}

/// The selected document can be restored while the trash has it.
fn restore_ui(
    ui: &mut Ui,
    view: &ExpiryView,
    namespace: &Namespace,
    is_kept: &dyn Fn(i64) -> bool,
    actions: &mut TabActions<'_>,
) {
    let newest = |id: &Bson| view.ledger.iter().find(|lane| lane.id == *id)?.removed_ms;
    let removed_ms = view.selected.as_ref().and_then(newest);
    let chosen = view.selected.as_ref().filter(|_| removed_ms.is_some_and(is_kept));
    let hint = match (chosen, removed_ms) {
        (Some(_), _) => RESTORE_HINT,
        (None, Some(_)) => "This document was removed while the trash was off, or too long ago",
        (None, None) => "Select a document first",
    };
    let button = Button::plain("Restore").enabled(chosen.is_some()).tooltip(hint);
    if ui.add(button).clicked()
        && let Some(id) = chosen
    {
        let restore = ReaperAction::Restore { namespace: namespace.clone(), id: id.clone() };
        actions.queue.push(Action::Reaper(restore));
    }
}

/// A table of lanes.
struct Table<'a> {
    name: &'static str,
    /// Titles and widths.
    columns: &'a [(&'a str, f32)],
    rows: &'a [&'a Lane],
    view: &'a ExpiryView,
    is_presented: bool,
}

impl Table<'_> {
    /// The columns that are shown. A presentation has those that fit, and does not scroll sideways.
    fn columns_in(&self, width: f32, gap: f32) -> usize {
        if !self.is_presented {
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
    fn ui(
        &self,
        ui: &mut Ui,
        actions: &mut TabActions<'_>,
        cell: impl Fn(&mut Ui, &Lane, usize),
    ) -> bool {
        let area = ui.available_rect_before_wrap();
        let hovered = ui.rect_contains_pointer(area);
        egui::ScrollArea::horizontal()
            .id_salt(self.name)
            .auto_shrink(false)
            .show(ui, |ui| self.rows_ui(ui, actions, cell));
        hovered
    }

    fn rows_ui(
        &self,
        ui: &mut Ui,
        actions: &mut TabActions<'_>,
        cell: impl Fn(&mut Ui, &Lane, usize),
    ) {
        let (view, rows) = (self.view, self.rows);
        let row_height = if self.is_presented {
            ui.spacing_mut().item_spacing.y = 0.0;
            sizes::LANE_PRESENTED
        } else {
            sizes::ROW
        };
        let shown = self.columns_in(ui.available_width(), ui.spacing().item_spacing.x);
        let columns = self.columns.get(..shown).unwrap_or_default();
        let chosen = view.selected_lane().map(|lane| (&lane.id, lane.removed_ms));
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
        let header = table.header(row_height, |mut header| {
            for (title, _) in columns {
                header.col(|ui| {
                    let words = RichText::new(*title).font(text::small()).color(colors(ui).dim);
                    ui.label(words);
                });
            }
        });
        header.body(|body| {
            body.rows(row_height, rows.len(), |mut row| {
                let Some(lane) = rows.get(row.index()).copied() else { return };
                let is_chosen = chosen == Some((&lane.id, lane.removed_ms));
                row.set_selected(is_chosen);
                for column in 0..columns.len() {
                    row.col(|ui| {
                        if is_chosen && column == 0 {
                            paint::cell_selection_bar(ui);
                        }
                        paint::cell_focus_ring(ui);
                        cell(ui, lane, column);
                    });
                }
                let response = row.response().on_hover_cursor(egui::CursorIcon::PointingHand);
                if response.clicked() {
                    actions.select(lane);
                }
            });
        });
    }
}
