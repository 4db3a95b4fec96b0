//! Attaching to a server: what is typed, how far it is, and the server that is attached.

use std::time::Duration;

use super::Zone;
use super::monitor::ServerMonitor;
use super::recent_stores::RecentStores;
use super::recounts::Recounts;
use super::sampling::Sampling;
use super::watch::Streams;
use crate::job::connection_string::Secret;
use crate::job::{Attached, Cancel, ConnectFailure, ConnectionString, Keeping, Server};
use crate::job::{ServerColor, ServerMark, Step};
use crate::limits::{SERVER_POLL, UNLOCKED_IDLE};

/// The dialog that attaches to a server.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConnectDraft {
    /// The connection string as typed.
    pub text: Secret,
    /// The password, in its own field.
    pub password: Secret,
    /// Whether others depend on the server, once the user has said so; until then its address says it.
    pub is_production: Option<bool>,
    pub color: ServerColor,
    /// The attempt that runs or that ended last.
    pub attempt: Option<Attempt>,
    /// Whether the keyboard was sent to the first field.
    pub has_focus: bool,
    /// Whether it was asked if there is a keyring.
    pub has_looked: bool,
    /// Whether the keyring is to keep the password, once the user has said so; until then as before.
    pub remember: Option<bool>,
    /// The question for the password that the keyring has not answered.
    pub asks_keyring: Option<u64>,
    /// The password that came from the keyring.
    pub found: Option<Secret>,
    /// Why the password must be typed although the keyring should have it.
    pub note: Option<String>,
}

/// The window's knowledge of the system's keyring.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum KeyringState {
    /// Nothing: it was not asked yet.
    #[default]
    Unknown,
    Asked,
    Ready,
    /// It can't be used: why, as one sentence.
    Missing(String),
}

/// One attempt to attach.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// The job's generation.
    pub generation: u64,
    /// The server, as it was typed when the attempt began.
    pub server: Server,
    /// Ends it.
    pub cancel: Cancel,
    /// Whether the server is only tried, and not opened.
    pub is_test: bool,
    /// The step that began last.
    pub step: Step,
    /// `None` while it runs.
    pub end: Option<Result<Box<Attached>, ConnectFailure>>,
}

/// How a step of an attempt stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepState {
    /// It has not begun.
    Waits,
    Runs,
    /// It went well.
    Done,
    /// The attempt ended in it.
    Failed,
}

impl Attempt {
    /// Whether it has not ended.
    pub fn runs(&self) -> bool {
        self.end.is_none()
    }

    /// How a step stands.
    pub fn step_state(&self, step: Step) -> StepState {
        match &self.end {
            Some(Err(failure)) if step == failure.step => StepState::Failed,
            Some(Err(failure)) if step > failure.step => StepState::Waits,
            None if step == self.step => StepState::Runs,
            None if step > self.step => StepState::Waits,
            _ => StepState::Done,
        }
    }
}

impl ConnectDraft {
    /// The dialog for a server that was attached before.
    pub fn of(address: &str, mark: ServerMark) -> Self {
        Self {
            text: Secret::new(address.to_owned()),
            is_production: Some(mark.is_production),
            color: mark.color,
            ..Self::default()
        }
    }

    /// Ends the attempt that runs, if one does.
    pub fn stop(&mut self) {
        self.asks_keyring = None;
        if let Some(attempt) = self.attempt.take() {
            attempt.cancel.cancel();
        }
    }

    /// The string without the password, which has a separate field.
    pub fn string(&self) -> Result<ConnectionString, String> {
        ConnectionString::read(self.text.reveal())
    }

    /// Whether it waits for the keyring or for the server.
    pub fn is_busy(&self) -> bool {
        self.asks_keyring.is_some() || self.attempt.as_ref().is_some_and(Attempt::runs)
    }

    /// Whether the keyring is to keep the password: as chosen, or else if it has that of the same
    /// server.
    pub fn remembers(&self, stores: &RecentStores) -> bool {
        let has_it = || {
            let key = self.string().ok().and_then(|string| string.secret_key());
            key.is_some_and(|key| stores.secret_keys().contains(&key))
        };
        self.remember.unwrap_or_else(has_it)
    }

    /// The fate of the password in the keyring once the server is open.
    pub fn keeping(&self, keyring: &KeyringState, stores: &RecentStores) -> Keeping {
        let is_there = self.found.as_ref().is_some_and(|found| *found == self.password);
        match self.remembers(stores) {
            _ if *keyring != KeyringState::Ready => Keeping::AsBefore,
            true if is_there => Keeping::AsBefore,
            true => Keeping::Keep,
            false => Keeping::Forget,
        }
    }

    /// Takes the password that the keyring has.
    pub fn take_found(&mut self, password: Secret) {
        self.password = password.clone();
        self.found = Some(password);
        self.note = None;
    }

