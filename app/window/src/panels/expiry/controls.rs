//! The line above the timeline: which index, which span, back to *now*.

use std::borrow::Cow;

use egui::Ui;

use super::totals;
use crate::action::{ExpiryAction, expiry};
use crate::panels::tab_actions::ExpiryActions;
use crate::state::expiry::{ExpiryView, Mode, Totals};
use crate::state::indexes::TtlIndex;
use crate::state::{State, Tab};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::anchor::{self, Anchor};
use crate::widgets::hint::Hint as _;
use crate::widgets::marks::visible;
use crate::widgets::value::cut;
use crate::widgets::{Button, menu, tabs};

/// Characters of an index that the button shows.
const INDEX_CHARS_MAX: usize = 28;

/// Characters of an index that the menu shows.
const ENTRY_CHARS_MAX: usize = 70;

/// Draws the line. Where the view is too narrow for all of it, the chips and the controls of the axis
/// are below the others.
pub(super) fn ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut ExpiryActions<'_>) {
    let view = &tab.expiry;
    let indexes = tab.indexes.ttl();
    let mut rest = Rest {
        modes: true,
        totals: totals(state, tab).is_some(),
        span: view.mode == Mode::Timeline,
    };
    let is_wide = ui.available_width() >= sizes::EXPIRY_CONTROLS;
    ui.horizontal(|ui| {
        index_ui(ui, view, &indexes, actions);
        what_if_ui(ui, view, actions);
        if is_wide {
            rest.draw(ui, state, tab, actions);
        }
    });
    if rest.modes {
        ui.horizontal(|ui| rest.draw(ui, state, tab, actions));
    }
    if rest.totals {
        ui.horizontal_wrapped(|ui| rest.draw(ui, state, tab, actions));
    }
    if rest.span {
        let size = egui::vec2(ui.available_width(), sizes::CONTROL);
        let layout = egui::Layout::right_to_left(egui::Align::Center);
        ui.allocate_ui_with_layout(size, layout, |ui| span_ui(ui, view, actions));
    }
}

/// The totals, where documents expire at all.
pub(super) fn totals<'a>(state: &State, tab: &'a Tab) -> Option<Cow<'a, Totals>> {
    if state.tree.why_nothing_expires(&tab.namespace.db).is_some() {
        return None;
    }
    // A server is asked for them once a minute.
    if state.store.connection.is_some() {
        return tab.expiry.totals_now(state.now_ms()).map(Cow::Owned);
    }
    tab.expiry.totals.as_ref().map(Cow::Borrowed)
}

/// The controls that are still to be drawn.
struct Rest {
    modes: bool,
    totals: bool,
    span: bool,
}

impl Rest {
    /// Draws what there is room for in this line, and at least the first of it.
    fn draw(&mut self, ui: &mut Ui, state: &State, tab: &Tab, actions: &mut ExpiryActions<'_>) {
        let is_first = !self.modes;
        if std::mem::take(&mut self.modes) {
            modes_ui(ui, &tab.expiry, actions);
        }
        let span = if self.span { sizes::SPAN_CONTROLS_MIN } else { 0.0 };
        let has_room = ui.available_width() >= sizes::EXPIRY_CHIPS + span;
        if self.totals && (is_first || has_room) {
            self.totals = false;
            if let Some(totals) = totals(state, tab) {
                totals::ui(ui, state, tab, &totals, actions);
            }
        }
        if self.span && ui.available_size_before_wrap().x >= sizes::SPAN_CONTROLS_MIN {
            self.span = false;
            let layout = egui::Layout::right_to_left(egui::Align::Center);
            ui.with_layout(layout, |ui| span_ui(ui, &tab.expiry, actions));
        }
    }
}

