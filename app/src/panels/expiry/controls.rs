//! The line above the timeline: which index, which span, back to *now*.

use egui::Ui;

use super::Asks;
use crate::action::ExpiryAction;
use crate::state::expiry::{ExpiryView, Mode};
use crate::state::indexes::TtlIndex;
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::{Button, menu, tabs};

/// Draws the line.
pub(super) fn ui(ui: &mut Ui, view: &ExpiryView, indexes: &[TtlIndex], asks: &mut Asks<'_>) {
    ui.horizontal(|ui| {
        index_ui(ui, view, indexes, asks);
        let hint = "See what another TTL would remove, before anything is changed";
        if ui.add(Button::plain("What if…").tooltip(hint)).clicked() {
            asks.push(ExpiryAction::WhatIf);
        }
        let modes = [Mode::Timeline, Mode::Table, Mode::Removed];
        let words = ["Timeline", "Table", "Removed"];
        let chosen = modes.iter().position(|mode| *mode == view.mode).unwrap_or(0);
        let pressed = tabs::segmented(ui, "Shown as", &words, chosen);
        if let Some(mode) = pressed.and_then(|at| modes.get(at)) {
            asks.push(ExpiryAction::Show(*mode));
        }
        if view.mode == Mode::Timeline {
            let layout = egui::Layout::right_to_left(egui::Align::Center);
            ui.with_layout(layout, |ui| span_ui(ui, view, asks));
        }
    });
}

fn index_ui(ui: &mut Ui, view: &ExpiryView, indexes: &[TtlIndex], asks: &mut Asks<'_>) {
    let all = "All TTL indexes";
    let chosen = view
        .index
        .as_ref()
        .and_then(|name| indexes.iter().find(|index| index.name == *name))
        .map_or_else(|| all.to_owned(), TtlIndex::label);
    let hint = "The TTL index whose documents are shown";
    let button = ui.add(Button::plain(&chosen).menu().name("TTL index").tooltip(hint));
    menu::below(&button, |ui| {
        if menu::choice(ui, all, view.index.is_none()).clicked() {
            asks.push(ExpiryAction::ChooseIndex(None));
        }
        for index in indexes {
            let is_chosen = view.index.as_ref() == Some(&index.name);
            if menu::choice(ui, &index.label(), is_chosen).clicked() {
                asks.push(ExpiryAction::ChooseIndex(Some(index.name.clone())));
            }
        }
    });
}

/// From right to left: follow, closer in, the span in words, further out. In a narrow view the words
/// go, and *follow* is there only when it does something.
fn span_ui(ui: &mut Ui, view: &ExpiryView, asks: &mut Asks<'_>) {
    let hint = "Put now back to its place (End)";
    let follows = view.axis.follows();
    let wide = ui.available_width() > sizes::SPAN_CONTROLS;
    let follow = if follows { Button::plain("Follow now") } else { Button::primary("Follow now") };
    if (wide || !follows) && ui.add(follow.tooltip(hint)).clicked() {
        asks.push(ExpiryAction::Follow);
    }
    if ui.add(Button::icon_only(Icon::Plus, "Show less time")).clicked() {
        asks.push(ExpiryAction::ZoomStep { further_out: false });
    }
    if wide {
        ui.label(text::rich(view.axis.sentence(), text::mono_small()).color(colors(ui).dim));
    }
    if ui.add(Button::icon_only(Icon::Less, "Show more time")).clicked() {
        asks.push(ExpiryAction::ZoomStep { further_out: true });
    }
}
