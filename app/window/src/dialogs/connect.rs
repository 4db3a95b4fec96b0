//! Attaches to a server: the connection string first, then what was understood, and a test in five
//! steps.

use egui::{Align, Checkbox, Color32, Context, Id, Layout, Ui, vec2};

use super::connect_tls;
use super::frame::DialogFrame;
use super::words::lines_ui;
use crate::action::{Action, Actions, ConnectAction};
use crate::job::{ConnectionString, ServerColor, Step};
use crate::state::State;
use crate::state::connect::{Attempt, ConnectDraft, KeyringState, StepState};
use crate::theme::{Colors, Icon, colors, sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::hint::Hint as _;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, key_value, paint};

/// The name of the field for the string.
const STRING: &str = "Connection string";

/// The primary button while the server is tried.
const CONNECTING: &str = "Connecting…";

/// The height of the fields once a string is understood, in points.
const FIELDS_HEIGHT: f32 = 490.0;

/// Lines that say how an attempt ended.
const END_LINES: f32 = 2.0;

/// The name of the field for the password.
const PASSWORD: &str = "Password";

pub fn ui(context: &Context, draft: &mut ConnectDraft, state: &State, actions: &mut Actions) {
    if !draft.has_looked {
        draft.has_looked = true;
        actions.push(Action::Connect(ConnectAction::LookForKeyring));
    }
    let (runs, is_ready) = (draft.is_busy(), draft.server().is_ok());
    let frame = DialogFrame::new("Connect to a server")
        .subtitle(
            "MongoDB, Atlas, Azure DocumentDB, Cosmos DB or FerretDB. It opens read-only: nothing \
             is changed until you unlock it.",
        )
        .width(sizes::DIALOG_WIDE)
        .height(FIELDS_HEIGHT);
    let test = Button::plain("Test").enabled(is_ready);
    let test = test.tooltip("Try each step without opening the server");
    let connect = Button::primary("Connect").enabled(is_ready).room_for(CONNECTING);
    let frame = if runs {
        frame
            .button(connect.labelled(CONNECTING).enabled(false), ConnectAction::Attach)
            .button(Button::plain("Stop").room_for("Test"), ConnectAction::Stop)
    } else {
        frame
            .button(connect, ConnectAction::Attach)
            .button(test.room_for("Stop"), ConnectAction::Test)
    };
    let outcome = frame.ui(context, |ui| {
        string_ui(ui, draft);
        keyring_ui(ui, draft, state);
        if let Ok(string) = draft.string() {
            understood_ui(ui, &string);
            connect_tls::ui(ui, &string, draft);
        }
        mark_ui(ui, draft);
        attempt_ui(ui, draft);
    });
    if let Some(action) = outcome.end(actions) {
        actions.push(Action::Connect(action));
    }
}

/// The connection string, and the password if it needs one.
pub(super) fn string_ui(ui: &mut Ui, draft: &mut ConnectDraft) {
    let id = Id::unique(STRING);
    let read = draft.string();
    let is_typed = !draft.text.reveal().trim().is_empty();
    let problem = read.as_ref().err().filter(|_| is_typed);
    labelled(ui, STRING, problem.map(String::as_str), |ui| {
        let field = Field {
            name: STRING,
            hint: "mongodb://user@host:27017 or mongodb+srv://user@cluster.example.net",
            mono: true,
            invalid: problem.is_some(),
            id: Some(id),
            ..Field::default()
        };
        let response = field.ui(ui, draft.text.edit());
        if response.lost_focus() {
            draft.hide_password();
        }
        if response.changed() {
            draft.attempt = draft.attempt.take().filter(Attempt::runs);
        }
    });
    if draft.asks_keyring.is_some() {
        // The field comes once the keyring has no password for it.
        return;
    }
    let takes_password = draft.takes_password();
    if takes_password {
        let note = draft.note.clone();
        labelled(ui, PASSWORD, note.as_deref(), |ui| {
            let field = Field {
                name: PASSWORD,
                secret: true,
                invalid: note.is_some(),
                width: Some(sizes::COLUMN_WIDE),
                id: Some(Id::unique(PASSWORD)),
                ..Field::default()
            };
            let response = field.ui(ui, draft.password.edit());
            if response.changed() {
                draft.note = None;
            }
            if !draft.has_focus {
                response.scroll_to_me(None);
            }
        });
    }
    if !draft.has_focus {
        draft.has_focus = true;
        let first = if takes_password { Id::unique(PASSWORD) } else { id };
        ui.memory_mut(|memory| memory.request_focus(first));
    }
}

