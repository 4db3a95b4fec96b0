//! The tabs of the open collections, and the views of the one that is shown.

use egui::{Align, Id, Layout, Rect, ScrollArea, Ui, UiBuilder, vec2};

use crate::action::{Action, Actions, TabsAction, ViewAction};
use crate::state::tabs::ViewKind;
use crate::state::{Namespace, State, Tab, TabId, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::marks::visible;
use crate::widgets::value::cut;
use crate::widgets::{Button, menu, tabs};

/// Characters that a tab has room for, roughly.
const TITLE_CHARS: usize = 22;

/// Characters of a database that a tab shows at least.
const TITLE_DB_CHARS_MIN: usize = 6;

pub fn ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let rect = ui.max_rect();
    let stroke = egui::Stroke::new(sizes::LINE, colors(ui).hairline);
    ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, stroke);
    // The wheel of a mouse turns in one direction only.
    ui.style_mut().always_scroll_the_only_direction = true;
    let revealed = revealed(ui, state);
    let list = rect.with_min_x(rect.right() - LIST);
    let strip = rect.with_max_x(list.left());
    ui.scope_builder(UiBuilder::new().max_rect(strip), |ui| {
        ScrollArea::horizontal().id_salt("tabs").auto_shrink(false).show(ui, |ui| {
            ui.horizontal_centered(|ui| {
                ui.spacing_mut().item_spacing.x = 2.0;
                ui.add_space(sizes::GAP);
                for tab in state.tabs.open() {
                    let place = tab_ui(ui, tab, state, actions);
                    if revealed && is_shown(tab, state) {
                        // With the edge of its neighbor, which says that there are more.
                        ui.scroll_to_rect(place.expand2(vec2(sizes::GAP_HUGE, 0.0)), None);
                    }
                }
            });
        });
    });
    let layout = Layout::left_to_right(Align::Center);
    ui.scope_builder(UiBuilder::new().max_rect(list).layout(layout), |ui| {
        // A list of one says nothing.
        if state.tabs.open().len() > 1 {
            list_ui(ui, state, actions);
        }
    });
}

/// The width of the button that lists the tabs.
const LIST: f32 = sizes::CONTROL_SMALL + 2.0 * sizes::GAP_TINY;

fn is_shown(tab: &Tab, state: &State) -> bool {
    state.tabs.active().is_some_and(|active| active.id == tab.id)
}

/// Whether another tab is shown than in the frame before, or the strip became narrower: the tab is
/// scrolled to.
fn revealed(ui: &Ui, state: &State) -> bool {
    let shown = (state.tabs.active().map(|tab| tab.id), ui.max_rect().width().round());
    let id = Id::unique("tab on the screen");
    ui.data_mut(|data| {
        let known = data.get_temp_mut_or_default::<(Option<TabId>, f32)>(id);
        let is_new = *known != shown;
        *known = shown;
        is_new
    })
}

/// Every open tab by name: not all of them have room in the strip.
fn list_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let button = ui.add(Button::icon_only(Icon::Unfolded, "List the open tabs").small());
    menu::below(&button, |ui| {
        ScrollArea::vertical().max_height(sizes::MENU_LIST_MAX).show(ui, |ui| {
            for tab in state.tabs.open() {
                let name = visible(&tab.namespace.to_string());
                let entry = menu::choice(ui, &name, is_shown(tab, state));
                if entry.accessible_name(format!("Go to {name}")).clicked() {
                    actions.push(Action::Tabs(TabsAction::Activate(tab.id)));
                    ui.close();
                }
            }
        });
        menu::line(ui);
        let label = "Reopen closed tab";
        if menu::entry(ui, label, "Ctrl+Shift+T", state.tabs.can_reopen()).clicked() {
            actions.push(Action::Tabs(TabsAction::Reopen));
        }
    });
}

