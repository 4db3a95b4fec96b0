//! The regions of the window, one file each.
//!
//! A panel is `fn ui(ui: &mut Ui, state: &State, …, actions: &mut Actions)`: it reads the state,
//! draws, and pushes actions. What is being typed is handed over as a draft. A panel that shows a
//! countdown says so through [`Actions::count_down`], which is what makes the window draw again.

mod activity;
pub mod aggregate;
pub mod callouts;
pub mod collation_menu;
pub(crate) mod completion;
mod console;
pub mod documents;
pub mod drawer;
pub mod drop_overlay;
pub mod expiry;
mod explain;
mod guide_link;
pub mod held_banner;
pub mod indexes;
pub mod inspector;
pub mod lesson;
mod main_menu;
pub mod messages;
pub mod palette;
mod panel_size;
pub mod presentation;
pub mod recent;
mod reserved;
mod roots;
mod schedule;
pub mod schema;
pub mod sidebar;
pub mod status_bar;
pub mod store_banner;
pub mod tab_actions;
pub mod tab_strip;
pub mod time_bar;
pub mod toasts;
pub mod top_bar;
pub mod ttl_slider;
pub mod welcome;
pub mod workspace;

use egui::{CentralPanel, Frame, Panel, Stroke, Ui};

use self::panel_size::note_size;
pub use self::panel_size::take_sizes;
use self::reserved::Reserved;
use crate::action::{Action, Actions, ViewAction};
use crate::state::lesson::Playing;
use crate::state::settings::SizedPanel;
use crate::state::{Drafts, State};
use crate::theme::{colors, sizes};
use crate::widgets::paint;

/// Lays the whole window out. Returns where the workspace ends, above the drawer.
pub fn ui(ui: &mut Ui, state: &State, drafts: &mut Drafts, actions: &mut Actions) -> f32 {
    lesson::scenes::keys(ui.ctx(), state, actions);
    console::keys(ui.ctx(), drafts);
    if state.view.is_presented() {
        return presentation::ui(ui, state, drafts, actions);
    }
    if let Some(playing) = &state.lessons.playing {
        return lesson_ui(ui, state, playing, drafts, actions);
    }
    callouts::keys(ui.ctx(), state, actions);
    documents::tab_key(ui.ctx(), state);
    // The window is cleared to the color of panels: where the processor draws, every layer costs.
    let bar = Frame::new();
    Panel::top("top bar")
        .exact_size(sizes::TOP_BAR)
        .frame(bar)
        .show(ui, |ui| top_bar::ui(ui, state, actions));
    time_bar::panel_ui(ui, state, actions);
    store_banner::panel_ui(ui, state, actions);
    held_banner::panel_ui(ui, state, actions);
    let status = status_room(ui);
    let mut open = state.settings.sidebar;
    let shown = Panel::left("sidebar")
        .resizable(true)
        .default_size(state.settings.panels.get(SizedPanel::Sidebar, sizes::SIDEBAR))
        .size_range(sizes::SIDEBAR_MIN..=sizes::SIDEBAR_MAX)
        .frame(bar)
        .show_collapsible(ui, &mut open, |ui| sidebar::ui(ui, state, drafts, actions));
    paint::name_splitter(ui, "sidebar", "Resize the sidebar");
    if let Some(shown) = shown {
        note_size(ui, SizedPanel::Sidebar, shown.response.rect.width());
    }
    if open != state.settings.sidebar {
        actions.push(Action::View(ViewAction::SetSidebar(open)));
    }
    let drawer = drawer::room(ui, state);
    let workspace = CentralPanel::default()
        .frame(Frame::new())
        .show(ui, |ui| workspace::ui(ui, state, drafts, actions));
    drawer.ui(ui, "drawer", |ui| drawer::ui(ui, state, drafts, actions));
    status.ui(ui, "status bar", |ui| status_bar::ui(ui, state, actions));
    workspace.response.rect.bottom()
}

/// The room at the bottom for the status bar.
fn status_room(ui: &mut Ui) -> Reserved {
    let panel = Panel::bottom("status bar").exact_size(sizes::STATUS_BAR).frame(Frame::new());
    panel.show(ui, Reserved::all_of).inner
}

/// Lays the window out while a lesson is played: its banner and its card take the places of the top
/// bar and the sidebar.
fn lesson_ui(
    ui: &mut Ui,
    state: &State,
    playing: &Playing,
    drafts: &mut Drafts,
    actions: &mut Actions,
) -> f32 {
    lesson::banner_ui(ui, state, playing, actions);
    held_banner::panel_ui(ui, state, actions);
    let status = status_room(ui);
    lesson::column_ui(ui, state, playing, actions);
    time_bar::lesson_ui(ui, state, actions);
    let drawer = drawer::room(ui, state);
    let workspace = CentralPanel::default().frame(Frame::new()).show(ui, |ui| {
        if !lesson::members_ui(ui, state, actions) {
            workspace::ui(ui, state, drafts, actions);
        }
    });
    drawer.ui(ui, "drawer", |ui| drawer::ui(ui, state, drafts, actions));
    status.ui(ui, "status bar", |ui| status_bar::ui(ui, state, actions));
    workspace.response.rect.bottom()
}

/// Draws the overlays: palette, messages at the end of the workspace or, next to a dialog, of
/// the window, the overlay for files, the amber frame.
pub fn over_ui(
    ui: &mut Ui,
    workspace_end: f32,
    state: &State,
    drafts: &mut Drafts,
    actions: &mut Actions,
) {
    let is_presented = state.view.is_presented();
    // A lesson introduces the view itself.
    if !is_presented && !state.lessons.is_playing() {
        callouts::ui(ui.ctx(), state, actions);
    }
    if state.view.palette {
        if state.is_covered() {
            // Two of them would both want the keys.
            actions.push(Action::View(ViewAction::SetPalette(false)));
        } else {
            palette::ui(ui.ctx(), state, drafts, actions);
        }
    }
    if is_presented {
        presentation::over_ui(ui, state, actions);
    } else {
        // A dialog may be as low as that, and its buttons are at its end; what is below it is
        // dimmed.
        let has_dialog = state.is_covered();
        let bottom = if has_dialog { ui.ctx().content_rect().bottom() } else { workspace_end };
        toasts::ui(ui.ctx(), bottom, state, actions);
    }
    drop_overlay::ui(ui.ctx(), state);
    if state.is_simulated() {
        amber_frame(ui);
    }
}

/// The frame around the window while time is not real.
fn amber_frame(ui: &Ui) {
    let rect = ui.ctx().content_rect();
    let layer = egui::LayerId::new(egui::Order::Foreground, egui::Id::unique("amber frame"));
    let stroke = Stroke::new(sizes::LINE_STRONG, colors(ui).overdue);
    let painter = ui.ctx().layer_painter(layer);
    painter.rect_stroke(rect, 0.0, stroke, egui::StrokeKind::Inside);
}
