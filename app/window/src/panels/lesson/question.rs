//! A question: its choices, the answer, the verdict, and the hands of a room.

use bson::Bson;
use egui::{Event, Id, Key, Ui};

use super::actions::LessonActions;
use super::choice::Choice;
use super::{actions, votes};
use crate::action::LessonAction;
use crate::job::lesson::{
    BlockState, BlockView, Guess, LessonRequest, LessonView, Question, QuestionKind, QuestionView,
};
use crate::state::State;
use crate::state::lesson::Playing;
use crate::theme::{colors, sizes, text};
use crate::widgets::field::Field;
use crate::widgets::marks::visible;
use crate::widgets::value::id as id_text;
use crate::widgets::{Button, markdown};

/// The tag of a guess, also where a room made it.
const GUESS: &str = "your guess";

/// The width of a number, in points.
const NUMBER: f32 = 72.0;

/// The width of a time of day, in points.
const TIME: f32 = 96.0;

/// A question with its place on the card and its state.
pub(super) type Asked<'a> = (&'a LessonView, usize, &'a Question, &'a BlockView);

pub(super) fn ui(
    ui: &mut Ui,
    state: &State,
    playing: &Playing,
    asked: Asked<'_>,
    actions: &mut LessonActions<'_>,
) {
    let (_, at, question, known) = asked;
    let is_presented = state.view.is_presented();
    if is_presented
        && known.state == BlockState::Ready
        && !playing.presented.questions.contains(&at)
    {
        return;
    }
    let ink = colors(ui);
    ui.spacing_mut().item_spacing.y = sizes::GAP_SMALL;
    let asks = format!("**{}**", question.text);
    let label = markdown::line_ui(ui, &asks, ink.text);
    actions::announce(ui, label.id);
    let answered = known.question.clone().unwrap_or_default();
    let is_typed = matches!(question.kind, QuestionKind::Count { .. } | QuestionKind::Pin);
    if is_typed && answered.guess.is_none() && known.state == BlockState::Done {
        // A room moved past it without a guess.
        return;
    }
    match &question.kind {
        QuestionKind::Choose => choices_ui(ui, state, playing, asked, &answered, actions),
        QuestionKind::Count { min, max } => {
            count_ui(ui, state, playing, (at, known), (*min, *max), &answered, actions);
        }
        QuestionKind::Which { .. } => which_ui(ui, playing, (at, known), &answered, actions),
        QuestionKind::Pin => pin_ui(ui, state, playing, asked, &answered, actions),
    }
    // One who learns alone has no hands to count.
    if is_presented && (question.vote || question.kind == QuestionKind::Choose) {
        votes::ui(ui, playing, (at, question, known), &answered, actions);
    }
}

fn choices_ui(
    ui: &mut Ui,
    state: &State,
    playing: &Playing,
    (_, part, question, known): Asked<'_>,
    answered: &QuestionView,
    actions: &mut LessonActions<'_>,
) {
    let is_presented = state.view.is_presented();
    let hides = is_presented && !playing.presented.verdicts.contains(&part);
    let is_open = known.state == BlockState::Ready;
    for (at, choice) in question.choices.iter().enumerate() {
        let is_guess = answered.guess == Some(Guess::Choice(at));
        let is_marked = is_presented && is_open && playing.presented.marked == Some(at);
        let row = Choice {
            number: at + 1,
            words: &choice.text,
            is_chosen: is_guess || is_marked,
            is_true: answered.true_choice == Some(at) && !hides,
            is_open,
            tag: if is_guess { GUESS } else { "" },
            is_box: false,
        };
        if row.ui(ui).clicked() {
            if is_presented {
                actions.push(LessonAction::Mark(at));
            } else {
                let guess = Guess::Choice(at);
                actions.push(LessonAction::Request(LessonRequest::Guess { part, guess }));
            }
        }
    }
}

