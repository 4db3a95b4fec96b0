//! The end of the window: it asks before typed text or a sandbox is lost. A signal closes at once.

use super::{Apply, WindowEffect, sandbox};
use crate::state::dialogs::{Confirm, Tone};
use crate::state::offer::Offer;
use crate::state::{Dialog, State};

/// Asks what becomes of typed text and of open sandboxes before the window closes. False if there
/// is nothing to ask.
pub fn ask_before_close(cx: &mut Apply<'_>) -> bool {
    let asks = is_asking(cx.state) || ask_about_text(cx.state) || sandbox::ask_before_close(cx);
    if asks {
        // It would be drawn in the place of the question.
        cx.state.view.guide = None;
    }
    asks
}

/// Closes the window, unless there is something to ask.
pub fn quit(cx: &mut Apply<'_>) {
    if !ask_before_close(cx) {
        cx.window(WindowEffect::Close);
    }
}

/// Closes the window although typed text is lost. It asks about sandboxes all the same.
pub fn discard_and_quit(cx: &mut Apply<'_>) {
    if !sandbox::ask_before_close(cx) {
        cx.window(WindowEffect::Close);
    }
}

fn is_asking(state: &State) -> bool {
    match state.dialogs.open() {
        Some(Dialog::Confirm(asked)) => asked.offer == Offer::DiscardAndQuit,
        Some(Dialog::LeaveSandbox(_)) => true,
        _ => false,
    }
}

fn ask_about_text(state: &mut State) -> bool {
    let mut unsaved: Vec<String> =
        state.unsaved_values().map(|namespace| format!("a value in {namespace}")).collect();
    if state.dialogs.has_draft() {
        unsaved.push("the text of a dialog".to_owned());
    }
    if unsaved.is_empty() {
        return false;
    }
    state.dialogs.show_before(Dialog::Confirm(Confirm {
        title: "Quit without saving?".to_owned(),
        text: format!("Not saved yet: {}. It is lost when the window closes.", unsaved.join(", ")),
        command: None,
        button: "Discard and quit".to_owned(),
        tone: Tone::Danger,
        offer: Offer::DiscardAndQuit,
        name: None,
    }));
    true
}
