//! Links to the guide, for places where there is nothing yet.

use egui::Ui;

use crate::action::{Actions, help};
use crate::guide::{self, Topic};
use crate::state::State;
use crate::theme::sizes;
use crate::widgets::learn;

/// Draws the link to a section. A lesson and a presentation have none.
pub(super) fn ui(ui: &mut Ui, state: &State, topic: Topic, actions: &mut Actions) {
    let Some(section) = guide::section(topic.place()) else { return };
    if state.lessons.is_playing() || state.view.is_presented() {
        return;
    }
    ui.add_space(sizes::GAP_SMALL);
    if learn::guide_ui(ui, &section.title) {
        actions.push(help::learn(topic));
    }
}
