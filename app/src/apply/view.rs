//! What is open and how it looks.

use super::{Effects, WindowEffect, clipboard};
use crate::action::ViewAction;
use crate::limits::ZOOM_RANGE;
use crate::state::State;
use crate::state::operations::OperationId;
use crate::state::settings::ThemeChoice;

/// Carries out one action.
pub fn apply(action: ViewAction, state: &mut State, effects: &mut Effects) {
    match action {
        ViewAction::SetTheme(theme) => set_theme(theme, state, effects),
        ViewAction::ToggleTheme { dark } => {
            let theme = if dark { ThemeChoice::Light } else { ThemeChoice::Dark };
            set_theme(theme, state, effects);
        }
        ViewAction::SetZoom(zoom) => {
            let zoom = zoom.clamp(*ZOOM_RANGE.start(), *ZOOM_RANGE.end());
            state.settings.zoom = zoom;
            effects.window(WindowEffect::Zoom(zoom));
        }
        ViewAction::SetPalette(open) => {
            state.view.palette = open;
            state.view.palette_at = 0;
            state.drafts.palette.clear();
        }
        ViewAction::ChooseInPalette(at) => state.view.palette_at = at,
        ViewAction::SetSidebar(open) => state.settings.sidebar = open,
        ViewAction::SetInspector(open) => state.settings.inspector = open,
        ViewAction::SetDrawer(drawer) => state.settings.drawer = drawer,
        ViewAction::SetBackgroundCommands(shown) => state.settings.background_commands = shown,
        ViewAction::ClearCommands => state.commands.clear(),
        ViewAction::ClearOperations => state.operations.clear_ended(),
        ViewAction::Cancel(id) => cancel(id, state),
        ViewAction::Dismiss(id) => state.toasts.dismiss(id),
        ViewAction::PressToast(id) => press_toast(id, state, effects),
        ViewAction::Focused => state.view.focus = None,
        ViewAction::Copy(text) => clipboard::copy(text, state, effects),
        ViewAction::CopyLines(text) => clipboard::copy_lines(text, state, effects),
        ViewAction::Quit => effects.window(WindowEffect::Close),
    }
}

fn set_theme(theme: ThemeChoice, state: &mut State, effects: &mut Effects) {
    state.settings.theme = theme;
    effects.window(WindowEffect::Theme(theme));
}

fn cancel(id: OperationId, state: &mut State) {
    if let Some(operation) = state.operations.get_mut(id)
        && let Some(cancel) = &operation.cancel
    {
        cancel.cancel();
    }
}

fn press_toast(id: u64, state: &mut State, effects: &mut Effects) {
    let pressed = state.toasts.list().iter().find(|toast| toast.id == id);
    let offer = pressed.and_then(|toast| toast.button.as_ref()).map(|(_, offer)| offer.clone());
    state.toasts.dismiss(id);
    if let Some(offer) = offer {
        super::apply(offer.into(), state, effects);
    }
}