fn tab_ui(ui: &mut Ui, tab: &Tab, state: &State, actions: &mut Actions) -> Rect {
    let selected = is_shown(tab, state);
    let name = visible(&tab.namespace.to_string());
    let (pressed, response) = tabs::folder(ui, &title(&tab.namespace), &name, selected);
    match pressed {
        Some(tabs::Pressed::Chosen) => {
            actions.push(Action::Tabs(TabsAction::Activate(tab.id)));
        }
        Some(tabs::Pressed::Closed) => actions.push(Action::Tabs(TabsAction::Close(tab.id))),
        None => {}
    }
    menu::of_row(&response, &name, |ui| {
        let entries = [
            ("Close tab", TabsAction::Close(tab.id), true),
            ("Close other tabs", TabsAction::CloseOthers(tab.id), state.tabs.open().len() > 1),
            ("Reopen closed tab", TabsAction::Reopen, state.tabs.can_reopen()),
        ];
        for (label, action, enabled) in entries {
            if menu::entry(ui, label, "", enabled).clicked() {
                actions.push(Action::Tabs(action));
                ui.close();
            }
        }
    });
    response.rect
}

/// A tab's name as far as it fits.
fn title(namespace: &Namespace) -> String {
    let (db, collection) = (visible(&namespace.db), visible(&namespace.collection));
    // The collection tells tabs apart, so a long database is cut first.
    let room = TITLE_CHARS.saturating_sub(collection.chars().count() + 1).max(TITLE_DB_CHARS_MIN);
    format!("{}.{collection}", cut(&db, room))
}

/// Draws the views of the collection that is shown.
pub fn views_ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut Actions) {
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = sizes::GAP_LARGE;
        ui.add_space(sizes::GAP);
        for (at, view) in ViewKind::ALL.into_iter().enumerate() {
            let tooltip = format!("Ctrl+{}", at + 1);
            if tabs::underlined(ui, view.label(), tab.view == view, &tooltip).clicked() {
                actions.push(Action::Tabs(TabsAction::View(view)));
            }
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = sizes::GAP_SMALL;
            ui.add_space(sizes::GAP);
            if tab.has_inspector() {
                let open = state.settings.inspector;
                let name = if open { "Hide the inspector" } else { "Show the inspector" };
                if ui
                    .add(Button::icon_only(Icon::Inspector, name).small().known_as("inspector"))
                    .clicked()
                {
                    actions.push(Action::View(ViewAction::SetInspector(!open)));
                }
            }
            let summary = summary(state, tab);
            ui.add(
                egui::Label::new(text::rich(summary, text::small()).color(colors(ui).dim))
                    .truncate(),
            );
        });
    });
}

fn summary(state: &State, tab: &Tab) -> String {
    if !tab.summary.is_empty() {
        return tab.summary.clone();
    }
    let known = state.tree.collection(&tab.namespace);
    let documents = known.and_then(|known| known.documents);
    let Some(documents) = documents else { return String::new() };
    let counted = number::counted(documents, "document", "documents");
    // The list counts fewer.
    let hides = tab.documents.asks_due && state.tree.hides_expired(&tab.namespace.db);
    let expired = match tab.documents.pages.total() {
        Some(listed) if hides && tab.documents.query.filter.is_empty() => {
            documents.saturating_sub(listed)
        }
        _ => 0,
    };
    if expired > 0 && tab.view == ViewKind::Documents {
        format!("{counted} ({} expired, hidden from reads)", number::count(expired))
    } else {
        counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_database_leaves_its_collection_room() {
        let check = |db: &str, collection: &str, expected: &str| {
            assert_eq!(title(&Namespace::new(db, collection)), expected);
        };
        check("demo", "carts", "demo.carts");
        check("a_database_with_a_long_name", "big", "a_database_with_a_….big");
        check(
            "a_database",
            "a_collection_with_a_long_name",
            "a_data….a_collection_with_a_long_name",
        );
        check("demo", "a_collection_with_a_long_name", "demo.a_collection_with_a_long_name");
    }
}
