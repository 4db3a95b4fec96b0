//! The open stores as roots in the sidebar: the one that is shown has its databases below it.

use egui::{Align2, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, vec2};

use crate::action::{Action, Actions, AuditAction, StoreAction, ViewAction, audit};
use crate::state::{State, Store};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::marks::visible;
use crate::widgets::{Button, menu, paint};

/// Draws the roots around the databases of the store that is shown. They stay in sight while these scroll,
/// if they leave them half of the room. A single store has no root: its name is in the top bar.
pub fn around_ui(
    ui: &mut Ui,
    state: &State,
    actions: &mut Actions,
    databases_ui: impl FnOnce(&mut Ui, &mut Actions),
) {
    let front = &state.store;
    let (mut above, below): (Vec<_>, Vec<_>) =
        state.beside.iter().map(|it| &it.parked.store).partition(|it| it.slot < front.slot);
    if !state.beside.is_empty() {
        above.push(front);
    }
    let height = |rows: usize| u16::try_from(rows).map_or(f32::MAX, f32::from) * sizes::ROW;
    let stay = height(above.len() + below.len()) <= ui.available_height() / 2.0;
    let rows_ui = |ui: &mut Ui, stores: &[&Store], actions: &mut Actions| {
        for store in stores {
            row_ui(ui, store, store.slot == front.slot, state, actions);
        }
    };
    if stay {
        rows_ui(ui, &above, actions);
    }
    let room = ui.available_height() - if stay { height(below.len()) } else { 0.0 };
    let area = ScrollArea::vertical().id_salt("sidebar").auto_shrink(false).max_height(room);
    area.show(ui, |ui| {
        if !stay {
            rows_ui(ui, &above, actions);
        }
        databases_ui(ui, actions);
        if !stay {
            rows_ui(ui, &below, actions);
        }
        ui.add_space(sizes::GAP);
    });
    if stay {
        rows_ui(ui, &below, actions);
    }
}

fn row_ui(ui: &mut Ui, store: &Store, is_shown: bool, state: &State, actions: &mut Actions) {
    let size = vec2(ui.available_width(), sizes::ROW);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let name = match store.name.as_str() {
        "" => "Store".to_owned(),
        name => visible(name),
    };
    response.widget_info(|| {
        WidgetInfo::selected(Role::Button, true, is_shown, format!("Store {name}"))
    });
    let colors = colors(ui);
    let is_under = ui.rect_contains_pointer(rect);
    if is_shown || is_under {
        ui.painter().rect_filled(rect, 0.0, colors.raised);
    }
    if response.has_focus() {
        paint::focus_ring(ui, rect.shrink(2.0), sizes::RADIUS_BUTTON);
    }
    let (icon, ink) = look(store, ui);
    paint::icon_at(ui.painter(), rect.left_center() + vec2(16.0, 0.0), icon, 16.0, ink);
    let mut right = rect.right() - 8.0;
    if is_under || response.has_focus() {
        let at = egui::pos2(right - sizes::CONTROL_SMALL / 2.0, rect.center().y);
        let place = Rect::from_center_size(at, egui::Vec2::splat(sizes::CONTROL_SMALL));
        let spoken = format!("Close {name}");
        let cross = Button::icon_only(Icon::Close, &spoken).small();
        if ui.new_child(UiBuilder::new().max_rect(place)).add(cross).clicked() {
            actions.push(Action::Store(StoreAction::Close(store.slot)));
            return;
        }
        right = place.left();
    }
    let is_locked = store.connection.as_ref().is_some_and(|it| it.is_locked(state.uptime));
    if is_locked {
        let at = egui::pos2(right - 8.0, rect.center().y);
        paint::icon_at(ui.painter(), at, Icon::Lock, 14.0, colors.dim);
        right -= 18.0;
    }
    let left = rect.left_center() + vec2(28.0, 0.0);
    let room = right - left.x - sizes::GAP_SMALL;
    let ink = if is_shown { colors.text } else { colors.dim };
    paint::text_at(ui, left, Align2::LEFT_CENTER, &name, text::medium(), ink, room);
    let place = store.shown.as_ref().map(|place| visible(&place.display().to_string()));
    let response = response.hint(place.clone().unwrap_or_else(|| name.clone()));
    if response.clicked() && !is_shown {
        actions.push(Action::Store(StoreAction::Show(store.slot)));
    }
    menu::of_row(&response, &name, |ui| {
        let show = Action::Store(StoreAction::Show(store.slot));
        let close = Action::Store(StoreAction::Close(store.slot));
        let open_audit = Action::Audit(AuditAction::Open);
        let copy = place.map(|place| Action::View(ViewAction::Copy(place)));
        let copies = if store.connection.is_some() { "Copy address" } else { "Copy path" };
        let entries = [
            ("Show", (!is_shown).then_some(show)),
            (audit::SHOW.label, is_shown.then_some(open_audit)),
            (copies, copy),
            ("Close", Some(close)),
        ];
        for (label, action) in entries {
            if let Some(action) = action
                && menu::entry(ui, label, "", true).clicked()
            {
                actions.push(action);
                ui.close();
            }
        }
    });
}

/// The icon of a store, in the color of its connection.
pub(super) fn look(store: &Store, ui: &Ui) -> (Icon, egui::Color32) {
    let colors = colors(ui);
    match &store.connection {
        Some(connection) => {
            let mark = connection.attached.mark.color.index().map(|at| colors.index_marks[at]);
            (Icon::Server, mark.unwrap_or(colors.dim))
        }
        None => (Icon::Database, colors.dim),
    }
}
