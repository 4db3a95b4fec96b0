//! The inspector of the Expiry view: the selected document's verdict and remaining time,
//! and why other documents never expire.

use egui::{RichText, Ui};

use super::words::PassTimes;
use super::{TabActions, pass_times, words};
use crate::action::{Action, ExpiryAction, ViewAction};
use crate::job::glossary::Term;
use crate::state::expiry::{Lane, Phase, Totals};
use crate::state::reasons::reason_label;
use crate::state::{State, Tab, duration, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::term::Explain as _;
use crate::widgets::{Button, bar, card, code_box, empty_state, key_value, term};

/// Draws the inspector of the open tab.
pub(super) fn ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut TabActions<'_>) {
    let view = &tab.expiry;
    if let Some(lane) = view.selected_lane() {
        ui.add(egui::Label::new(RichText::new(words::full_label(lane)).font(text::title())).wrap());
        verdict_ui(ui, state, tab, lane);
        remaining_ui(ui, lane, state.clock.shown_ms(), &pass_times(state, tab));
        buttons_ui(ui, state, tab, lane, actions);
        if let Some(document) = &view.document {
            ui.add_space(sizes::GAP_SMALL);
            let text = view.document_text(document);
            if code_box::document_ui(ui, &text) {
                actions.queue.push(Action::View(ViewAction::CopyLines(text)));
            }
        }
    } else {
        empty_state::hint(ui, "Select a document to see when and why it expires");
    }
    ui.add_space(sizes::GAP);
    let expires = state.tree.why_nothing_expires(&tab.namespace.db).is_none();
    if let Some(totals) = view.totals.as_ref().filter(|_| expires) {
        totals_ui(ui, tab, totals, actions);
    }
}

fn verdict_ui(ui: &mut Ui, state: &State, tab: &Tab, lane: &Lane) {
    let now_ms = state.now_ms();
    card::ui(ui, |ui| {
        let times = pass_times(state, tab);
        let title = words::bracket(lane, now_ms, &times);
        ui.label(RichText::new(title).font(text::title()));
        let verdict = words::verdict(lane, now_ms, times.removals);
        ui.label(RichText::new(verdict).color(colors(ui).dim));
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
            let past = now_ms.saturating_sub(lane.threshold_ms);
            ("Overdue", duration::overdue(past), ink.overdue)
        }
        Phase::Removed { late_ms } => {
            // Amber only for a lag that a period does not explain.
            let color = if times.is_late(late_ms) { ink.overdue } else { ink.removed };
            ("Removed", words::lateness(late_ms), color)
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

fn buttons_ui(ui: &mut Ui, state: &State, tab: &Tab, lane: &Lane, actions: &mut TabActions<'_>) {
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
        let copy = Button::plain("Copy").small().name("Copy explanation");
        if ui.add(copy.tooltip("Copy when and why it expires")).clicked() {
            let now_ms = state.now_ms();
            let times = pass_times(state, tab);
            let bracket = words::bracket(lane, now_ms, &times);
            let verdict = words::verdict(lane, now_ms, times.removals);
            let text = format!("{}: {bracket}. {verdict}", words::label(lane));
            actions.queue.push(Action::View(ViewAction::Copy(text)));
        }
    });
}

fn totals_ui(ui: &mut Ui, tab: &Tab, totals: &Totals, actions: &mut TabActions<'_>) {
    let ink = colors(ui);
    card::ui(ui, |ui| {
        let phases = [
            ("Will expire", totals.waiting, ink.accent, false),
            ("Overdue", totals.overdue, ink.overdue, true),
        ];
        for (name, count, color, overdue) in phases {
            // Color means that something is there.
            let color = if count == 0 { ink.dim } else { color };
            let row = key_value::pressable_colored(ui, name, &number::count(count), color);
            let word = if overdue { Term::Overdue } else { Term::Threshold };
            term::underline_key(ui, &row, name);
            let row = row.explain(&[word]);
            if row.hint("Show these documents").clicked() {
                actions.push(ExpiryAction::FilterPhase { overdue });
            }
        }
        let never = key_value::ui(ui, "Never expires", &number::count(totals.never));
        term::underline_key(ui, &never, "Never expires");
        never.explain(&[Term::NeverExpires]);
        if totals.damaged > 0 {
            let count = number::count(totals.damaged);
            key_value::colored(ui, "Damaged", &count, ink.error).hint(
                "Damaged documents can't be read or removed by a pass; run Verify to list them",
            );
        }
        if !totals.reasons.is_empty() {
            // They are parts of the number above them.
            let margin = egui::Margin { left: 12, ..egui::Margin::ZERO };
            egui::Frame::new().inner_margin(margin).show(ui, |ui| reasons_ui(ui, totals, actions));
        }
        // Where no index removes anything, the view says so.
        if totals.lack_reasons() && !tab.indexes.ttl().is_empty() {
            let hint = "Scan the documents to see why they never expire";
            if ui.add(Button::plain("Why?").small().tooltip(hint)).clicked() {
                actions.push(ExpiryAction::CountReasons);
            }
        }
    });
}

fn reasons_ui(ui: &mut Ui, totals: &Totals, actions: &mut TabActions<'_>) {
    for (code, count) in &totals.reasons {
        let count = number::count(*count);
        let row = key_value::pressable(ui, reason_label(code), &count);
        if row.hint("Show these documents").clicked() {
            actions.push(ExpiryAction::FilterNever(code.clone()));
        }
    }
}
