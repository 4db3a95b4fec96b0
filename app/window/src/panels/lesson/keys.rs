//! The keys of a lesson: 1 to 9 choose, and a presenter's clicker does everything else.

use egui::{Context, Key, Modifiers};

use super::card;
use crate::action::{Action, Actions, LessonAction};
use crate::job::lesson::LessonRequest;
use crate::state::State;
use crate::state::lesson::steps::{self, Step};
use crate::widgets::menu;

/// The keys of the choices, in order.
const CHOICES: [Key; 5] = [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5];

/// Takes the keys of a lesson that is played, before anything else sees them.
pub fn keys(context: &Context, state: &State, actions: &mut Actions) {
    let is_busy = !state.lessons.is_playing()
        || state.lessons.is_page_shown
        || context.text_edit_focused()
        || state.is_covered()
        || state.view.palette
        || menu::was_open(context);
    if is_busy {
        return;
    }
    let pressed = |key| context.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let mut push = |action| actions.push(Action::Lesson(action));
    // Without a question the digits belong to the scenes.
    if state.lessons.has_open_question() {
        for (choice, key) in CHOICES.into_iter().enumerate() {
            if pressed(key) {
                push(LessonAction::Mark(choice));
            }
        }
    }
    if !state.view.is_presented() {
        return;
    }
    let is_leaving = state.lessons.playing.as_ref().is_some_and(|playing| {
        let step = playing.view.as_ref().map(|view| steps::step(view, &playing.presented));
        matches!(step, Some(Step::Hint(_) | Step::Card(_) | Step::End))
    });
    for key in [Key::PageDown, Key::ArrowRight, Key::Space] {
        if pressed(key) {
            push(if is_leaving && card::has_more_below(context) {
                LessonAction::Page
            } else {
                LessonAction::Step
            });
        }
    }
    for key in [Key::PageUp, Key::ArrowLeft] {
        if pressed(key) {
            push(LessonAction::StepBack);
        }
    }
    if pressed(Key::B) || pressed(Key::Period) {
        push(LessonAction::Black);
    }
    if pressed(Key::R) {
        push(LessonAction::Request(LessonRequest::RestartCard));
    }
    if pressed(Key::N) {
        push(LessonAction::Notes);
    }
}
