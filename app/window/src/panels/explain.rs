//! How the store answers a query: the plan as a picture, what it means, and the reply.

use std::time::Duration;

use egui::{
    Align, CentralPanel, CornerRadius, Frame, Id, Label, Layout, Margin, Panel, Role, ScrollArea,
    Sense, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2,
};

use crate::action::{Action, Actions, ExplainAction, ViewAction};
use crate::state::explain::{Answer, Explain, PlanStage};
use crate::state::{State, Tab, TabId, duration, number};
use crate::theme::{Icon, colors, durations, sizes, text};
use crate::widgets::empty_state::{self, Picture};
use crate::widgets::marks::visible;
use crate::widgets::value::cut;
use crate::widgets::{Button, code_box, paint, tabs};

/// The least width for the reply next to the picture, in points.
const WIDE: f32 = 700.0;

/// The part of a view that the picture has at first.
const SHARE: f32 = 0.56;

/// The widest box of a stage, in points.
const BOX_MAX: f32 = 560.0;

/// Characters of a line in a box.
const DETAIL_CHARS: usize = 300;

/// The height of an arrow between two boxes, in points.
const ARROW: f32 = 26.0;

/// Draws what takes the place of the documents or of the results.
pub fn ui(ui: &mut Ui, state: &State, tab: &Tab, shown: &Explain, actions: &mut Actions) {
    let mut push = |action| actions.push(Action::Explain(tab.id, action));
    ui.spacing_mut().item_spacing.y = sizes::GAP_SMALL;
    let answer = match &shown.answer {
        None => {
            waiting_ui(ui, state, tab.id, shown, actions);
            return;
        }
        Some(Err(error)) => {
            let pressed = empty_state::ui(ui, Picture::Failure, error, Some("Close"));
            if pressed.is_some_and(|button| button.clicked()) {
                push(ExplainAction::Close);
            }
            return;
        }
        Some(Ok(answer)) => answer,
    };
    advice_ui(ui, answer, &mut push);
    let room = ui.available_size();
    if room.x >= WIDE {
        let frame = Frame::new().inner_margin(Margin { right: 12, ..Margin::ZERO });
        Panel::left(Id::unique("plan"))
            .resizable(true)
            .default_size(room.x * SHARE)
            .size_range(280.0..=room.x - 280.0)
            .frame(frame)
            .show(ui, |ui| picture_ui(ui, answer));
        let frame = Frame::new().inner_margin(Margin { left: 12, ..Margin::ZERO });
        CentralPanel::default().frame(frame).show(ui, |ui| reply_ui(ui, answer, actions));
        return;
    }
    let chosen = usize::from(shown.shows_reply);
    if let Some(at) = tabs::segmented(ui, "Explained as", &["Picture", "Reply"], chosen) {
        push(ExplainAction::ShowReply(at == 1));
    }
    if shown.shows_reply { reply_ui(ui, answer, actions) } else { picture_ui(ui, answer) }
}

fn waiting_ui(ui: &mut Ui, state: &State, tab: TabId, shown: &Explain, actions: &mut Actions) {
    let since = shown.asked.map_or(state.uptime, |(_, since)| since);
    let runs = state.uptime.saturating_sub(since);
    actions.redraw_after(Duration::from_secs(runs.as_secs() + 1).saturating_sub(runs));
    let (words, stop) = if runs >= durations::SLOW_QUERY {
        let secs = i64::try_from(runs.as_secs()).unwrap_or(i64::MAX);
        let runs = duration::span(secs.saturating_mul(1_000));
        (format!("Running the query to its end, for {runs}"), Some("Stop"))
    } else {
        ("Running the query to its end".to_owned(), None)
    };
    let pressed = empty_state::ui(ui, Picture::Waiting, &words, stop);
    if pressed.is_some_and(|button| button.clicked()) {
        actions.push(Action::Explain(tab, ExplainAction::Close));
    }
}

/// The sentence, and what can be done.
fn advice_ui(ui: &mut Ui, answer: &Answer, push: &mut impl FnMut(ExplainAction)) {
    let colors = colors(ui);
    let advice = &answer.advice;
    // Amber is for documents that are late or go; a slow plan loses nothing.
    let (icon, ink, background) = if advice.is_warning {
        (Icon::Warning, colors.text, colors.raised)
    } else {
        (Icon::Check, colors.accent, colors.accent_background)
    };
    Frame::new()
        .fill(background)
        .corner_radius(CornerRadius::same(9))
        .inner_margin(Margin::symmetric(12, 8))
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            let size = vec2(ui.available_width(), sizes::CONTROL);
            ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
                if ui.add(Button::icon_only(Icon::Close, "Close the explanation")).clicked() {
                    push(ExplainAction::Close);
                }
                let again = Button::icon_only(Icon::Refresh, "Explain again");
                if ui.add(again).clicked() {
                    push(ExplainAction::Explain);
                }
                if advice.index.is_some() && ui.add(Button::primary("Create that index…")).clicked()
                {
                    push(ExplainAction::CreateIndex);
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let (rect, _) = ui.allocate_exact_size(Vec2::splat(text::ICON), Sense::hover());
                    paint::icon_at(ui.painter(), rect.center(), icon, text::ICON, ink);
                    let millis = number::count(answer.plan.millis);
                    let words = format!("{} ({millis}\u{a0}ms)", visible(&advice.sentence));
                    ui.add(Label::new(text::rich(words, text::body()).color(colors.text)).wrap());
                });
            });
        });
}

