//! The frame of every dialog: title, fields, warning, commands, message and buttons, each in its place
//! from the first frame on.
//!
//! The keyboard begins in the first field; without one it is on the button that loses nothing. Enter
//! and Ctrl+Enter press the primary button. Where that one loses something, they only send the keyboard
//! to it. Escape closes; where something was typed that is kept nowhere else, it asks first.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use egui::{Context, Id, Key, KeyboardShortcut, Modifiers, Ui};

use super::footer::{Answer, Footer, Leave, Memory};
use super::words::{COMMAND_TO_SEND, WAITING, close, lines_ui, quiet};
use crate::action::{Action, Actions, ViewAction};
use crate::state::sent::Sent;
use crate::theme::{Icon, colors, sizes};
use crate::widgets::marks::visible;
use crate::widgets::value::cut;
use crate::widgets::{Button, code_box, modal};

/// In the place of a command that is not known yet.
const NO_COMMAND: &str = "The command is shown here once the fields are complete";

/// The height of a window without the fields of its dialog, in points.
const AROUND: f32 = 360.0;

/// Lines of a warning.
const WARNING_LINES: f32 = 2.0;

/// Characters of a command that are shown; all of it is copied.
const COMMAND_CHARS_MAX: usize = 3_000;

/// The locked server that the open dialog would change, and whether *Unlock…* was pressed.
const LOCKED: &str = "the locked server of the open dialog";
const UNLOCKS: &str = "whether the open dialog unlocks its server";

/// A dialog as it is drawn in one pass. `P` names its buttons.
pub(super) struct DialogFrame<'a, P> {
    title: String,
    subtitle: String,
    width: f32,
    height: f32,
    has_warning: bool,
    warning: Option<String>,
    commands: Vec<Command<'a>>,
    stays: bool,
    is_draft: bool,
    footer: Footer<'a, P>,
}

/// A box with a command.
struct Command<'a> {
    name: &'a str,
    /// The line above the box.
    heading: &'a str,
    /// The line below it.
    note: String,
    /// The least height of the box, in points.
    height: f32,
    /// The command. `None` until it is known.
    code: Option<String>,
    /// Whether only the line above it is shown, until that is pressed.
    is_folded: bool,
}

/// The user's answer.
#[must_use = "it has to be carried out"]
pub(super) struct Outcome<P> {
    pressed: Option<P>,
    copied: Option<String>,
    closes: bool,
}

impl<P> Outcome<P> {
    /// The pressed button, or `closing` when the dialog is closed: it is none of those that the state
    /// holds.
    pub(super) fn closed(self, closing: P) -> Option<P> {
        if self.closes { Some(closing) } else { self.pressed }
    }

    /// Copies the command or closes the dialog, if the user asked for it. Returns the pressed button.
    pub(super) fn end(self, actions: &mut Actions) -> Option<P> {
        if let Some(command) = self.copied {
            actions.push(Action::View(ViewAction::Copy(command)));
        }
        if self.closes {
            close(actions);
        }
        self.pressed
    }
}

