//! Which fields could carry a TTL.

use egui::{Align, Label, Layout, Ui};

use super::{TabActions, words};
use crate::action::{Action, IndexesAction};
use crate::schema::{Candidate, Schema};
use crate::state::Tab;
use crate::theme::{colors, sizes, text};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card, chip};

/// Candidates that are shown.
const SHOWN_MAX: usize = 3;

pub(super) fn ui(ui: &mut Ui, tab: &Tab, schema: &Schema, actions: &mut TabActions<'_>) {
    if schema.candidates.is_empty() {
        return;
    }
    card::ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        ui.horizontal(|ui| {
            ui.label(text::rich("Could carry a TTL", text::title()));
            let more = schema.candidates.len().saturating_sub(SHOWN_MAX);
            if more > 0 {
                let words = format!("and {more} more");
                ui.label(text::rich(words, text::small()).color(colors(ui).dim));
            }
        });
        for candidate in schema.candidates.iter().take(SHOWN_MAX) {
            candidate_ui(ui, tab, schema, candidate, actions);
        }
    });
    ui.add_space(sizes::GAP_SMALL);
}

fn candidate_ui(
    ui: &mut Ui,
    tab: &Tab,
    schema: &Schema,
    candidate: &Candidate,
    actions: &mut TabActions<'_>,
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
