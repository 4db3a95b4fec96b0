//! Databases and collections, each with a summary of its expiry.

use std::time::Duration;

use egui::{Align2, Id, Margin, Rect, Response, Sense, Ui, WidgetInfo, pos2, vec2};

use super::{main_menu, roots};
use crate::action::{
    Action, Actions, DialogAction, StoreAction, TabsAction, ViewAction, sandbox, store, transfer,
};
use crate::job::{Dialect, SAMPLE_DATABASES, TRAFFIC_DATABASE};
use crate::limits::{
    SERVER_NEXT_AGAIN_MS, SERVER_NEXT_AGE_MS, SERVER_NEXT_APART, SUMMARY_AGE_MAX, SUMMARY_AGE_MIN,
};
use crate::state::dialogs::{CreateCollection, DropTarget, RenameCollection, Sent, dialect_label};
use crate::state::store::{Collection, Database, Next, Order};
use crate::state::tabs::ViewKind;
use crate::state::view::Focus;
use crate::state::{Dialog, Drafts, Namespace, State, duration, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::marks::visible;
use crate::widgets::{Button, density_strip, empty_state, field, menu, paint};

pub fn ui(ui: &mut Ui, state: &State, drafts: &mut Drafts, actions: &mut Actions) {
    egui::Frame::new()
        .inner_margin(Margin { left: 12, right: 12, top: 10, bottom: 4 })
        .show(ui, |ui| head_ui(ui, state, &mut drafts.search, actions));
    ui.spacing_mut().item_spacing.y = 0.0;
    load_shown_summary(state, actions);
    let revealed = revealed(ui, state);
    if revealed && hides_shown(state, &drafts.search) {
        drafts.search.clear();
    }
    roots::around_ui(ui, state, actions, |ui, actions| {
        if let Some(error) = &state.tree.error {
            egui::Frame::new().inner_margin(12).show(ui, |ui| {
                ui.label(text::rich(error.as_str(), text::body()).color(colors(ui).error));
            });
        }
        let mut any = false;
        for database in state.tree.listed_databases(state.settings.order) {
            any |= database_ui(ui, database, &drafts.search, revealed, state, actions);
        }
        if !any && state.tree.loaded {
            egui::Frame::new().inner_margin(16).show(ui, |ui| {
                let sentence = if drafts.search.trim().is_empty() {
                    "No collections yet"
                } else {
                    "No matching collections"
                };
                empty_state::hint(ui, sentence);
            });
        }
    });
}

fn head_ui(ui: &mut Ui, state: &State, search: &mut String, actions: &mut Actions) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = sizes::GAP_TINY;
        let id = Id::unique("search collections");
        let width = ui.available_width() - 2.0 * (sizes::CONTROL + sizes::GAP_TINY);
        let response = ui
            .scope(|ui| {
                ui.set_width(width);
                field::search(ui, "Search collections", "Search", search, id)
            })
            .inner;
        if state.view.focus == Some(Focus::Search) {
            response.request_focus();
            actions.push(Action::View(ViewAction::Focused));
        }
        if response.lost_focus()
            && ui.input(|input| input.key_pressed(egui::Key::Enter))
            && let Some(first) = first_found(state, search)
        {
            actions.push(Action::Tabs(TabsAction::Show(first)));
            search.clear();
        }
        let sort = ui.add(Button::icon_only(Icon::Order, "Sort collections"));
        menu::below(&sort, |ui| {
            for (order, label) in [(Order::Name, "Name"), (Order::Soonest, "Next to expire")] {
                if menu::choice(ui, label, state.settings.order == order).clicked() {
                    actions.push(Action::Store(StoreAction::Sort(order)));
                }
            }
        });
        let add = ui.add(Button::icon_only(Icon::Add, "Create"));
        let add = add.hint("Create or import a collection");
        menu::below(&add, |ui| {
            for entry in [transfer::IMPORT, store::CREATE_COLLECTION, store::CREATE_DATABASE] {
                main_menu::entry_ui(ui, state, &entry, actions);
            }
        });
    });
}

fn first_found(state: &State, search: &str) -> Option<Namespace> {
    let order = state.settings.order;
    state.tree.listed_databases(order).into_iter().find_map(|database| {
        let first = *state.tree.listed(database, search, order).first()?;
        Some(Namespace::new(&database.name, &first.name))
    })
}

