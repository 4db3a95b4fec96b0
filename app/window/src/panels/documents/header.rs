//! The line above the list: which documents are shown, what can be done, how they are shown.

use std::time::Duration;

use egui::{Align, Layout, Ui, vec2};

use super::{filter_line, words};
use crate::action::{Action, Actions, DocumentsAction, ExplainAction, ViewAction, transfer};
use crate::state::documents::bulk::BulkRun;
use crate::state::documents::query::QueryError;
use crate::state::documents::{CopyForm, DocumentsDraft, DocumentsView, Folds, Mode, field_path};
use crate::state::number::{self, counted};
use crate::state::operations::OperationId;
use crate::state::{State, Tab, duration};
use crate::theme::{Icon, colors, durations, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::{Button, menu, paint};

/// A view so wide has everything in one line, in points, whatever is selected: the list below must
/// not move away when a second document is selected.
const WIDE: f32 = 670.0;

/// The same with a button that changes the selected documents.
const WIDE_UPDATE: f32 = 770.0;

/// The room for the word that something is being saved.
const SAVING: f32 = 180.0;

/// The least room for a progress, and for the numbers of the rows on the screen.
const PROGRESS: f32 = 60.0;
const RANGE: f32 = 40.0;

/// Draws the line; where the view is too narrow for all of it, how documents are shown stands
/// below.
pub fn ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    (draft, error): (&DocumentsDraft, Option<&QueryError>),
    actions: &mut Actions,
) {
    let view = &tab.documents;
    let running = running(state, view, actions);
    let mut push = |action| actions.push(Action::Documents(tab.id, action));
    let (width, mut cancel) = (ui.available_width(), None);
    let mut pressed = Pressed::Nothing;
    let is_wide = width >= WIDE;
    let has_update = !is_wide || width >= WIDE_UPDATE;
    let bulk = state.bulk.iter().find(|run| run.tab == Some(tab.id));
    let kept = if is_wide { modes_width() } else { 0.0 };
    let right = |ui: &mut Ui, push: &mut dyn FnMut(DocumentsAction)| {
        let size = vec2(ui.available_width(), sizes::CONTROL);
        ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
            modes_ui(ui, tab, &draft.folds, push);
            // While more is selected, the buttons of the selection have the number.
            if error.is_none() && view.selected.len() < 2 {
                range_ui(ui, state, tab, draft);
            }
        });
    };
    ui.horizontal(|ui| {
        ui.set_height(sizes::CONTROL);
        pressed = buttons_ui(ui, view, &mut push);
        if is_wide && bulk.is_none() && view.selected.len() > 1 {
            selection_ui(ui, view, has_update, &mut push);
        }
        if is_wide {
            cancel = bulk.and_then(|run| bulk_ui(ui, run, state.uptime, kept));
        }
        if view.writing.is_some() && ui.available_width() > SAVING {
            ui.label(text::rich("Saving…", text::small()).color(colors(ui).busy));
        }
        if let Some(since) = running {
            running_ui(ui, since, kept, &mut push);
        }
        if let Some(error) = error {
            unread_ui(ui, error, kept);
        }
        if is_wide {
            right(ui, &mut push);
        }
    });
    if !is_wide {
        ui.horizontal(|ui| {
            if let Some(run) = bulk {
                cancel = bulk_ui(ui, run, state.uptime, modes_width());
            } else if view.selected.len() > 1 {
                selection_ui(ui, view, has_update, &mut push);
            }
            right(ui, &mut push);
        });
    }
    match pressed {
        Pressed::Export => actions.push(transfer::export(tab)),
        Pressed::Explain => actions.push(Action::Explain(tab.id, ExplainAction::Explain)),
        Pressed::Nothing => {}
    }
    if let Some(operation) = cancel {
        actions.push(Action::View(ViewAction::Cancel(operation)));
    }
}

