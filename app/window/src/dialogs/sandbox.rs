//! A sandbox is opened, and asked about when it is left.

use egui::{Context, Ui};

use super::frame::DialogFrame;
use super::transfer::ChoosePath;
use super::words::{COMMAND_LINE, WAITING, lines_ui, quiet};
use crate::action::{Action, Actions, SandboxAction};
use crate::state::State;
use crate::state::sandbox::{AfterSandbox, LeaveSandbox, OpenSandbox};
use crate::state::transfer::import::{WHOLE_PATH, whole_path};
use crate::theme::{colors, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::{Button, tabs};

/// The name of the path.
const PATH: &str = "Folder path";

pub fn open_ui(context: &Context, draft: &mut OpenSandbox, in_lesson: bool, actions: &mut Actions) {
    let request = draft.request();
    let frame = DialogFrame::new("Open a sandbox")
        .subtitle("A temporary store in which you control time. Your own data is not affected")
        .command_named(COMMAND_LINE, "", Some(draft.command_line()))
        .button(Button::primary("Open sandbox").enabled(request.is_ok()), ());
    let outcome = frame.ui(context, |ui| {
        labelled(ui, "Contents", None, |ui| {
            let words = ["Empty", "Demo data"];
            if let Some(at) = tabs::segmented(ui, "Contents", &words, draft.demo.into()) {
                draft.demo = at == 1;
            }
        });
        let error = request.as_ref().err().map(String::as_str);
        labelled(ui, "Start time", error, |ui| {
            let field = Field {
                name: "Start time",
                hint: "The present minute, or a time such as 2026-01-01T00:00:00Z",
                mono: true,
                invalid: error.is_some(),
                ..Field::default()
            };
            field.ui(ui, &mut draft.at);
        });
        quiet(ui, "The clock is paused until you start it");
        if in_lesson {
            let words = "This ends the lesson. It continues at this card when you open it again";
            lines_ui(ui, 1.0, Some(words), colors(ui).text);
        }
    });
    if outcome.end(actions).is_some() {
        actions.push(Action::Sandbox(SandboxAction::Open));
    }
}

/// Draws the question what becomes of one.
pub fn leave_ui(context: &Context, draft: &mut LeaveSandbox, state: &State, actions: &mut Actions) {
    let is_waiting = draft.sent.is_some();
    let (count, subtitle) = match draft.then {
        AfterSandbox::Close => (state.sandboxes(), "Then the window closes"),
        AfterSandbox::Open(_) | AfterSandbox::Show(_) => (1, "Then the other store is shown"),
    };
    let title = match (draft.keeps, count) {
        (true, _) => "Keep the sandbox as a store".to_owned(),
        (false, 0 | 1) => "Discard the sandbox?".to_owned(),
        (false, count) => format!("Discard {count} sandboxes?"),
    };
    let frame = DialogFrame::new(title).subtitle(subtitle).waiting(is_waiting).stays(is_waiting);
    let frame = if draft.keeps {
        let is_ready = whole_path(&draft.path).is_some();
        let keep = Button::primary("Keep").enabled(is_ready).room_for(WAITING);
        frame.button(keep, Some(SandboxAction::Keep))
    } else {
        frame.button(Button::danger("Discard"), Some(SandboxAction::Discard)).button_if(
            state.is_in_sandbox(),
            Button::plain("Keep as a store…"),
            None,
        )
    };
    let outcome = frame.ui(context, |ui| words_ui(ui, draft, state, actions));
    match outcome.end(actions) {
        Some(Some(action)) => actions.push(Action::Sandbox(action)),
        Some(None) => draft.keeps = true,
        None => {}
    }
}

fn words_ui(ui: &mut Ui, draft: &mut LeaveSandbox, state: &State, actions: &mut Actions) {
    if !draft.keeps {
        let words = if state.is_in_sandbox() {
            "Its documents are deleted with it. If you keep it as a store, you can open it again \
             later; its clock stays simulated."
        } else {
            "It is open next to this store, and its documents are deleted with it. To keep it as a \
             store, close it in the sidebar first."
        };
        ui.label(text::rich(words, text::body()));
        return;
    }
    let is_wrong = !draft.path.trim().is_empty() && whole_path(&draft.path).is_none();
    let error = if is_wrong { Some(WHOLE_PATH.to_owned()) } else { draft.error.clone() };
    labelled(ui, "New folder for the store", error.as_deref(), |ui| {
        let path = ChoosePath {
            name: PATH,
            hint: "/home/you/sandbox",
            choose: "Choose folder…",
            take: None,
            invalid: is_wrong,
        };
        if path.ui(ui, &mut draft.path, state, actions).changed {
            draft.error = None;
        }
    });
}
