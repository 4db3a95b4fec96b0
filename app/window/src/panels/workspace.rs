//! The middle of the window: tabs, views, and the inspector.

use egui::{CentralPanel, Frame, Label, Panel, Rect, Ui, UiBuilder};

use super::lesson::page;
use super::panel_size::note_size;
use super::reserved::Reserved;
use super::{aggregate, documents, expiry, indexes, inspector, schema, tab_strip, toasts, welcome};
use crate::action::{Action, Actions, ViewAction};
use crate::job::lesson::Rules;
use crate::state::dialogs::dialect_label;
use crate::state::settings::SizedPanel;
use crate::state::tabs::ViewKind;
use crate::state::{Drafts, Phase, State, Tab, TabId, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::marks::visible;
use crate::widgets::paint;

/// Draws the middle of the window.
pub fn ui(ui: &mut Ui, state: &State, drafts: &mut Drafts, actions: &mut Actions) {
    if state.lessons.is_page_shown && !state.lessons.is_playing() {
        page::ui(ui, state, actions);
        return;
    }
    if state.view.is_start_shown {
        welcome::ui(ui, state, actions);
        return;
    }
    // A store that is not open must not show countdowns.
    let is_live = !matches!(state.store.phase, Phase::Failed(_));
    let Some(tab) = state.tabs.active().filter(|_| is_live) else {
        welcome::ui(ui, state, actions);
        return;
    };
    let colors = colors(ui);
    Panel::top("tab strip")
        .exact_size(sizes::TAB_STRIP)
        .frame(Frame::new().fill(colors.background))
        .show_separator_line(false)
        .show(ui, |ui| tab_strip::ui(ui, state, actions));
    Panel::top("view strip")
        .exact_size(sizes::VIEW_STRIP)
        .frame(Frame::new())
        .show(ui, |ui| tab_strip::views_ui(ui, state, tab, actions));
    let together = state.tabs_together();
    if together.contains(&tab.id) {
        CentralPanel::default()
            .frame(Frame::new())
            .show(ui, |ui| together_ui(ui, state, &together, drafts, actions));
        return;
    }
    let rest = CentralPanel::default().frame(Frame::new());
    if tab.view == ViewKind::Documents {
        rest.show(ui, |ui| documents_ui(ui, state, tab, drafts, actions));
        return;
    }
    let inspector = inspector_room(ui, state, tab, actions);
    rest.show(ui, |ui| view_ui(ui, state, tab, drafts, actions));
    if let Some(room) = inspector {
        room.ui(ui, "inspector", |ui| {
            inspector::ui(ui, state, tab, drafts.tab(tab.id), actions);
        });
    }
}

/// Draws the documents. The inspector is below the filter and the buttons, which stay in their places
/// when it opens.
fn documents_ui(ui: &mut Ui, state: &State, tab: &Tab, drafts: &mut Drafts, actions: &mut Actions) {
    ui.push_id(("view", tab.id.0), |ui| {
        documents::head_ui(ui, state, tab, drafts.tab(tab.id), actions);
    });
    let inspector = inspector_room(ui, state, tab, actions);
    CentralPanel::default().frame(Frame::new()).show(ui, |ui| {
        ui.push_id(("view", tab.id.0), |ui| {
            documents::list_ui(ui, state, tab, drafts.tab(tab.id), actions);
        });
    });
    if let Some(room) = inspector {
        room.ui(ui, "inspector", |ui| {
            inspector::ui(ui, state, tab, drafts.tab(tab.id), actions);
        });
    }
}

/// Draws the lanes of several collections together, on one clock: side by side if they have other rules,
/// else one above the other.
pub(super) fn together_ui(
    ui: &mut Ui,
    state: &State,
    tabs: &[TabId],
    drafts: &mut Drafts,
    actions: &mut Actions,
) {
    let compares = state.lessons.view().is_some_and(|view| view.lesson.rules == Rules::Both);
    if !compares {
        return stacked_ui(ui, state, tabs, drafts, actions);
    }
    ui.columns(tabs.len().max(1), |columns| {
        for (ui, tab) in columns.iter_mut().zip(tabs) {
            let Some(tab) = state.tabs.get(*tab) else { continue };
            let dialect = state.tree.databases.iter().find(|db| db.name == tab.namespace.db);
            let rules = dialect.and_then(|db| db.dialect).map_or("", dialect_label);
            ui.horizontal(|ui| {
                ui.add_space(sizes::GAP_LARGE);
                ui.label(text::rich(rules, text::title()).color(colors(ui).text));
                let name = visible(&tab.namespace.to_string());
                ui.add(
                    Label::new(text::rich(name, text::small()).color(colors(ui).dim)).truncate(),
                );
            });
            view_ui(ui, state, tab, drafts, actions);
        }
    });
}

fn stacked_ui(
    ui: &mut Ui,
    state: &State,
    tabs: &[TabId],
    drafts: &mut Drafts,
    actions: &mut Actions,
) {
    let room = ui.available_rect_before_wrap();
    #[expect(clippy::cast_precision_loss, reason = "at most four")]
    let height = room.height() / tabs.len().max(1) as f32;
    let mut top = room.top();
    for tab in tabs.iter().filter_map(|tab| state.tabs.get(*tab)) {
        let part = Rect::from_x_y_ranges(room.x_range(), top..=top + height);
        top += height;
        let mut ui = ui.new_child(UiBuilder::new().id_salt(("stacked", tab.id.0)).max_rect(part));
        ui.set_clip_rect(part.intersect(ui.clip_rect()));
        ui.horizontal(|ui| {
            ui.add_space(sizes::GAP_LARGE);
            let name = visible(&tab.namespace.collection);
            ui.label(text::rich(name, text::title()).color(colors(ui).text));
            let known = state.tree.collection(&tab.namespace).and_then(|known| known.documents);
            if let Some(count) = known {
                let words = number::counted(count, "document", "documents");
                ui.label(text::rich(words, text::body()).color(colors(ui).dim));
            }
        });
        view_ui(&mut ui, state, tab, drafts, actions);
    }
    ui.advance_cursor_after_rect(room);
}

/// Draws the view of a tab.
pub(super) fn view_ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    drafts: &mut Drafts,
    actions: &mut Actions,
) {
    let draft = drafts.tab(tab.id);
    // Memory of the view in egui, such as scroll positions, belongs to its tab.
    ui.push_id(("view", tab.id.0), |ui| match tab.view {
        ViewKind::Documents => documents::ui(ui, state, tab, draft, actions),
        ViewKind::Schema => schema::ui(ui, state, tab, actions),
        ViewKind::Aggregate => aggregate::ui(ui, state, tab, draft, actions),
        ViewKind::Expiry => expiry::ui(ui, state, tab, draft, actions),
        ViewKind::Indexes => indexes::ui(ui, state, tab, draft, actions),
    });
}

/// The room of the inspector, if it is open.
fn inspector_room(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    actions: &mut Actions,
) -> Option<Reserved> {
    // Where there is no room for both, the view has it.
    let widest = ui.available_width() - sizes::VIEW_MIN;
    if !tab.has_inspector() || widest < sizes::INSPECTOR_MIN {
        return None;
    }
    let mut open = state.settings.inspector;
    let room = Panel::right("inspector")
        .resizable(true)
        .default_size(state.settings.panels.get(SizedPanel::Inspector, sizes::INSPECTOR))
        .size_range(sizes::INSPECTOR_MIN..=sizes::INSPECTOR_MAX.min(widest))
        .frame(Frame::new())
        .show_collapsible(ui, &mut open, |ui| {
            toasts::note_inspector(ui);
            Reserved::all_of(ui)
        });
    paint::name_splitter(ui, "inspector", "Resize the inspector");
    if open != state.settings.inspector {
        actions.push(Action::View(ViewAction::SetInspector(open)));
    }
    let room = room?;
    note_size(ui, SizedPanel::Inspector, room.response.rect.width());
    Some(room.inner)
}
