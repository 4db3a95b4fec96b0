//! The Documents view of a tab: the filter line, the header, and the list as cards, JSON or table.

mod copy;
mod damaged;
mod field_menu;
mod filter_edit;
mod filter_line;
mod find_bar;
mod header;
mod history;
mod inspector;
mod list;
mod row_head;
mod table;
mod value_editor;
pub(super) mod words;

use egui::text_selection::LabelSelectionState;
use egui::{Context, Event, Id, Key, Role, Sense, Ui, WidgetInfo};

pub use inspector::ui as inspector_ui;

use self::filter_line::select_first;
use super::explain;
use crate::action::{Action, Actions, DocumentsAction};
use crate::guide::Topic;
use crate::panels::guide_link;
use crate::state::documents::{CopyForm, DocumentsDraft, DocumentsView, Mode};
use crate::state::drafts::TabDraft;
use crate::state::tabs::ViewKind;
use crate::state::{State, Tab, TabId, duration};
use crate::theme::sizes;
use crate::widgets::empty_state::{self, Picture};
use crate::widgets::menu;

/// How visible results are below a filter that was refused.
const OUTDATED_OPACITY: f32 = 0.45;

/// Draws the view.
pub fn ui(ui: &mut Ui, state: &State, tab: &Tab, draft: &mut TabDraft, actions: &mut Actions) {
    head_ui(ui, state, tab, draft, actions);
    list_ui(ui, state, tab, draft, actions);
}

fn margin(top: i8) -> egui::Margin {
    egui::Margin { left: 16, right: 16, top, bottom: 0 }
}

/// Draws what is above the documents. The inspector opens below it, so that nothing here moves when
/// a document is selected.
pub fn head_ui(ui: &mut Ui, state: &State, tab: &Tab, draft: &mut TabDraft, actions: &mut Actions) {
    let draft = &mut draft.documents;
    egui::Frame::new().inner_margin(margin(10)).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_SMALL;
        let error = filter_line::ui(ui, state, tab, draft, actions);
        match &error {
            Some(error) if state.view.is_presented() => filter_line::error_ui(ui, error),
            error if !state.view.is_presented() => {
                header::ui(ui, state, tab, (draft, error.as_ref()), actions);
            }
            _ => {}
        }
        damaged::ui(ui, tab, actions);
        if let Some(row) = find_bar::ui(ui, state, tab, draft, actions) {
            let last = tab.documents.pages.len().saturating_sub(1);
            bring_into_view(row, row == last, tab.documents.mode, draft);
        }
        if takes_keys(ui.ctx(), state) {
            paste_key(ui, tab, actions);
        }
    });
}

/// Draws the documents, or the plan of the query.
pub fn list_ui(ui: &mut Ui, state: &State, tab: &Tab, draft: &mut TabDraft, actions: &mut Actions) {
    let draft = &mut draft.documents;
    egui::Frame::new().inner_margin(margin(0)).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_SMALL;
        match tab.explain.as_ref().filter(|shown| !shown.is_pipeline) {
            Some(shown) => explain::ui(ui, state, tab, shown, actions),
            None => content_ui(ui, state, tab, draft, actions),
        }
    });
}