/// Opens and closes the strip that tries another TTL.
fn what_if_ui(ui: &mut Ui, view: &ExpiryView, actions: &mut ExpiryActions<'_>) {
    let is_open = view.mode == Mode::Timeline && view.what_if.is_some();
    let button =
        Button::plain("What if…").small().selected(is_open).tooltip(expiry::WHAT_IF.tooltip);
    let button = ui.add(button);
    anchor::note(ui.ctx(), Anchor::WhatIf, button.rect);
    if button.clicked() {
        actions.push(if is_open { ExpiryAction::CloseWhatIf } else { ExpiryAction::WhatIf });
    }
}

/// How the documents are shown.
fn modes_ui(ui: &mut Ui, view: &ExpiryView, actions: &mut ExpiryActions<'_>) {
    let modes = [Mode::Timeline, Mode::Table, Mode::Removed, Mode::Calendar];
    let words = ["Timeline", "Table", "Removed", "Calendar"];
    let chosen = modes.iter().position(|mode| *mode == view.mode).unwrap_or(0);
    let pressed = tabs::segmented(ui, "View", &words, chosen);
    if let Some(mode) = pressed.and_then(|at| modes.get(at)) {
        actions.push(ExpiryAction::Show(*mode));
    }
}

fn index_ui(ui: &mut Ui, view: &ExpiryView, indexes: &[TtlIndex], actions: &mut ExpiryActions<'_>) {
    let all = "All TTL indexes";
    let chosen = view
        .index
        .as_ref()
        .and_then(|name| indexes.iter().find(|index| index.name == *name))
        .map_or_else(|| all.to_owned(), TtlIndex::label);
    if let [only] = indexes
        && view.index.as_ref().is_none_or(|name| *name == only.name)
    {
        let label = visible(&only.label());
        let shown = cut(&label, INDEX_CHARS_MAX);
        ui.label(text::rich(shown, text::strong()).color(colors(ui).text)).hint(label);
        ui.add_space(sizes::GAP_SMALL);
        return;
    }
    let hint = "Filter by TTL index";
    let chosen = visible(&chosen);
    let shown = cut(&chosen, INDEX_CHARS_MAX);
    let hint = if shown == chosen { hint } else { &chosen };
    let button = ui.add(Button::plain(&shown).menu().name("TTL index").tooltip(hint));
    menu::below(&button, |ui| {
        if menu::choice(ui, all, view.index.is_none()).clicked() {
            actions.push(ExpiryAction::ChooseIndex(None));
        }
        for index in indexes {
            let is_chosen = view.index.as_ref() == Some(&index.name);
            let label = cut(&visible(&index.label()), ENTRY_CHARS_MAX);
            if menu::choice(ui, &label, is_chosen).clicked() {
                actions.push(ExpiryAction::ChooseIndex(Some(index.name.clone())));
            }
        }
    });
}

/// From right to left: closer in, the span in words, further out, *fit*, and *follow* when the axis
/// does not: in the last place it moves no other control. A narrow view has no words, and *follow*
/// in the place of *fit*.
fn span_ui(ui: &mut Ui, view: &ExpiryView, actions: &mut ExpiryActions<'_>) {
    let hint = "Scroll back to now (End)";
    let follows = view.axis.follows();
    let wide = ui.available_width() > sizes::SPAN_CONTROLS;
    if ui.add(Button::icon_only(Icon::Plus, "Zoom in")).clicked() {
        actions.push(ExpiryAction::ZoomStep { further_out: false });
    }
    if wide {
        ui.label(text::rich(view.axis.sentence(), text::small()).color(colors(ui).dim));
    }
    if ui.add(Button::icon_only(Icon::Less, "Zoom out")).clicked() {
        actions.push(ExpiryAction::ZoomStep { further_out: true });
    }
    let fit = Button::plain("Fit").tooltip(expiry::FIT.tooltip);
    if (wide || follows) && ui.add(fit).clicked() {
        actions.push(ExpiryAction::Fit);
    }
    // While the axis follows, the button would do nothing.
    if !follows && ui.add(Button::primary("Follow now").tooltip(hint)).clicked() {
        actions.push(ExpiryAction::Follow);
    }
}