/// Draws a database and its collections. Returns whether anything was drawn.
fn database_ui(
    ui: &mut Ui,
    database: &Database,
    search: &str,
    revealed: bool,
    state: &State,
    actions: &mut Actions,
) -> bool {
    let listed = state.tree.listed(database, search, state.settings.order);
    if listed.is_empty() && !search.trim().is_empty() {
        return false;
    }
    let folded = state.tree.folded.contains(&database.name) && search.trim().is_empty();
    let response =
        heading_ui(ui, &database.name, folded, state, &marked_samples(database, state), actions);
    if response.clicked() {
        actions.push(Action::Store(StoreAction::Fold(database.name.clone())));
    }
    let name = visible(&database.name);
    menu::of_row(&response, &name, |ui| database_menu_ui(ui, database, state, actions));
    if !folded {
        for collection in listed {
            let namespace = Namespace::new(&database.name, &collection.name);
            let row = collection_ui(ui, collection, &namespace, state, actions);
            if revealed && is_shown(state, &namespace) {
                // Not at the very edge, where rows fade.
                ui.scroll_to_rect(row.expand2(vec2(0.0, sizes::ROW_DOUBLE)), None);
            }
        }
    }
    true
}

fn is_shown(state: &State, namespace: &Namespace) -> bool {
    state.tabs.active().is_some_and(|tab| tab.namespace == *namespace)
}

/// Whether another collection is shown than in the frame before: its row is scrolled to, wherever
/// it was chosen.
fn revealed(ui: &Ui, state: &State) -> bool {
    let shown = state.tabs.active().map(|tab| tab.namespace.clone());
    let is_listed = shown.as_ref().is_none_or(|shown| state.tree.collection(shown).is_some());
    let id = Id::unique("collection in the sidebar");
    ui.data_mut(|data| {
        let known = data.get_temp_mut_or_default::<Option<Namespace>>(id);
        // A collection is revealed once it is listed.
        let is_new = is_listed && *known != shown;
        if is_new {
            *known = shown;
        }
        is_new
    })
}

/// Whether the search leaves out the collection that is shown.
fn hides_shown(state: &State, search: &str) -> bool {
    let Some(tab) = state.tabs.active() else { return false };
    let order = state.settings.order;
    state.tree.database(&tab.namespace.db).is_some_and(|database| {
        let listed = state.tree.listed(database, search, order);
        listed.iter().all(|found| found.name != tab.namespace.collection)
    })
}

/// The collection that is shown is counted also while its row is not on the screen.
fn load_shown_summary(state: &State, actions: &mut Actions) {
    let Some(tab) = state.tabs.active() else { return };
    if let Some(collection) = state.tree.collection(&tab.namespace) {
        load_summary(collection, &tab.namespace, state, actions);
    }
}

/// The sample databases, if this is the first of them: its heading has the mark of all.
fn marked_samples<'a>(database: &Database, state: &'a State) -> Vec<&'a str> {
    let listed = state.tree.listed_databases(state.settings.order).into_iter();
    let names = listed.map(|database| database.name.as_str());
    let samples: Vec<&str> =
        names.filter(|name| state.store.demo && SAMPLE_DATABASES.contains(name)).collect();
    if samples.first() == Some(&database.name.as_str()) { samples } else { Vec::new() }
}

fn heading_ui(
    ui: &mut Ui,
    db: &str,
    folded: bool,
    state: &State,
    samples: &[&str],
    actions: &mut Actions,
) -> Response {
    let colors = colors(ui);
    let size = vec2(ui.available_width(), 28.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let name = visible(db);
    response
        .widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, format!("Database {name}")));
    if response.hovered() {
        ui.painter().rect_filled(rect, 0.0, colors.raised);
    }
    let icon = if folded { Icon::Expand } else { Icon::Unfolded };
    let at = rect.left_center() + vec2(16.0, 0.0);
    paint::icon_at(ui.painter(), at, icon, 16.0, colors.dim);
    let left = rect.left_center() + vec2(28.0, 0.0);
    let mut room = rect.width() - 40.0;
    if !samples.is_empty() {
        room -= sample_ui(ui, rect, state, samples, actions) + sizes::GAP_SMALL;
    }
    paint::text_at(ui, left, Align2::LEFT_CENTER, &name, text::medium(), colors.text, room);
    if response.has_focus() {
        paint::focus_ring(ui, rect.shrink(2.0), 4.0);
    }
    if paint::fits(ui, &name, text::medium(), room) { response } else { response.hint(name) }
}