fn content_ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    draft: &mut DocumentsDraft,
    actions: &mut Actions,
) {
    let view = &tab.documents;
    let mut push = |action| actions.push(Action::Documents(tab.id, action));
    if let Some(error) = &view.error {
        let pressed = empty_state::ui(ui, Picture::Failure, error, Some("Try again"));
        if pressed.is_some_and(|button| button.clicked()) {
            push(DocumentsAction::Refresh);
        }
        return;
    }
    if let Some(after) = view.stopped_after {
        if empty_state::stopped_ui(ui, &duration::stopped(after)) {
            push(DocumentsAction::Refresh);
        }
        return;
    }
    if view.is_refused() && view.pages.is_unknown() {
        let sentence = "The filter was refused, so there are no results";
        let pressed = empty_state::ui(ui, Picture::Documents, sentence, Some("Reset filter"));
        if pressed.is_some_and(|button| button.clicked()) {
            push(DocumentsAction::Reset);
        }
        return;
    }
    if filter_line::refused(view, draft).is_some() {
        // These are results of the last filter that could be run.
        ui.set_opacity(OUTDATED_OPACITY);
    }
    if view.pages.is_unknown() {
        empty_state::ui(ui, Picture::Waiting, "Loading documents", None);
        return;
    }
    if view.pages.is_empty() {
        nothing_ui(ui, state, tab, actions);
        return;
    }
    stop_ui(ui, tab, actions);
    let shown = match view.mode {
        Mode::Cards | Mode::Json => {
            draft.table_row = None;
            if let Some(edit) = &mut draft.field {
                // The inspector has the value whose cell is gone.
                edit.in_list = false;
            }
            list::ui(ui, state, tab, draft, actions)
        }
        Mode::Table => table::ui(ui, state, tab, draft, actions),
    };
    draft.shown = (shown.start, shown.end);
    value_editor::over_cell_ui(ui, state, tab, draft, actions);
    if view.pages.lacks(&shown) && !view.is_refused() {
        actions.push(Action::Documents(tab.id, DocumentsAction::Want(shown.start, shown.end)));
    }
    if takes_keys(ui.ctx(), state) {
        keys(ui, tab, draft, actions);
    }
}

fn nothing_ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut Actions) {
    let view = &tab.documents;
    let is_new = view.query.filter.is_empty() && !view.partial;
    let (sentence, button, action) = if view.query.filter.is_empty() && view.partial {
        (words::NONE_READABLE.to_owned(), "Show…", DocumentsAction::ShowDamaged)
    } else if view.query.filter.is_empty() {
        (words::nothing(&tab.namespace), "Add document", DocumentsAction::Add)
    } else {
        ("No documents match the filter".to_owned(), "Reset", DocumentsAction::Reset)
    };
    let picture = Picture::Documents;
    let pressed = empty_state::with_more_ui(ui, picture, &sentence, Some(button), |ui| {
        if is_new {
            guide_link::ui(ui, state, Topic::Paste, actions);
        }
    });
    if pressed.is_some_and(|button| button.clicked()) {
        actions.push(Action::Documents(tab.id, action));
    }
}

/// Where the Tab key enters the list, before the controls of its documents.
fn stop_ui(ui: &mut Ui, tab: &Tab, actions: &mut Actions) {
    let id = stop_id(tab.id);
    let response =
        ui.interact(ui.available_rect_before_wrap(), id, Sense::focusable_noninteractive());
    response.widget_info(|| WidgetInfo::labeled(Role::List, true, "Document list"));
    if response.has_focus() {
        // The keyboard never stays here, because the keys of the list are free keys.
        response.surrender_focus();
        select_first(tab, actions);
    }
}

fn stop_id(tab: TabId) -> Id {
    Id::unique(("stop of the list", tab.0))
}

/// The Tab key continues from the list while a document is chosen there and no control has the
/// keyboard.
pub fn tab_key(context: &Context, state: &State) {
    let is_free = !state.is_covered() && !state.view.palette && !menu::was_open(context);
    let Some(tab) = state.tabs.active().filter(|tab| is_free && tab.view == ViewKind::Documents)
    else {
        return;
    };
    if tab.documents.cursor.anchor_key.is_some()
        && context.memory(|memory| memory.focused().is_none())
        && context.input(|input| input.key_pressed(Key::Tab) && !input.modifiers.command)
    {
        // Before anything is drawn, or the key would begin at the first control of the window.
        context.memory_mut(|memory| memory.request_focus(stop_id(tab.id)));
    }
}

/// An overlay takes the keys while it is open, and a text field while it has the keyboard.
fn takes_keys(context: &Context, state: &State) -> bool {
    let is_covered = state.is_covered() || state.view.palette || menu::was_open(context);
    !is_covered && !context.text_edit_focused()
}

