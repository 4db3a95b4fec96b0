//! The bottom of a dialog: a line for what went wrong or how far it is, and the buttons.

use egui::{Context, Key, Ui};

use super::words::lines_ui;
use crate::theme::{Icon, colors, sizes};
use crate::widgets::{Button, first_focus, modal};

/// Lines of a message: the buttons stay where they are.
const MESSAGE_LINES: f32 = 2.0;

/// The message and the buttons.
#[expect(clippy::struct_excessive_bools, reason = "independent facts about the buttons")]
pub(super) struct Footer<'a, P> {
    /// Whether a message may come, for which there are lines above the buttons.
    pub(super) has_message: bool,
    pub(super) error: Option<String>,
    pub(super) progress: Option<String>,
    pub(super) is_waiting: bool,
    /// The words on the primary button while it waits, and how far the work is, from 0 to 1.
    pub(super) working: (&'a str, Option<f32>),
    /// Whether the server's lock refuses what the primary button does.
    pub(super) is_locked: bool,
    pub(super) buttons: Vec<(Button<'a>, P)>,
    pub(super) leave: Leave<'a>,
    pub(super) is_confirmed: bool,
    pub(super) ignores_enter: bool,
}

/// The button that closes the dialog.
pub(super) enum Leave<'a> {
    None,
    /// Before a command is sent. Then it only closes the dialog.
    Cancel,
    Plain(&'a str),
    /// All that is left to do.
    Primary(&'a str),
}

impl<'a> Leave<'a> {
    /// The button, and its place from right to left among `others`. The only one is primary, as Enter
    /// presses it.
    fn button(self, others: usize, is_waiting: bool) -> Option<(usize, Button<'a>)> {
        match self {
            Self::None => None,
            Self::Primary(label) => Some((0, Button::primary(label))),
            Self::Plain(label) if others == 0 => Some((0, Button::primary(label))),
            Self::Plain(label) => Some((others, Button::plain(label))),
            Self::Cancel => {
                let label = if is_waiting { "Close" } else { "Cancel" };
                Some((others, Button::plain(label).room_for("Cancel")))
            }
        }
    }
}

/// The notes of an open dialog.
#[derive(Clone, Default)]
pub(super) struct Memory {
    /// Whether it asks if the typed text is to be discarded.
    pub(super) asks: bool,
    /// The pass in which Enter came while the primary button could not be pressed yet.
    pub(super) entered: Option<u64>,
    /// The commands as they were sent last: the store's refusal is about them.
    pub(super) sent: Option<u64>,
    /// Whether the primary button was one that loses something.
    pub(super) is_risky: Option<bool>,
}

/// The button that was pressed in the footer.
pub(super) enum Answer<P> {
    None,
    Press(P),
    Unlock,
    Leave,
    LeaveByKey,
    Discard,
    Keep,
}

impl<P> Footer<'_, P> {
    pub(super) fn message_ui(&self, ui: &mut Ui, is_current: bool) {
        if !self.has_message {
            return;
        }
        let ink = colors(ui);
        let Some(error) = self.error.as_deref().filter(|_| is_current) else {
            lines_ui(ui, MESSAGE_LINES, self.progress.as_deref(), ink.dim);
            return ui.add_space(sizes::GAP_SMALL);
        };
        ui.horizontal_top(|ui| {
            ui.label(Icon::Error.text().color(ink.error)).accessible_name("Error");
            lines_ui(ui, MESSAGE_LINES, Some(error), ink.error);
        });
        ui.add_space(sizes::GAP_SMALL);
    }

    /// Draws the buttons from right to left.
    pub(super) fn buttons_ui(
        self,
        ui: &mut Ui,
        is_entered: bool,
        memory: &mut Memory,
    ) -> Answer<P> {
        if memory.asks {
            return question_ui(ui);
        }
        let mut row: Vec<(Button<'_>, Answer<P>)> = self
            .buttons
            .into_iter()
            .map(|(button, pressed)| (button, Answer::Press(pressed)))
            .collect();
        if let Some(first) = row.first_mut().filter(|_| self.is_locked && !self.is_waiting) {
            *first = (Button::primary("Unlock…"), Answer::Unlock);
        }
        let leave = self.leave.button(row.len(), self.is_waiting);
        let leave_at = leave.as_ref().map_or(0, |(at, _)| *at);
        if let Some((at, button)) = leave {
            row.insert(at, (button, Answer::Leave));
        }
        // A button that can't be pressed yet gets the keyboard once it can.
        let is_risky = row.first().is_some_and(|(button, _)| button.is_risky());
        let safe_at = if is_risky { leave_at } else { 0 };
        let pass = ui.ctx().cumulative_pass_nr();
        let is_entered = is_entered || !self.ignores_enter && modal::is_entered(ui.ctx());
        // In the pass in which a text is typed, the button is still that of the text before.
        let enters = is_entered || memory.entered.take().is_some_and(|last| last + 1 == pass);
        let turned_risky = is_risky && memory.is_risky == Some(false);
        memory.is_risky = Some(is_risky);
        let working = working_words(self.working);
        let mut answer = Answer::None;
        for (at, (button, pressed)) in row.into_iter().enumerate() {
            let is_leave = matches!(pressed, Answer::Leave);
            let is_ready = button.is_enabled() && (is_leave || !self.is_waiting);
            let is_risky = button.is_risky() && !self.is_confirmed;
            let button = match (at, self.is_waiting) {
                (0, true) if !is_leave => button.labelled(&working).share(self.working.1),
                _ => button,
            };
            let response = ui.add(button.enabled(is_ready));
            if at == 0 && turned_risky && response.has_focus() {
                // It got the keyboard before it was known that something is lost.
                first_focus::offer(ui.ctx());
            }
            if at == safe_at && is_ready {
                first_focus::take(ui, &response);
            }
            if is_leave && response.clicked() && is_key(ui.ctx()) {
                answer = Answer::LeaveByKey;
            } else if response.clicked() || at == 0 && enters && is_ready && !is_risky {
                answer = pressed;
            } else if at == 0 && enters && is_ready {
                // Where something is lost, Enter alone is not enough.
                response.request_focus();
            } else if at == 0 && is_entered && !self.is_waiting {
                memory.entered = Some(pass);
            }
        }
        answer
    }
}

/// The words on the primary button while it waits.
fn working_words((words, share): (&str, Option<f32>)) -> String {
    match share {
        Some(share) => format!("{words} {:.0}%", share * 100.0),
        None => words.to_owned(),
    }
}

/// Whether the keyboard pressed a button: after Tab in a text, it may have been meant for the text.
fn is_key(window: &Context) -> bool {
    window.input(|input| input.key_pressed(Key::Space) || input.key_pressed(Key::Enter))
}

/// Asks whether to discard the typed text. From right to left.
fn question_ui<P>(ui: &mut Ui) -> Answer<P> {
    let discard = ui.add(Button::danger("Discard changes"));
    let keep = ui.add(Button::plain("Keep editing"));
    first_focus::take(ui, &keep);
    match (discard.clicked(), keep.clicked()) {
        (true, _) => Answer::Discard,
        (_, true) => Answer::Keep,
        _ => Answer::None,
    }
}
