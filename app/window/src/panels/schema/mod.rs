//! The Schema view: what the documents of a collection look like, and which fields could carry a
//! TTL.

mod header;
mod inspector;
mod row;
mod ttl;
mod words;

use egui::{Sense, Ui};
use egui_extras::{Column, TableBuilder, TableRow};

use crate::action::{Action, Actions, SchemaAction};
use crate::inspect::schema::Field;
use crate::panels::tab_actions::SchemaActions;
use crate::state::schema::Stage;
use crate::state::{State, Tab};
use crate::theme::{colors, sizes, text};
use crate::widgets::empty_state::{self, Picture};
use crate::widgets::{menu, paint};

/// Draws the view.
pub fn ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut Actions) {
    let mut actions = SchemaActions::new(tab.id, actions, Action::Schema);
    let margin = egui::Margin::symmetric(16, 10);
    egui::Frame::new().inner_margin(margin).show(ui, |ui| {
        ui.set_max_width(ui.available_width().min(sizes::LIST_MAX));
        let view = &tab.schema;
        if !state.view.is_presented() {
            header::ui(ui, state, tab, &mut actions);
            ui.add_space(sizes::GAP_SMALL);
        }
        let schema = view.schema.as_ref().filter(|schema| schema.documents > 0);
        match (schema, &view.stage) {
            (Some(schema), _) => {
                ttl::ui(ui, tab, schema, &mut actions);
                table_ui(ui, tab, &mut actions);
            }
            (None, Stage::Idle | Stage::Reading) => {
                empty_state::ui(ui, Picture::Waiting, "Reading documents", None);
            }
            (None, Stage::Failed(sentence)) => {
                empty_state::ui(ui, Picture::Failure, sentence, None);
            }
            (None, Stage::Done(_) | Stage::Stopped) => {
                let sentence = if view.filter.is_empty() {
                    "This collection has no documents"
                } else {
                    "No documents match the filter"
                };
                empty_state::ui(ui, Picture::Documents, sentence, None);
            }
        }
    });
}

/// Draws what the inspector shows: the chosen path.
pub fn inspector_ui(ui: &mut Ui, tab: &Tab, actions: &mut Actions) {
    let mut actions = SchemaActions::new(tab.id, actions, Action::Schema);
    if let Some(field) = tab.schema.selected_field() {
        inspector::ui(ui, tab, field, &mut actions);
    }
}

/// How much of the table fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Room {
    Narrow,
    Middle,
    /// Also how many different values there are.
    Wide,
}

fn room(width: f32) -> Room {
    if width >= sizes::SCHEMA_WIDE {
        Room::Wide
    } else if width >= sizes::SCHEMA_MIDDLE {
        Room::Middle
    } else {
        Room::Narrow
    }
}

/// The part of the width that the names of fields have at first.
const FIELD_SHARE: f32 = 0.28;

fn table_ui(ui: &mut Ui, tab: &Tab, actions: &mut SchemaActions<'_>) {
    let view = &tab.schema;
    let width = ui.available_width();
    let room = room(width);
    let rows = view.rows();
    let is_flat = !rows.iter().any(|field| field.has_inner);
    paint::neutral_rows(ui);
    let mut titles = vec!["Field", "Types"];
    let mut table = TableBuilder::new(ui)
        .id_salt(("schema", room as usize))
        .sense(Sense::click())
        .striped(false)
        .auto_shrink([false, true])
        .cell_layout(egui::Layout::left_to_right(egui::Align::Center))
        .column(Column::initial(width * FIELD_SHARE).at_least(sizes::COLUMN_MIN).clip(true))
        .column(Column::initial(sizes::SCHEMA_TYPES).at_least(sizes::COLUMN_MIN).clip(true));
    if room >= Room::Middle {
        titles.push("Present");
        table = table.column(Column::exact(sizes::COLUMN_NUMBER));
    }
    if room >= Room::Wide {
        titles.push("Distinct");
        table = table.column(Column::exact(sizes::COLUMN_NUMBER));
    }
    titles.push("Values");
    table = table.column(Column::remainder().at_least(sizes::COLUMN_MIN).clip(true));
    table
        .header(sizes::ROW, |mut header| {
            for title in titles {
                header.col(|ui| {
                    paint::name_header(ui, title);
                    let is_right = matches!(title, "Present" | "Distinct");
                    let words = text::rich(title, text::small()).color(colors(ui).dim);
                    if title == "Values" {
                        ui.add_space(sizes::GAP);
                    }
                    if is_right {
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
                let Some(field) = rows.get(table_row.index()).copied() else { return };
                row_ui(&mut table_row, tab, field, (room, is_flat), actions);
            });
        });
}

fn row_ui(
    table_row: &mut TableRow<'_, '_>,
    tab: &Tab,
    field: &Field,
    (room, is_flat): (Room, bool),
    actions: &mut SchemaActions<'_>,
) {
    let view = &tab.schema;
    let is_chosen = view.selected.as_ref() == Some(&field.path);
    table_row.set_selected(is_chosen);
    let path = words::path(&field.path);
    let named = |title: &str| format!("{path}: {title}");
    cell(table_row, &named("Field"), |ui| {
        if is_chosen {
            paint::cell_selection_bar(ui);
        }
        row::name_ui(ui, view, field, is_flat, actions);
    });
    cell(table_row, &named("Types"), |ui| row::kinds_ui(ui, field));
    if room >= Room::Middle {
        cell(table_row, &named("Present"), |ui| row::present_ui(ui, field));
    }
    if room >= Room::Wide {
        cell(table_row, &named("Distinct"), |ui| row::distinct_ui(ui, field));
    }
    cell(table_row, &named("Values"), |ui| {
        ui.add_space(sizes::GAP);
        row::values_ui(ui, field);
    });
    let response = table_row.response();
    response.widget_info(|| {
        let name = format!("Field {path}");
        egui::WidgetInfo::selected(egui::Role::Button, true, is_chosen, name)
    });
    menu::of_row(&response, &path, |ui| row::menu_ui(ui, tab, field, actions));
    if response.clicked() {
        let chosen = (!is_chosen).then(|| field.path.clone());
        actions.push(SchemaAction::Select(chosen));
    }
    if response.double_clicked() && field.has_inner {
        actions.push(SchemaAction::Fold(field.path.clone()));
    }
}

fn cell(row: &mut TableRow<'_, '_>, name: &str, draw: impl FnOnce(&mut Ui)) {
    row.col(|ui| {
        paint::cell_focus_ring(ui, name);
        draw(ui);
    });
}