/// Marks the sample data of the demo store at the end of a heading. Its menu has the switch of the
/// traffic, and removes the data. Returns the width of the mark.
fn sample_ui(
    ui: &mut Ui,
    heading: Rect,
    state: &State,
    samples: &[&str],
    actions: &mut Actions,
) -> f32 {
    let on = state.settings.traffic;
    let place = heading.with_max_x(heading.right() - 8.0);
    let layout = egui::Layout::right_to_left(egui::Align::Center);
    let mark = ui
        .scope_builder(egui::UiBuilder::new().max_rect(place).layout(layout), |ui| {
            let (label, tooltip) = if on {
                ("sample data", "Part of the demo store, and more keeps arriving")
            } else {
                ("traffic off", "Part of the demo store; no more arrives")
            };
            ui.add(Button::ghost(label).small().menu().name("Sample data").tooltip(tooltip))
        })
        .inner;
    menu::below(&mark, |ui| {
        if samples.contains(&TRAFFIC_DATABASE) {
            let traffic = menu::choice(ui, "Traffic", on);
            if traffic.hint("Sample data keeps arriving").clicked() {
                actions.push(Action::Store(StoreAction::SetTraffic(!on)));
            }
            menu::line(ui);
        }
        for db in samples {
            if menu::entry(ui, &format!("Remove {db}…"), "", true).clicked() {
                actions.push(store::drop_dialog(DropTarget::Database((*db).to_owned())));
                ui.close();
            }
        }
    });
    mark.rect.width()
}

fn collection_ui(
    ui: &mut Ui,
    collection: &Collection,
    namespace: &Namespace,
    state: &State,
    actions: &mut Actions,
) -> Rect {
    // Without a TTL index there is nothing to say in a second line.
    let has_summary = matches!(collection.next, Next::Never | Next::At(_));
    let height = if has_summary { sizes::ROW_DOUBLE } else { sizes::ROW };
    let size = vec2(ui.available_width(), height);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let selected = is_shown(state, namespace);
    response.widget_info(|| {
        let name = format!("Collection {}", visible(&namespace.to_string()));
        WidgetInfo::selected(egui::Role::Button, true, selected, name)
    });
    if !ui.is_rect_visible(rect) {
        return rect;
    }
    if !selected {
        load_summary(collection, namespace, state, actions);
    }
    background_ui(ui, rect, selected, &response);
    let colors = colors(ui);
    let first = if has_summary { rect.top() + 15.0 } else { rect.center().y };
    let count = collection.documents.map(number::short_count).unwrap_or_default();
    let right = pos2(rect.right() - 14.0, first);
    let ink = colors.dim;
    let place = paint::text_at(ui, right, Align2::RIGHT_CENTER, &count, text::mono(), ink, 90.0);
    let left = pos2(rect.left() + 30.0, first);
    let room = place.left() - left.x - sizes::GAP_SMALL;
    let name = visible(&collection.name);
    paint::text_at(ui, left, Align2::LEFT_CENTER, &name, text::body(), colors.text, room);
    let is_cut = !paint::fits(ui, &name, text::body(), room);
    let response = if is_cut { response.hint(name) } else { response };
    if has_summary {
        summary_ui(ui, rect, collection, state, actions);
    }
    if response.clicked() {
        actions.push(Action::Tabs(TabsAction::Show(namespace.clone())));
    }
    let name = visible(&namespace.to_string());
    menu::of_row(&response, &name, |ui| collection_menu_ui(ui, namespace, state, actions));
    rect
}

fn background_ui(ui: &Ui, rect: Rect, selected: bool, response: &Response) {
    let colors = colors(ui);
    if selected {
        paint::selection(ui, rect, 0.0);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, 0.0, colors.raised);
    }
    if response.has_focus() {
        paint::focus_ring(ui, rect.shrink(2.0), 4.0);
    }
}

fn summary_ui(ui: &Ui, rect: Rect, collection: &Collection, state: &State, actions: &mut Actions) {
    let colors = colors(ui);
    let bottom = rect.top() + 40.0;
    if let Some(forecast) = &collection.forecast
        && (forecast.overdue > 0 || forecast.counts.iter().any(|count| *count > 0))
    {
        let strip = Rect::from_min_max(
            pos2(rect.left() + 30.0, bottom - sizes::STRIP_HEIGHT),
            pos2(rect.left() + 30.0 + sizes::STRIP_WIDTH, bottom),
        );
        density_strip::paint(ui, strip, &forecast.counts, forecast.overdue);
    }
    let mut font = text::mono_small();
    let (words, ink) = match collection.next {
        Next::Unknown | Next::NoTtl => return,
        Next::Never => ("none left".to_owned(), colors.dim),
        Next::At(at_ms) => {
            let rest_ms = actions.count_down(&state.clock, at_ms);
            let Some(words) = next_words(rest_ms, server_age_ms(collection, state)) else { return };
            if rest_ms > 0 {
                (words, colors.dim)
            } else {
                font = text::small();
                (words, colors.overdue)
            }
        }
    };
    let right = pos2(rect.right() - 14.0, bottom - 6.0);
    paint::text_at(ui, right, Align2::RIGHT_CENTER, &words, font, ink, rect.width() - 140.0);
}

