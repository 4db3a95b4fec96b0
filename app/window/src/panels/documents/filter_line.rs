//! The filter, always in sight, and its options.

use bson::Bson;
use egui::{Id, Key, Label, Ui};
use mayfly_engine::value::{Layout, shell};

use super::{filter_edit, history};
use crate::action::view_actions::How;
use crate::action::{Action, Actions, DocumentsAction, ViewAction};
use crate::panels::collation_menu;
use crate::state::code::Language;
use crate::state::documents::query::QueryError;
use crate::state::documents::{DocumentsDraft, DocumentsView, QueryField, QueryText};
use crate::state::view::Focus;
use crate::state::{State, Tab};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::code_edit::CodeEdit;
use crate::widgets::hint::Hint as _;
use crate::widgets::{Button, menu, paint};

/// Room at the right of the filter for its buttons, in points, until they were measured.
const BUTTONS: f32 = 215.0;

/// The width of the choice of a language, in points.
const LANGUAGE: f32 = 150.0;

/// The room of the buttons after the options, in points.
const MORE: f32 = 110.0;

/// A view so wide has the filter and its buttons in one line, in points.
const WIDE: f32 = BUTTONS + 265.0;

/// Draws the line and its options when they are open. Returns what can't be read.
pub fn ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    draft: &mut DocumentsDraft,
    actions: &mut Actions,
) -> Option<QueryError> {
    let unread = draft.query.read(state.now_ms()).err();
    let is_readable = unread.is_none();
    let error = unread.or_else(|| refused(&tab.documents, draft).cloned());
    let mut run = false;
    // In a narrow view the buttons stand below the filter, and a presentation has none.
    let is_presented = state.view.is_presented();
    let is_wide = !is_presented && ui.available_width() >= WIDE;
    ui.horizontal_top(|ui| {
        let id = Id::unique(("filter", tab.id.0));
        let measured = Id::unique("width of the buttons after the filter");
        let known = ui.data(|data| data.get_temp(measured)).unwrap_or(BUTTONS);
        let resets = can_reset(&tab.documents, draft);
        let reset = if is_wide && resets { reset_width(ui) } else { 0.0 };
        let width = ui.available_width() - reset - if is_wide { known } else { 0.0 };
        let error_at = offset(error.as_ref(), QueryField::Filter);
        if state.view.focus == Some(Focus::Filter) {
            ui.memory_mut(|memory| memory.request_focus(id));
            actions.push(Action::View(ViewAction::Focused));
        }
        step_back(ui, id);
        let edited = filter_edit::ui(ui, id, (width, is_presented), error_at, tab, draft);
        run = edited.run;
        if !edited.is_completing {
            to_list(ui, tab, &edited.response, actions);
        }
        if is_wide {
            // At the end of the filter, which is shorter then: the other buttons stay in their places.
            if resets {
                reset_ui(ui, tab, actions);
            }
            let left = ui.cursor().left();
            run |= buttons_ui(ui, state, tab, draft, is_readable, actions);
            // The last button ends where the content ends.
            let room = ui.cursor().left() - left;
            if (room - known).abs() > 0.5 {
                ui.data_mut(|data| data.insert_temp(measured, room));
                ui.ctx().request_repaint();
            }
        }
    });
    if !is_wide && !is_presented {
        ui.horizontal(|ui| {
            run |= buttons_ui(ui, state, tab, draft, is_readable, actions);
            if can_reset(&tab.documents, draft) {
                reset_ui(ui, tab, actions);
            }
        });
    }
    if draft.options {
        run |= options_ui(ui, tab, draft, error.as_ref(), actions);
    }
    if run && is_readable {
        actions.push(Action::Documents(tab.id, DocumentsAction::Run));
    }
    error
}

/// Why the store refuses the query as it is typed now.
pub(super) fn refused<'a>(
    view: &'a DocumentsView,
    draft: &DocumentsDraft,
) -> Option<&'a QueryError> {
    let refusal = view.refusal.as_ref().filter(|refusal| refusal.text == draft.query)?;
    Some(&refusal.error)
}

