//! The scenes: in a menu, and on the keys 1 to 9 and 0.

use egui::{Context, Key, Modifiers, Ui};

use crate::action::{Action, Actions, LessonAction};
use crate::job::lesson::{LessonEntry, LessonKind};
use crate::state::State;
use crate::state::lesson::catalog;
use crate::widgets::hint::Hint as _;
use crate::widgets::{Button, menu};

/// The keys, in the order of the scenes.
const KEYS: [Key; 10] = [
    Key::Num1,
    Key::Num2,
    Key::Num3,
    Key::Num4,
    Key::Num5,
    Key::Num6,
    Key::Num7,
    Key::Num8,
    Key::Num9,
    Key::Num0,
];

/// Draws the button with the menu.
pub(super) fn button_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let tooltip = "Prepared stores for a lecture, without questions";
    let response = ui.add(Button::plain("Scenes").menu().tooltip(tooltip));
    menu::below(&response, |ui| entries_ui(ui, state, actions));
}

pub(in crate::panels) fn entries_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let Some(list) = &state.lessons.list else {
        if !state.lessons.is_asked {
            actions.push(Action::Lesson(LessonAction::Reload));
        }
        menu::entry(ui, "Loading…", "", false);
        return;
    };
    let scenes = catalog::scenes(list);
    if scenes.is_empty() {
        menu::entry(ui, "No scenes", "", false);
    }
    let has_keys = takes_digits(state);
    for (place, scene) in scenes.into_iter().enumerate() {
        let key = catalog::scene_key(place).filter(|_| has_keys);
        let key = key.map(String::from).unwrap_or_default();
        let entry = menu::entry(ui, &scene.title, &key, scene.problems.is_empty());
        if entry.hint(catalog::minutes(scene)).clicked() {
            open(scene, actions);
        }
    }
}

/// Whether digits alone open scenes: from one scene to another, and on the list of a presentation.
/// Elsewhere they are what lessons are searched by.
pub(super) fn takes_digits(state: &State) -> bool {
    let lessons = &state.lessons;
    let in_scene = lessons.view().is_some_and(|view| view.lesson.kind == LessonKind::Scene);
    in_scene || lessons.is_list_shown() && state.view.is_presented()
}

/// Takes the keys of the scenes.
pub(in crate::panels) fn keys(context: &Context, state: &State, actions: &mut Actions) {
    let lessons = &state.lessons;
    let is_free = !state.is_covered() && !state.view.palette;
    if !takes_digits(state) || !is_free || context.text_edit_focused() {
        return;
    }
    let Some(list) = &lessons.list else {
        if !lessons.is_asked {
            // A scene that a terminal opened came without the page that reads the list.
            actions.push(Action::Lesson(LessonAction::Reload));
        }
        return;
    };
    let pressed = KEYS
        .iter()
        .position(|key| context.input_mut(|input| input.consume_key(Modifiers::NONE, *key)));
    if let Some(scene) = pressed.and_then(|place| catalog::scenes(list).get(place).copied())
        && scene.problems.is_empty()
    {
        menu::close(context);
        open(scene, actions);
    }
}

pub(super) fn open(entry: &LessonEntry, actions: &mut Actions) {
    actions.push(Action::Lesson(LessonAction::Open(entry.source.clone())));
}