/// How long ago a server said which document is next, in milliseconds. `None` on a store of this computer.
fn server_age_ms(collection: &Collection, state: &State) -> Option<i64> {
    state.store.connection.as_ref()?;
    let age = collection.asked_at.map(|at| state.uptime.saturating_sub(at));
    Some(age.and_then(|age| i64::try_from(age.as_millis()).ok()).unwrap_or(i64::MAX))
}

/// The first threshold in words, this many milliseconds from now. A document that a server named before its
/// threshold is gone most likely once that is long past: nothing is said of it.
fn next_words(rest_ms: i64, server_age_ms: Option<i64>) -> Option<String> {
    if rest_ms > 0 {
        return Some(format!("next {}", duration::countdown(rest_ms)));
    }
    let past_ms = rest_ms.saturating_neg();
    let was_overdue = |age_ms: i64| age_ms <= SERVER_NEXT_AGE_MS && past_ms > age_ms;
    let is_said = past_ms <= SERVER_NEXT_AGE_MS || server_age_ms.is_none_or(was_overdue);
    is_said.then(|| format!("overdue {}", duration::elapsed(past_ms)))
}

/// Keeps the summary of a row on the screen up to date.
fn load_summary(
    collection: &Collection,
    namespace: &Namespace,
    state: &State,
    actions: &mut Actions,
) {
    let age = collection.asked_at.map(|at| state.uptime.saturating_sub(at));
    let due_after =
        if collection.stale { SUMMARY_AGE_MIN } else { age_max(collection, namespace, state) };
    match age {
        Some(age) if age < due_after => actions.redraw_after(due_after.saturating_sub(age)),
        _ => actions.push(Action::Store(StoreAction::LoadSummary(namespace.clone()))),
    }
}

/// How old a summary may be. A server tells nothing by itself.
fn age_max(collection: &Collection, namespace: &Namespace, state: &State) -> Duration {
    let overdue_ms = match collection.next {
        Next::At(at_ms) => state.now_ms().saturating_sub(at_ms),
        Next::Unknown | Next::NoTtl | Next::Never => 0,
    };
    let is_open = state.tabs.open().iter().any(|tab| tab.namespace == *namespace);
    match state.store.connection {
        None => SUMMARY_AGE_MAX,
        // A pass has come since then, most likely.
        Some(_) if is_open || overdue_ms >= SERVER_NEXT_AGAIN_MS => SERVER_NEXT_APART,
        // Otherwise it is asked again only when the user refreshes.
        Some(_) => Duration::MAX,
    }
}

fn database_menu_ui(ui: &mut Ui, database: &Database, state: &State, actions: &mut Actions) {
    let db = &database.name;
    if menu::entry(ui, "Create collection…", "", true).clicked() {
        let draft = CreateCollection { db: db.to_owned(), ..CreateCollection::default() };
        let dialog = Dialog::CreateCollection(draft);
        actions.push(Action::Dialog(DialogAction::Show(dialog)));
        ui.close();
    }
    let export = transfer::export_database(db, state);
    let pressed = menu::entry(ui, "Export database…", "", export.is_some()).clicked();
    if let Some(export) = export.filter(|_| pressed) {
        actions.push(export);
        ui.close();
    }
    if menu::entry(ui, "Copy name", "", true).clicked() {
        actions.push(Action::View(ViewAction::Copy(db.to_owned())));
        ui.close();
    }
    // A server has its own rules.
    let dialects = if state.store.capabilities.dialects { &Dialect::ALL[..] } else { &[] };
    if !dialects.is_empty() {
        menu::line(ui);
    }
    for dialect in dialects.iter().copied() {
        let label = format!("Compatibility: {}", dialect_label(dialect));
        let is_chosen = database.dialect == Some(dialect);
        if menu::choice(ui, &label, is_chosen).clicked() {
            if !is_chosen {
                actions.push(Action::Store(StoreAction::SetDialect(db.to_owned(), dialect)));
            }
            ui.close();
        }
    }
    menu::line(ui);
    if menu::entry(ui, "Drop database…", "", true).clicked() {
        actions.push(store::drop_dialog(DropTarget::Database(db.to_owned())));
        ui.close();
    }
}

