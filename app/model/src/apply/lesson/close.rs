//! The end of a lesson.

use super::files::read_list;
use crate::apply::{Apply, WindowEffect, demo, indexes, store};
use crate::state::Dialog;
use crate::worker::LessonOrder;

/// Ends the lesson and shows the store before it.
pub(in crate::apply) fn close(cx: &mut Apply<'_>) {
    cx.effects.lessons.push(LessonOrder::Close);
    cx.state.lessons.opening = None;
    let Some(playing) = cx.state.lessons.playing.take() else { return };
    cx.state.dialogs.forget(Dialog::is_about_contents);
    playing.own.unpark(cx.state);
    cx.state.clock.set_zone(cx.state.zone());
    title(cx);
    if cx.state.is_open() {
        store::back(cx);
        demo::start_traffic(cx);
        if let Some(Dialog::Indexes(tab, dialog)) = playing.dialog {
            indexes::show_again(tab, dialog, cx);
        }
    }
    read_list(cx);
}

/// The title of the window: of the lesson, or of the store.
pub(in crate::apply) fn title(cx: &mut Apply<'_>) {
    let name = match &cx.state.lessons.playing {
        Some(playing) => playing.title().to_owned(),
        None => cx.state.store.name.clone(),
    };
    let is_simulated = cx.state.lessons.is_playing() || cx.state.clock.is_simulated();
    let simulated = if is_simulated { "SIMULATED – " } else { "" };
    cx.window(WindowEffect::Title(format!("{simulated}{name} – Mayfly")));
}
