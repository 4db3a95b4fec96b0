//! The inspector of the Expiry view: the selected document's verdict and remaining time.

use egui::{RichText, Ui};

use super::pass_times::PassTimes;
use super::pass_times::{self, pass_times};
use super::{ledger, marks, words};
use crate::action::{Action, ExpiryAction, ViewAction};
use crate::panels::activity::passes::RESTORE_HINT;
use crate::panels::lesson::why;
use crate::panels::tab_actions::ExpiryActions;
use crate::state::expiry::{Lane, Phase, Pick};
use crate::state::lesson::why::Topic;
use crate::state::reasons::reason_label;
use crate::state::{State, Tab, duration};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::marks::visible;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, bar, card, code_box};

/// Draws the inspector of the open tab.
pub(super) fn ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut ExpiryActions<'_>) {
    let view = &tab.expiry;
    if let Some(lane) = view.selected_lane() {
        ui.horizontal_top(|ui| {
            let width = ui.available_width() - sizes::CONTROL_SMALL - sizes::GAP_SMALL;
            ui.allocate_ui(egui::vec2(width, 0.0), |ui| {
                ui.set_min_width(width);
                let title = RichText::new(words::full_label(lane)).font(text::title());
                ui.add(egui::Label::new(title).wrap());
            });
            let close = Button::icon_only(Icon::Close, "Clear the selection").small();
            if ui.add(close).clicked() {
                actions.push(ExpiryAction::Select(None));
            }
        });
        if view.lacks_selected() {
            let words = "Not in this list";
            ui.label(text::rich(words, text::small()).color(colors(ui).dim));
        }
        verdict_ui(ui, state, tab, lane, actions);
        remaining_ui(ui, lane, state.clock.shown_ms(), &pass_times(state, tab));
        rules_ui(ui, state, tab, actions);
        buttons_ui(ui, state, tab, lane, actions);
        if let Some(document) = &view.document {
            ui.add_space(sizes::GAP_SMALL);
            let text = view.document_text(document);
            if code_box::document_ui(ui, &text) {
                actions.queue.push(Action::View(ViewAction::CopyLines(text)));
            }
        }
    }
}

fn verdict_ui(ui: &mut Ui, state: &State, tab: &Tab, lane: &Lane, actions: &mut ExpiryActions<'_>) {
    let now_ms = state.now_ms();
    card::ui(ui, |ui| {
        let times = pass_times(state, tab);
        let title = words::bracket(lane, now_ms, &times);
        ui.label(RichText::new(title).font(text::title()));
        let verdict = words::verdict(lane, now_ms, &times);
        ui.label(RichText::new(verdict).color(colors(ui).dim));
        if lane.phase(now_ms) == Phase::Overdue {
            why::link_ui(ui, state, Topic::Overdue, actions.queue);
        }
    });
}

/// The verdict of each of several TTL indexes on the document, and which one wins.
fn rules_ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut ExpiryActions<'_>) {
    let indexes = tab.indexes.ttl();
    let Some(verdict) = tab.expiry.verdict.as_ref().filter(|_| indexes.len() > 1) else { return };
    let (now_ms, zone) = (state.now_ms(), state.clock.zone());
    card::ui(ui, |ui| {
        ui.label("TTL indexes");
        for rule in &verdict.rules {
            let wins = verdict.winner.as_ref() == Some(&rule.index);
            let what = match rule.threshold_ms {
                Some(at_ms) => format!("expires at {}", zone.when(at_ms, now_ms)),
                None => format!("never: {}", reason_label(&rule.reason)),
            };
            let wins = if wins { ", wins" } else { "" };
            let line = format!("{}: {what}{wins}", visible(&rule.index));
            let ink = if wins.is_empty() { colors(ui).dim } else { colors(ui).text };
            ui.horizontal_wrapped(|ui| {
                marks::ui(ui, &indexes, &rule.index);
                ui.label(RichText::new(line).color(ink));
            });
        }
        why::link_ui(ui, state, Topic::SeveralIndexes, actions.queue);
    });
}

