//! The run sheets: lessons and scenes in the order of a lecture.

use std::sync::Arc;

use egui::{Align, Label, Layout, Ui};

use crate::action::{Action, Actions, LessonAction};
use crate::job::lesson::{LessonList, Tour};
use crate::state::lesson::catalog;
use crate::state::number;
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card};

pub(super) fn ui(ui: &mut Ui, list: &LessonList, actions: &mut Actions) {
    if list.sheets.is_empty() {
        return;
    }
    ui.add_space(sizes::GAP_SMALL);
    card::ui(ui, |ui| {
        for sheet in &list.sheets {
            sheet_ui(ui, list, sheet, actions);
        }
    });
}

fn sheet_ui(ui: &mut Ui, list: &LessonList, sheet: &Arc<Tour>, actions: &mut Actions) {
    let size = egui::vec2(ui.available_width(), sizes::CONTROL);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        let titles = sheet.stops.iter().map(|stop| catalog::title(list, &stop.source));
        let titles = titles.map(|title| with_marks(&title)).collect::<Vec<_>>();
        let name = format!("Present: {}", sheet.title);
        let tooltip = format!("PageDown leads through:\n{}", titles.join("\n"));
        if ui.add(Button::plain("Present").name(&name).tooltip(&tooltip)).clicked() {
            actions.push(Action::Lesson(LessonAction::Lead(Arc::clone(sheet))));
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.label(Icon::Drawer.text().color(colors(ui).accent));
            let title = format!("Run sheet: {}", with_marks(&sheet.title));
            ui.label(text::rich(title, text::title()).color(colors(ui).text));
            let count = number::counted(sheet.stops.len() as u64, "lesson", "lessons");
            let words = format!("{count} and scenes for a lecture");
            let words = text::rich(words, text::body()).color(colors(ui).dim);
            ui.add(Label::new(words).truncate());
        });
    });
}
