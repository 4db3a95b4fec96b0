//! A sandbox is opened, and asked about when it is left.

use egui::{Context, Ui};

use super::transfer::ChoosePath;
use super::{COMMAND_LINE, WAITING, close};
use crate::action::{Action, Actions, SandboxAction, ViewAction};
use crate::state::State;
use crate::state::sandbox::{AfterSandbox, LeaveSandbox, OpenSandbox};
use crate::state::transfer::import::{WHOLE_PATH, whole_path};
use crate::theme::{colors, sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::{Button, code_box, modal, tabs};

/// The name of the path.
const PATH: &str = "Folder path";

pub fn open_ui(context: &Context, draft: &mut OpenSandbox, actions: &mut Actions) {
    let request = draft.request();
    let (mut opens, mut copies) = (false, false);
    let closing = modal::ui(
        context,
        "Open a sandbox",
        "A temporary store in which you control time. Your own data is not affected",
        sizes::DIALOG,
        draft,
        |ui, draft| {
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
            let hint = "The clock is paused until you start it";
            ui.label(text::rich(hint, text::small()).color(colors(ui).dim));
            copies = code_box::ui(ui, COMMAND_LINE, &draft.command_line());
        },
        |ui, _| {
            let button = Button::primary("Open sandbox").enabled(request.is_ok());
            opens = modal::answer_ui(ui, button);
            if ui.add(Button::plain("Cancel")).clicked() {
                close(actions);
            }
        },
    );
    if copies {
        actions.push(Action::View(ViewAction::Copy(draft.command_line())));
    }
    if opens {
        actions.push(Action::Sandbox(SandboxAction::Open));
    } else if closing.closes() {
        close(actions);
    }
}

/// Draws the question what becomes of one.
pub fn leave_ui(context: &Context, draft: &mut LeaveSandbox, state: &State, actions: &mut Actions) {
    let is_waiting = draft.sent.is_some();
    let title = if draft.keeps { "Keep the sandbox as a store" } else { "Discard the sandbox?" };
    let subtitle = match draft.then {
        AfterSandbox::Close => "Then the window closes",
        AfterSandbox::Open(_) => "Then the other store opens",
    };
    let closing = modal::ui(
        context,
        title,
        subtitle,
        sizes::DIALOG,
        &mut (&mut *draft, &mut *actions),
        |ui, (draft, actions)| words_ui(ui, draft, state, actions),
        |ui, (draft, actions)| buttons_ui(ui, draft, is_waiting, actions),
    );
    if closing.closes() && !is_waiting {
        close(actions);
    }
}

fn words_ui(ui: &mut Ui, draft: &mut LeaveSandbox, state: &State, actions: &mut Actions) {
    if !draft.keeps {
        let words = "Its documents are deleted with it. If you keep it as a store, you can open it \
                     again later; its clock stays simulated.";
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

/// From right to left.
fn buttons_ui(ui: &mut Ui, draft: &mut LeaveSandbox, is_waiting: bool, actions: &mut Actions) {
    if draft.keeps {
        let label = if is_waiting { WAITING } else { "Keep" };
        let is_ready = whole_path(&draft.path).is_some() && !is_waiting;
        if modal::answer_ui(ui, Button::primary(label).enabled(is_ready)) {
            actions.push(Action::Sandbox(SandboxAction::Keep));
        }
    } else {
        if ui.add(Button::danger("Discard")).clicked() {
            actions.push(Action::Sandbox(SandboxAction::Discard));
        }
        if ui.add(Button::plain("Keep as a store…")).clicked() {
            draft.keeps = true;
        }
    }
    if ui.add(Button::plain("Cancel").enabled(!is_waiting)).clicked() {
        close(actions);
    }
}