/// Why the query can't be read, in the place of other words: the list must not move while it is typed.
fn unread_ui(ui: &mut Ui, error: &QueryError, kept: f32) {
    let room = (ui.available_width() - kept - sizes::GAP).max(PROGRESS);
    ui.scope(|ui| {
        ui.set_max_width(room);
        filter_line::error_ui(ui, error);
    });
}

/// A pressed button whose action isn't about documents alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pressed {
    Nothing,
    Export,
    Explain,
}

/// The buttons that are always there, each in its place.
fn buttons_ui(
    ui: &mut Ui,
    view: &DocumentsView,
    push: &mut impl FnMut(DocumentsAction),
) -> Pressed {
    let refresh = Button::icon_only(Icon::Refresh, "Refresh").tooltip("Refresh (Ctrl+R)");
    if ui.add(refresh).clicked() {
        push(DocumentsAction::Refresh);
    }
    let button = |icon, word, name| Button::plain(word).icon(icon).name(name);
    let add = button(Icon::Add, "Add", "Add document").tooltip("Add a document (Ctrl+N)");
    if ui.add(add).clicked() {
        push(DocumentsAction::Add);
    }
    let mut pressed = Pressed::Nothing;
    if ui.add(button(Icon::Export, "Export", "Export documents")).clicked() {
        pressed = Pressed::Export;
    }
    let explain = button(Icon::Explain, "Explain", "Explain the query");
    if ui.add(explain.tooltip("Show how the store answers the query")).clicked() {
        pressed = Pressed::Explain;
    }
    if view.undo.can_undo() || view.undo.can_redo() {
        let button = Button::icon_only(Icon::Undo, "Undo").enabled(view.undo.can_undo());
        if ui.add(button.tooltip("Undo the last change (Ctrl+Z)")).clicked() {
            push(DocumentsAction::Undo);
        }
    }
    pressed
}

/// The buttons for the selected documents.
fn selection_ui(
    ui: &mut Ui,
    view: &DocumentsView,
    has_update: bool,
    push: &mut impl FnMut(DocumentsAction),
) {
    let what = counted(view.selected.len(), "document", "documents");
    let label = format!("Delete {}…", number::count(view.selected.len()));
    let name = format!("Delete {what}…");
    if ui.add(Button::plain(&label).icon(Icon::Drop).name(&name)).clicked() {
        push(DocumentsAction::AskDeleteSelected);
    }
    let update = format!("Update {what}…");
    if has_update && ui.add(Button::plain("Update…").name(&update)).clicked() {
        push(DocumentsAction::AskUpdateSelected);
    }
    let response = ui.add(Button::plain("More").menu().name("Selected documents"));
    menu::below(&response, |ui| {
        if !has_update && menu::entry(ui, &update, "", true).clicked() {
            push(DocumentsAction::AskUpdateSelected);
        }
        if menu::entry(ui, &format!("Copy {what} to…"), "", true).clicked() {
            push(DocumentsAction::AskCopySelected);
        }
        if let Some(ids) = view.selected_pair()
            && menu::entry(ui, "Compare these two…", "", true).clicked()
        {
            push(DocumentsAction::Compare(Box::new(ids)));
        }
        menu::line(ui);
        for (label, form) in [
            ("Copy as table text", CopyForm::Table),
            ("Copy as Extended JSON", CopyForm::Json),
            ("Copy as mongosh literals", CopyForm::Shell),
            ("Copy as CSV", CopyForm::Csv),
        ] {
            if menu::entry(ui, label, "", true).clicked() {
                push(DocumentsAction::Copy(form));
            }
        }
        menu::line(ui);
        if menu::entry(ui, "Select all that match", "Ctrl+A", true).clicked() {
            push(DocumentsAction::SelectAll);
        }
    });
    if ui.add(Button::icon_only(Icon::Close, "Clear selection")).clicked() {
        push(DocumentsAction::SelectNothing);
    }
}

