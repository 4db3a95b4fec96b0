//! The Indexes view: the indexes of a collection, what they are, and what can be done to them.

mod row;

use egui::{RichText, Ui};
use egui_extras::{Column, TableBuilder, TableRow};

use crate::action::{Action, Actions, IndexesAction};
use crate::panels::lesson::why;
use crate::panels::tab_actions::IndexesActions;
use crate::state::drafts::TabDraft;
use crate::state::indexes::IndexRow;
use crate::state::lesson::why::Topic;
use crate::state::{State, Tab, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::empty_state::{self, Picture};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, menu, paint};

/// Draws the view.
pub fn ui(ui: &mut Ui, state: &State, tab: &Tab, _draft: &mut TabDraft, actions: &mut Actions) {
    let mut actions = IndexesActions::new(tab.id, actions, Action::Indexes);
    let margin = egui::Margin::symmetric(16, 10);
    egui::Frame::new().inner_margin(margin).show(ui, |ui| {
        ui.set_max_width(ui.available_width().min(sizes::LIST_MAX));
        if !state.view.is_presented() {
            controls_ui(ui, tab, &mut actions);
            ui.add_space(sizes::GAP_SMALL);
        }
        match &tab.indexes.rows {
            Some(rows) => table_ui(ui, state, tab, rows, &mut actions),
            None => {
                empty_state::ui(ui, Picture::Waiting, "Loading indexes", None);
            }
        }
    });
}

/// Draws what the inspector shows while this view is shown: nothing, there is none.
pub fn inspector_ui(_ui: &mut Ui, _state: &State, _tab: &Tab, _actions: &mut Actions) {}

fn controls_ui(ui: &mut Ui, tab: &Tab, actions: &mut IndexesActions<'_>) {
    ui.horizontal(|ui| {
        let hint = "Create an index, with or without a TTL";
        if ui.add(Button::primary("Create index…").tooltip(hint)).clicked() {
            actions.push(IndexesAction::OpenCreate);
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if ui.add(Button::plain("Refresh").icon(Icon::Refresh)).clicked() {
                actions.push(IndexesAction::Refresh);
            }
            let rows = tab.indexes.rows.as_deref().unwrap_or_default();
            let bytes: u64 = rows.iter().filter_map(|row| row.bytes).sum();
            let count = number::counted(rows.len() as u64, "index", "indexes");
            // The index on _id is part of the documents and takes no additional space.
            let words =
                if bytes == 0 { count } else { format!("{count} · {}", number::bytes(bytes)) };
            ui.label(RichText::new(words).font(text::small()).color(colors(ui).dim));
        });
    });
}

/// The columns that fit into every width.
const TITLES: [&str; 3] = ["Name", "Keys", "Properties"];

/// Figures of an index, those first that stay longest where there is no room for all.
const FIGURES: [&str; 3] = ["Entries", "Size", "Used"];

/// How many columns of figures fit next to the name, properties and buttons of an index.
fn figures_in(width: f32) -> usize {
    if width >= sizes::INDEXES_ALL {
        FIGURES.len()
    } else {
        usize::from(width >= sizes::INDEXES_ENTRIES)
    }
}

