//! The controls of a lesson's question on the timeline: boxes on the lanes, and a pin on the axis.

use bson::Bson;
use egui::{Align2, CursorIcon, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

use super::scale::Scale;
use crate::action::{Action, LessonAction};
use crate::job::Zone;
use crate::job::lesson::{BlockKind, BlockState, Guess, LessonView, QuestionKind};
use crate::panels::tab_actions::ExpiryActions;
use crate::state::lesson::{Playing, namespace, steps};
use crate::state::{State, Tab};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::paint;

/// How far left and right of its line the pin can be taken, in points.
const REACH: f32 = 9.0;

/// The side of the box on a lane.
const BOX: f32 = 14.0;

/// The documents that are chosen, while a question asks which lanes are removed.
pub(super) fn chosen<'a>(state: &'a State, tab: &Tab) -> Option<&'a [Bson]> {
    let playing = state.lessons.playing.as_ref()?;
    let (_, question) = steps::open_question(playing.view.as_deref()?)?;
    let QuestionKind::Which { among } = &question.kind else { return None };
    (namespace(among) == tab.namespace).then_some(playing.answers.which.as_slice())
}

/// Draws the box on a lane.
pub(super) fn box_ui(ui: &Ui, rect: Rect, scale: Scale, is_chosen: bool) {
    let ink = colors(ui);
    let center = pos2(scale.left - BOX, rect.center().y);
    let square = Rect::from_center_size(center, vec2(BOX, BOX));
    let stroke = Stroke::new(1.5, if is_chosen { ink.accent } else { ink.dim });
    let fill = if is_chosen { ink.accent } else { ink.panel };
    ui.painter().rect(square, 3.0, fill, stroke, StrokeKind::Inside);
    if is_chosen {
        paint::icon_at(ui.painter(), center, Icon::Check, BOX, ink.on_accent);
    }
}

/// The pin of the open card.
struct Pin {
    at_ms: i64,
    /// Whether it can be moved.
    is_open: bool,
}

fn pin(playing: &Playing, view: &LessonView) -> Option<Pin> {
    steps::blocks(view).find_map(|(_, block, state)| {
        let BlockKind::Question(question) = &block.kind else { return None };
        if question.kind != QuestionKind::Pin {
            return None;
        }
        match state.question.as_ref().and_then(|known| known.guess.as_ref()) {
            Some(Guess::Pin(ms)) => {
                let at_ms = view.time.start_ms.saturating_add(*ms);
                Some(Pin { at_ms, is_open: false })
            }
            // It begins at the clock, where it can be taken. Only a pin that was moved is an answer.
            _ => (state.state == BlockState::Ready).then(|| Pin {
                at_ms: playing.answers.pin_ms.unwrap_or(view.time.now_ms),
                is_open: true,
            }),
        }
    })
}

/// Draws the pin over the lanes, and moves it with the pointer.
pub(super) fn pin_ui(
    ui: &Ui,
    state: &State,
    scale: Scale,
    area: Rect,
    actions: &mut ExpiryActions<'_>,
) {
    let Some(playing) = &state.lessons.playing else { return };
    let Some(view) = &playing.view else { return };
    let Some(pin) = pin(playing, view) else { return };
    let x = scale.x(pin.at_ms).clamp(scale.left, scale.right());
    let ink = colors(ui);
    let tint = if pin.is_open { ink.accent } else { ink.dim };
    let painter = ui.painter().with_clip_rect(area);
    painter.vline(x, area.y_range(), Stroke::new(sizes::LINE_STRONG, tint));
    let words = words(&pin, state.clock.zone());
    let on_tint = if pin.is_open { ink.on_accent } else { ink.panel };
    let galley = painter.layout_no_wrap(words.clone(), text::small(), on_tint);
    let size = galley.size() + vec2(2.0 * sizes::GAP_SMALL, sizes::GAP_TINY);
    let left = (x - size.x / 2.0).clamp(area.left(), (area.right() - size.x).max(area.left()));
    // Above the axis, where it covers no lane before the last one.
    let flag = Rect::from_min_size(pos2(left, area.bottom() - size.y - 2.0), size);
    painter.rect_filled(flag, flag.height() / 2.0, tint);
    let place = Align2::CENTER_CENTER.anchor_size(flag.center(), galley.size());
    painter.galley(place.min, galley, on_tint);
    let band = Rect::from_x_y_ranges(x - REACH..=x + REACH, area.y_range());
    let id = egui::Id::unique("lesson pin");
    let sense = if pin.is_open { Sense::click_and_drag() } else { Sense::hover() };
    let response = ui.interact(band.union(flag), id, sense);
    response.widget_info(|| WidgetInfo::labeled(Role::Slider, pin.is_open, &words));
    if response.has_focus() {
        paint::focus_ring(ui, flag, flag.height() / 2.0);
    }
    if !pin.is_open {
        return;
    }
    let response = response.on_hover_cursor(CursorIcon::ResizeHorizontal);
    if let Some(pointer) = response.interact_pointer_pos().filter(|_| response.dragged()) {
        let at_ms = scale.axis.instant(scale.fraction(pointer.x), scale.now_ms);
        // Whole seconds, from the start of the lesson.
        let since = at_ms.saturating_sub(view.time.start_ms).max(0);
        let at_ms = view.time.start_ms.saturating_add((since + 500) / 1_000 * 1_000);
        actions.queue.push(Action::Lesson(LessonAction::SetPin(at_ms)));
    }
}

fn words(pin: &Pin, zone: Zone) -> String {
    let time = zone.time_of_day(pin.at_ms);
    if pin.is_open { format!("Pin {time}") } else { format!("Your pin {time}") }
}
