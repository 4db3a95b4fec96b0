//! The queries that were run and those with a name: run again, kept, forgotten.

use egui::text::LayoutJob;
use egui::{Id, Key, Popup, PopupCloseBehavior, ScrollArea, TextFormat, Ui};

use crate::action::{Action, Actions, DocumentsAction};
use crate::state::documents::{DocumentsDraft, QueryText};
use crate::state::queries::KnownQuery;
use crate::state::{State, Tab};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::field::{self, Field};
use crate::widgets::hint::Hint as _;
use crate::widgets::{Button, marks, menu, value};

/// The size of the list, in points.
const LIST: [f32; 2] = [520.0, 340.0];

/// Characters of a query in its row.
const QUERY_CHARS: usize = 90;

/// Draws the button and, while it is open, the list below it.
pub(super) fn ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    draft: &mut DocumentsDraft,
    actions: &mut Actions,
) {
    let button =
        Button::icon_only(Icon::History, "Filter history").tooltip("Recent queries and favorites");
    let response = ui.add(button);
    let popup = Popup::menu(&response)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
        .gap(sizes::GAP_TINY);
    let has_opened = response.clicked() && !popup.is_open();
    popup.show(|ui| {
        ui.set_width(LIST[0]);
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        let id = Id::unique(("query search", tab.id.0));
        let hint = "Search queries of all collections";
        let search = field::search(ui, "Search queries", hint, &mut draft.history_search, id);
        if has_opened {
            draft.history_search.clear();
            search.request_focus();
        }
        favorite_ui(ui, tab, draft, actions);
        menu::line(ui);
        list_ui(ui, state, tab, draft, actions);
    });
}

/// A name for the query that is typed.
fn favorite_ui(ui: &mut Ui, tab: &Tab, draft: &mut DocumentsDraft, actions: &mut Actions) {
    if draft.query == QueryText::default() {
        return;
    }
    ui.horizontal(|ui| {
        let keep = Button::plain("Add favorite").icon(Icon::Star);
        let width = Some((ui.available_width() - 140.0).max(120.0));
        let hint = "Name of the current query";
        let name = Field { name: "Favorite name", hint, width, ..Field::default() };
        let entered = name.ui(ui, &mut draft.favorite).lost_focus()
            && ui.input(|input| input.key_pressed(Key::Enter));
        let is_named = !draft.favorite.trim().is_empty();
        let pressed = ui.add(keep.enabled(is_named)).clicked();
        if is_named && (pressed || entered) {
            let keep = DocumentsAction::KeepQuery(draft.favorite.trim().to_owned());
            actions.push(Action::Documents(tab.id, keep));
            draft.favorite.clear();
        }
    });
}

fn list_ui(ui: &mut Ui, state: &State, tab: &Tab, draft: &DocumentsDraft, actions: &mut Actions) {
    let found = state.queries.find(&tab.namespace, &draft.history_search);
    if found.here.is_empty() && found.elsewhere.is_empty() {
        let is_searched = !draft.history_search.trim().is_empty();
        let words = if is_searched {
            "No query has these words"
        } else {
            "Queries that you run appear here"
        };
        ui.label(text::rich(words, text::body()).color(colors(ui).dim));
        return;
    }
    ScrollArea::vertical().max_height(LIST[1]).auto_shrink([false, true]).show(ui, |ui| {
        for query in &found.here {
            if row_ui(ui, query, None, tab, actions) {
                let run = DocumentsAction::RunQuery(Box::new(query.text.clone()));
                actions.push(Action::Documents(tab.id, run));
                menu::close(ui.ctx());
            }
        }
        if !found.elsewhere.is_empty() {
            ui.label(text::rich("Other collections", text::small()).color(colors(ui).dim));
        }
        for query in &found.elsewhere {
            let place = query.namespace.to_string();
            if row_ui(ui, query, Some(&place), tab, actions) {
                let open = DocumentsAction::OpenQuery(Box::new((*query).clone()));
                actions.push(Action::Documents(tab.id, open));
                menu::close(ui.ctx());
            }
        }
    });
}

/// Draws a query. Returns whether to run it.
fn row_ui(
    ui: &mut Ui,
    query: &KnownQuery,
    place: Option<&str>,
    tab: &Tab,
    actions: &mut Actions,
) -> bool {
    let ink = colors(ui);
    let words = query.text.in_words();
    let shown = marks::visible(&value::cut(&words, QUERY_CHARS));
    let mut job = LayoutJob::default();
    let body = |color| TextFormat::simple(text::body(), color);
    if query.name.is_some() {
        let icon = TextFormat::simple(Icon::Star.font(text::ICON), ink.accent);
        job.append(Icon::Star.glyph(), 0.0, icon);
    }
    if let Some(name) = &query.name {
        job.append(&marks::visible(name), sizes::GAP_TINY, body(ink.text));
    }
    if let Some(place) = place {
        let gap = if query.name.is_some() { sizes::GAP_SMALL } else { 0.0 };
        job.append(&marks::visible(place), gap, body(ink.dim));
    }
    let gap = if job.is_empty() { 0.0 } else { sizes::GAP_SMALL };
    job.append(&shown, gap, TextFormat::simple(text::mono(), ink.text));
    let (mut run, mut forget) = (false, false);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = sizes::GAP_TINY;
        let width = ui.available_width() - sizes::CONTROL_SMALL - sizes::GAP_TINY - sizes::GAP;
        let button = egui::Button::selectable(false, job)
            .truncate()
            // Keeps the words at the left.
            .shortcut_text("")
            .min_size(egui::vec2(width, sizes::CONTROL_SMALL));
        let name = match &query.name {
            Some(name) => format!("{name}: {shown}"),
            None => shown.clone(),
        };
        let response = ui.scope(|ui| {
            ui.set_max_width(width);
            ui.add(button).accessible_name(name)
        });
        run = response.inner.hint(words).clicked();
        let name = format!("Forget {shown}");
        forget = ui.add(Button::icon_only(Icon::Close, &name).small()).clicked();
    });
    if forget {
        let forget = DocumentsAction::ForgetQuery(Box::new(query.clone()));
        actions.push(Action::Documents(tab.id, forget));
    }
    run
}
