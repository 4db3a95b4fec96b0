//! The open card: its title, its prose and its blocks, in order.

use egui::{Align, FontId, Id, Label, Margin, ScrollArea, Sense, TextStyle, Ui};

use super::actions::LessonActions;
use super::focus::Main;
use super::page::{PROBLEMS_MAX, place};
use super::{actions, block};
use crate::action::{Action, LessonAction, ViewAction};
use crate::job::lesson::{BlockState, BlockView, Card, LessonView, Part, Verdict};
use crate::state::State;
use crate::state::lesson::{Playing, steps};
use crate::theme::{colors, sizes, text};
use crate::widgets::markdown::{self, Clicked};
use crate::widgets::marks::visible;

/// The share of a screen by which a press moves a card: the last lines stay.
const PAGE_SHARE: f32 = 0.8;

pub(super) fn ui(ui: &mut Ui, state: &State, playing: &Playing, actions: &mut LessonActions<'_>) {
    let Some(view) = &playing.view else {
        ui.centered_and_justified(|ui| {
            let words = text::rich("Preparing the lesson…", text::body());
            ui.label(words.color(colors(ui).dim));
        });
        return;
    };
    let card = ScrollArea::vertical()
        .id_salt(("lesson card", playing.number, view.card))
        .auto_shrink([false, false])
        .show(ui, |ui| {
            page(ui, playing, view);
            egui::Frame::new().inner_margin(Margin::symmetric(16, 14)).show(ui, |ui| {
                ui.set_max_width(ui.available_width());
                if !state.view.is_presented() {
                    // A presentation is enlarged as a whole.
                    let body = FontId { size: text::READING, ..text::body() };
                    ui.style_mut().text_styles.insert(TextStyle::Body, body);
                }
                ui.spacing_mut().item_spacing.y = sizes::GAP;
                content_ui(ui, state, playing, view, actions);
            });
        });
    let bottom = card.state.unclamped_offset().y + card.inner_rect.height() + sizes::GAP_LARGE;
    ui.data_mut(|data| data.insert_temp(below_id(), bottom < card.content_size.y));
}

fn below_id() -> Id {
    Id::unique("the lesson card has more below")
}

/// Whether the card, as it was drawn last, has more below than is on the screen.
pub(super) fn has_more_below(context: &egui::Context) -> bool {
    context.data(|data| data.get_temp(below_id())).unwrap_or(false)
}

/// Moves the card up for each press that asked for it.
fn page(ui: &Ui, playing: &Playing, view: &LessonView) {
    let id = Id::unique("pages of the lesson card");
    let now = (playing.number, view.card, playing.presented.pages);
    let seen = ui.data(|data| data.get_temp::<(u32, usize, usize)>(id)).unwrap_or_default();
    ui.data_mut(|data| data.insert_temp(id, now));
    if (seen.0, seen.1) == (now.0, now.1) && now.2 > seen.2 {
        ui.scroll_with_delta(egui::vec2(0.0, -PAGE_SHARE * ui.clip_rect().height()));
    }
}

fn content_ui(
    ui: &mut Ui,
    state: &State,
    playing: &Playing,
    view: &LessonView,
    actions: &mut LessonActions<'_>,
) {
    let Some(card) = steps::card(view) else { return };
    let is_presented = state.view.is_presented();
    let ink = colors(ui);
    let title = visible(&card.title);
    let font = if is_presented { text::heading() } else { text::large_heading() };
    let mut heading = Label::new(text::rich(title, font).color(ink.text)).wrap();
    if Main::of(view) == Some(Main::Title) && !is_presented {
        heading = heading.sense(Sense::focusable_noninteractive());
    }
    let heading = ui.add(heading);
    Main::Title.follow(&heading, state, playing);
    actions::announce(ui, heading.id);
    if let Some(failure) = &view.failure {
        failure_ui(ui, failure);
    }
    broken_ui(ui, playing);
    let states = view.cards.get(view.card).map(|card| card.parts.as_slice()).unwrap_or_default();
    let newest = newest(view);
    // A verdict, a hint and a goal that is reached push down what is below them.
    let is_seen = |asked: usize| !is_presented || playing.presented.verdicts.contains(&asked);
    let added = |at: usize, state: &BlockView| {
        let has_verdict = state.question.as_ref().is_some_and(|known| known.verdict.is_some());
        usize::from(has_verdict && is_seen(at)) + state.hints + usize::from(state.is_reached)
    };
    let seen = steps::blocks(view).map(|(at, _, state)| added(at, state)).sum();
    for (at, part) in card.parts.iter().enumerate() {
        let drawn = ui.scope(|ui| match (part, states.get(at).and_then(Option::as_ref)) {
            (Part::Prose(prose), _) => prose_ui(ui, prose, actions),
            (Part::Notes(notes), _) if playing.shows_notes => prose_ui(ui, notes, actions),
            (Part::Notes(_), _) | (Part::Block(_), None) => {}
            (Part::Handle(handle), _) => super::handle::ui(ui, state, handle, actions),
            (Part::Block(found), Some(known)) => {
                block::ui(ui, state, playing, (view, at, found, known), actions);
                for verdict in verdicts(card, view, at, is_seen) {
                    super::verdict::ui(ui, verdict, actions);
                }
            }
        });
        if newest == Some(at) {
            // A press shows the question below the text.
            let is_shown = !is_presented || playing.presented.questions.contains(&at);
            let place = (playing.number, view.card, (at, seen, is_shown));
            follow(ui, place, drawn.response.rect);
        }
    }
}

