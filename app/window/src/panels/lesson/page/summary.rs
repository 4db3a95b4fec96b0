//! The end of a series: what the user can predict now, what to repeat, and what comes next.

use egui::{Align, Label, Layout, Ui};

use crate::action::{Action, Actions, LessonAction};
use crate::job::lesson::{LessonEntry, LessonList, MissedQuestion};
use crate::panels::lesson::scenes;
use crate::state::lesson::catalog::{self, SeriesKey};
use crate::state::lesson::{LessonStart, Way};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card, markdown};

/// The missed questions that are offered at once.
const MISSED_MAX: usize = 3;

pub(super) fn ui(ui: &mut Ui, list: &LessonList, key: &SeriesKey, actions: &mut Actions) {
    let found = catalog::summary(list, key);
    let ink = colors(ui);
    ui.spacing_mut().item_spacing.y = sizes::GAP_SMALL;
    let title = with_marks(key.title());
    ui.label(text::rich(title, text::large_heading()).color(ink.text));
    let words = format!("{} of {} lessons done", found.done, found.count);
    ui.label(text::rich(words, text::body()).color(ink.dim));
    if !found.predicts.is_empty() {
        card::ui(ui, |ui| {
            ui.label(text::rich("You can now predict", text::title()).color(ink.text));
            for sentence in found.predicts {
                ui.horizontal_top(|ui| {
                    ui.label(Icon::Check.text().color(ink.accent));
                    markdown::line_ui(ui, sentence, ink.text);
                });
            }
        });
    }
    if !found.missed.is_empty() {
        card::ui(ui, |ui| missed_ui(ui, &found.missed, key, actions));
    }
    next_ui(ui, found.next, key, actions);
}

fn missed_ui(
    ui: &mut Ui,
    missed: &[(&LessonEntry, &MissedQuestion)],
    key: &SeriesKey,
    actions: &mut Actions,
) {
    let ink = colors(ui);
    ui.label(text::rich("Worth a second guess", text::title()).color(ink.text));
    for (entry, question) in missed.iter().take(MISSED_MAX) {
        ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
            let name = format!("Repeat: {}", question.text);
            if ui.add(Button::plain("Repeat").small().name(&name)).clicked() {
                let way = if *key == SeriesKey::Path { Way::Path } else { Way::Series };
                let start = LessonStart::new(entry.source.clone());
                let start = LessonStart { card: Some(question.card), way, ..start };
                actions.push(Action::Lesson(LessonAction::OpenAt(start)));
            }
            ui.with_layout(Layout::top_down(Align::Min), |ui| {
                ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
                markdown::line_ui(ui, &question.text, ink.text);
                let title = text::rich(with_marks(&entry.title), text::small()).color(ink.dim);
                ui.add(Label::new(title).truncate());
            });
        });
    }
    if missed.len() > MISSED_MAX {
        let words = format!("{} more after these", missed.len() - MISSED_MAX);
        ui.label(text::rich(words, text::small()).color(ink.dim));
    }
}

fn next_ui(ui: &mut Ui, next: Option<&LessonEntry>, key: &SeriesKey, actions: &mut Actions) {
    ui.horizontal_wrapped(|ui| {
        if *key == SeriesKey::Path && ui.add(Button::primary("Take the exam")).clicked() {
            actions.push(Action::Lesson(LessonAction::TakeExam));
        }
        if let Some(next) = next {
            let label = format!("Next: {}", with_marks(&next.title));
            let is_first = *key != SeriesKey::Path;
            let next_button = if is_first { Button::primary } else { Button::plain };
            if ui.add(next_button(&label)).clicked() {
                scenes::open(next, actions);
            }
        }
        if ui.add(Button::plain("Back to the lessons")).clicked() {
            actions.push(Action::Lesson(LessonAction::ShowPage(true)));
        }
    });
}
