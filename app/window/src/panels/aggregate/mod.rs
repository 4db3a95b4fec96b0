//! The Aggregate view of a tab: the stages of a pipeline, and what they give.

mod cards;
mod chart;
mod header;
mod results;
mod stage_menu;
mod table;

use egui::{CentralPanel, CornerRadius, Frame, Id, Margin, Panel, ScrollArea, Stroke, Ui};

use self::cards::{error_ui, offer_words};
use super::completion::Typed;
use super::explain;
use crate::action::{Action, Actions, AggregateAction};
use crate::limits::PIPELINE_CHARS_MAX;
use crate::panels::tab_actions::AggregateActions;
use crate::state::aggregate::AggregateDraft;
use crate::state::completion::Names;
use crate::state::drafts::TabDraft;
use crate::state::{State, Tab};
use crate::theme::{colors, sizes};
use crate::widgets::code_edit::CodeEdit;
use crate::widgets::paint;

/// The least width for the results next to the pipeline, in points. In a narrower view they are
/// below it.
const WIDE: f32 = 700.0;

/// The part of a view that the pipeline has at first.
const SHARE: f32 = 0.46;

/// The least width of the pipeline and of the results, in points.
const SIDE_MIN: f32 = 300.0;

/// Draws the view.
pub fn ui(ui: &mut Ui, state: &State, tab: &Tab, draft: &mut TabDraft, actions: &mut Actions) {
    let draft = &mut draft.aggregate;
    let mut actions = AggregateActions::new(tab.id, actions, Action::Aggregate);
    let margin = Margin { left: 16, right: 16, top: 10, bottom: 0 };
    Frame::new().inner_margin(margin).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_SMALL;
        if !state.view.is_presented() {
            header::ui(ui, state, tab, draft, &mut actions);
        }
        let room = ui.available_size();
        let side = Frame::new().inner_margin(Margin { right: 10, ..Margin::ZERO });
        if room.x >= WIDE {
            Panel::left(Id::unique("pipeline"))
                .resizable(true)
                .default_size(room.x * SHARE)
                .size_range(SIDE_MIN..=room.x - SIDE_MIN)
                .frame(side)
                .show(ui, |ui| pipeline_ui(ui, tab, draft, &mut actions));
            paint::name_splitter(ui, Id::unique("pipeline"), "Resize the pipeline");
        } else {
            Panel::top(Id::unique("pipeline above"))
                .resizable(true)
                .default_size(room.y * SHARE)
                .size_range(80.0..=(room.y - 120.0).max(81.0))
                .frame(Frame::new())
                .show(ui, |ui| pipeline_ui(ui, tab, draft, &mut actions));
            paint::name_splitter(ui, Id::unique("pipeline above"), "Resize the pipeline");
        }
        let frame = Frame::new().inner_margin(Margin { left: 10, ..Margin::ZERO });
        let frame = if room.x >= WIDE { frame } else { Frame::new() };
        let explained = tab.explain.as_ref().filter(|shown| shown.is_pipeline);
        CentralPanel::default().frame(frame).show(ui, |ui| match explained {
            Some(shown) => explain::ui(ui, state, tab, shown, actions.queue),
            None => results::ui(ui, state, tab, draft, &mut actions),
        });
    });
}

fn pipeline_ui(
    ui: &mut Ui,
    tab: &Tab,
    draft: &mut AggregateDraft,
    actions: &mut AggregateActions<'_>,
) {
    if draft.pipeline.is_text {
        text_ui(ui, tab, draft, actions);
        return;
    }
    ScrollArea::vertical().id_salt("stages").auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_SMALL;
        cards::ui(ui, tab, draft, actions);
        // It is about the pipeline as a whole.
        let whole = tab.aggregate.error.as_ref().filter(|error| error.card.is_none());
        if let Some(error) = whole {
            error_ui(ui, error);
        }
        ui.add_space(sizes::GAP);
    });
}

/// The whole as text.
fn text_ui(ui: &mut Ui, tab: &Tab, draft: &mut AggregateDraft, actions: &mut AggregateActions<'_>) {
    let error = tab.aggregate.error.as_ref();
    let below = if error.is_some() { 60.0 } else { 8.0 };
    // An error is about the text that was run.
    let is_of_this = draft.ran.as_ref() == Some(&draft.pipeline);
    let id = Id::unique(("pipeline text", tab.id.0));
    let edit = CodeEdit {
        name: "Pipeline",
        hint: "[ { $match: { } } ]",
        error_at: error.filter(|_| is_of_this).and_then(|error| error.offset),
        id: Some(id),
        chars_max: Some(PIPELINE_CHARS_MAX),
        ..CodeEdit::default()
    };
    let typed = Typed { id, card: None, tab, whole: Names::Stage };
    let asks = typed.before(ui, &mut draft.completing, &mut draft.pipeline.text);
    let height = (ui.available_height() - below - 24.0).max(40.0);
    let colors = colors(ui);
    let border = if edit.error_at.is_some() { colors.error } else { colors.hairline };
    let frame = Frame::new()
        .fill(colors.background)
        .stroke(Stroke::new(sizes::LINE, border))
        .corner_radius(CornerRadius::same(9))
        .inner_margin(Margin::same(10));
    let output = frame.show(ui, |ui| {
        let area = ScrollArea::vertical().id_salt("pipeline text").auto_shrink(false);
        area.max_height(height).min_scrolled_height(height).show(ui, |ui| {
            // A press below the last line is into the text too.
            ui.spacing_mut().interact_size.y = height;
            edit.lines_ui(ui, &mut draft.pipeline.text)
        })
    });
    let output = output.inner.inner;
    offer_words(ui, &typed, &mut draft.completing, &mut draft.pipeline.text, &output, asks);
    if output.response.response.lost_focus() {
        actions.push(AggregateAction::Changed);
    }
    if let Some(error) = error {
        error_ui(ui, error);
    }
}