fn collection_menu_ui(ui: &mut Ui, namespace: &Namespace, state: &State, actions: &mut Actions) {
    for view in ViewKind::ALL {
        let label = format!("Show {}", view.label());
        if menu::entry(ui, &label, "", true).clicked() {
            actions.push(Action::Tabs(TabsAction::ShowView(namespace.clone(), view)));
            ui.close();
        }
    }
    let from = namespace.clone();
    let rename = RenameCollection { name: from.collection.clone(), from, sent: Sent::default() };
    let show = |dialog| Some(Action::Dialog(DialogAction::Show(dialog)));
    let of = || namespace.clone();
    let tab = state.tabs.open().iter().find(|tab| tab.namespace == *namespace);
    let filter = tab.map(|tab| tab.saved_documents.query.filter.clone()).unwrap_or_default();
    let mut copies = vec![("Duplicate…", store::duplicate(of(), state))];
    if state.store.connection.is_some() {
        copies.push(("Copy to a store…", transfer::copy_to_store(of(), filter, state)));
    } else {
        copies.push(("Copy into a sandbox", sandbox::copy(of(), state)));
        copies.push(("Copy to a server…", transfer::copy_to_server(of(), filter, state)));
    }
    let groups: [&[(&str, Option<Action>)]; 4] = [
        &[
            ("Paste documents…", transfer::paste_into(of(), state)),
            ("Import…", transfer::import_into(of(), state)),
            ("Export…", transfer::export_of(of(), state)),
        ],
        &copies,
        &[
            ("Statistics", store::statistics(of(), state)),
            ("Copy name", Some(Action::View(ViewAction::Copy(namespace.to_string())))),
            ("Rename…", show(Dialog::RenameCollection(rename))),
        ],
        &[
            ("Empty collection…", store::empty(of(), state)),
            ("Drop collection…", Some(store::drop_dialog(DropTarget::Collection(of())))),
        ],
    ];
    for group in groups {
        menu::line(ui);
        for (label, action) in group {
            let pressed = menu::entry(ui, label, "", action.is_some()).clicked();
            if let Some(action) = action.as_ref().filter(|_| pressed) {
                actions.push(action.clone());
                ui.close();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Attached, ServerMark};
    use crate::state::connect::Connection;

    #[test]
    fn documents_that_a_server_removed_long_ago_are_not_overdue() {
        let (long, before) = (-SERVER_NEXT_AGE_MS - 1, Some(SERVER_NEXT_AGE_MS + 9));
        assert_eq!(next_words(90_000, before).as_deref(), Some("next 01:30"));
        assert_eq!(next_words(-50_000, before).as_deref(), Some("overdue 00:50"));
        assert_eq!(next_words(long, before), None);
        let seen = next_words(long, Some(SERVER_NEXT_AGE_MS));
        assert_eq!(seen.as_deref(), Some("overdue 02:00"), "it was overdue when it was named");
        assert_eq!(next_words(long, None).as_deref(), Some("overdue 02:00"));
    }

    #[test]
    fn a_server_is_asked_again_after_a_pass_and_each_minute_for_open_tabs() {
        let (namespace, mut state) = (Namespace::new("d", "c"), State::default());
        let mut collection = Collection::new("c", "collection");
        assert_eq!(age_max(&collection, &namespace, &state), SUMMARY_AGE_MAX);
        state.store.connection = Some(Connection::new(Box::new(Attached {
            address: "mongodb://h/".to_owned(),
            name: "h".to_owned(),
            mark: ServerMark::default(),
            topology: "standalone".to_owned(),
            version: String::new(),
            ahead_ms: 0,
            pass_job: None,
            slow_down: crate::job::server::SlowDown::default(),
            stored: crate::job::Stored::default(),
            is_replica_set: false,
        })));
        assert_eq!(age_max(&collection, &namespace, &state), Duration::MAX);
        collection.next = Next::At(state.now_ms() - SERVER_NEXT_AGAIN_MS + 1);
        assert_eq!(age_max(&collection, &namespace, &state), Duration::MAX);
        // The server's monitor passes each minute: the document is gone.
        collection.next = Next::At(state.now_ms() - SERVER_NEXT_AGAIN_MS);
        assert_eq!(age_max(&collection, &namespace, &state), Duration::from_mins(1));
        collection.next = Next::Never;
        state.tabs.show(&namespace);
        assert_eq!(age_max(&collection, &namespace, &state), Duration::from_mins(1));
    }
}