/// A number to type, with buttons that make it smaller and larger.
fn count_ui(
    ui: &mut Ui,
    state: &State,
    playing: &Playing,
    (part, known): (usize, &BlockView),
    (min, max): (i64, i64),
    answered: &QuestionView,
    actions: &mut LessonActions<'_>,
) {
    if let Some(Guess::Count(guess)) = answered.guess {
        let answer = answered.answer.as_ref().map(number_text);
        compared_ui(ui, &guess.to_string(), answer.as_deref());
        return;
    }
    let is_open = known.state == BlockState::Ready;
    let (before, count) = playing.answers.count(part, min, max);
    let mut typed = before.clone();
    let id = Id::unique(("number of a question", part));
    if is_open {
        start_typing(ui, state, id, &mut typed);
    }
    let mut is_locked = false;
    ui.horizontal_wrapped(|ui| {
        let step = |ui: &mut Ui, label: &str, name: &str, by: i64| {
            let to = count.unwrap_or(min) + by;
            let is_in = (min..=max).contains(&to) && is_open;
            let button = Button::plain(label).name(name).enabled(is_in).width_min(sizes::CONTROL);
            ui.add(button).clicked().then_some(to)
        };
        let mut to = step(ui, "−", "One less", -1);
        ui.add_enabled_ui(is_open, |ui| {
            let (mono, invalid) = (true, count.is_none() && !typed.is_empty());
            let (width, id) = (Some(NUMBER), Some(id));
            let field = Field { name: "Number", mono, invalid, width, id, ..Field::default() };
            let response = field.ui(ui, &mut typed);
            is_locked = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        });
        to = to.or(step(ui, "+", "One more", 1));
        if max - min > 20 {
            to = to.or(step(ui, "+10", "Ten more", 10));
        }
        if let Some(to) = to {
            typed = to.to_string();
        }
        let lock = Button::primary("Lock answer").enabled(is_open && count.is_some());
        is_locked |= ui.add(lock).clicked();
    });
    typed.retain(|c| c.is_ascii_digit() || c == '-' && min < 0);
    if typed != before {
        actions.push(LessonAction::SetCount(part, typed));
    } else if is_locked && count.is_some() {
        actions.push(LessonAction::Lock(part));
    }
}

/// Moves digits that are typed without a click into the field, and the focus with them.
fn start_typing(ui: &Ui, state: &State, id: Id, typed: &mut String) {
    let is_elsewhere = state.is_covered() || state.view.palette || ui.ctx().text_edit_focused();
    if let Some(digits) = (!is_elsewhere).then(|| take_digits(ui)).flatten() {
        *typed = digits;
        ui.memory_mut(|memory| memory.request_focus(id));
    }
}

/// Digits that are typed in this frame.
fn take_digits(ui: &Ui) -> Option<String> {
    let is_digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    ui.input_mut(|input| {
        let at = input
            .events
            .iter()
            .position(|event| matches!(event, Event::Text(text) if is_digits(text)))?;
        match input.events.remove(at) {
            Event::Text(text) => Some(text),
            _ => None,
        }
    })
}

/// The guess next to the computed answer.
fn compared_ui(ui: &mut Ui, guess: &str, answer: Option<&str>) {
    let ink = colors(ui);
    ui.horizontal_wrapped(|ui| {
        ui.label(text::rich("Your guess", text::body()).color(ink.dim));
        ui.label(text::rich(guess, text::mono_strong()).color(ink.text));
        if let Some(answer) = answer {
            ui.add_space(sizes::GAP);
            ui.label(text::rich("The store says", text::body()).color(ink.dim));
            ui.label(text::rich(answer, text::mono_strong()).color(ink.accent));
        }
    });
}

fn number_text(answer: &Bson) -> String {
    match answer {
        Bson::Double(number) if number.fract() == 0.0 => format!("{number:.0}"),
        other => id_text(other),
    }
}

/// The documents as boxes; their lanes can be clicked as well.
fn which_ui(
    ui: &mut Ui,
    playing: &Playing,
    (part, known): (usize, &BlockView),
    answered: &QuestionView,
    actions: &mut LessonActions<'_>,
) {
    let is_open = known.state == BlockState::Ready;
    let among = playing.answers.among.as_ref();
    let among = among.map(|(_, among)| among.as_slice()).unwrap_or_default();
    let guessed = match &answered.guess {
        Some(Guess::Which(ids)) => Some(ids.as_slice()),
        _ => None,
    };
    let is_true = |id: &Bson| match &answered.answer {
        Some(Bson::Array(ids)) => ids.contains(id),
        _ => false,
    };
    // Those that are gone by now are in the guess or the answer.
    let gone = match &answered.answer {
        Some(Bson::Array(ids)) => ids.as_slice(),
        _ => &[],
    };
    let mut shown: Vec<&Bson> = Vec::new();
    let ids = among.iter().map(|document| &document.id);
    for id in ids.chain(guessed.unwrap_or_default()).chain(gone) {
        if !shown.contains(&id) {
            shown.push(id);
        }
    }
    let chosen = guessed.unwrap_or(&playing.answers.which);
    for (at, id) in shown.into_iter().enumerate() {
        let fields = among.iter().find(|document| document.id == *id);
        let words = document_words(id, fields.map_or("", |document| &document.fields));
        let is_chosen = chosen.contains(id);
        let row = Choice {
            number: at + 1,
            words: &words,
            is_chosen,
            is_true: answered.answer.is_some() && is_true(id),
            is_open,
            tag: if is_chosen && guessed.is_some() { GUESS } else { "" },
            is_box: true,
        };
        if row.ui(ui).clicked() {
            actions.push(LessonAction::ToggleDocument(id.clone()));
        }
    }
    if guessed.is_none() {
        let label = match playing.answers.which.len() {
            0 => "Lock answer: none".to_owned(),
            count => format!("Lock answer: {count}"),
        };
        let lock = Button::primary(&label).enabled(is_open).known_as("lock");
        if ui.add(lock).clicked() {
            actions.push(LessonAction::Lock(part));
        }
    }
}