/// The verdicts that come after a part.
fn verdicts<'a>(
    card: &'a Card,
    view: &'a LessonView,
    part: usize,
    is_seen: impl Fn(usize) -> bool + 'a,
) -> impl Iterator<Item = &'a Verdict> {
    steps::blocks(view)
        .filter(move |(at, ..)| card.answered_by(*at) == Some(part) && is_seen(*at))
        .filter_map(|(_, _, state)| state.question.as_ref()?.verdict.as_ref())
}

/// The last part in which something happened or can be done.
fn newest(view: &LessonView) -> Option<usize> {
    let active = |state: BlockState| state != BlockState::Waiting;
    steps::blocks(view)
        .filter(|(_, block, state)| {
            active(state.state) && !matches!(block.kind, crate::job::lesson::BlockKind::Solution(_))
        })
        .last()
        .map(|(at, ..)| at)
}

/// The number of the lesson, the index of the card; of its newest part the index, what was added to the card
/// and whether it is shown.
type FollowedPart = (u32, usize, (usize, usize, bool));

/// Scrolls to what comes next, once.
fn follow(ui: &Ui, part: FollowedPart, rect: egui::Rect) {
    let id = Id::unique("lesson part seen last");
    let seen = ui.data(|data| data.get_temp::<FollowedPart>(id));
    if seen != Some(part) {
        ui.data_mut(|data| data.insert_temp(id, part));
        if seen.is_some_and(|seen| seen.0 == part.0 && seen.1 == part.1) {
            ui.scroll_to_rect(rect.expand(sizes::GAP), None::<Align>);
        }
    }
}

/// The problems of a file that was saved, while the card is still that of the file before.
fn broken_ui(ui: &mut Ui, playing: &Playing) {
    if playing.broken.is_empty() {
        return;
    }
    let ink = colors(ui);
    crate::widgets::card::bordered(ui, ink.error, |ui| {
        let words = "The saved file can’t be read. This is the card before.";
        let said = ui.label(text::rich(words, text::strong()).color(ink.text));
        actions::announce(ui, said.id);
        for problem in playing.broken.iter().take(PROBLEMS_MAX) {
            ui.add(Label::new(text::rich(place(problem), text::body())).wrap());
        }
    });
}

fn failure_ui(ui: &mut Ui, failure: &str) {
    let ink = colors(ui);
    crate::widgets::card::bordered(ui, ink.error, |ui| {
        ui.label(text::rich(visible(failure), text::body()).color(ink.text));
        let words = "Restart the card, or close the lesson.";
        ui.label(text::rich(words, text::small()).color(ink.dim));
    });
}

/// Draws prose and does what its links and buttons say.
pub(super) fn prose_ui(ui: &mut Ui, prose: &str, actions: &mut LessonActions<'_>) {
    match markdown::ui(ui, prose) {
        Some(Clicked::Link(link)) => actions.push(LessonAction::Follow(link)),
        Some(Clicked::Copy(code)) => {
            actions.queue.push(Action::View(ViewAction::CopyLines(code)));
        }
        None => {}
    }
}
