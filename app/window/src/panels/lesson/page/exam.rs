//! The exam: one question at a time, then the result by rule.

use egui::{Id, Key, Label, Modifiers, Sense, Ui};

use crate::action::{Action, Actions, LessonAction};
use crate::job::lesson::{ExamChoice, ExamQuestion, LessonList};
use crate::panels::lesson::choice::Choice;
use crate::panels::lesson::focus::drops_keyboard;
use crate::panels::lesson::scenes;
use crate::state::State;
use crate::state::lesson::exam::Exam;
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::empty_state::{self, Picture};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, bar, card, markdown};

/// The keys of the choices, in order.
const KEYS: [Key; 5] = [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5];

/// The invitation on the list.
pub(super) fn offer_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let exam = state.lessons.exam.as_ref();
    let words = match exam.map(|exam| (exam.open(), exam.score(), exam.sheet.questions.len())) {
        None => "20 questions, with other numbers each time".to_owned(),
        Some((Some((at, ..)), _, count)) => format!("Question {} of {count}", at + 1),
        Some((None, score, count)) => format!("Last result: {score} of {count}"),
    };
    card::ui(ui, |ui| {
        let size = egui::vec2(ui.available_width(), sizes::CONTROL);
        let layout = egui::Layout::right_to_left(egui::Align::Center);
        ui.allocate_ui_with_layout(size, layout, |ui| {
            let (label, action) = match exam.map(Exam::open) {
                Some(Some(_)) => ("Continue the exam", LessonAction::ShowExam),
                Some(None) => ("Show the result", LessonAction::ShowExam),
                None => ("Take the exam", LessonAction::TakeExam),
            };
            if ui.add(Button::plain(label)).clicked() {
                actions.push(Action::Lesson(action));
            }
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                ui.label(Icon::Check.text().color(colors(ui).accent));
                ui.label(text::rich("The exam", text::title()).color(colors(ui).text));
                let words = text::rich(words, text::body()).color(colors(ui).dim);
                ui.add(Label::new(words).truncate());
            });
        });
    });
}

pub(super) fn ui(ui: &mut Ui, state: &State, list: &LessonList, actions: &mut Actions) {
    ui.spacing_mut().item_spacing.y = sizes::GAP_SMALL;
    let Some(exam) = &state.lessons.exam else {
        empty_state::ui(ui, Picture::Waiting, "Drawing the questions…", None);
        return;
    };
    match exam.open() {
        Some((at, question, answer)) => {
            keys(ui, state, question, actions);
            question_ui(ui, state, exam, (at, question, answer), actions);
        }
        None => result_ui(ui, exam, list, actions),
    }
}

fn keys(ui: &Ui, state: &State, question: &ExamQuestion, actions: &mut Actions) {
    if state.is_covered() || state.view.palette || ui.ctx().text_edit_focused() {
        return;
    }
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let mut push = |action| actions.push(Action::Lesson(action));
    for (choice, key) in KEYS.into_iter().enumerate().take(question.choices.len()) {
        if pressed(key) {
            push(LessonAction::AnswerExam(choice));
        }
    }
    for (key, is_forward) in [(Key::PageDown, true), (Key::PageUp, false)] {
        if pressed(key) {
            push(LessonAction::StepExam { is_forward });
        }
    }
}

/// Whether the keyboard goes to another control: once for each question and answer, and when Escape
/// took it.
fn keyboard_moves(ui: &Ui, state: &State, at: (u64, usize, Option<usize>)) -> bool {
    if state.is_covered() || state.view.palette || ui.ctx().text_edit_focused() {
        return false;
    }
    let id = Id::unique("question of the exam with the keyboard");
    ui.data_mut(|data| {
        let seen = data.get_temp(id);
        data.insert_temp(id, at);
        seen != Some(at)
    }) || drops_keyboard(ui.ctx())
}