/// The buttons of the line. Returns whether to run the filter.
fn buttons_ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    draft: &mut DocumentsDraft,
    is_readable: bool,
    actions: &mut Actions,
) -> bool {
    history::ui(ui, state, tab, draft, actions);
    let has_options = draft.query.has_options();
    let button = Button::plain("Options")
        .menu()
        .selected(draft.options || has_options)
        .tooltip("Projection, sort, language, skip, limit, and the query as code");
    if ui.add(button).clicked() {
        draft.options = !draft.options;
    }
    let find = Button::primary("Find").enabled(is_readable).tooltip("Run the filter (Enter)");
    ui.add(find).clicked()
}

/// Whether not all documents are shown, or something else is typed.
fn can_reset(view: &DocumentsView, draft: &DocumentsDraft) -> bool {
    draft.query != QueryText::default() || view.text != draft.query
}

const RESET: &str = "Reset";

fn reset_ui(ui: &mut Ui, tab: &Tab, actions: &mut Actions) {
    if ui.add(Button::plain(RESET).tooltip("Show all documents")).clicked() {
        actions.push(Action::Documents(tab.id, DocumentsAction::Reset));
    }
}

/// The room of that button and of the gap before it.
fn reset_width(ui: &Ui) -> f32 {
    let label = paint::measured(ui, RESET, text::body()).x;
    label + 2.0 * sizes::CONTROL_PADDING + ui.spacing().item_spacing.x
}

/// Shift+Tab leaves the filter, whose keys are its own.
fn step_back(ui: &Ui, id: Id) {
    // Before the field is drawn, because egui moves the keyboard when it meets the field that has
    // it.
    let is_pressed = ui.input(|input| input.key_pressed(Key::Tab) && input.modifiers.shift);
    if is_pressed && ui.memory(|memory| memory.has_focus(id)) {
        ui.memory_mut(|memory| memory.move_focus(egui::FocusDirection::Previous));
    }
}

/// Tab goes from the filter to the list: to the chosen document, or else to the first one on the
/// screen. The Tab that came to the filter does not leave it.
fn to_list(ui: &Ui, tab: &Tab, response: &egui::Response, actions: &mut Actions) {
    let is_pressed = ui.input(|input| input.key_pressed(Key::Tab) && !input.modifiers.shift);
    if !is_pressed || !response.has_focus() || response.gained_focus() {
        return;
    }
    response.surrender_focus();
    select_first(tab, actions);
}

fn entered(ui: &Ui, response: &egui::Response) -> bool {
    response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter))
}

fn offset(error: Option<&QueryError>, field: QueryField) -> Option<usize> {
    error.filter(|error| error.field == field).map(|error| error.offset)
}

/// The query as code of several languages.
fn copy_as_ui(ui: &mut Ui, tab: &Tab, is_readable: bool, actions: &mut Actions) {
    let button = Button::icon_only(Icon::Copy, "Copy query as")
        .enabled(is_readable)
        .tooltip("Copy the query as code");
    let response = ui.add(button);
    menu::below(&response, |ui| {
        for language in Language::ALL {
            if menu::entry(ui, language.label(), language.scope(), true).clicked() {
                let copy = DocumentsAction::CopyAs(language);
                actions.push(Action::Documents(tab.id, copy));
            }
        }
    });
}