/// Whether the keyring keeps the password, and why it can't.
fn keyring_ui(ui: &mut Ui, draft: &mut ConnectDraft, state: &State) {
    if !draft.string().is_ok_and(|string| string.uses_password()) {
        return;
    }
    let is_ready = state.keyring == KeyringState::Ready;
    let mut remember = is_ready && draft.remembers(&state.settings.stores);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        let words = "Remember the password in the system's keyring";
        let checkbox = Checkbox::new(&mut remember, words);
        if ui.add_enabled(is_ready && draft.asks_keyring.is_none(), checkbox).changed() {
            draft.remember = Some(remember);
        }
        let why = match &state.keyring {
            KeyringState::Ready => return,
            KeyringState::Unknown | KeyringState::Asked => "Looking for the keyring…".to_owned(),
            KeyringState::Missing(why) => {
                format!("{why}, so the password is kept until you close the window")
            }
        };
        ui.label(text::rich(why, text::small()).color(colors(ui).dim));
    });
}

/// The parts of the string, and its repairs.
fn understood_ui(ui: &mut Ui, string: &ConnectionString) {
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        key_value::ui(ui, "Hosts", &with_marks(&string.hosts.join(", ")));
        key_value::ui(ui, "TLS", string.encryption());
        let user = string.user.as_deref().map_or_else(|| "none".to_owned(), with_marks);
        key_value::ui(ui, "User", &user);
        for (key, option) in [
            ("Replica set", "replicaSet"),
            ("Read preference", "readPreference"),
            ("Login database", "authSource"),
        ] {
            if let Some(value) = string.option(option) {
                key_value::ui(ui, key, &with_marks(value));
            }
        }
        let ink = colors(ui).dim;
        for note in &string.notes {
            ui.label(text::rich(with_marks(note), text::small()).color(ink));
        }
    });
}

/// Production mark and color.
fn mark_ui(ui: &mut Ui, draft: &mut ConnectDraft) {
    let mut is_production = draft.is_production();
    let words = "Production: others depend on this data";
    if ui.checkbox(&mut is_production, words).changed() {
        draft.is_production = Some(is_production);
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = sizes::GAP_TINY;
        let ink = colors(ui).dim;
        ui.label(text::rich("Color", text::body()).color(ink));
        for color in ServerColor::ALL {
            let size = vec2(sizes::CONTROL, sizes::CONTROL);
            let (rect, response) = ui.allocate_exact_size(size, egui::Sense::click());
            let is_chosen = draft.color == color;
            let label = color.label();
            response.widget_info(|| {
                egui::WidgetInfo::selected(egui::Role::RadioButton, true, is_chosen, label)
            });
            let look = colors(ui);
            let fill = color.index().map_or(look.well, |at| look.index_marks[at]);
            if is_chosen {
                ui.painter().circle_filled(rect.center(), 12.0, look.text);
                ui.painter().circle_filled(rect.center(), 10.0, look.panel);
            }
            ui.painter().circle_filled(rect.center(), 8.0, fill);
            if response.has_focus() {
                paint::focus_ring(ui, rect, sizes::RADIUS_BUTTON);
            }
            if response.hint(label).clicked() {
                draft.color = color;
            }
        }
    });
}

/// The steps of an attempt, and how it ended. Both have their places before there is one, so that the
/// buttons stay where they are.
fn attempt_ui(ui: &mut Ui, draft: &ConnectDraft) {
    let attempt = draft.attempt.as_ref();
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        for step in Step::ALL {
            step_ui(ui, step, attempt.map_or(StepState::Waits, |attempt| attempt.step_state(step)));
        }
        let (words, ink) = end_words(draft, colors(ui));
        lines_ui(ui, END_LINES, words.as_deref(), ink);
        if draft.is_busy() {
            // In a low window the steps are below the others.
            ui.scroll_to_cursor(Some(Align::BOTTOM));
        }
    });
}

/// How the attempt ended, or what it waits for.
fn end_words(draft: &ConnectDraft, look: &Colors) -> (Option<String>, Color32) {
    if draft.asks_keyring.is_some() {
        let words = "Waiting for the system's keyring. It may ask you for its own password";
        return (Some(words.to_owned()), look.busy);
    }
    match draft.attempt.as_ref().and_then(|attempt| attempt.end.as_ref()) {
        None => (None, look.text),
        Some(Ok(attached)) => {
            let topology = with_marks(&attached.topology);
            let words = match &*attached.version {
                "" => format!("It answers: {topology}"),
                version => format!("It answers: {topology}, version {version}"),
            };
            (Some(words), look.text)
        }
        Some(Err(failure)) => (Some(with_marks(&failure.sentence)), look.error),
    }
}

fn step_ui(ui: &mut Ui, step: Step, state: StepState) {
    let look = colors(ui);
    let (icon, ink, word) = match state {
        StepState::Waits => (Icon::Less, look.dim, "not reached"),
        StepState::Runs => (Icon::Wait, look.busy, "running"),
        StepState::Done => (Icon::Check, look.accent, "done"),
        StepState::Failed => (Icon::Error, look.error, "failed"),
    };
    let size = vec2(ui.available_width(), sizes::ROW_DENSE);
    ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        let icon = ui.label(icon.text().color(ink));
        icon.widget_info(|| {
            egui::WidgetInfo::labeled(egui::Role::Label, true, format!("{}: {word}", step.label()))
        });
        let ink = if state == StepState::Waits { look.dim } else { look.text };
        ui.label(text::rich(step.label(), text::body()).color(ink));
    });
}
