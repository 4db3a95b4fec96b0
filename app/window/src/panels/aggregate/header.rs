//! The line above: what is done with the pipeline as a whole.

use std::time::Duration;

use egui::{Align, Layout, Ui, vec2};

use super::stage_menu;
use crate::action::{Action, AggregateAction, ExplainAction};
use crate::panels::tab_actions::AggregateActions;
use crate::state::aggregate::{AggregateDraft, WritesTo};
use crate::state::{State, Tab, duration};
use crate::theme::{Icon, colors, durations, sizes, text};
use crate::widgets::marks::visible;
use crate::widgets::value::cut;
use crate::widgets::{Button, menu, tabs};

/// A view so wide has everything in one line, in points.
const WIDE: f32 = 610.0;

/// The room of the button that writes, and of what is said about a run.
const WRITES: f32 = 300.0;
const SAYS: f32 = 220.0;

/// Characters of a name in a menu or on a button.
const NAME_CHARS: usize = 40;

/// Draws the line.
pub fn ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    draft: &AggregateDraft,
    actions: &mut AggregateActions<'_>,
) {
    let view = &tab.aggregate;
    let writes = if view.writer.is_some() { WRITES } else { 0.0 };
    let says = if view.is_old || !view.running.is_empty() { SAYS } else { 0.0 };
    let is_wide = ui.available_width() >= WIDE + writes + says;
    ui.horizontal(|ui| {
        ui.set_height(sizes::CONTROL);
        add_ui(ui, draft, actions);
        let chosen = usize::from(draft.pipeline.is_text);
        if let Some(at) = tabs::segmented(ui, "Pipeline as", &["Stages", "Text"], chosen) {
            actions.push(AggregateAction::SetText(at == 1));
        }
        kept_ui(ui, state, tab, draft, actions);
        let explain = Button::plain("Explain").icon(Icon::Explain).name("Explain the pipeline");
        if ui.add(explain.tooltip("Show how the store answers the pipeline")).clicked() {
            actions.queue.push(Action::Explain(tab.id, ExplainAction::Explain));
        }
        more_ui(ui, tab, draft, actions);
        if is_wide {
            run_ui(ui, state, tab, actions);
        }
    });
    if !is_wide {
        ui.horizontal(|ui| run_ui(ui, state, tab, actions));
    }
}

fn add_ui(ui: &mut Ui, draft: &AggregateDraft, actions: &mut AggregateActions<'_>) {
    let button = Button::plain("Add stage").icon(Icon::Add).menu();
    let response = ui.add(button.enabled(!draft.pipeline.is_text));
    if let Some(stage) = stage_menu::ui(&response) {
        actions.push(AggregateAction::Add(stage));
    }
}

fn kept_ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    draft: &AggregateDraft,
    actions: &mut AggregateActions<'_>,
) {
    let response = ui.add(Button::plain("Saved").menu().name("Saved pipelines"));
    menu::below(&response, |ui| {
        ui.set_min_width(260.0);
        if menu::entry(ui, "Save the pipeline…", "", !draft.pipeline.is_empty()).clicked() {
            actions.push(AggregateAction::OpenSave);
        }
        let kept = state.settings.pipelines.for_collection(&tab.namespace);
        if kept.is_empty() {
            return;
        }
        menu::line(ui);
        egui::ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
            for kept in &kept {
                let of = if kept.namespace == tab.namespace {
                    String::new()
                } else {
                    visible(&cut(&kept.namespace.to_string(), NAME_CHARS))
                };
                let name = visible(&cut(&kept.name, NAME_CHARS));
                let (namespace, kept_name) = (kept.namespace.clone(), kept.name.clone());
                if menu::entry(ui, &name, &of, true).clicked() {
                    actions.push(AggregateAction::OpenKept { namespace, name: kept_name });
                }
            }
        });
        menu::line(ui);
        menu::below_entry(ui, "Delete", |ui| {
            for kept in &kept {
                let name = visible(&cut(&kept.name, NAME_CHARS));
                let label = format!("Delete {name}");
                let (namespace, kept_name) = (kept.namespace.clone(), kept.name.clone());
                if menu::entry(ui, &label, "", true).clicked() {
                    actions.push(AggregateAction::DeleteKept { namespace, name: kept_name });
                }
            }
        });
    });
}

fn more_ui(ui: &mut Ui, tab: &Tab, draft: &AggregateDraft, actions: &mut AggregateActions<'_>) {
    let response = ui.add(Button::icon_only(Icon::More, "More for the pipeline"));
    menu::below(&response, |ui| {
        let is_there = !draft.pipeline.is_empty();
        for (label, action, enabled) in [
            ("Export results…", AggregateAction::Export, true),
            ("Create a view…", AggregateAction::OpenCreateView, is_there),
            ("Copy for mongosh", AggregateAction::Copy, true),
            ("Remove all stages", AggregateAction::Clear, is_there),
        ] {
            if menu::entry(ui, label, "", enabled).clicked() {
                actions.push(action);
            }
        }
        menu::line(ui);
        let waits = tab.aggregate.waits;
        if menu::choice(ui, "Run after each change", !waits).clicked() {
            actions.push(AggregateAction::SetWaits(!waits));
        }
    });
}

/// From the right: what runs, and what stops it.
fn run_ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut AggregateActions<'_>) {
    let view = &tab.aggregate;
    let size = vec2(ui.available_width(), sizes::CONTROL);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        let run = Button::primary("Run").icon(Icon::Play).name("Run the pipeline");
        if ui.add(run.tooltip("Run the pipeline (Ctrl+Enter)")).clicked() {
            actions.push(AggregateAction::Run);
        }
        let writes = view.writer.as_ref().and_then(|stage| WritesTo::of(stage, &tab.namespace.db));
        if let Some(to) = writes {
            let target = visible(&cut(&to.namespace.to_string(), NAME_CHARS));
            let label = format!("Write to {target}…");
            let hint = "Nothing is written before you confirm";
            if ui.add(Button::plain(&label).tooltip(hint)).clicked() {
                actions.push(AggregateAction::OpenWrite);
            }
        }
        if let Some(runs) = running(state, tab, actions) {
            let secs = i64::try_from(runs.as_secs()).unwrap_or(i64::MAX);
            let stop = Button::plain("Stop").icon(Icon::Stop).name("Stop the pipeline");
            if ui.add(stop).clicked() {
                actions.push(AggregateAction::Stop);
            }
            let words = format!("Running for {}", duration::span(secs.saturating_mul(1_000)));
            ui.label(text::rich(words, text::small()).color(colors(ui).busy));
        } else if view.is_old {
            let words = "The data has changed since";
            ui.label(text::rich(words, text::small()).color(colors(ui).dim));
        }
    });
}

/// How long the oldest question runs, once that is longer than a moment.
fn running(state: &State, tab: &Tab, actions: &mut AggregateActions<'_>) -> Option<Duration> {
    let since = tab.aggregate.running.values().min()?;
    let runs = state.uptime.saturating_sub(*since);
    let next = Duration::from_secs(runs.as_secs() + 1);
    actions.queue.redraw_after(next.saturating_sub(runs));
    (runs >= durations::SLOW_QUERY).then_some(runs)
}