fn options_ui(
    ui: &mut Ui,
    tab: &Tab,
    draft: &mut DocumentsDraft,
    error: Option<&QueryError>,
    actions: &mut Actions,
) -> bool {
    let mut run = false;
    let query = &mut draft.query;
    let has_more = draft.more_options || !query.hint.is_empty() || !query.time_limit.is_empty();
    let is_readable = error.is_none_or(|error| error.field != QueryField::Filter);
    let gap = ui.spacing().item_spacing.x;
    let gaps = if has_more { 8.0 } else { 6.0 };
    let room = (ui.available_width() - LANGUAGE - MORE - gaps * gap).max(400.0);
    let share = if has_more { 1.0 } else { 1.45 };
    let [wide, middle, narrow, time] = [0.24, 0.2, 0.1, 0.14].map(|part| room * part * share);
    ui.horizontal_top(|ui| {
        let mut option =
            |ui: &mut Ui, name: &str, hint: &str, field, width: f32, text: &mut String| {
                let edit =
                    CodeEdit { name, hint, error_at: offset(error, field), ..CodeEdit::default() };
                ui.vertical(|ui| {
                    ui.set_width(width);
                    ui.spacing_mut().item_spacing.y = 2.0;
                    let ink = colors(ui).dim;
                    // A name on two lines would put its field below the others.
                    ui.add(Label::new(text::rich(name, text::small()).color(ink)).truncate());
                    let response = edit.line_ui(ui, width, text);
                    run |= entered(ui, &response);
                });
            };
        option(ui, "Projection", "{ field: 1 }", QueryField::Project, wide, &mut query.project);
        option(ui, "Sort", "{ field: -1 }", QueryField::Sort, middle, &mut query.sort);
        let is_chosen = language_ui(ui, tab, &mut query.collation);
        option(ui, "Skip", "0", QueryField::Skip, narrow, &mut query.skip);
        option(ui, "Limit", "all", QueryField::Limit, narrow, &mut query.limit);
        if has_more {
            let (field, text) = (QueryField::Hint, &mut query.hint);
            option(ui, "Hint", "index name or { field: 1 }", field, middle, text);
            let (field, limit) = (QueryField::TimeLimit, &mut query.time_limit);
            option(ui, "Time limit (s)", "none", field, time, limit);
        }
        run |= is_chosen;
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            // As high as the names of the fields.
            ui.label(text::rich(" ", text::small()));
            ui.horizontal(|ui| {
                let more = Button::plain("More").selected(has_more).name("More options");
                if ui.add(more.tooltip("Hint and time limit")).clicked() {
                    draft.more_options = !draft.more_options;
                }
                copy_as_ui(ui, tab, is_readable, actions);
            });
        });
    });
    run
}

/// How text compares. Returns whether it was changed, which runs the query.
fn language_ui(ui: &mut Ui, tab: &Tab, typed: &mut String) -> bool {
    let mut collation = shell::read_document(typed).unwrap_or_default();
    let note = tab.indexes.collation_words(&collation);
    let mut changed = false;
    ui.vertical(|ui| {
        ui.set_width(LANGUAGE);
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.label(text::rich("Sort as", text::small()).color(colors(ui).dim));
        changed = collation_menu::ui(ui, "Sort as", &mut collation, &note);
    });
    if changed {
        typed.clear();
        if !collation.is_empty() {
            *typed = shell::write_value(&Bson::Document(collation), Layout::OneLine);
        }
    }
    changed
}

/// Draws what can't be read, in a line that is cut at the edge.
pub(super) fn error_ui(ui: &mut Ui, error: &QueryError) {
    let colors = colors(ui);
    let place = match error.field {
        QueryField::Filter => "Filter",
        QueryField::Project => "Projection",
        QueryField::Sort => "Sort",
        QueryField::Skip => "Skip",
        QueryField::Limit => "Limit",
        QueryField::Hint => "Hint",
        QueryField::TimeLimit => "Time limit",
        QueryField::Collation => "Sort as",
    };
    ui.horizontal(|ui| {
        let (rect, _) =
            ui.allocate_exact_size(egui::vec2(text::ICON, text::ICON), egui::Sense::hover());
        paint::icon_at(ui.painter(), rect.center(), Icon::Error, text::ICON - 2.0, colors.error);
        ui.spacing_mut().item_spacing.x = sizes::GAP_TINY;
        let words = format!("{place}: {}", error.message);
        let label = text::rich(&words, text::small()).color(colors.error);
        ui.add(Label::new(label).truncate()).hint(words);
    });
}

/// Selects the first document, unless one is chosen already.
pub(super) fn select_first(tab: &Tab, actions: &mut Actions) {
    let view = &tab.documents;
    if view.cursor.anchor_key.is_none()
        && let Some(first) = view.pages.row(0).filter(|first| first.has_id())
    {
        let (id, how) = (first.id.clone(), How::Only);
        actions.push(Action::Documents(tab.id, DocumentsAction::Select { row: 0, id, how }));
    }
}