/// The `_id` of a document, then its fields, as code.
fn document_words(id: &Bson, fields: &str) -> String {
    // A backtick would end the code.
    let code = |text: &str| format!("`{}`", visible(text).replace('`', "'"));
    let id = code(&id_text(id));
    if fields.is_empty() { id } else { format!("{id} {}", code(fields)) }
}

/// An instant; it can be dragged on the time axis, or stepped here.
fn pin_ui(
    ui: &mut Ui,
    state: &State,
    playing: &Playing,
    (view, part, _, known): Asked<'_>,
    answered: &QuestionView,
    actions: &mut LessonActions<'_>,
) {
    let (zone, start_ms) = (state.clock.zone(), view.time.start_ms);
    if let Some(Guess::Pin(guess_ms)) = answered.guess {
        let at_ms = start_ms.saturating_add(guess_ms);
        let answer_ms = answered.answer.as_ref().and_then(seconds).map(|secs| {
            #[expect(clippy::cast_possible_truncation, reason = "saturates, which is wanted")]
            let ms = (secs * 1_000.0).round() as i64;
            start_ms.saturating_add(ms)
        });
        let answer = answer_ms.map(|answer_ms| zone.time_of_day(answer_ms));
        compared_ui(ui, &zone.time_of_day(at_ms), answer.as_deref());
        return;
    }
    let is_open = known.state == BlockState::Ready;
    let pinned_ms = playing.answers.pin_ms;
    let at_ms = pinned_ms.unwrap_or(view.time.now_ms);
    let typed = playing.answers.pin_typed.clone();
    let mut typed =
        typed.unwrap_or_else(|| pinned_ms.map(|at_ms| zone.time_of_day(at_ms)).unwrap_or_default());
    let before = typed.clone();
    let id = Id::unique(("time of a pin", part));
    if is_open {
        start_typing(ui, state, id, &mut typed);
    }
    let mut is_locked = false;
    ui.horizontal_wrapped(|ui| {
        let mut step = |ui: &mut Ui, label: &str, name: &str, by_ms: i64| {
            let button = Button::plain(label).name(name).small().enabled(is_open);
            if ui.add(button).clicked() {
                actions.push(LessonAction::SetPin((at_ms + by_ms).max(start_ms)));
            }
        };
        step(ui, "−10 s", "Pin ten seconds earlier", -10_000);
        step(ui, "−1 s", "Pin one second earlier", -1_000);
        ui.add_enabled_ui(is_open, |ui| {
            let invalid = !typed.is_empty() && pinned_ms.is_none();
            let (mono, width, id) = (true, Some(TIME), Some(id));
            let (name, hint) = ("Time of the pin", "hh:mm:ss");
            let field = Field { name, hint, mono, invalid, width, id, ..Field::default() };
            let response = field.ui(ui, &mut typed);
            actions::announce(ui, response.id);
            is_locked = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        });
        step(ui, "+1 s", "Pin one second later", 1_000);
        step(ui, "+10 s", "Pin ten seconds later", 10_000);
    });
    ui.label(
        text::rich("Type the time, or drag the pin on the time axis", text::small())
            .color(colors(ui).dim),
    );
    let lock = Button::primary("Lock answer").enabled(is_open && pinned_ms.is_some());
    is_locked |= ui.add(lock).clicked();
    typed.retain(|c| c.is_ascii_digit() || c == ':');
    if typed != before {
        actions.push(LessonAction::TypePin(typed));
    } else if is_locked && pinned_ms.is_some() {
        actions.push(LessonAction::Lock(part));
    }
}

fn seconds(answer: &Bson) -> Option<f64> {
    match answer {
        Bson::Int32(secs) => Some(f64::from(*secs)),
        #[expect(clippy::cast_precision_loss, reason = "seconds of a lesson")]
        Bson::Int64(secs) => Some(*secs as f64),
        Bson::Double(secs) => Some(*secs),
        _ => None,
    }
}
