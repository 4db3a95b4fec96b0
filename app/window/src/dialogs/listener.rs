//! Lets other programs on this machine reach the store.

use egui::{Context, Ui};
use mayfly_engine::value::shell::write_command;

use super::frame::DialogFrame;
use crate::action::{Action, Actions, ListenerAction, ViewAction};
use crate::state::listener::{ConnectedClient, Listener, ListenerDraft};
use crate::state::{State, Zone, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::hint::Hint as _;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, code_box, key_value, tabs};

pub fn ui(context: &Context, draft: &mut ListenerDraft, state: &State, actions: &mut Actions) {
    let listener = &state.listener;
    let is_on = listener.status().on;
    let place = draft.place();
    let frame = DialogFrame::new("Connect other programs")
        .subtitle(
            "Connect mongosh, drivers and tools to this store as to a MongoDB server. Only this \
             machine can connect.",
        )
        // The address needs one line.
        .width(if is_on { sizes::DIALOG_WIDE } else { sizes::DIALOG });
    let frame = if is_on {
        let off = Button::danger("Stop listening");
        frame.done("Done").button(off, ListenerAction::Off)
    } else {
        let on = Button::primary("Start listening").enabled(place.is_ok());
        let action = place.map_or(ListenerAction::Off, ListenerAction::On);
        let is_on = matches!(action, ListenerAction::On(_));
        let command = is_on.then(|| write_command("admin", &action.command()));
        frame.command(command).button(on, action)
    };
    let outcome = frame.waiting(listener.is_waiting && !is_on).ui(context, |ui| {
        if is_on {
            on_ui(ui, state, actions);
        } else {
            off_ui(ui, draft, listener);
        }
    });
    if let Some(action) = outcome.end(actions) {
        if let ListenerAction::On(place) = &action {
            draft.tried = Some(place.clone());
        }
        actions.push(Action::Listener(action));
    }
}

fn off_ui(ui: &mut Ui, draft: &mut ListenerDraft, listener: &Listener) {
    kind_ui(ui, draft);
    let place = draft.place();
    let is_tried = draft.tried.is_some() && place.as_ref().ok() == draft.tried.as_ref();
    let problem = place.as_ref().err().or(listener.error.as_ref().filter(|_| is_tried));
    place_ui(ui, draft, problem.map(String::as_str));
    let ink = colors(ui).dim;
    let words = "Each start creates a new password. Anyone with it has full access to this store \
                 until you stop listening.";
    ui.label(text::rich(words, text::body()).color(ink));
}

/// A port or a socket, where the system has both.
fn kind_ui(ui: &mut Ui, draft: &mut ListenerDraft) {
    if cfg!(not(unix)) {
        return;
    }
    labelled(ui, "Listen on", None, |ui| {
        let words = ["TCP port", "Unix socket"];
        if let Some(at) = tabs::segmented(ui, "Listen on", &words, draft.on_socket.into()) {
            draft.on_socket = at == 1;
        }
        let ink = colors(ui).dim;
        let sentence = if draft.on_socket {
            "A socket file that only you can open. Other users can't connect."
        } else {
            "Works with every driver and tool. Other users on this computer can connect with the \
             password."
        };
        ui.label(text::rich(sentence, text::small()).color(ink));
    });
}

fn place_ui(ui: &mut Ui, draft: &mut ListenerDraft, problem: Option<&str>) {
    let (name, hint, width, text) = if draft.on_socket {
        ("Socket", "/home/you/socket/mayfly.sock", None, &mut draft.socket)
    } else {
        ("Port", "any free port", Some(sizes::COLUMN_SHORT), &mut draft.port)
    };
    labelled(ui, name, problem, |ui| {
        let invalid = problem.is_some();
        Field { name, hint, mono: true, invalid, width, ..Field::default() }.ui(ui, text);
    });
}

fn on_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let status = state.listener.status();
    section(ui, "Connection string");
    if code_box::plain_ui(ui, "Address", "Copy connection string", &status.uri) {
        actions.push(Action::View(ViewAction::Copy(status.uri.clone())));
    }
    section(ui, "mongosh command");
    let command = format!("mongosh \"{}\"", status.uri);
    if code_box::plain_ui(ui, "mongosh command", "Copy command", &command) {
        actions.push(Action::View(ViewAction::Copy(command)));
    }
    section(ui, "Activity");
    let per_second = state.listener.per_second();
    key_value::ui(ui, "Commands per second", &format!("{per_second:.1}"));
    key_value::ui(ui, "Total commands", &number::count(status.commands));
    let clients = &status.clients;
    key_value::ui(ui, "Connections", &clients.len().to_string());
    if clients.is_empty() {
        let ink = colors(ui).dim;
        ui.label(text::rich("No connections", text::body()).color(ink));
    }
    for client in clients {
        client_ui(ui, client, state.clock.zone());
    }
}

fn client_ui(ui: &mut Ui, client: &ConnectedClient, zone: Zone) {
    let since = zone.time_of_day(client.since_ms);
    let commands = number::counted(client.commands, "command", "commands");
    let shown = format!("{}  since {since}  {commands}", client.address);
    let name = with_marks(client.name());
    key_value::ui(ui, &name, &shown).hint(with_marks(&client.driver));
}

fn section(ui: &mut Ui, title: &str) {
    ui.label(text::rich(title, text::title()));
}
