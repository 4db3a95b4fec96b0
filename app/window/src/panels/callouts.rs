//! Callouts over the first Expiry view. Each points at what it explains; the last one leads to the lessons.

use egui::{Area, Context, CornerRadius, Frame, Id, Key, Margin, Modifiers, Order, Rect, Shape};
use egui::{Pos2, Shadow, Stroke, Ui, pos2, vec2};

use crate::action::{Action, Actions, ExpiryAction, LessonAction, ViewAction, help};
use crate::state::dialogs::HelpPage;
use crate::state::tabs::ViewKind;
use crate::state::view::CALLOUTS;
use crate::state::{State, Tab};
use crate::theme::{Colors, colors, sizes, text};
use crate::widgets::anchor::{self, Anchor};
use crate::widgets::{Button, menu};

/// A callout: its anchor and its text. The last word of `strong` is set apart.
struct Callout {
    anchor: Anchor,
    text: &'static str,
    strong: &'static str,
}

const TEXTS: [Callout; CALLOUTS] = [
    Callout {
        anchor: Anchor::Now,
        text: "Each bar is a document. It expires when it reaches ",
        strong: "now.",
    },
    Callout {
        anchor: Anchor::Monitor,
        text: "In each pass, the TTL monitor removes the overdue documents.",
        strong: "",
    },
    Callout {
        anchor: Anchor::WhatIf,
        text: "See what a different TTL would remove. Nothing changes until you confirm.",
        strong: "",
    },
    Callout {
        anchor: Anchor::Lessons,
        text: "Lessons of a few minutes explain the rules, on a clock that you control.",
        strong: "",
    },
];

/// The width of a callout, and the height and half width of its arrow.
const WIDTH: f32 = 300.0;
const ARROW: f32 = 8.0;

/// The callout that is on the screen: never over a dialog, a palette or another view.
fn shown<'a>(
    context: &Context,
    state: &'a State,
) -> Option<(usize, &'static Callout, Rect, &'a Tab)> {
    let number = state.view.callout?;
    let tab = state.tabs.active().filter(|tab| tab.view == ViewKind::Expiry)?;
    let is_elsewhere = state.view.is_start_shown || state.lessons.is_page_shown;
    if is_elsewhere || state.is_covered() || state.view.palette || !state.is_open() {
        return None;
    }
    let callout = TEXTS.get(number)?;
    Some((number, callout, anchor::place(context, callout.anchor)?, tab))
}

/// Takes Escape before the views do: it skips the callouts.
pub fn keys(context: &Context, state: &State, actions: &mut Actions) {
    if shown(context, state).is_none() || menu::was_open(context) {
        return;
    }
    if context.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
        actions.push(Action::View(ViewAction::EndCallouts));
    }
}

pub fn ui(context: &Context, state: &State, actions: &mut Actions) {
    let Some((number, callout, target, tab)) = shown(context, state) else { return };
    let look = Colors::of_window(context);
    let window = context.content_rect();
    let is_below = target.bottom() < window.center().y;
    let left = (target.center().x - WIDTH / 2.0)
        .clamp(sizes::GAP, (window.right() - WIDTH - sizes::GAP).max(sizes::GAP));
    let (pivot, tip) = if is_below {
        (egui::Align2::LEFT_TOP, pos2(target.center().x, target.bottom() + sizes::GAP_TINY))
    } else {
        (egui::Align2::LEFT_BOTTOM, pos2(target.center().x, target.top() - sizes::GAP_TINY))
    };
    let away = if is_below { ARROW } else { -ARROW };
    let area = Area::new(Id::unique("callout"))
        // Above the panels, below dialogs, menus and the palette.
        .order(Order::Middle)
        .pivot(pivot)
        .fixed_pos(pos2(left, tip.y + away))
        .show(context, |ui| {
            Frame::new()
                .fill(look.raised)
                .stroke(Stroke::new(sizes::LINE, look.accent))
                .corner_radius(CornerRadius::same(9))
                .shadow(Shadow { offset: [0, 8], blur: 24, spread: 0, color: look.shadow })
                .inner_margin(Margin::same(12))
                .show(ui, |ui| {
                    ui.set_width(WIDTH - 24.0);
                    content_ui(ui, number, callout, tab, actions);
                });
            arrow(ui, tip, away, look);
        });
    // It must be above the view also after a click there.
    context.move_to_top(area.response.layer_id);
}

fn arrow(ui: &Ui, tip: Pos2, away: f32, look: &Colors) {
    let ends = [tip + vec2(-ARROW, away), tip + vec2(ARROW, away)];
    let points = vec![ends[0], tip, ends[1]];
    ui.painter().add(Shape::convex_polygon(points, look.accent, Stroke::NONE));
}

fn content_ui(ui: &mut Ui, number: usize, callout: &Callout, tab: &Tab, actions: &mut Actions) {
    let mut job = egui::text::LayoutJob::default();
    let ink = colors(ui).text;
    let format = |font| egui::TextFormat::simple(font, ink);
    job.append(callout.text, 0.0, format(text::body()));
    job.append(callout.strong, 0.0, format(text::strong()));
    ui.add(egui::Label::new(job).wrap());
    ui.add_space(sizes::GAP_SMALL);
    ui.horizontal(|ui| {
        let count = format!("{} of {CALLOUTS}", number + 1);
        ui.label(text::rich(count, text::small()).color(colors(ui).dim));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            buttons_ui(ui, number, callout, tab, actions);
        });
    });
}

/// From right to left: the way on, what the callout invites to, and the way out.
fn buttons_ui(ui: &mut Ui, number: usize, callout: &Callout, tab: &Tab, actions: &mut Actions) {
    let is_last = number + 1 == CALLOUTS;
    let end = || Action::View(ViewAction::EndCallouts);
    if is_last {
        if ui.add(Button::primary("Open the lessons").small()).clicked() {
            actions.push(end());
            actions.push(Action::Lesson(LessonAction::ShowPage(true)));
        }
    } else if ui.add(Button::primary("Next").small()).clicked() {
        actions.push(Action::View(ViewAction::NextCallout));
    }
    let ttl = help::WHAT_IS_TTL;
    if callout.anchor == Anchor::Now
        && ui.add(Button::plain(ttl.label).small().tooltip(ttl.tooltip)).clicked()
    {
        // The tour continues when the page is closed.
        actions.push(help::show(HelpPage::Ttl));
    }
    if callout.anchor == Anchor::WhatIf
        && ui.add(Button::plain("Try it").small().tooltip("Shorten the TTL")).clicked()
    {
        actions.push(end());
        actions.push(Action::Expiry(tab.id, ExpiryAction::WhatIf));
    }
    let (word, tooltip) = if is_last {
        ("Done", "End the tour (Esc). You can start it again from Help")
    } else {
        ("Skip", "Skip the tour (Esc). You can start it again from Help")
    };
    if ui.add(Button::ghost(word).small().tooltip(tooltip)).clicked() {
        actions.push(end());
    }
}