fn table_ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    rows: &[IndexRow],
    actions: &mut IndexesActions<'_>,
) {
    let figures = figures_in(ui.available_width());
    let words = |share: bool| {
        let column = if share { Column::remainder() } else { Column::initial(sizes::COLUMN) };
        column.at_least(sizes::COLUMN_MIN).clip(true)
    };
    let is_narrow = figures < FIGURES.len();
    paint::neutral_rows(ui);
    TableBuilder::new(ui)
        .id_salt(("indexes", figures))
        .sense(egui::Sense::click())
        .striped(false)
        .auto_shrink([false, true])
        .cell_layout(egui::Layout::left_to_right(egui::Align::Center))
        .columns(words(is_narrow), 2)
        .column(words(true))
        .columns(Column::exact(sizes::COLUMN_NUMBER), figures)
        .column(Column::exact(sizes::COLUMN_ACTIONS))
        .header(sizes::ROW, |header| header_ui(header, figures))
        .body(|body| {
            body.rows(sizes::ROW_TABLE, rows.len(), |mut table_row| {
                let Some(index) = rows.get(table_row.index()) else { return };
                let name = with_marks(&index.name);
                let named = |title: &str| format!("{name}: {title}");
                let is_chosen = tab.indexes.selected.as_ref() == Some(&index.name);
                table_row.set_selected(is_chosen);
                cell(&mut table_row, &named(TITLES[0]), |ui| {
                    if is_chosen {
                        paint::cell_selection_bar(ui);
                    }
                    row::name_ui(ui, index);
                });
                cell(&mut table_row, &named(TITLES[1]), |ui| row::keys_ui(ui, index));
                cell(&mut table_row, &named(TITLES[2]), |ui| {
                    row::properties_ui(ui, index);
                    // A server serves indexes of every kind.
                    if state.store.connection.is_none() && index.is_kept_unused() {
                        row::unused_ui(ui);
                    }
                    if index.hidden && index.secs.is_some() {
                        why::link_ui(ui, state, Topic::HiddenIndex, actions.queue);
                    }
                });
                let drawn = [row::entries_ui, row::size_ui, row::uses_ui];
                for (title, figure) in FIGURES.iter().zip(drawn).take(figures) {
                    cell(&mut table_row, &named(title), |ui| figure(ui, index));
                }
                cell(&mut table_row, &named("actions"), |ui| actions_ui(ui, index, state, actions));
                let response = table_row.response();
                menu::of_row(&response, &name, |ui| entries_ui(ui, index, state, actions));
                if response.clicked() {
                    actions.push(IndexesAction::Select(Some(index.name.clone())));
                }
                if response.double_clicked() && index.no_ttl_reason().is_none() {
                    actions.push(IndexesAction::OpenChangeTtl(index.name.clone()));
                }
            });
        });
}

fn header_ui(mut header: TableRow<'_, '_>, figures: usize) {
    for title in TITLES {
        header.col(|ui| title_ui(ui, title));
    }
    for title in FIGURES.iter().take(figures) {
        header.col(|ui| {
            paint::name_header(ui, title);
            let right = egui::Layout::right_to_left(egui::Align::Center);
            ui.with_layout(right, |ui| label_ui(ui, title));
        });
    }
    header.col(|ui| paint::name_header(ui, "Actions"));
}

fn title_ui(ui: &mut Ui, title: &str) {
    paint::name_header(ui, title);
    label_ui(ui, title);
}

fn label_ui(ui: &mut Ui, title: &str) {
    ui.label(RichText::new(title).font(text::small()).color(colors(ui).dim));
}

fn cell(row: &mut TableRow<'_, '_>, name: &str, draw: impl FnOnce(&mut Ui)) {
    row.col(|ui| {
        paint::cell_focus_ring(ui, name);
        draw(ui);
    });
}

/// The buttons at the end of a row: the TTL, and a menu with everything else.
fn actions_ui(ui: &mut Ui, index: &IndexRow, state: &State, actions: &mut IndexesActions<'_>) {
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let shown = with_marks(&index.name);
        let name = format!("More for {shown}");
        let more = ui.add(Button::icon_only(Icon::More, &name));
        menu::below(&more, |ui| entries_ui(ui, index, state, actions));
        if index.name == "_id_" {
            return;
        }
        let label = if index.secs.is_some() { "Change TTL…" } else { "Add TTL…" };
        let reason = index.no_ttl_reason();
        let hint = reason.unwrap_or("Change expireAfterSeconds without rebuilding the index");
        let name = format!("{label} {shown}");
        let button = Button::plain(label).small().name(&name).tooltip(hint);
        if ui.add(button.enabled(reason.is_none())).clicked() {
            actions.push(IndexesAction::OpenChangeTtl(index.name.clone()));
        }
    });
}

fn entries_ui(ui: &mut Ui, index: &IndexRow, state: &State, actions: &mut IndexesActions<'_>) {
    let is_id = index.name == "_id_";
    let ttl = if index.secs.is_some() { "Change TTL…" } else { "Add TTL…" };
    if menu::entry(ui, ttl, "", index.no_ttl_reason().is_none()).clicked() {
        actions.push(IndexesAction::OpenChangeTtl(index.name.clone()));
    }
    let hide = if index.hidden { "Unhide" } else { "Hide" };
    // DocumentDB has no hidden indexes.
    let server = state.store.connection.as_ref();
    let can_hide = server.is_none_or(|server| server.attached.pass_job.is_none());
    if can_hide && menu::entry(ui, hide, "", !is_id).clicked() {
        let (name, hidden) = (index.name.clone(), !index.hidden);
        actions.push(IndexesAction::Hide { name, hidden });
    }
    menu::line(ui);
    if menu::entry(ui, "Drop index…", "", !is_id).clicked() {
        actions.push(IndexesAction::OpenDrop(index.name.clone()));
    }
}
