//! The line that finds text in the documents that are loaded.

use bson::Bson;
use egui::text::LayoutJob;
use egui::{Id, Key, Modifiers, Ui};

use crate::action::{Action, Actions, ViewAction};
use crate::state::documents::find::{Find, Needle};
use crate::state::documents::{DocumentsDraft, DocumentsView};
use crate::state::number::{count, counted};
use crate::state::view::Focus;
use crate::state::{State, Tab};
use crate::theme::colors::faded;
use crate::theme::{Colors, Icon, colors, sizes, text};
use crate::widgets::field::Field;
use crate::widgets::{Button, value_text};

/// The width of the field.
const FIELD: f32 = 260.0;

/// Draws the line while it is open. Returns the row to bring on the screen.
pub fn ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    draft: &mut DocumentsDraft,
    actions: &mut Actions,
) -> Option<u64> {
    let asked = state.view.focus == Some(Focus::Find);
    if asked {
        draft.find.get_or_insert_with(Find::default);
        actions.push(Action::View(ViewAction::Focused));
    }
    let (view, from) = (&tab.documents, draft.shown.0);
    let find = draft.find.as_mut()?;
    let (mut step, mut close) = (None, false);
    ui.horizontal(|ui| {
        ui.set_height(sizes::CONTROL);
        let id = Id::unique(("find", tab.id.0));
        let field = Field {
            name: "Find in the loaded documents",
            hint: "Find in the loaded documents",
            icon: Some(Icon::Search),
            clearable: true,
            width: Some(FIELD.min(ui.available_width() * 0.5)),
            id: Some(id),
            ..Field::default()
        };
        let response = field.ui(ui, &mut find.text);
        if asked {
            response.request_focus();
        }
        find.update(&view.pages, view.mode);
        if response.changed() {
            find.at = None;
            step = Some(true);
        }
        if response.lost_focus() {
            let (enter, back) =
                ui.input(|input| (input.key_pressed(Key::Enter), input.modifiers.shift));
            // Taken, so that it does not clear the selection too.
            let escape = ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
            if enter {
                step = Some(!back);
                response.request_focus();
            }
            close = escape;
        }
        words_ui(ui, find, view);
        let some = !find.rows().is_empty();
        let previous = Button::icon_only(Icon::Up, "Previous match").enabled(some);
        if ui.add(previous.tooltip("Previous match (Shift+Enter)")).clicked() {
            step = Some(false);
        }
        let next = Button::icon_only(Icon::Down, "Next match").enabled(some);
        if ui.add(next.tooltip("Next match (Enter)")).clicked() {
            step = Some(true);
        }
        close |= ui.add(Button::icon_only(Icon::Close, "Close the search")).clicked();
    });
    let row = step.and_then(|forward| find.step(from, forward));
    if close {
        draft.find = None;
    }
    row
}

/// How many documents have the text, and of how many.
fn words_ui(ui: &mut Ui, find: &Find, view: &DocumentsView) {
    if find.text.is_empty() {
        return;
    }
    let loaded = view.pages.loaded();
    let all = view.pages.total() == Some(loaded);
    let among = if all {
        counted(loaded, "document", "documents")
    } else {
        format!("the {} loaded documents", count(loaded))
    };
    let found = find.rows().len() as u64;
    let words = match (found, find.place()) {
        (0, _) => format!("Not in {among}"),
        (_, Some(place)) => format!("{} of {} in {among}", count(place as u64), count(found)),
        (_, None) => format!("{} in {among}", count(found)),
    };
    ui.label(text::rich(words, text::small()).color(colors(ui).dim));
}

/// The search text, to highlight it where it occurs.
pub(super) struct Found {
    pub(super) needle: Needle,
    pub(super) at: Option<u64>,
}

impl Found {
    /// Sets off what is looked for; the whole cell where it is in a part that is not shown.
    pub(super) fn set_off_cell(&self, ui: &Ui, job: &mut LayoutJob, found: &Bson) {
        if self.needle.is_empty() {
            return;
        }
        if self.needle.is_in_text(&job.text) {
            self.set_off(job, colors(ui));
        } else if self.needle.is_in_value(found) {
            let tint = faded(colors(ui).found, 0.5);
            ui.painter().rect_filled(ui.max_rect().shrink(2.0), 3.0, tint);
        }
    }

    pub(super) fn of(draft: &DocumentsDraft) -> Self {
        let find = draft.find.as_ref();
        let needle = Needle::new(find.map_or("", |find| &find.text));
        Self { needle, at: find.and_then(|find| find.at) }
    }

    /// Sets it off in a text that is painted.
    pub(super) fn set_off(&self, job: &mut LayoutJob, colors: &Colors) {
        if !self.needle.is_empty() {
            let ranges = self.needle.ranges(&job.text);
            value_text::set_off(job, &ranges, colors);
        }
    }
}