/// How far a change of many documents is. Returns the operation that is to be canceled.
fn bulk_ui(ui: &mut Ui, run: &BulkRun, uptime: Duration, kept: f32) -> Option<OperationId> {
    let words = run.words(uptime);
    let is_stopping = run.work.gauge.cancel.is_cancelled();
    let label = if is_stopping { "Stopping…" } else { "Cancel" };
    let button = Button::plain(label).name("Cancel the change").tooltip(&words);
    let is_canceled = ui.add(button.enabled(!is_stopping)).clicked();
    progress_ui(ui, &words, kept);
    is_canceled.then_some(run.operation)
}

/// Which documents are on the screen, at the right of the room that is left.
fn range_ui(ui: &mut Ui, state: &State, tab: &Tab, draft: &DocumentsDraft) {
    let view = &tab.documents;
    let total = view.pages.known_total();
    let shown = if view.pages.is_empty() { (0, 0) } else { draft.shown };
    let range =
        words::range((shown.0, shown.1.min(view.pages.len())), total, view.pages.loaded_end());
    let took = format!("Page loaded in {}", duration::micros(view.micros));
    let hides = view.asks_due && state.tree.hides_expired(&tab.namespace.db);
    let tooltip = if hides { format!("{}\n{took}", words::HIDDEN) } else { took };
    ui.add_space(sizes::GAP_SMALL);
    if ui.available_width() < RANGE {
        return;
    }
    let words = text::rich(&range, text::mono()).color(colors(ui).dim);
    ui.add(egui::Label::new(words).truncate()).hint(tooltip);
}

/// How long the oldest query runs, once that is longer than a moment.
fn running(state: &State, view: &DocumentsView, actions: &mut Actions) -> Option<Duration> {
    let since = view.running.values().min()?;
    let runs = state.uptime.saturating_sub(*since);
    let next = Duration::from_secs(runs.as_secs() + 1);
    actions.redraw_after(next.saturating_sub(runs));
    (runs >= durations::SLOW_QUERY).then_some(runs)
}

/// How long a query runs, and the way to end it.
fn running_ui(ui: &mut Ui, runs: Duration, kept: f32, push: &mut impl FnMut(DocumentsAction)) {
    let secs = i64::try_from(runs.as_secs()).unwrap_or(i64::MAX);
    let words = format!("Running for {}", duration::span(secs.saturating_mul(1_000)));
    if ui.add(Button::plain("Stop").name("Stop the query").tooltip(&words)).clicked() {
        push(DocumentsAction::Stop);
    }
    progress_ui(ui, &words, kept);
}

/// Words with numbers that grow. They come after their button, which must not move away from the
/// pointer, and in digits of one width.
fn progress_ui(ui: &mut Ui, words: &str, kept: f32) {
    let room = ui.available_width() - kept - sizes::GAP;
    // The button's tooltip has these words too, so they may go where the controls at the right need
    // the room.
    if room < PROGRESS {
        return;
    }
    ui.scope(|ui| {
        ui.set_max_width(room);
        let words = text::rich(words, text::mono_small()).color(colors(ui).busy);
        ui.add(egui::Label::new(words).truncate());
    });
}

/// The room of the controls that say how documents are shown.
fn modes_width() -> f32 {
    3.0 * (sizes::CONTROL + 2.0)
}

/// How documents are shown, from right to left. The chosen one has a menu.
fn modes_ui(ui: &mut Ui, tab: &Tab, folds: &Folds, push: &mut dyn FnMut(DocumentsAction)) {
    let view = &tab.documents;
    ui.spacing_mut().item_spacing.x = 2.0;
    for mode in Mode::ALL.into_iter().rev() {
        let is_chosen = view.mode == mode;
        let (icon, name, menu_tooltip) = match mode {
            Mode::Cards => (Icon::List, "Cards (F2)", "Cards (F2)"),
            Mode::Json => (Icon::Json, "JSON (F3)", "JSON (F3): fold or unfold all"),
            Mode::Table => (Icon::Table, "Table (F4)", "Table (F4): choose columns"),
        };
        let button = Button::icon_only(icon, name).selected(is_chosen);
        if !is_chosen {
            if ui.add(button).clicked() {
                push(DocumentsAction::SetMode(mode));
            }
            continue;
        }
        let response = ui.add(button.tooltip(menu_tooltip));
        match mode {
            Mode::Cards => {}
            Mode::Json => {
                menu_mark(ui, &response);
                menu::below(&response, |ui| folds_ui(ui, folds, push));
            }
            Mode::Table => {
                menu_mark(ui, &response);
                menu::below(&response, |ui| columns_ui(ui, tab, push));
            }
        }
    }
}

