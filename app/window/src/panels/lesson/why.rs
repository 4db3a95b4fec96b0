//! Links from what the window shows to the lesson that explains it.

use egui::Ui;

use crate::action::{Actions, lesson};
use crate::state::State;
use crate::state::lesson::why::{self, Topic};
use crate::widgets::{learn, menu};

/// Draws a link to the lesson about a topic. While a lesson is played there is none.
pub(in crate::panels) fn link_ui(ui: &mut Ui, state: &State, topic: Topic, actions: &mut Actions) {
    let slug = topic.lesson();
    if let Some(action) = lesson::learn(slug, state)
        && learn::ui(ui, &why::words(slug))
    {
        actions.push(action);
    }
}

/// Draws an entry for each lesson about documents that never expire for these reasons.
pub(in crate::panels) fn never_entries_ui<'a>(
    ui: &mut Ui,
    state: &State,
    codes: impl Iterator<Item = &'a str>,
    actions: &mut Actions,
) {
    let mut slugs: Vec<_> = codes.map(why::never_lesson).collect();
    slugs.sort_unstable();
    slugs.dedup();
    slugs.retain(|slug| lesson::learn(slug, state).is_some());
    if !slugs.is_empty() {
        menu::line(ui);
    }
    for slug in slugs {
        let label = format!("Learn why: {}", why::words(slug));
        if menu::entry(ui, &label, "", true).clicked()
            && let Some(action) = lesson::learn(slug, state)
        {
            actions.push(action);
        }
    }
}