    /// The server does not accept the login: a password from the keyring is of no use any more, and
    /// another one must be typed.
    pub fn note_refused(&mut self) {
        if self.found.as_ref().is_some_and(|found| *found == self.password) {
            let note = "The server refused the password from the system's keyring. Enter the \
                        present one";
            self.ask_password(note.to_owned());
        }
    }

    /// The password must be typed: why, as one sentence.
    pub fn ask_password(&mut self, note: String) {
        self.password = Secret::default();
        self.note = Some(note);
        self.has_focus = false;
    }

    /// Whether the field of the password is of use.
    pub fn takes_password(&self) -> bool {
        self.string().is_ok_and(|string| string.needs_password())
    }

    /// Moves the password to its own field.
    pub fn hide_password(&mut self) {
        let Ok(mut string) = self.string() else { return };
        // Out of the string, so that the password is not seen any longer.
        if let Some(password) = string.password.take() {
            self.password = password;
            self.text = Secret::new(string.shown());
        }
    }

    /// Changes the string that is typed, if it can be read.
    pub fn change(&mut self, change: impl FnOnce(&mut ConnectionString)) {
        self.hide_password();
        let Ok(mut string) = self.string() else { return };
        change(&mut string);
        self.text = Secret::new(string.shown());
        self.attempt = self.attempt.take().filter(Attempt::runs);
    }

    /// Whether others depend on the server: as chosen, or else any server that is neither this
    /// machine nor in a private network.
    pub fn is_production(&self) -> bool {
        let by_address = || self.string().is_ok_and(|string| !string.is_near());
        self.is_production.unwrap_or_else(by_address)
    }

    /// The server to attach to.
    pub fn server(&self) -> Result<Server, String> {
        let mut string = self.string()?;
        if string.needs_password() {
            let user = string.user.clone().unwrap_or_default();
            let password = Some(&self.password).filter(|password| !password.reveal().is_empty());
            let password = password.ok_or_else(|| format!("Enter the password of {user}"))?;
            string.password = Some(password.clone());
        }
        let mark = ServerMark { is_production: self.is_production(), color: self.color };
        Ok(Server { string, mark, keeping: Keeping::AsBefore, journals: None })
    }
}

/// The server that is attached, and its lock.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    /// The server.
    pub attached: Box<Attached>,
    /// When a change was last allowed or sent, in window time. `None` while the server is locked.
    unlocked: Option<Duration>,
    /// Whether the name was typed for the change that comes next.
    pub is_named: bool,
    pub monitor: ServerMonitor,
    /// The samples of its backlog.
    pub sampling: Sampling,
    /// How deletions come from it.
    pub streams: Streams,
    /// When it last answered, in window time.
    pub answered: Option<Duration>,
    /// The same by its clock, in milliseconds since 1970; first the time at which it was attached.
    answered_ms: Option<i64>,
    /// Whether the last question had no answer.
    pub is_silent: bool,
    /// When it was greeted last because of that, in window time.
    greeted: Option<Duration>,
    /// Collections whose documents are counted again.
    pub recounts: Recounts,
}

impl Connection {
    /// A server that was just attached: it is locked.
    pub fn new(attached: Box<Attached>) -> Self {
        Self {
            monitor: ServerMonitor::of(attached.pass_job),
            attached,
            unlocked: None,
            is_named: false,
            sampling: Sampling::default(),
            streams: Streams::default(),
            answered: None,
            answered_ms: None,
            is_silent: false,
            greeted: None,
            recounts: Recounts::default(),
        }
    }

    /// How long to wait before a server that does not answer is greeted, or `None` if it answers.
    /// Zero is noted as a greeting.
    pub fn greets_in(&mut self, uptime: Duration) -> Option<Duration> {
        if !self.is_silent {
            return None;
        }
        let age = self.greeted.map(|at| uptime.saturating_sub(at));
        let rest = age.map_or(Duration::ZERO, |age| SERVER_POLL.saturating_sub(age));
        if rest.is_zero() {
            self.greeted = Some(uptime);
        }
        Some(rest)
    }

    /// It answered just now, in window time and by its clock in milliseconds since 1970.
    pub fn note_answer(&mut self, uptime: Duration, now_ms: i64) {
        (self.answered, self.answered_ms, self.is_silent) = (Some(uptime), Some(now_ms), false);
    }

    /// When it answered last, by its clock in milliseconds since 1970, if it does not answer now.
    pub fn silent_since_ms(&self) -> Option<i64> {
        self.answered_ms.filter(|_| self.is_silent)
    }

    /// Since when it does not answer, in words.
    pub fn silence(&self, zone: Zone) -> Option<String> {
        Some(format!("No answer since {}", zone.time_of_day(self.silent_since_ms()?)))
    }

