//! The stores that were open before, one a row.

use egui::{Align2, Rect, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use crate::action::{Action, Actions, ConnectAction, StoreAction};
use crate::state::recent_stores::{RecentStore, SavedServer};
use crate::state::{State, duration};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, menu, paint};

/// The column that says when a store was open.
const SINCE: f32 = 96.0;

/// The stores other than the one that is open, the latest first.
pub fn others(state: &State) -> Vec<&RecentStore> {
    let shown = state.store.shown.as_deref().filter(|_| state.is_open());
    state.settings.stores.others(shown).collect()
}

/// The height of the rows of this number of stores, with their heading.
pub fn height(stores: usize) -> f32 {
    let rows = u16::try_from(stores).map_or(f32::MAX, f32::from);
    if stores == 0 { 0.0 } else { sizes::ROW + rows * sizes::ROW_DOUBLE }
}

/// Draws the other stores. Draws nothing if there is none.
pub fn ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let others = others(state);
    if others.is_empty() {
        return;
    }
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let size = vec2(ui.available_width(), sizes::ROW);
        let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
        let place = Rect::from_min_max(rect.left_center(), rect.max).translate(vec2(0.0, -8.0));
        let words = text::rich("Recent stores", text::small()).color(colors(ui).dim);
        ui.new_child(UiBuilder::new().max_rect(place)).label(words);
        for store in others {
            row_ui(ui, store, state, actions);
        }
    });
}

fn row_ui(ui: &mut Ui, store: &RecentStore, state: &State, actions: &mut Actions) {
    let size = vec2(ui.available_width(), sizes::ROW_DOUBLE);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let response = response.on_hover_cursor(egui::CursorIcon::PointingHand);
    let (name, folder) = (with_marks(&store.name), with_marks(&store.folder));
    let spoken = format!("Open {name} in {folder}");
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &spoken));
    let colors = colors(ui);
    if response.hovered() {
        ui.painter().rect_filled(rect, sizes::RADIUS_BUTTON, colors.raised);
    }
    if response.has_focus() {
        paint::focus_ring(ui, rect.shrink(2.0), sizes::RADIUS_BUTTON);
    }
    let inner = rect.shrink2(vec2(sizes::GAP_SMALL, 0.0));
    let cross = sizes::CONTROL + sizes::GAP_SMALL;
    let right = inner.right() - cross;
    let since = since(state.wall_ms.saturating_sub(store.opened_ms));
    let at = pos2(right, inner.top() + 16.0);
    let when =
        paint::text_at(ui, at, Align2::RIGHT_CENTER, &since, text::small(), colors.dim, SINCE);
    let icon = pos2(inner.left() + 10.0, rect.center().y);
    let (kind, ink) = match &store.server {
        Some(server) => {
            let mark = server.mark.color.index().map(|at| colors.index_marks[at]);
            (Icon::Server, mark.unwrap_or(colors.dim))
        }
        None => (Icon::Database, colors.dim),
    };
    paint::icon_at(ui.painter(), icon, kind, 18.0, ink);
    let left = inner.left() + 30.0;
    let at = pos2(left, inner.top() + 16.0);
    let room = when.left() - left - sizes::GAP_SMALL;
    paint::text_at(ui, at, Align2::LEFT_CENTER, &name, text::medium(), colors.text, room);
    let at = pos2(left, inner.top() + 34.0);
    let (font, room) = (text::mono_small(), right - left);
    let is_cut = !paint::fits(ui, &folder, font.clone(), room);
    paint::text_at(ui, at, Align2::LEFT_CENTER, &folder, font, colors.dim, room);
    let response = if is_cut { response.hint(&folder) } else { response };
    let place = Rect::from_center_size(
        pos2(inner.right() - sizes::CONTROL / 2.0, rect.center().y),
        egui::Vec2::splat(sizes::CONTROL),
    );
    let spoken = format!("Remove {name} from the list");
    let cross = Button::icon_only(Icon::Close, &spoken);
    let forgets = ui.new_child(UiBuilder::new().max_rect(place)).add(cross).clicked();
    let forget = || Action::Store(StoreAction::ForgetRecent(store.folder.clone()));
    if forgets {
        actions.push(forget());
    } else if response.clicked() {
        actions.push(Action::Store(StoreAction::OpenRecent(store.clone())));
    }
    menu::of_row(&response, &name, |ui| {
        let copy = crate::action::ViewAction::Copy(store.folder.clone());
        let copy =
            if store.server.is_some() { ("Copy address", copy) } else { ("Copy path", copy) };
        let mut entries = vec![(copy.0, Action::View(copy.1)), ("Remove from the list", forget())];
        let server = store.server.as_ref().filter(|server| server.remembered);
        if let Some(key) = server.and_then(SavedServer::secret_key) {
            let forget = Action::Connect(ConnectAction::ForgetPassword(key));
            entries.insert(1, ("Forget the password", forget));
        }
        for (label, action) in entries {
            if menu::entry(ui, label, "", true).clicked() {
                actions.push(action);
                ui.close();
            }
        }
    });
}

/// How long ago a store was open, in one unit.
fn since(ms: i64) -> String {
    const MINUTE_MS: i64 = 60_000;
    const UNITS_MS: [i64; 3] = [24 * 60 * MINUTE_MS, 60 * MINUTE_MS, MINUTE_MS];
    let unit = UNITS_MS.into_iter().find(|unit| ms >= *unit);
    match unit {
        Some(unit) => format!("{} ago", duration::span(ms / unit * unit)),
        None => "just now".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_age_of_a_store_has_one_unit() {
        let check = |ms, expected: &str| assert_eq!(since(ms), expected, "{ms}");
        check(-5, "just now");
        check(59_999, "just now");
        check(61_000, "1 min ago");
        check(3_600_000 + 125_000, "1 h ago");
        check(50 * 3_600_000, "2 d ago");
    }
}
