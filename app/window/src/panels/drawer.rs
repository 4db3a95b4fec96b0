//! The drawer at the bottom.

use egui::{Align, Frame, Layout, Margin, Panel, Ui};

use super::panel_size::note_size;
use super::reserved::Reserved;
use super::{activity, console, messages};
use crate::action::{Action, Actions, ConsoleAction, ViewAction};
use crate::state::settings::SizedPanel;
use crate::state::view::Drawer;
use crate::state::{Drafts, State};
use crate::theme::{Icon, sizes};
use crate::widgets::{Button, paint, tabs};

/// The room of the drawer: of its strip always, of its content while it is open.
pub(super) fn room(ui: &mut Ui, state: &State) -> Reserved {
    let frame = Frame::new();
    let Some(drawer) = state.settings.drawer else {
        let strip = Panel::bottom("drawer strip").exact_size(sizes::DRAWER_STRIP).frame(frame);
        return strip.show(ui, Reserved::all_of).inner;
    };
    let window = ui.ctx().content_rect().height();
    // The console needs more lines than a list, so it has its own height.
    let (name, panel, first) = match drawer {
        Drawer::Console => {
            let share = window * sizes::CONSOLE_SHARE;
            let first = share.clamp(sizes::CONSOLE_MIN, sizes::CONSOLE_MAX);
            ("console drawer", SizedPanel::Console, first)
        }
        _ => ("drawer", SizedPanel::Drawer, sizes::DRAWER),
    };
    let shown = Panel::bottom(name)
        .resizable(true)
        .default_size(state.settings.panels.get(panel, first))
        .size_range(sizes::DRAWER_MIN..=sizes::DRAWER_MAX)
        .frame(frame)
        .show(ui, Reserved::all_of);
    paint::name_splitter(ui, name, "Resize the drawer");
    note_size(ui, panel, shown.response.rect.height());
    shown.inner
}

/// Draws the drawer into its room.
pub(super) fn ui(ui: &mut Ui, state: &State, drafts: &mut Drafts, actions: &mut Actions) {
    let Some(drawer) = state.settings.drawer else {
        strip_ui(ui, state, actions);
        return;
    };
    Panel::top("drawer strip open")
        .exact_size(sizes::DRAWER_STRIP)
        .frame(Frame::new())
        .show(ui, |ui| strip_ui(ui, state, actions));
    let margin = Margin { left: 14, right: 6, top: 6, bottom: 0 };
    Frame::new().inner_margin(margin).show(ui, |ui| match drawer {
        Drawer::Console => console::ui(ui, state, drafts, actions),
        Drawer::Activity => activity::ui(ui, state, actions),
        Drawer::Messages => messages::ui(ui, state, actions),
    });
}

fn strip_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    ui.horizontal_centered(|ui| {
        let is_narrow = ui.available_width() < sizes::DRAWER_STRIP_WIDE;
        ui.spacing_mut().item_spacing.x =
            if is_narrow { sizes::GAP_SMALL } else { sizes::GAP_LARGE };
        ui.add_space(sizes::GAP);
        for drawer in Drawer::ALL {
            let chosen = state.settings.drawer == Some(drawer);
            let running = state.operations.running();
            let unseen = state.toasts.unseen();
            // It is the last tab, so that none moves when the first message comes.
            if drawer == Drawer::Messages && !chosen && unseen == 0 && state.toasts.log().is_empty()
            {
                continue;
            }
            let label = match drawer {
                Drawer::Activity if running > 0 => format!("Activity ({running})"),
                Drawer::Messages if !chosen && unseen > 0 => format!("Messages ({unseen})"),
                _ => drawer.label().to_owned(),
            };
            if tabs::word_only(ui, &label, chosen).clicked() {
                let next = if chosen { None } else { Some(drawer) };
                actions.push(Action::View(ViewAction::SetDrawer(next)));
            }
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = sizes::GAP_SMALL;
            ui.add_space(sizes::GAP_SMALL);
            tools_ui(ui, state, actions);
        });
    });
}

fn tools_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    // A press on a tab opens it.
    let Some(drawer) = state.settings.drawer else { return };
    if ui.add(Button::icon_only(Icon::Close, "Close the drawer").small()).clicked() {
        actions.push(Action::View(ViewAction::SetDrawer(None)));
    }
    if ui.add(Button::ghost("Clear").small()).clicked() {
        match drawer {
            Drawer::Console => actions.push(Action::Console(ConsoleAction::Clear)),
            Drawer::Activity => activity::clear(state, actions),
            Drawer::Messages => actions.push(Action::View(ViewAction::ClearMessages)),
        }
    }
    if drawer == Drawer::Activity {
        activity::filter_ui(ui, state, actions);
    }
}
