//! Which fields could carry a TTL.

use egui::{Align, Label, Layout, ScrollArea, Ui};

use super::words;
use crate::action::{Action, ConvertAction, IndexesAction, SchemaAction};
use crate::inspect::schema::{Candidate, Schema};
use crate::panels::tab_actions::SchemaActions;
use crate::state::Tab;
use crate::theme::{colors, sizes, text};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card, chip};

/// Candidates that are listed at first.
const FIRST_MAX: usize = 3;
/// The height of the list when all are listed, in points.
const LIST_HEIGHT: f32 = 220.0;

pub(super) fn ui(ui: &mut Ui, tab: &Tab, schema: &Schema, actions: &mut SchemaActions<'_>) {
    if schema.candidates.is_empty() {
        return;
    }
    let lists_all = tab.schema.lists_candidates;
    card::ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        ui.horizontal(|ui| {
            ui.label(text::rich("Could carry a TTL", text::title()));
            let all = schema.candidates.len();
            if all > FIRST_MAX {
                let label =
                    if lists_all { "Show less".to_owned() } else { format!("Show all {all}") };
                let button = Button::ghost(&label).small();
                if ui.add(button.name(&format!("{label}: could carry a TTL"))).clicked() {
                    actions.push(SchemaAction::ListCandidates(!lists_all));
                }
            }
        });
        let count = if lists_all { schema.candidates.len() } else { FIRST_MAX };
        let scroll = ScrollArea::vertical().id_salt("candidates").auto_shrink([false, true]);
        scroll.max_height(LIST_HEIGHT).show(ui, |ui| {
            for candidate in schema.candidates.iter().take(count) {
                candidate_ui(ui, tab, schema, candidate, actions);
            }
        });
    });
    ui.add_space(sizes::GAP_SMALL);
}

fn candidate_ui(
    ui: &mut Ui,
    tab: &Tab,
    schema: &Schema,
    candidate: &Candidate,
    actions: &mut SchemaActions<'_>,
) {
    let has_ttl = tab.indexes.ttl().iter().any(|index| index.field == candidate.path);
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if has_ttl {
                chip::tag(ui, "TTL", colors(ui).accent, colors(ui).accent_background);
            } else if candidate.dates > 0 && candidate.path != "_id" {
                let name = format!("Create TTL index on {}", with_marks(&candidate.path));
                let button = Button::plain("Create TTL index…").small().name(&name);
                if ui.add(button).clicked() {
                    let action = IndexesAction::OpenCreateTtl(candidate.path.clone());
                    actions.queue.push(Action::Indexes(actions.tab, action));
                }
            }
            let others = candidate.texts > 0 || candidate.instants().is_some();
            if others && schema.can_become_dates(&candidate.path) {
                let name = format!("Convert {} to dates", with_marks(&candidate.path));
                let button = Button::plain("Convert to dates…").small().name(&name);
                if ui.add(button).clicked() {
                    convert(tab, candidate.path.clone(), actions);
                }
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let path = text::rich(with_marks(&candidate.path), text::strong());
                ui.add(Label::new(path).truncate());
                let words = with_marks(&words::candidate(candidate, schema.documents));
                let words = text::rich(words, text::body()).color(colors(ui).dim);
                ui.add(Label::new(words).truncate());
            });
        });
    });
    if candidate.dates > 0 {
        let words = text::rich(words::removed(candidate), text::small()).color(colors(ui).dim);
        ui.add(Label::new(words).wrap());
    }
}

/// Opens the dialog that converts a field to dates.
pub(super) fn convert(tab: &Tab, path: String, actions: &mut SchemaActions<'_>) {
    let namespace = tab.namespace.clone();
    actions.queue.push(Action::Convert(ConvertAction::Open { namespace, path }));
}