/// The stages from what is read first down to the result.
fn picture_ui(ui: &mut Ui, answer: &Answer) {
    ScrollArea::vertical().id_salt("plan").auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let mut before: Option<&PlanStage> = None;
        for stage in &answer.plan.stages {
            if let Some(before) = before {
                let is_branch = before.depth == stage.depth && !stage.name.starts_with('$');
                if is_branch { ui.add_space(sizes::GAP_SMALL) } else { arrow_ui(ui, before) }
            }
            stage_ui(ui, stage, answer.advice.is_warning);
            before = Some(stage);
        }
        if let Some(last) = before {
            arrow_ui(ui, last);
            let ink = colors(ui).dim;
            ui.label(text::rich("Result", text::small()).color(ink));
        }
        ui.add_space(sizes::GAP);
    });
}

fn arrow_ui(ui: &mut Ui, from: &PlanStage) {
    let colors = colors(ui);
    let size = vec2(ui.available_width().min(BOX_MAX), ARROW);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let x = rect.left() + 24.0;
    let (top, bottom) = (pos2(x, rect.top() + 2.0), pos2(x, rect.bottom() - 3.0));
    let stroke = Stroke::new(sizes::LINE_STRONG, colors.dim);
    ui.painter().line_segment([top, bottom], stroke);
    ui.painter().line_segment([bottom - vec2(4.0, 5.0), bottom], stroke);
    ui.painter().line_segment([bottom - vec2(-4.0, 5.0), bottom], stroke);
    if let Some(returned) = from.returned {
        let words = number::count(returned);
        let at = pos2(x + 12.0, rect.center().y);
        let align = egui::Align2::LEFT_CENTER;
        paint::text_at(ui, at, align, &words, text::mono_small(), colors.dim, size.x);
    }
}

fn stage_ui(ui: &mut Ui, stage: &PlanStage, is_warning: bool) {
    let colors = colors(ui);
    let is_costly = is_warning && matches!(stage.name.as_str(), "COLLSCAN" | "SORT");
    let border = if is_costly { colors.text } else { colors.hairline };
    let frame = Frame::new()
        .fill(colors.raised)
        .stroke(Stroke::new(sizes::LINE, border))
        .corner_radius(CornerRadius::same(9))
        .inner_margin(Margin::symmetric(12, 8));
    let shown = frame.show(ui, |ui| {
        ui.set_width((ui.available_width()).min(BOX_MAX - 24.0));
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        ui.horizontal(|ui| {
            ui.label(text::rich(visible(&stage.title), text::strong()).color(colors.text));
            if stage.title != stage.name {
                let name = visible(&stage.name);
                ui.label(text::rich(name, text::mono_small()).color(colors.dim));
            }
            if is_costly {
                ui.label(Icon::Warning.text().color(colors.text)).accessible_name("Costly");
            }
        });
        for detail in &stage.details {
            let detail = visible(&cut(detail, DETAIL_CHARS));
            let words = text::rich(detail, text::mono_small()).color(colors.dim);
            ui.add(Label::new(words).wrap());
        }
        if figures(stage).is_empty() {
            return;
        }
        ui.horizontal(|ui| {
            for (figure, what) in figures(stage) {
                ui.spacing_mut().item_spacing.x = sizes::GAP_TINY;
                ui.label(text::rich(figure, text::mono()).color(colors.text));
                ui.label(text::rich(what, text::small()).color(colors.dim));
                ui.add_space(sizes::GAP_SMALL);
            }
        });
    });
    let spoken: Vec<String> =
        figures(stage).into_iter().map(|(figure, what)| format!("{figure} {what}")).collect();
    let name = format!("Plan stage {}: {}", stage.name, spoken.join(", "));
    let id = ui.scope_id().with(("plan stage", shown.response.rect.top().to_bits()));
    let response = ui.interact(shown.response.rect, id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::ListItem, ui.is_enabled(), &name));
}

/// The figures of a stage, each with a word.
fn figures(stage: &PlanStage) -> Vec<(String, &'static str)> {
    let of = |number: Option<u64>, what| number.map(|number| (number::count(number), what));
    [
        of(stage.keys, "keys read"),
        of(stage.docs, "documents read"),
        of(stage.returned, "returned"),
        of(stage.millis, "ms"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn reply_ui(ui: &mut Ui, answer: &Answer, actions: &mut Actions) {
    ScrollArea::vertical().id_salt("reply").auto_shrink(false).show(ui, |ui| {
        if code_box::ui(ui, "Reply of explain", &answer.text) {
            actions.push(Action::View(ViewAction::CopyLines(answer.text.clone())));
        }
    });
}
