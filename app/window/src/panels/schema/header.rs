//! How far the analysis is, and which documents it is about.

use bson::Bson;
use egui::{Align, Label, Layout, Ui, vec2};
use mayfly_engine::value::{Layout as Lines, shell};

use super::words;
use crate::action::{Action, SchemaAction, TabsAction};
use crate::panels::tab_actions::SchemaActions;
use crate::state::schema::Stage;
use crate::state::tabs::ViewKind;
use crate::state::{State, Tab};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::{Button, bar, menu, value_text};

pub(super) fn ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut SchemaActions<'_>) {
    let view = &tab.schema;
    let total = if view.filter.is_empty() {
        state.tree.documents_of(&tab.namespace)
    } else {
        tab.documents.pages.total()
    };
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if view.is_reading() {
                let stop = Button::plain("Stop").icon(Icon::Stop);
                if ui.add(stop.tooltip("Stop; results so far are kept")).clicked() {
                    actions.push(SchemaAction::Stop);
                }
            } else {
                let hint = "Read the documents again";
                let again = Button::plain("Refresh").icon(Icon::Refresh).tooltip(hint);
                if ui.add(again).clicked() {
                    actions.push(SchemaAction::Analyze);
                }
            }
            let export = Button::plain("Schema as…").menu();
            let export = ui.add(export.enabled(view.schema.is_some()));
            menu::below(&export, |ui| {
                for (label, action) in [
                    ("JSON Schema…", SchemaAction::OpenJson),
                    ("Validator…", SchemaAction::OpenValidator),
                ] {
                    if menu::entry(ui, label, "", true).clicked() {
                        actions.push(action);
                        ui.close();
                    }
                }
            });
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                status_ui(ui, tab, total);
            });
        });
    });
    if !view.filter.is_empty() {
        filter_ui(ui, tab, actions);
    }
}

fn status_ui(ui: &mut Ui, tab: &Tab, total: Option<u64>) {
    let view = &tab.schema;
    let words = words::status(view, total);
    let ink = match view.stage {
        Stage::Failed(_) => colors(ui).error,
        _ => colors(ui).dim,
    };
    ui.add(Label::new(text::rich(words, text::body()).color(ink)).truncate());
    if let (true, Some(total)) = (view.is_reading(), total) {
        #[expect(clippy::cast_precision_loss, reason = "a bar of some points")]
        let share = view.read as f32 / total.max(1) as f32;
        let ink = colors(ui).accent;
        ui.allocate_ui(vec2(120.0_f32.min(ui.available_width()), 6.0), |ui| {
            bar::ui(ui, share, ink, "Documents read");
        });
    }
    let is_cut = view.schema.as_ref().is_some_and(|schema| schema.is_cut);
    let notes = [
        (view.is_stale && !view.is_reading(), "The data has changed since"),
        (is_cut, "More fields or levels than are counted"),
    ];
    for (_, note) in notes.iter().filter(|(applies, _)| *applies) {
        let note = text::rich(format!("· {note}"), text::body()).color(colors(ui).text);
        ui.add(Label::new(note).truncate());
    }
}

/// The filter, which is that of the Documents view.
fn filter_ui(ui: &mut Ui, tab: &Tab, actions: &mut SchemaActions<'_>) {
    ui.add_space(sizes::GAP_TINY);
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.add(Button::plain("Clear filter").small()).clicked() {
                actions.push(SchemaAction::ClearFilter);
            }
            if ui.add(Button::plain("Show documents").small()).clicked() {
                actions.queue.push(Action::Tabs(TabsAction::View(ViewKind::Documents)));
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.label(Icon::Filter.text().color(colors(ui).accent));
                let filter = Bson::Document(tab.schema.filter.clone());
                let filter = shell::write_value(&filter, Lines::OneLine);
                let job = value_text::job(&filter, value_text::Kind::Other, colors(ui));
                ui.add(Label::new(job).truncate()).accessible_name("Filter of the schema");
            });
        });
    });
}