fn question_ui(
    ui: &mut Ui,
    state: &State,
    exam: &Exam,
    (at, question, answer): (usize, &ExamQuestion, Option<usize>),
    actions: &mut Actions,
) {
    let ink = colors(ui);
    let count = exam.sheet.questions.len();
    let title = format!("Question {} of {count}", at + 1);
    let title = Label::new(text::rich(title, text::large_heading()).color(ink.text));
    let title = ui.add(title.sense(Sense::focusable_noninteractive()));
    let moves = keyboard_moves(ui, state, (exam.sheet.seed, at, answer));
    if moves && answer.is_none() {
        title.request_focus();
    }
    #[expect(clippy::cast_precision_loss, reason = "twenty questions")]
    let share = at as f32 / count as f32;
    bar::ui(ui, share, ink.accent, "Progress in the exam");
    ui.add_space(sizes::GAP_SMALL);
    markdown::ui(ui, &question.given);
    markdown::line_ui(ui, &format!("**{}**", question.text), ink.text);
    for (place, choice) in question.choices.iter().enumerate() {
        let row = Choice {
            number: place + 1,
            words: &choice.text,
            is_chosen: answer == Some(place),
            is_true: false,
            is_open: true,
            tag: "",
            is_box: false,
        };
        if row.ui(ui).clicked() {
            actions.push(Action::Lesson(LessonAction::AnswerExam(place)));
        }
    }
    ui.add_space(sizes::GAP_SMALL);
    ui.horizontal(|ui| {
        let step = |is_forward| Action::Lesson(LessonAction::StepExam { is_forward });
        if ui.add(Button::plain("Back").enabled(at > 0).tooltip("PageUp")).clicked() {
            actions.push(step(false));
        }
        let label = match (answer, at + 1 == count) {
            (None, _) => "Skip",
            (Some(_), false) => "Next question",
            (Some(_), true) => "Show the result",
        };
        let next = if answer.is_some() { Button::primary(label) } else { Button::plain(label) };
        let next = ui.add(next.known_as("next question").tooltip("PageDown"));
        if moves && answer.is_some() {
            next.request_focus();
        }
        if next.clicked() {
            actions.push(step(true));
        }
    });
}

fn result_ui(ui: &mut Ui, exam: &Exam, list: &LessonList, actions: &mut Actions) {
    let ink = colors(ui);
    let title = format!("{} of {} right", exam.score(), exam.sheet.questions.len());
    ui.label(text::rich(title, text::large_heading()).color(ink.text));
    let words =
        format!("The engine computed every answer. The seed of this exam is {}.", exam.sheet.seed);
    ui.label(text::rich(words, text::body()).color(ink.dim));
    ui.horizontal(|ui| {
        let other = Button::primary("Take another exam").tooltip("The same rules, other numbers");
        if ui.add(other).clicked() {
            actions.push(Action::Lesson(LessonAction::TakeExam));
        }
        if ui.add(Button::plain("Back to the lessons")).clicked() {
            actions.push(Action::Lesson(LessonAction::ShowPage(true)));
        }
    });
    ui.add_space(sizes::GAP_SMALL);
    for (question, answer) in exam.results() {
        if answer == Some(question.right) {
            ui.horizontal(|ui| {
                ui.label(Icon::Check.text().color(ink.accent)).accessible_name("Right");
                ui.label(text::rich(with_marks(&question.rule), text::body()).color(ink.text));
            });
        } else {
            missed_ui(ui, question, answer, list, actions);
        }
    }
}

/// A wrong answer, with the right one and the lesson that teaches it.
fn missed_ui(
    ui: &mut Ui,
    question: &ExamQuestion,
    answer: Option<usize>,
    list: &LessonList,
    actions: &mut Actions,
) {
    let ink = colors(ui);
    let words = |place: usize| question.choices.get(place);
    let line = |head: &str, choice: Option<&ExamChoice>| {
        choice.map(|choice| format!("**{head}** {}. {}", choice.text, choice.because))
    };
    card::ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_SMALL;
        ui.horizontal(|ui| {
            ui.label(Icon::Close.text().color(ink.overdue)).accessible_name("Missed");
            ui.label(text::rich(with_marks(&question.rule), text::title()).color(ink.text));
        });
        markdown::ui(ui, &question.given);
        markdown::line_ui(ui, &question.text, ink.text);
        let yours = match answer {
            Some(place) => line("You chose:", words(place)),
            None => Some("You skipped it.".to_owned()),
        };
        for words in yours.into_iter().chain(line("Right:", words(question.right))) {
            markdown::line_ui(ui, &words, ink.text);
        }
        if let Some(entry) = list.shipped(&question.lesson) {
            let label = format!("Lesson: {}", with_marks(&entry.title));
            if ui.add(Button::plain(&label).small()).clicked() {
                scenes::open(entry, actions);
            }
        }
    });
}
