//! The strip between density and lanes that tries another TTL. The lanes and the density change color
//! while the slider is dragged; the store counts when it rests.

use std::time::Duration;

use egui::{Align, CornerRadius, Frame, Label, Layout, Margin, Ui, vec2};
use mayfly_engine::reply::{DocCount, WhatIf};

use crate::action::ExpiryAction;
use crate::job::number_draft::NumberDraft;
use crate::panels::lesson::why;
use crate::panels::tab_actions::ExpiryActions;
use crate::panels::ttl_slider;
use crate::state::expiry::WhatIfStrip;
use crate::state::indexes::ttl_words;
use crate::state::lesson::why::Topic;
use crate::state::number::short_documents;
use crate::state::{State, Tab};
use crate::theme::{colors, durations, sizes, text};
use crate::widgets::{Button, number_field};

/// How long the pointer rests on the slider before the store counts.
const REST: Duration = Duration::from_millis(150);

/// The width of the strip from which on number, slider and button are in one line, in points.
const ONE_LINE: f32 = 720.0;

/// The width of a count and its words, at most, and that of the link after them, in points.
const PART: f32 = 190.0;
const LINK: f32 = 230.0;

/// The room for *Apply…*, in points.
const BUTTON: f32 = 84.0;

/// Draws the strip, if it is open.
pub(super) fn ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut ExpiryActions<'_>) {
    let Some(strip) = &tab.expiry.what_if else { return };
    ui.add_space(sizes::GAP_TINY);
    let frame = Frame::new()
        .fill(colors(ui).raised)
        .corner_radius(CornerRadius::same(9))
        .inner_margin(Margin::symmetric(12, 8));
    frame.show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(sizes::GAP_SMALL, sizes::GAP_TINY);
        match strip.why_not() {
            Some(why) => refusal_ui(ui, why, actions),
            None => open_ui(ui, state, strip, actions),
        }
    });
    ui.add_space(sizes::GAP_TINY);
}

/// Why no TTL can be tried here, and what can be done.
fn refusal_ui(ui: &mut Ui, why: &str, actions: &mut ExpiryActions<'_>) {
    ui.add(Label::new(text::rich(why, text::body()).color(colors(ui).dim)).wrap());
    apply_ui(ui, Button::plain("Change TTL…"), actions);
}

/// The button that leads to the dialog.
fn apply_ui(ui: &mut Ui, apply: Button<'_>, actions: &mut ExpiryActions<'_>) {
    let hint = "Review the change before anything is removed";
    if ui.add(apply.tooltip(hint)).clicked() {
        actions.push(ExpiryAction::ApplyWhatIf);
    }
}

fn open_ui(ui: &mut Ui, state: &State, strip: &WhatIfStrip, actions: &mut ExpiryActions<'_>) {
    let change = &strip.change;
    let is_wide = ui.available_width() >= ONE_LINE;
    let mut ttl = change.ttl.clone();
    let secs = change.secs().ok();
    let mut is_held = false;
    let mut slider = |ui: &mut Ui, ttl: &mut NumberDraft| {
        let slid = ttl_slider::ui(ui, secs, change.index.secs);
        is_held = slid.is_held;
        if let Some(secs) = slid.secs {
            *ttl = NumberDraft::from_secs(secs);
        }
    };
    ui.horizontal(|ui| {
        number_field::ui(ui, "TTL to try", &mut ttl, change.ttl_problem().is_some());
        if is_wide {
            let width = ui.available_width() - BUTTON;
            ui.allocate_ui(vec2(width, sizes::SLIDER), |ui| slider(ui, &mut ttl));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let is_ready = strip.is_changed();
            let apply =
                if is_ready { Button::primary("Apply…") } else { Button::plain("Apply…") };
            apply_ui(ui, apply.enabled(is_ready), actions);
        });
    });
    if !is_wide {
        slider(ui, &mut ttl);
    }
    counts_ui(ui, state, strip, actions);
    if ttl != change.ttl {
        actions.push(ExpiryAction::TryTtl(ttl));
        actions.queue.redraw_after(durations::FRAME);
    } else if strip.lacks_counts() {
        let rests = ui.input(|input| input.pointer.time_since_last_movement());
        if is_held && rests < REST.as_secs_f32() {
            actions.queue.redraw_after(REST);
        } else {
            actions.push(ExpiryAction::CountWhatIf);
        }
    }
}

/// The four counts, which add up to the collection, or why there are none.
fn counts_ui(ui: &mut Ui, state: &State, strip: &WhatIfStrip, actions: &mut ExpiryActions<'_>) {
    let change = &strip.change;
    let problem = change.ttl_problem().or_else(|| change.error.clone());
    if let Some(problem) = problem {
        ui.add(Label::new(text::rich(problem, text::body()).color(colors(ui).error)).wrap());
        return;
    }
    if let Err(missing) = change.secs() {
        ui.label(text::rich(missing, text::body()).color(colors(ui).dim));
        return;
    }
    let figures = change.figures(state.now_ms());
    let figures = figures.as_deref();
    let parts: [(Option<DocCount>, &str); 4] = [
        (figures.map(|found| found.overdue_now), "overdue now"),
        (figures.map(|found| found.next_hour), "within an hour"),
        (figures.map(WhatIf::later), "later"),
        (figures.map(WhatIf::stays), "never"),
    ];
    ui.horizontal(|ui| {
        let is_wide = ui.available_width() >= ONE_LINE;
        let room = ui.available_width() - if is_wide { LINK } else { 0.0 };
        // Digits that change must not move the words of their neighbors.
        let size = vec2((room / 4.0 - sizes::GAP_SMALL).min(PART), sizes::CONTROL_SMALL);
        for (at, (count, words)) in parts.into_iter().enumerate() {
            let is_loss = at == 0 && count.is_some_and(|count| !count.is_zero());
            ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
                ui.set_min_size(size);
                part_ui(ui, count, words, is_loss);
            });
        }
        if !is_wide {
            return;
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if strip.is_changed() {
                why::link_ui(ui, state, Topic::WhatIf, actions.queue);
            } else if let Some(secs) = change.index.secs {
                let words = format!("now {}", ttl_words(secs));
                ui.label(text::rich(words, text::small()).color(colors(ui).dim));
            }
        });
    });
}

/// A count and its words in one line.
fn part_ui(ui: &mut Ui, count: Option<DocCount>, words: &str, is_loss: bool) {
    let ink = colors(ui);
    let color = if is_loss { ink.overdue } else { ink.text };
    let digits = count.map_or_else(|| "–".to_owned(), short_documents);
    let mut job = egui::text::LayoutJob::default();
    job.append(&digits, 0.0, egui::TextFormat::simple(text::mono_strong(), color));
    job.append(" ", 0.0, egui::TextFormat::simple(text::small(), ink.dim));
    job.append(words, 0.0, egui::TextFormat::simple(text::small(), ink.dim));
    ui.add(Label::new(job).truncate());
}
