//! The Indexes view: the indexes of a collection, what they are, and what can be done to them.

mod row;

use egui::{RichText, Ui};
use egui_extras::{Column, TableBuilder, TableRow};

use crate::action::{Action, Actions, IndexesAction};
use crate::state::drafts::TabDraft;
use crate::state::indexes::IndexRow;
use crate::state::{State, Tab, TabId, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::empty_state::{self, Picture};
use crate::widgets::{Button, menu, paint};

/// Where the view's actions go.
struct Asks<'a> {
    tab: TabId,
    actions: &'a mut Actions,
}

impl Asks<'_> {
    fn push(&mut self, action: IndexesAction) {
        self.actions.push(Action::Indexes(self.tab, action));
    }
}

/// Draws the view.
pub fn ui(ui: &mut Ui, _state: &State, tab: &Tab, _draft: &mut TabDraft, actions: &mut Actions) {
    let mut asks = Asks { tab: tab.id, actions };
    let margin = egui::Margin::symmetric(16, 10);
    egui::Frame::new().inner_margin(margin).show(ui, |ui| {
        controls_ui(ui, tab, &mut asks);
        ui.add_space(sizes::GAP_SMALL);
        match &tab.indexes.rows {
            Some(rows) => table_ui(ui, tab, rows, &mut asks),
            None => {
                empty_state::ui(ui, Picture::Waiting, "Reading the indexes", None);
            }
        }
    });
}

/// Draws what the inspector shows while this view is shown: nothing, there is none.
pub fn inspector_ui(_ui: &mut Ui, _state: &State, _tab: &Tab, _actions: &mut Actions) {}

fn controls_ui(ui: &mut Ui, tab: &Tab, asks: &mut Asks<'_>) {
    ui.horizontal(|ui| {
        let hint = "Make an index on a field, with or without a TTL";
        if ui.add(Button::primary("Create index…").tooltip(hint)).clicked() {
            asks.push(IndexesAction::OpenCreate);
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if ui.add(Button::plain("Refresh").icon(Icon::Refresh)).clicked() {
                asks.push(IndexesAction::Refresh);
            }
            let rows = tab.indexes.rows.as_deref().unwrap_or_default();
            let bytes: u64 = rows.iter().filter_map(|row| row.bytes).sum();
            let count = number::counted(rows.len() as u64, "index", "indexes");
            let words = format!("{count} · {}", number::bytes(bytes));
            ui.label(RichText::new(words).font(text::small()).color(colors(ui).dim));
        });
    });
}

const TITLES: [&str; 7] = ["Name", "Keys", "Properties", "Entries", "Size", "Used", ""];

fn table_ui(ui: &mut Ui, tab: &Tab, rows: &[IndexRow], asks: &mut Asks<'_>) {
    let number = || Column::exact(sizes::COLUMN_NUMBER);
    TableBuilder::new(ui)
        .id_salt("indexes")
        .sense(egui::Sense::click())
        .striped(false)
        .auto_shrink([false, true])
        .cell_layout(egui::Layout::left_to_right(egui::Align::Center))
        .column(Column::initial(sizes::COLUMN).at_least(sizes::COLUMN_MIN).clip(true))
        .column(Column::initial(sizes::COLUMN).at_least(sizes::COLUMN_MIN).clip(true))
        .column(Column::remainder().at_least(sizes::COLUMN_MIN).clip(true))
        .columns(number(), 3)
        .column(Column::exact(sizes::COLUMN_ACTIONS))
        .header(sizes::ROW, |mut header| {
            for (column, title) in TITLES.iter().enumerate() {
                header.col(|ui| {
                    let words = RichText::new(*title).font(text::small()).color(colors(ui).dim);
                    if (3..6).contains(&column) {
                        let right = egui::Layout::right_to_left(egui::Align::Center);
                        ui.with_layout(right, |ui| ui.label(words));
                    } else {
                        ui.label(words);
                    }
                });
            }
        })
        .body(|body| {
            body.rows(sizes::ROW_TABLE, rows.len(), |mut table_row| {
                let Some(index) = rows.get(table_row.index()) else { return };
                table_row.set_selected(tab.indexes.selected.as_ref() == Some(&index.name));
                cell(&mut table_row, |ui| row::name_ui(ui, index));
                cell(&mut table_row, |ui| row::keys_ui(ui, index));
                cell(&mut table_row, |ui| row::properties_ui(ui, index));
                cell(&mut table_row, |ui| {
                    row::figure_ui(ui, index.entries.map(number::count));
                });
                cell(&mut table_row, |ui| row::size_ui(ui, index));
                cell(&mut table_row, |ui| {
                    row::figure_ui(ui, index.uses.map(number::count));
                });
                cell(&mut table_row, |ui| actions_ui(ui, index, asks));
                let response = table_row.response();
                menu::context(&response, |ui| entries_ui(ui, index, asks));
                if response.clicked() {
                    asks.push(IndexesAction::Select(Some(index.name.clone())));
                }
                if response.double_clicked() && index.no_ttl_reason().is_none() {
                    asks.push(IndexesAction::OpenChangeTtl(index.name.clone()));
                }
            });
        });
}

fn cell(row: &mut TableRow<'_, '_>, draw: impl FnOnce(&mut Ui)) {
    row.col(|ui| {
        paint::cell_focus_ring(ui);
        draw(ui);
    });
}

/// The buttons at the end of a row: the TTL, and everything else behind a menu.
fn actions_ui(ui: &mut Ui, index: &IndexRow, asks: &mut Asks<'_>) {
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let name = format!("More for {}", index.name);
        let more = ui.add(Button::icon_only(Icon::More, &name));
        menu::below(&more, |ui| entries_ui(ui, index, asks));
        let label = if index.secs.is_some() { "Change TTL…" } else { "Add TTL…" };
        let reason = index.no_ttl_reason();
        let hint = reason.unwrap_or("Change the seconds in place; nothing is rebuilt");
        let name = format!("{label} {}", index.name);
        let button = Button::plain(label).small().name(&name).tooltip(hint);
        if ui.add(button.enabled(reason.is_none())).clicked() {
            asks.push(IndexesAction::OpenChangeTtl(index.name.clone()));
        }
    });
}

fn entries_ui(ui: &mut Ui, index: &IndexRow, asks: &mut Asks<'_>) {
    let is_id = index.name == "_id_";
    let ttl = if index.secs.is_some() { "Change TTL…" } else { "Turn into a TTL index…" };
    if menu::entry(ui, ttl, "", index.no_ttl_reason().is_none()).clicked() {
        asks.push(IndexesAction::OpenChangeTtl(index.name.clone()));
    }
    let hide = if index.hidden { "Show to queries" } else { "Hide from queries" };
    if menu::entry(ui, hide, "", !is_id).clicked() {
        let (name, hidden) = (index.name.clone(), !index.hidden);
        asks.push(IndexesAction::Hide { name, hidden });
    }
    menu::line(ui);
    if menu::entry(ui, "Drop index…", "", !is_id).clicked() {
        asks.push(IndexesAction::OpenDrop(index.name.clone()));
    }
}