fn remaining_ui(ui: &mut Ui, lane: &Lane, now_ms: i64, times: &PassTimes) {
    let ink = colors(ui);
    let (name, digits, color) = match lane.phase(now_ms) {
        Phase::Waiting => {
            let left = lane.threshold_ms.saturating_sub(now_ms);
            ("Remaining", duration::countdown(left), ink.accent)
        }
        Phase::Overdue => {
            let past = now_ms.min(times.known_ms).saturating_sub(lane.threshold_ms).max(0);
            ("Overdue", duration::overdue(past), ink.overdue)
        }
        Phase::Removed { late_ms } => {
            // Amber only for a lag that a period does not explain, whenever it went.
            let from_ms = lane.removable_ms.unwrap_or(lane.threshold_ms);
            let least_ms = lane.seen_ms.map_or(late_ms, |at| at.saturating_sub(from_ms));
            let color = if times.is_late(least_ms) { ink.overdue } else { ink.removed };
            match times.server {
                Some(_) => ("Gone, lag", lane.lag_figure(), color),
                None => ("Removed", pass_times::lateness(late_ms), color),
            }
        }
    };
    card::ui(ui, |ui| {
        ui.horizontal(|ui| {
            ui.label(name);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                ui.label(RichText::new(digits).font(text::figure()).color(color));
            });
        });
        let life = lane.threshold_ms.saturating_sub(lane.base_ms).max(1);
        let lived = now_ms.saturating_sub(lane.base_ms).clamp(0, life);
        #[expect(clippy::cast_precision_loss, reason = "a fraction on screen")]
        let share = lived as f32 / life as f32;
        bar::ui(ui, share, color, "Elapsed lifetime");
    });
}

fn buttons_ui(ui: &mut Ui, state: &State, tab: &Tab, lane: &Lane, actions: &mut ExpiryActions<'_>) {
    if lane.removed_ms.is_some() && state.store.capabilities.archives {
        let kept = tab.expiry.kept(lane).label(state.clock.zone(), state.now_ms());
        ui.label(RichText::new(with_marks(&kept)).color(colors(ui).dim));
    }
    ui.horizontal_wrapped(|ui| {
        if lane.removed_ms.is_none() {
            let hint = "Set the date to now, which restarts the TTL";
            let refresh = Button::plain("Refresh date").small();
            if ui.add(refresh.tooltip(hint)).clicked() {
                actions.push(ExpiryAction::RefreshDate(lane.id.clone()));
            }
            if ui.add(Button::plain("Show document").small()).clicked() {
                actions.push(ExpiryAction::ShowDocument(lane.id.clone()));
            }
        }
        if let Some(at_ms) = lane.removed_ms {
            let kept = tab.expiry.kept(lane);
            let why = ledger::why_not(&kept);
            let restore = Button::plain("Restore document").small().enabled(kept.is_restorable());
            if ui.add(restore.tooltip(if why.is_empty() { RESTORE_HINT } else { why })).clicked() {
                actions.push(ExpiryAction::Pick(lane.id.clone(), at_ms, Pick::Only));
                actions.push(ExpiryAction::RestorePicked);
            }
            if !kept.is_restorable() {
                ledger::keep_ui(ui, state, true, actions);
            }
        }
        let copy = Button::plain("Copy").small().name("Copy explanation");
        if ui.add(copy.tooltip("Copy when and why it expires")).clicked() {
            let now_ms = state.now_ms();
            let times = pass_times(state, tab);
            let bracket = words::bracket(lane, now_ms, &times);
            let verdict = words::verdict(lane, now_ms, &times);
            let text = format!("{}: {bracket}. {verdict}", words::label(lane));
            actions.queue.push(Action::View(ViewAction::Copy(text)));
        }
    });
}