/// Ctrl+V inserts documents.
fn paste_key(ui: &Ui, tab: &Tab, actions: &mut Actions) {
    let pasted = ui.input(|input| {
        input.events.iter().find_map(|event| match event {
            Event::Paste(text) => Some(text.clone()),
            _ => None,
        })
    });
    // Whatever the list shows: it may be empty, loading or refused.
    if pasted.is_some() {
        actions.push(Action::Documents(tab.id, DocumentsAction::Paste(pasted)));
    }
}

/// Arrow keys move the selection, with Shift they extend it; Ctrl+C copies it, Delete asks, Escape
/// selects nothing.
fn keys(ui: &Ui, tab: &Tab, draft: &mut DocumentsDraft, actions: &mut Actions) {
    if ui.ctx().memory(|memory| memory.focused().is_some()) {
        return;
    }
    let pressed = |key| ui.input(|input| input.key_pressed(key));
    let view = &tab.documents;
    let mut push = |action| actions.push(Action::Documents(tab.id, action));
    let last = view.pages.len().saturating_sub(1);
    if let Some(row) = target_row(ui, view, draft.shown).filter(|_| !view.pages.is_empty()) {
        let row = row.min(last);
        let extends = ui.input(|input| input.modifiers.shift) && !view.selected.is_empty();
        push(DocumentsAction::Go { row, extends });
        bring_into_view(row, row == last, view.mode, draft);
    }
    if view.selected.is_empty() {
        return;
    }
    if pressed(Key::Delete) {
        push(DocumentsAction::AskDeleteSelected);
    }
    let copies = ui.input(|input| input.events.contains(&Event::Copy));
    if copies && !ui.ctx().plugin::<LabelSelectionState>().lock().has_selection() {
        push(DocumentsAction::Copy(match view.mode {
            Mode::Table => CopyForm::Table,
            Mode::Json => CopyForm::Json,
            Mode::Cards => CopyForm::Shell,
        }));
    }
    if pressed(Key::Escape) {
        push(DocumentsAction::KeepDocument);
        push(DocumentsAction::SelectNothing);
    }
}

/// The row that a pressed key goes to; it may be after the end.
fn target_row(ui: &Ui, view: &DocumentsView, shown: (u64, u64)) -> Option<u64> {
    let pressed = |key| ui.input(|input| input.key_pressed(key));
    let here = view.cursor.row;
    // Where nothing is chosen yet, the first document on the screen is.
    let begins = view.cursor.anchor_key.is_none() && view.cursor.waits.is_none();
    let page = shown.1.saturating_sub(shown.0).saturating_sub(1).max(1);
    let to = match () {
        () if pressed(Key::Home) => 0,
        () if pressed(Key::End) => u64::MAX,
        () if pressed(Key::ArrowDown) => here.saturating_add(1),
        () if pressed(Key::ArrowUp) => here.saturating_sub(1),
        () if pressed(Key::PageDown) => here.saturating_add(page),
        () if pressed(Key::PageUp) => here.saturating_sub(page),
        () => return None,
    };
    Some(if begins && to != 0 && to != u64::MAX { shown.0 } else { to })
}

/// Whether Escape has something to do here: it ends a question about a document, or the selection.
pub fn is_busy_with_selection(view: &DocumentsView) -> bool {
    view.confirming.is_some() || !view.selected.is_empty()
}

fn bring_into_view(row: u64, is_last: bool, mode: Mode, draft: &mut DocumentsDraft) {
    let (first, end) = draft.shown;
    if mode == Mode::Table {
        draft.brought = Some(row);
    } else if row <= first || is_last {
        // Below the last one there is nothing: the list brings it to the bottom.
        draft.scroll.row = row;
        draft.scroll.offset = 0.0;
    } else if row + 1 >= end {
        draft.scroll.row += row + 2 - end;
    }
}