    /// Locks it, or unlocks it.
    pub fn set_locked(&mut self, is_locked: bool, uptime: Duration) {
        self.unlocked = (!is_locked).then_some(uptime);
    }

    /// A change was sent: the time until it locks itself begins again.
    pub fn use_now(&mut self, uptime: Duration) {
        if !self.is_locked(uptime) {
            self.unlocked = Some(uptime);
        }
    }

    /// Whether no change is sent.
    pub fn is_locked(&self, uptime: Duration) -> bool {
        let is_idle = |since| uptime.saturating_sub(since) >= UNLOCKED_IDLE;
        self.unlocked.is_none_or(is_idle)
    }
}

#[cfg(test)]
mod tests {
    use super::StepState::{Done, Failed, Runs, Waits};
    use super::*;

    fn typed(text: &str) -> ConnectDraft {
        ConnectDraft { text: Secret::new(text.to_owned()), ..ConnectDraft::default() }
    }

    #[test]
    fn a_password_moves_to_its_own_field() {
        let mut draft = typed("mongodb://ada:p%40ss@db.example.com/shop?tls=true");
        assert!(!draft.takes_password());
        draft.hide_password();
        assert_eq!(draft.text.reveal(), "mongodb://ada@db.example.com/shop?tls=true");
        assert_eq!(draft.password.reveal(), "p@ss");
        assert!(draft.takes_password());
        let server = draft.server().expect("a server");
        let sent = server.string.for_driver();
        assert_eq!(sent.reveal(), "mongodb://ada:p%40ss@db.example.com/shop?tls=true");
        assert!(!format!("{draft:?} {server:?}").contains("p@ss"));
        draft.password = Secret::default();
        assert_eq!(draft.server(), Err("Enter the password of ada".to_owned()));
    }

    #[test]
    fn the_keyring_is_changed_only_where_the_user_wants_it() {
        use Keeping::{AsBefore, Forget, Keep};
        let stores = RecentStores::default();
        let keeping =
            |draft: &ConnectDraft, keyring: &KeyringState| draft.keeping(keyring, &stores);
        let missing = KeyringState::Missing("It is not there".to_owned());
        let mut draft = typed("mongodb://ada@h");
        draft.password = Secret::new("p@ss".to_owned());
        assert_eq!(keeping(&draft, &KeyringState::Ready), Forget);
        draft.remember = Some(true);
        assert_eq!(keeping(&draft, &KeyringState::Ready), Keep);
        for keyring in [KeyringState::Unknown, KeyringState::Asked, missing] {
            assert_eq!(keeping(&draft, &keyring), AsBefore);
        }
        draft.take_found(Secret::new("0ld".to_owned()));
        assert_eq!(keeping(&draft, &KeyringState::Ready), AsBefore, "it is there");
        draft.note_refused();
        assert_eq!(draft.password, Secret::default());
        assert!(draft.note.as_ref().is_some_and(|note| note.contains("refused the password")));
        draft.password = Secret::new("n3w".to_owned());
        draft.note = None;
        assert_eq!(keeping(&draft, &KeyringState::Ready), Keep);
        draft.note_refused();
        assert_eq!((draft.password.reveal(), &draft.note), ("n3w", &None), "it was typed");
        assert!(!format!("{draft:?}").contains("0ld"));
    }

    #[test]
    fn a_distant_server_counts_as_production_until_the_user_says_otherwise() {
        assert!(!typed("localhost").is_production());
        let mut draft = typed("db.example.com");
        assert!(draft.is_production());
        draft.is_production = Some(false);
        assert!(!draft.is_production());
    }

    #[test]
    fn the_steps_of_an_attempt_follow_each_other() {
        let states = |attempt: &Attempt| Step::ALL.map(|step| attempt.step_state(step));
        let mut attempt = Attempt {
            generation: 1,
            server: typed("h").server().expect("a server"),
            cancel: Cancel::default(),
            is_test: true,
            step: Step::Port,
            end: None,
        };
        assert_eq!(states(&attempt), [Done, Done, Runs, Waits, Waits]);
        attempt.end = Some(Err(ConnectFailure::new(Step::Hello, "it is silent")));
        assert_eq!(states(&attempt), [Done, Done, Done, Failed, Waits]);
    }

    #[test]
    fn a_connection_locks_itself_when_it_is_idle() {
        let mut connection = Connection::new(Box::default());
        let at = Duration::from_secs;
        assert!(connection.is_locked(at(1)));
        connection.set_locked(false, at(1));
        assert!(!connection.is_locked(at(800)));
        connection.use_now(at(800));
        assert!(!connection.is_locked(at(1_600)));
        assert!(connection.is_locked(at(1_700)));
        connection.use_now(at(1_701));
        assert!(connection.is_locked(at(1_702)), "a use does not unlock it");
    }
}