impl<'a, P> DialogFrame<'a, P> {
    pub(super) fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            subtitle: String::new(),
            width: sizes::DIALOG,
            height: 0.0,
            has_warning: false,
            warning: None,
            commands: Vec::new(),
            stays: false,
            is_draft: false,
            footer: Footer {
                has_message: false,
                error: None,
                progress: None,
                is_waiting: false,
                working: (WAITING, None),
                is_locked: false,
                buttons: Vec::new(),
                leave: Leave::Cancel,
                is_confirmed: false,
                ignores_enter: false,
            },
        }
    }

    pub(super) fn subtitle(mut self, subtitle: impl Into<String>) -> Self {
        self.subtitle = subtitle.into();
        self
    }

    pub(super) fn width(mut self, width: f32) -> Self {
        self.width = width;
        self
    }

    /// The least height of the fields, in points: room for what comes with the first answers.
    pub(super) fn height(mut self, height: f32) -> Self {
        self.height = height;
        self
    }

    /// A place below the fields for a warning, which may come or go.
    pub(super) fn warning(mut self, warning: Option<String>) -> Self {
        (self.has_warning, self.warning) = (true, warning);
        self
    }

    /// A box with the command that the primary button sends. `None` until it is known.
    pub(super) fn command(self, code: Option<String>) -> Self {
        self.command_named(COMMAND_TO_SEND, "", code)
    }

    /// A box with another name, and a line above it.
    pub(super) fn command_named(
        mut self,
        name: &'a str,
        heading: &'a str,
        code: Option<String>,
    ) -> Self {
        self.commands.push(Command {
            name,
            heading,
            note: String::new(),
            height: 0.0,
            code,
            is_folded: false,
        });
        self
    }

    /// Folds the box under the line above it.
    pub(super) fn folded(mut self) -> Self {
        if let Some(command) = self.commands.last_mut() {
            command.is_folded = true;
        }
        self
    }

    /// A line below the box.
    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        if let Some(command) = self.commands.last_mut() {
            command.note = note.into();
        }
        self
    }

    /// The least height of the box, in points: room for a command that becomes longer.
    pub(super) fn room(mut self, height: f32) -> Self {
        if let Some(command) = self.commands.last_mut() {
            command.height = height;
        }
        self
    }

    /// The command that was sent: whether it has no answer yet, or why it was refused.
    pub(super) fn sent(self, sent: &Sent) -> Self {
        self.waiting(sent.is_waiting()).error(sent.error.as_deref())
    }

    /// Whether the store has not answered yet. Until then nothing can be changed or sent.
    pub(super) fn waiting(mut self, is_waiting: bool) -> Self {
        self.footer.is_waiting = is_waiting;
        self
    }

    /// The words on the primary button while the store has not answered, and how far it is, from 0 to 1.
    pub(super) fn working(mut self, words: &'a str, share: Option<f32>) -> Self {
        self.footer.working = (words, share);
        self
    }

    /// A line above the buttons for an error, which may come or go.
    pub(super) fn error(mut self, error: Option<&str>) -> Self {
        self.footer.has_message = true;
        self.footer.error = error.map(ToOwned::to_owned);
        self
    }

    /// The progress, in that same line.
    pub(super) fn progress(mut self, progress: Option<String>) -> Self {
        self.footer.has_message = true;
        self.footer.progress = progress;
        self
    }

    /// The next button from right to left. The first one is the primary button.
    pub(super) fn button(mut self, button: Button<'a>, pressed: P) -> Self {
        self.footer.buttons.push((button, pressed));
        self
    }

    /// The same if there is one.
    pub(super) fn button_if(self, is_there: bool, button: Button<'a>, pressed: P) -> Self {
        if is_there { self.button(button, pressed) } else { self }
    }

    /// The words on the button that closes the dialog, in the place of "Cancel".
    pub(super) fn leave(mut self, label: &'a str) -> Self {
        self.footer.leave = Leave::Plain(label);
        self
    }

    /// No such button.
    pub(super) fn no_leave(mut self) -> Self {
        self.footer.leave = Leave::None;
        self
    }

    /// Closing is all that is left to do: the primary button does it.
    pub(super) fn done(mut self, label: &'a str) -> Self {
        self.footer.leave = Leave::Primary(label);
        self
    }

    /// A typed name confirms a loss, so that Enter presses the button too.
    pub(super) fn confirmed(mut self) -> Self {
        self.footer.is_confirmed = true;
        self
    }

    /// Whether Enter is for a field.
    pub(super) fn ignores_enter(mut self, ignores_enter: bool) -> Self {
        self.footer.ignores_enter = ignores_enter;
        self
    }

    /// Whether the dialog can't be closed.
    pub(super) fn stays(mut self, stays: bool) -> Self {
        self.stays = stays;
        self
    }

    /// Whether it holds text that closing would lose: it asks first.
    pub(super) fn draft(mut self, is_draft: bool) -> Self {
        self.is_draft = is_draft;
        self
    }

    /// Draws it with its fields.
    pub(super) fn ui(self, window: &Context, fields: impl FnOnce(&mut Ui)) -> Outcome<P> {
        let Self { title, subtitle, width, height, warning, commands, stays, mut footer, .. } =
            self;
        let locked = locked_subtitle(window, &subtitle);
        footer.is_locked = locked.is_some();
        let subtitle = locked.unwrap_or(subtitle);
        let notes = modal::id(&title).with("notes");
        let mut memory: Memory = modal::known(window, notes).unwrap_or_default();
        modal::ignore_held_keys(window);
        let keys = KeyboardShortcut::new(Modifiers::COMMAND, Key::Enter);
        // Taken before a text would get a line break.
        let is_entered = window.input_mut(|input| input.consume_shortcut(&keys));
        let is_draft = self.is_draft;
        let fingerprint = fingerprint(&commands);
        let (mut copied, mut answer) = (None, Answer::None);
        let is_free = !footer.is_waiting && !memory.asks;
        let content = |ui: &mut Ui| {
            ui.add_enabled_ui(is_free, |ui| {
                fields(ui);
                let room = ui.ctx().content_rect().height() - AROUND;
                let least = height.min(room.max(0.0));
                ui.add_space((least - ui.min_rect().height()).max(0.0));
            });
            if self.has_warning {
                warning_ui(ui, warning.as_deref());
            }
            for command in &commands {
                command.ui(ui, &mut copied);
            }
        };
        let footer = |ui: &mut Ui| {
            // Once the command is another one, the refusal of the last one is not about it.
            footer.message_ui(ui, memory.sent.is_none_or(|sent| sent == fingerprint));
            modal::buttons_ui(ui, |ui| answer = footer.buttons_ui(ui, is_entered, &mut memory));
        };
        let closing = modal::ui(window, &title, &subtitle, width, content, footer);
        let leaves = closing.closes() || matches!(answer, Answer::LeaveByKey);
        let asked = memory.asks;
        let mut outcome = Outcome { pressed: None, copied, closes: false };
        match answer {
            Answer::Press(pressed) => {
                memory.sent = Some(fingerprint);
                outcome.pressed = Some(pressed);
            }
            Answer::Unlock => window.data_mut(|data| {
                data.insert_temp(Id::unique(UNLOCKS), true);
            }),
            Answer::Discard => outcome.closes = true,
            Answer::Keep => memory.asks = false,
            Answer::Leave => outcome.closes = !stays,
            // A second Escape takes the first back.
            Answer::LeaveByKey | Answer::None if leaves && !stays => {
                memory.asks = is_draft && !asked;
                outcome.closes = !is_draft;
            }
            Answer::LeaveByKey | Answer::None => {}
        }
        if memory.asks != asked {
            // The keyboard moves to the question and back.
            if let Some(focused) = window.memory(egui::Memory::focused) {
                window.memory_mut(|memory| memory.surrender_focus(focused));
            }
            modal::begin_again(window, &title);
        }
        modal::note(window, notes, memory);
        outcome
    }
}

