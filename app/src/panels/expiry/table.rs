//! The documents of the timeline as a table, soonest first, and the ledger of what was removed.

use egui::{RichText, Sense, Ui};
use egui_extras::{Column, TableBuilder};

use super::Asks;
use super::words::{self, PassTimes};
use crate::action::ExpiryAction;
use crate::state::expiry::{ExpiryView, Lane, Phase};
use crate::state::{Clock, duration};
use crate::theme::{colors, sizes, text};
use crate::widgets::Button;

/// Documents that wait or are overdue.
pub(super) fn waiting_ui(
    ui: &mut Ui,
    view: &ExpiryView,
    clock: &Clock,
    times: &PassTimes,
    asks: &mut Asks<'_>,
) {
    let (now_ms, shown_ms) = (clock.now_ms(), clock.shown_ms());
    let titles = ["_id", "Remaining", "Threshold (UTC)", "Date", "Index", "Removal"];
    let rows: Vec<&Lane> = view.lanes.iter().collect();
    table_ui(ui, "expiring documents", &titles, &rows, view, asks, |ui, lane, column| {
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
            2 => mono(duration::date_time_millis(lane.threshold_ms)).color(ink.date),
            3 => mono(duration::date_time_millis(lane.base_ms)).color(ink.dim),
            4 => RichText::new(&lane.index).color(ink.dim),
            _ => RichText::new(words::bracket(lane, now_ms, times)).color(ink.dim),
        };
        let words = if lane.removed_ms.is_some() { words.strikethrough() } else { words };
        ui.add(egui::Label::new(words).truncate());
    });
}

/// What was removed while the view was open, and how late.
pub(super) fn removed_ui(ui: &mut Ui, view: &ExpiryView, asks: &mut Asks<'_>) {
    ui.horizontal(|ui| {
        let ink = colors(ui);
        if let Some((median, most, max)) = view.lag_ms() {
            let figure = |name: &str, ms| format!("{name} {}", duration::figure(ms));
            let lag = [figure("p50", median), figure("p99", most), figure("max", max)].join("   ");
            ui.label(RichText::new("Removal after the threshold").color(ink.dim));
            ui.label(RichText::new(lag).font(text::mono()));
        }
        if view.ledger_dropped > 0 {
            let dropped = format!("{} more are not listed", view.ledger_dropped);
            ui.label(RichText::new(dropped).color(ink.dim));
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.add_enabled_ui(!view.ledger.is_empty(), |ui| {
                if ui.add(Button::plain("Copy the list as NDJSON")).clicked() {
                    asks.push(ExpiryAction::ExportLedger);
                }
            });
        });
    });
    ui.add_space(sizes::GAP_SMALL);
    let titles = ["_id", "Removed (UTC)", "Late", "Threshold (UTC)", "Index", "Date"];
    let rows: Vec<&Lane> = view.ledger.iter().collect();
    table_ui(ui, "removed documents", &titles, &rows, view, asks, |ui, lane, column| {
        let ink = colors(ui);
        let mono = |words: String| RichText::new(words).font(text::mono());
        let at = lane.removed_ms.unwrap_or(lane.threshold_ms);
        let words = match column {
            0 => RichText::new(words::note(lane)),
            1 => mono(duration::date_time_millis(at)).color(ink.date),
            2 => mono(duration::figure(at.saturating_sub(lane.threshold_ms))),
            3 => mono(duration::date_time_millis(lane.threshold_ms)).color(ink.dim),
            4 => RichText::new(&lane.index).color(ink.dim),
            _ => mono(duration::date_time_millis(lane.base_ms)).color(ink.dim),
        };
        ui.add(egui::Label::new(words).truncate());
    });
}

fn table_ui(
    ui: &mut Ui,
    name: &str,
    titles: &[&str],
    rows: &[&Lane],
    view: &ExpiryView,
    asks: &mut Asks<'_>,
    cell: impl Fn(&mut Ui, &Lane, usize),
) {
    let mut table = TableBuilder::new(ui)
        .id_salt(name)
        .sense(Sense::click())
        .striped(false)
        .resizable(true)
        .auto_shrink([false, false])
        .cell_layout(egui::Layout::left_to_right(egui::Align::Center));
    for (column, _) in titles.iter().enumerate() {
        let width = if column == 0 { sizes::COLUMN_WIDE } else { sizes::COLUMN };
        table = table.column(if column + 1 == titles.len() {
            Column::remainder().clip(true)
        } else {
            Column::initial(width).at_least(sizes::COLUMN_MIN).clip(true)
        });
    }
    let header = table.header(sizes::ROW, |mut header| {
        for title in titles {
            header.col(|ui| {
                let words = RichText::new(*title).font(text::small()).color(colors(ui).dim);
                ui.label(words);
            });
        }
    });
    header.body(|body| {
        body.rows(sizes::ROW, rows.len(), |mut row| {
            let Some(lane) = rows.get(row.index()).copied() else { return };
            row.set_selected(view.selected.as_ref() == Some(&lane.id));
            for column in 0..titles.len() {
                row.col(|ui| cell(ui, lane, column));
            }
            if row.response().clicked() {
                asks.push(ExpiryAction::Select(Some(lane.id.clone())));
            }
        });
    });
}
