//! The open parts of the window, and its look.

use std::ops::RangeInclusive;

use super::{Apply, WindowEffect, clipboard, closing, console, expiry, reaper, rollout, tabs};
use crate::action::{ConsoleAction, ExpiryAction, ReaperAction, TabsAction, ViewAction};
use crate::limits::{PRESENTED_ZOOM_RANGE, ZOOM_RANGE};
use crate::state::State;
use crate::state::expiry::Mode;
use crate::state::guide::Guide;
use crate::state::operations::OperationId;
use crate::state::settings::Settings;
use crate::state::tabs::ViewKind;
use crate::state::view::{CALLOUTS, Drawer};

/// Carries out one action.
pub fn apply(action: ViewAction, cx: &mut Apply<'_>) {
    match action {
        ViewAction::SetSettings(settings) => set_settings(*settings, cx),
        ViewAction::SetZoom(zoom) => set_zoom(zoom, cx),
        ViewAction::Present(is_on) => present(is_on, cx),
        ViewAction::ShowStart(is_shown) => {
            cx.state.view.is_start_shown = is_shown;
            cx.state.lessons.is_page_shown = false;
        }
        ViewAction::SetPalette(open) => {
            cx.state.view.palette = open;
            cx.state.view.palette_at = 0;
            cx.state.drafts.palette.clear();
        }
        ViewAction::ChooseInPalette(at) => cx.state.view.palette_at = at,
        ViewAction::NoteCommand(label) => cx.state.settings.note_command(label),
        ViewAction::ShowCallouts => show_callouts(cx),
        ViewAction::NextCallout => next_callout(cx.state),
        ViewAction::EndCallouts => end_callouts(cx.state),
        ViewAction::ClearMessages => cx.state.toasts.clear_log(),
        ViewAction::SetSidebar(_)
        | ViewAction::SetInspector(_)
        | ViewAction::SetDrawer(_)
        | ViewAction::ShowActivity(_)
            if cx.state.view.is_presented() => {}
        ViewAction::SetSidebar(open) => cx.state.settings.sidebar = open,
        ViewAction::SetInspector(open) => cx.state.settings.inspector = open,
        ViewAction::SetDrawer(Some(Drawer::Console)) => {
            console::apply(ConsoleAction::Open, cx);
        }
        ViewAction::SetDrawer(drawer) => {
            cx.state.settings.drawer = drawer;
            cx.state.toasts.note_seen(drawer == Some(Drawer::Messages));
        }
        ViewAction::ShowActivity(filter) => {
            cx.state.view.activity = filter;
            apply(ViewAction::SetDrawer(Some(Drawer::Activity)), cx);
        }
        ViewAction::ClearCommands => cx.state.commands.clear(),
        ViewAction::ClearOperations => {
            cx.state.operations.clear_ended();
            let listed: Vec<_> = cx.state.operations.list().iter().map(|it| it.id).collect();
            cx.state.transfer.again.retain(|id, _| listed.contains(id));
        }
        ViewAction::Cancel(id) => cancel(id, cx.state),
        ViewAction::Pause(id) => rollout::pause(id, cx.state),
        ViewAction::Dismiss(id) => cx.state.toasts.dismiss(id),
        ViewAction::ShowGuide(at) => cx.state.view.guide = at.map(Guide::open_at),
        ViewAction::ShowHelp(at, lesson) => {
            cx.state.view.guide = Some(Guide::open_at(at).with_lesson(lesson));
        }
        ViewAction::Focused => cx.state.view.focus = None,
        ViewAction::Copy(text) => clipboard::copy(text, cx),
        ViewAction::CopyLines(text) => clipboard::copy_lines(text, cx),
        ViewAction::Quit => closing::quit(cx),
        ViewAction::DiscardAndQuit => closing::discard_and_quit(cx),
    }
}

/// Takes over the settings, and carries out those that are more than a value to read.
fn set_settings(settings: Settings, cx: &mut Apply<'_>) {
    let before = std::mem::replace(&mut cx.state.settings, settings);
    let theme = cx.state.settings.theme;
    if theme != before.theme {
        cx.window(WindowEffect::Theme(theme));
    }
    cx.state.clock.set_zone(cx.state.zone());
    let schedule = cx.state.settings.schedule;
    if schedule != before.schedule && cx.state.is_open() && !cx.state.is_simulated() {
        reaper::apply(&ReaperAction::SetSchedule(schedule), cx);
    }
}

fn set_zoom(zoom: f32, cx: &mut Apply<'_>) {
    let within = |range: RangeInclusive<f32>| zoom.clamp(*range.start(), *range.end());
    match &mut cx.state.view.presented_zoom {
        Some(presented) => *presented = within(PRESENTED_ZOOM_RANGE),
        None => cx.state.settings.zoom = within(ZOOM_RANGE),
    }
    cx.window(WindowEffect::Zoom(cx.state.zoom()));
}

/// Presents the view, or ends that: the settings still know how the window looked before.
pub fn present(is_on: bool, cx: &mut Apply<'_>) {
    if is_on == cx.state.view.is_presented() {
        return;
    }
    cx.state.view.presented_zoom = is_on.then_some(*PRESENTED_ZOOM_RANGE.start());
    cx.window(WindowEffect::Zoom(cx.state.zoom()));
    cx.window(WindowEffect::Present(is_on));
}

/// They are about the timeline, so it comes first.
fn show_callouts(cx: &mut Apply<'_>) {
    let Some(tab) = cx.state.tabs.active().map(|tab| tab.id) else { return };
    tabs::apply(TabsAction::View(ViewKind::Expiry), cx);
    expiry::apply(tab, ExpiryAction::Show(Mode::Timeline), cx);
    cx.state.view.callout = Some(0);
}

fn next_callout(state: &mut State) {
    let next = state.view.callout.map(|number| number + 1);
    state.view.callout = next.filter(|number| *number < CALLOUTS);
    if state.view.callout.is_none() {
        end_callouts(state);
    }
}

fn end_callouts(state: &mut State) {
    state.view.callout = None;
    state.settings.callouts_seen = true;
}

fn cancel(id: OperationId, state: &mut State) {
    if let Some(operation) = state.operations.get_mut(id)
        && let Some(cancel) = &operation.cancel
    {
        cancel.cancel();
    }
}