/// Gives the next dialog that is drawn the name of the locked server that it would change.
pub(super) fn set_locked(window: &Context, server: Option<&str>) {
    let server = server.map(ToOwned::to_owned);
    window.data_mut(|data| data.insert_temp(Id::unique(LOCKED), server));
}

/// Whether *Unlock…* was pressed in the dialog that was drawn.
pub(super) fn unlocks(window: &Context) -> bool {
    window.data_mut(|data| data.remove_temp::<bool>(Id::unique(UNLOCKS))).is_some()
}

/// The subtitle of a dialog whose server is locked.
fn locked_subtitle(window: &Context, subtitle: &str) -> Option<String> {
    let server = window.data(|data| data.get_temp::<Option<String>>(Id::unique(LOCKED)))??;
    let rest = if subtitle.is_empty() { String::new() } else { format!(" · {subtitle}") };
    Some(format!("{} is read-only{rest}", visible(&server)))
}

impl Command<'_> {
    /// The line that opens and closes the box. Returns whether it is open.
    fn unfolds(&self, ui: &mut Ui) -> bool {
        let id = Id::unique(("open box with a command", self.name));
        let mut is_open = ui.data(|data| data.get_temp(id)).unwrap_or(false);
        ui.horizontal(|ui| {
            // The padding of the button, which has no border.
            ui.add_space(-sizes::GAP_SMALL);
            let icon = if is_open { Icon::Unfolded } else { Icon::Expand };
            if ui.add(Button::ghost(self.heading).small().icon(icon)).clicked() {
                is_open = !is_open;
                ui.data_mut(|data| data.insert_temp(id, is_open));
            }
        });
        is_open
    }

    fn ui(&self, ui: &mut Ui, copied: &mut Option<String>) {
        ui.scope(|ui| {
            ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
            if self.is_folded && !self.unfolds(ui) {
                return;
            }
            if !self.is_folded && !self.heading.is_empty() {
                quiet(ui, self.heading);
            }
            let top = ui.next_widget_position().y;
            match &self.code {
                None => code_box::empty_ui(ui, NO_COMMAND),
                Some(code) if code.is_empty() => {}
                Some(code) => {
                    if code_box::ui(ui, self.name, &cut(code, COMMAND_CHARS_MAX)) {
                        *copied = Some(code.clone());
                    }
                }
            }
            ui.add_space((self.height - (ui.next_widget_position().y - top)).max(0.0));
            if !self.note.is_empty() {
                quiet(ui, &self.note);
            }
        });
    }
}

/// Draws a warning or its place: it comes with a count, while the user aims at a button below it.
fn warning_ui(ui: &mut Ui, warning: Option<&str>) {
    lines_ui(ui, WARNING_LINES, warning, colors(ui).overdue);
}

/// Identifies the commands, to see whether they changed.
fn fingerprint(commands: &[Command<'_>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for command in commands {
        command.code.hash(&mut hasher);
    }
    hasher.finish()
}
