//! The settings from one start to the next: taken over before the first frame, handed to their thread when they changed.

use std::time::Duration;

use crate::limits::SETTINGS_PERIOD_MIN;
use crate::state::toasts::Kind;
use crate::state::{Settings, State};
use crate::worker::{KeptSettings, SettingsKeeper, SettingsReport, Wake};

/// The settings on the disk, as far as they are known.
pub struct KeptState {
    /// `None` if settings are not saved.
    keeper: Option<SettingsKeeper>,
    /// The settings that were handed over last.
    kept: Settings,
    /// When settings were compared last, in window time.
    compared_at: Duration,
    /// Whether something was done since. Comparing costs more than most frames.
    pub has_acted: bool,
    /// Whether the file has to be written although nothing changed: it was damaged.
    must_write: bool,
}

impl KeptState {
    /// Takes over the settings of the start before.
    #[must_use]
    pub fn restore(found: &KeptSettings, state: &mut State) -> Self {
        let found = &found.found;
        let (settings, unread) = Settings::read(found.fields.clone());
        state.settings = settings.clone();
        let past = std::mem::take(&mut state.settings.operations);
        past.restore(&mut state.operations, &mut state.transfer.again);
        for note in &found.notes {
            say(Kind::Warning, note.clone(), state);
        }
        if unread > 0 && found.notes.is_empty() {
            let what =
                if unread == 1 { "1 setting".to_owned() } else { format!("{unread} settings") };
            let text =
                format!("This version of Mayfly can't use {what}; the file keeps what it has");
            say(Kind::Info, text, state);
        }
        let must_write = !found.notes.is_empty();
        let compared_at = Duration::ZERO;
        Self { keeper: None, kept: settings, compared_at, has_acted: must_write, must_write }
    }

    /// Starts the thread that writes them.
    pub fn start(&mut self, found: KeptSettings, wake: Wake, state: &mut State) {
        match SettingsKeeper::start(found, self.kept.fields(), wake) {
            Ok(keeper) => self.keeper = keeper,
            Err(error) => say(Kind::Error, not_kept(&error.to_string()), state),
        }
    }

    /// Says what came of writing, and hands over what changed, at most once in [`SETTINGS_PERIOD_MIN`]. Returns the
    /// time until it is due. `notes` are about the file of the lessons.
    pub fn follow(&mut self, notes: Vec<String>, state: &mut State) -> Option<Duration> {
        for note in notes {
            say(Kind::Warning, note, state);
        }
        while let Some(report) = self.keeper.as_ref().and_then(SettingsKeeper::next_report) {
            match report {
                SettingsReport::Note(note) => say(Kind::Warning, note, state),
                SettingsReport::Failed(why) => say(Kind::Error, not_kept(&why), state),
                SettingsReport::Recovered => say(Kind::Done, "Settings saved".to_owned(), state),
            }
        }
        if !self.has_acted || self.keeper.is_none() {
            return None;
        }
        let rest = (self.compared_at + SETTINGS_PERIOD_MIN).saturating_sub(state.uptime);
        if !rest.is_zero() {
            return Some(rest);
        }
        self.has_acted = false;
        self.compared_at = state.uptime;
        self.hand_over(state);
        None
    }

    /// Hands over what changed and waits until it is on the disk.
    pub fn end(&mut self, state: &mut State) {
        self.hand_over(state);
        self.keeper = None;
    }

    fn hand_over(&mut self, state: &mut State) {
        let Some(keeper) = &self.keeper else { return };
        state.note_tabs();
        if state.settings != self.kept || self.must_write {
            self.must_write = false;
            self.kept.clone_from(&state.settings);
            keeper.keep(self.kept.fields());
        }
    }
}

fn say(kind: Kind, text: String, state: &mut State) {
    state.toast(kind, text);
}

fn not_kept(why: &str) -> String {
    format!("{why}. Settings, favorites and pipelines are lost when you close this window")
}