/// The mark of a menu in the corner of a button that has no room for another.
fn menu_mark(ui: &Ui, button: &egui::Response) {
    let at = button.rect.right_bottom() - egui::Vec2::splat(6.0);
    paint::icon_at(ui.painter(), at, Icon::Unfolded, 10.0, colors(ui).accent);
}

fn folds_ui(ui: &mut Ui, folds: &Folds, push: &mut dyn FnMut(DocumentsAction)) {
    for (label, fold) in [("Fold all", true), ("Unfold all", false)] {
        if menu::entry(ui, label, "", folds.all() != fold).clicked() {
            push(DocumentsAction::FoldAll(fold));
        }
    }
}

/// The columns of the table.
fn columns_ui(ui: &mut Ui, tab: &Tab, push: &mut dyn FnMut(DocumentsAction)) {
    let view = &tab.documents;
    ui.label(text::rich("Columns", text::small()).color(colors(ui).dim));
    egui::ScrollArea::vertical().max_height(360.0).show(ui, |ui| {
        for path in view.column_paths() {
            let field = field_path::dotted(&path);
            let hidden = view.hidden.contains(&field);
            let name = crate::widgets::marks::visible(&field);
            if menu::choice(ui, &name, !hidden).clicked() {
                push(DocumentsAction::SetHidden { field, hidden: !hidden });
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use egui::{Context, RawInput, Rect};

    use super::*;

    /// Where the line's only control is while a query runs for so long.
    fn place(context: &Context, secs: u64) -> Rect {
        let mut place = Rect::NOTHING;
        let mut output = context.run_ui(RawInput::default(), |ui| {
            ui.set_width(600.0);
            ui.horizontal(|ui| {
                let left = ui.cursor().left();
                running_ui(ui, Duration::from_secs(secs), 0.0, &mut |_| {});
                let button = ui.ctx().viewport(|viewport| {
                    let widgets = viewport.this_pass.widgets.layers().flat_map(|(_, all)| all);
                    widgets.filter(|widget| widget.sense.senses_click()).map(|it| it.rect).last()
                });
                place = button.expect("a button").translate(vec2(-left, 0.0));
            });
        });
        // Nothing is painted; a debug build refuses to drop textures unseen.
        output.textures_delta.clear();
        place
    }

    #[test]
    fn a_progress_leaves_room_for_the_controls_at_the_right() {
        let context = Context::default();
        crate::theme::install_fonts(&context);
        crate::theme::install_style(&context, crate::theme::Contrast::Normal);
        for width in (100_u16..700).step_by(20).map(f32::from) {
            let mut output = context.run_ui(RawInput::default(), |ui| {
                ui.set_max_width(width);
                ui.horizontal(|ui| {
                    let right = ui.max_rect().left() + width;
                    let before = ui.cursor().left();
                    progress_ui(ui, "12,000 of 1,200,000 documents · 1 h 12 min", 200.0);
                    let after = ui.cursor().left();
                    assert!(after <= (right - 200.0).max(before), "{width}: {after} of {right}");
                    assert_eq!(after > before, width >= 280.0, "{width}");
                });
            });
            output.textures_delta.clear();
        }
    }

    #[test]
    fn stop_stays_where_it_is_while_the_time_grows() {
        let context = Context::default();
        crate::theme::install_fonts(&context);
        crate::theme::install_style(&context, crate::theme::Contrast::Normal);
        place(&context, 1);
        let first = place(&context, 1);
        for secs in [9, 10, 59, 75, 3_599, 7_322] {
            assert_eq!(place(&context, secs), first, "{secs} s");
        }
    }
}
