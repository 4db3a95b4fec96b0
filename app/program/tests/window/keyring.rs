//! The passwords of servers in the system's keyring, in a window that reaches the listener of an engine
//! in this process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};
use mayfly::action::{Action, ConnectAction, StoreAction};
use mayfly::job::connection_string::Secret;
use mayfly::job::{ConnectionString, OpenRequest};
use mayfly::source::secrets::{Keyring, KeyringError};
use mayfly::worker::Secrets;
use mayfly_engine::clock::{Clock as _, SystemClock};

use super::connect::{Served, dialog, notes};
use super::support::Window;

const REMEMBER: &str = "Remember the password in the system's keyring";

/// Far longer than a call in memory takes.
const ENOUGH: Duration = Duration::from_mins(5);

/// Short, for calls that never end by themselves.
const SHORT: Duration = Duration::from_millis(50);

/// The behavior of the keyring.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mode {
    Works,
    IsMissing,
    HangsAtLook,
    HangsAtRead,
    RefusesToWrite,
    RefusesToRemove,
}

/// A keyring in memory. A call that hangs waits until the test lets go of it.
struct Fake {
    kept: Mutex<BTreeMap<String, String>>,
    mode: Mutex<Mode>,
    release: Receiver<()>,
}

impl Fake {
    fn start(mode: Mode) -> (Arc<Self>, Sender<()>) {
        let (hold, release) = unbounded();
        let (kept, mode) = (Mutex::default(), Mutex::new(mode));
        (Arc::new(Self { kept, mode, release }), hold)
    }

    fn kept(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn mode(&self) -> Mode {
        *self.mode.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, mode: Mode) {
        *self.mode.lock().unwrap_or_else(PoisonError::into_inner) = mode;
    }

    fn secrets(self: &Arc<Self>, look: Duration, call: Duration) -> Secrets {
        Secrets::new(Arc::clone(self) as Arc<dyn Keyring>, look, call)
    }

    fn refused() -> Result<(), KeyringError> {
        Err(KeyringError::Refused("It is locked".to_owned()))
    }
}

impl Keyring for Fake {
    fn look(&self) -> Result<(), KeyringError> {
        match self.mode() {
            Mode::IsMissing => return Err(KeyringError::Missing),
            Mode::HangsAtLook => _ = self.release.recv(),
            _ => {}
        }
        Ok(())
    }

    fn read(&self, key: &str) -> Result<Option<Secret>, KeyringError> {
        if self.mode() == Mode::HangsAtRead {
            let _ = self.release.recv();
        }
        Ok(self.kept().get(key).cloned().map(Secret::new))
    }

    fn write(&self, key: &str, password: &Secret) -> Result<(), KeyringError> {
        if self.mode() == Mode::RefusesToWrite {
            return Self::refused();
        }
        self.kept().insert(key.to_owned(), password.reveal().to_owned());
        Ok(())
    }

    fn remove(&self, key: &str) -> Result<(), KeyringError> {
        if self.mode() == Mode::RefusesToRemove {
            return Self::refused();
        }
        self.kept().remove(key);
        Ok(())
    }
}

fn key(served: &Served) -> String {
    let string = ConnectionString::read(&served.uri).expect("a string");
    string.secret_key().expect("a login with a password")
}

fn until_shown(window: &mut Window) {
    window.until_named("Collection test.notes");
}

/// Opens the server and asks to remember its password.
fn remember(window: &mut Window, served: &Served) {
    dialog(window, &served.uri);
    window.until_enabled(REMEMBER);
    window.click(REMEMBER);
    window.click("Connect");
    until_shown(window);
}

/// Shows the own store and closes the server.
fn leave(window: &mut Window) {
    show_own(window);
    let slot = window.state().beside[0].slot();
    window.ask(Action::Store(StoreAction::Close(slot)));
}

/// Shows the own store.
fn show_own(window: &mut Window) {
    let folder = window.folder.path().join("store");
    let request = OpenRequest { folder: Some(folder), ..OpenRequest::default() };
    window.ask(Action::Store(StoreAction::Open(request)));
    window.until("the own store is back", |state| {
        state.is_open() && state.store.connection.is_none()
    });
}

/// A window on its own store whose list has a server with a remembered password.
fn remembered(served: &Served, secrets: Secrets) -> Window {
    let mut window = Window::open_with_keyring(secrets);
    remember(&mut window, served);
    window.until_named("The system's keyring has the password of");
    leave(&mut window);
    window
}

fn name(window: &Window) -> String {
    let servers = window.state().settings.stores.list().iter();
    let server = servers.clone().find(|store| store.server.is_some());
    server.expect("a server is listed").name.clone()
}

fn open_again(window: &mut Window) {
    let entry = format!("Open {}", name(window));
    window.choose("Store", &entry);
}

fn is_remembered(window: &Window, served: &Served) -> bool {
    window.state().settings.stores.secret_keys().contains(&key(served))
}

#[test]
fn a_remembered_password_is_used_without_asking() {
    let served = Served::start(&notes());
    let (keyring, _hold) = Fake::start(Mode::Works);
    let mut window = remembered(&served, keyring.secrets(ENOUGH, ENOUGH));
    assert_eq!(keyring.kept().get(&key(&served)), Some(&served.password()));
    assert!(is_remembered(&window, &served));
    open_again(&mut window);
    until_shown(&mut window);
    assert!(is_remembered(&window, &served));
}

#[test]
fn a_server_that_is_open_can_be_remembered_too() {
    let served = Served::start(&notes());
    let (keyring, _hold) = Fake::start(Mode::Works);
    let mut window = Window::open_with_keyring(keyring.secrets(ENOUGH, ENOUGH));
    dialog(&mut window, &served.uri);
    window.until_enabled(REMEMBER);
    window.click("Connect");
    until_shown(&mut window);
    assert!(keyring.kept().is_empty());
    show_own(&mut window);
    remember(&mut window, &served);
    window.until_named("The system's keyring has the password of");
    assert_eq!(window.state().beside.len(), 1, "it is not open twice");
    assert!(is_remembered(&window, &served));
}

#[test]
fn no_password_is_kept_unless_the_user_wants_it() {
    let served = Served::start(&notes());
    let (keyring, _hold) = Fake::start(Mode::Works);
    let mut window = Window::open_with_keyring(keyring.secrets(ENOUGH, ENOUGH));
    dialog(&mut window, &served.uri);
    window.until_enabled(REMEMBER);
    window.click("Connect");
    until_shown(&mut window);
    assert!(!is_remembered(&window, &served));
    leave(&mut window);
    open_again(&mut window);
    window.until_named("Password");
    assert!(!window.is_enabled("Connect"));
    drop(window);
    assert!(keyring.kept().is_empty());
}

#[test]
fn a_password_that_was_remembered_is_forgotten_when_the_box_is_cleared() {
    let served = Served::start(&notes());
    let (keyring, _hold) = Fake::start(Mode::Works);
    let mut window = remembered(&served, keyring.secrets(ENOUGH, ENOUGH));
    // Typed again, it is still to be remembered.
    dialog(&mut window, &served.uri);
    window.click("Connect");
    until_shown(&mut window);
    assert!(is_remembered(&window, &served));
    leave(&mut window);
    dialog(&mut window, &served.uri);
    window.click(REMEMBER);
    window.click("Connect");
    until_shown(&mut window);
    window.until_named("is removed from the keyring");
    assert!(!is_remembered(&window, &served) && keyring.kept().is_empty());
}

#[test]
fn a_remembered_password_that_the_server_refuses_is_asked_for() {
    let served = Served::start(&notes());
    let (keyring, _hold) = Fake::start(Mode::Works);
    let mut window = remembered(&served, keyring.secrets(ENOUGH, ENOUGH));
    keyring.kept().insert(key(&served), "0utdated".to_owned());
    open_again(&mut window);
    window.until_named("The server refused the password from the system's keyring");
    assert!(window.is_focused("Password"));
    assert!(!window.is_enabled("Connect"));
    window.type_into("Password", &served.password());
    window.click("Connect");
    until_shown(&mut window);
    let is_kept = |keyring: &Fake| keyring.kept().get(&key(&served)) == Some(&served.password());
    window.until_window("the present password is kept", |_| is_kept(&keyring));
}

#[test]
fn a_password_that_the_keyring_lost_is_asked_for() {
    let served = Served::start(&notes());
    let (keyring, _hold) = Fake::start(Mode::Works);
    let mut window = remembered(&served, keyring.secrets(ENOUGH, ENOUGH));
    keyring.kept().clear();
    open_again(&mut window);
    window.until_named("has no password for this server any more");
    assert!(window.is_focused("Password"));
}

#[test]
fn without_a_keyring_the_password_stays_in_memory() {
    let served = Served::start(&notes());
    let (keyring, _hold) = Fake::start(Mode::IsMissing);
    let mut window = Window::open_with_keyring(keyring.secrets(ENOUGH, ENOUGH));
    dialog(&mut window, &served.uri);
    window.until_named(
        "This computer has no keyring that Mayfly can reach, so the password is kept until you close \
         the window",
    );
    assert!(!window.is_enabled(REMEMBER));
    window.click("Connect");
    until_shown(&mut window);
    leave(&mut window);
    // Remembered on another day, when there was a keyring.
    let key = key(&served);
    assert!(!is_remembered(&window, &served));
    keyring.set(Mode::Works);
    keyring.kept().insert(key, served.password());
    dialog(&mut window, &served.uri);
    window.until_enabled(REMEMBER);
    window.click(REMEMBER);
    window.click("Connect");
    until_shown(&mut window);
    window.until_named("The system's keyring has the password of");
    leave(&mut window);
    keyring.set(Mode::IsMissing);
    open_again(&mut window);
    window.until_named("no keyring that Mayfly can reach. Enter the password");
    window.type_into("Password", &served.password());
    window.click("Connect");
    until_shown(&mut window);
    assert!(is_remembered(&window, &served), "the keyring may be there the next time");
}

#[test]
fn a_keyring_that_hangs_keeps_nothing_from_the_window() {
    /// Far less than the time limit of a call.
    const CLOSES: Duration = Duration::from_secs(15);
    let served = Served::start(&notes());
    let (keyring, _hold) = Fake::start(Mode::Works);
    let mut window = remembered(&served, keyring.secrets(ENOUGH, ENOUGH));
    keyring.set(Mode::HangsAtRead);
    open_again(&mut window);
    window.until_named("Waiting for the system's keyring");
    window.click("Stop");
    window.until_named("Password");
    assert!(window.is_focused("Password"));
    window.type_into("Password", &served.password());
    window.click("Connect");
    until_shown(&mut window);
    keyring.set(Mode::HangsAtLook);
    leave(&mut window);
    open_again(&mut window);
    window.until_named("Waiting for the system's keyring");
    let began = SystemClock.monotonic();
    drop(window);
    assert!(SystemClock.monotonic().saturating_sub(began) < CLOSES);
}

#[test]
fn a_keyring_that_does_not_answer_in_time_counts_as_none() {
    let served = Served::start(&notes());
    let (keyring, _hold) = Fake::start(Mode::HangsAtLook);
    let mut window = Window::open_with_keyring(keyring.secrets(SHORT, ENOUGH));
    dialog(&mut window, &served.uri);
    window.until_named("The system's keyring does not answer, so the password is kept until");
    assert!(!window.is_enabled(REMEMBER));
    window.click("Connect");
    until_shown(&mut window);
}

#[test]
fn a_keyring_that_refuses_says_why() {
    let served = Served::start(&notes());
    let (keyring, _hold) = Fake::start(Mode::RefusesToWrite);
    let mut window = Window::open_with_keyring(keyring.secrets(ENOUGH, ENOUGH));
    remember(&mut window, &served);
    window.until_named("is not remembered. It is locked");
    assert!(!is_remembered(&window, &served));
}

#[test]
fn a_password_is_forgotten_where_its_server_is_listed() {
    let served = Served::start(&notes());
    let (keyring, _hold) = Fake::start(Mode::Works);
    let mut window = remembered(&served, keyring.secrets(ENOUGH, ENOUGH));
    keyring.kept().insert("another".to_owned(), "its password".to_owned());
    let address = window.state().settings.stores.list()[1].folder.clone();
    let row = format!("Open {} in {address}", name(&window));
    window.until_named(&row);
    keyring.set(Mode::RefusesToRemove);
    window.point_secondary(&row);
    window.point("Forget the password");
    window.until_named("may still be in the system's keyring. It is locked");
    assert!(is_remembered(&window, &served), "it can be tried again");
    keyring.set(Mode::Works);
    window.point_secondary(&row);
    window.point("Forget the password");
    window.until_named("is removed from the keyring");
    assert!(!is_remembered(&window, &served));
    assert_eq!(keyring.kept().keys().collect::<Vec<_>>(), ["another"]);
    window.point_secondary(&row);
    assert!(window.has("Remove from the list") && !window.has("Forget the password"));
}

#[test]
fn the_password_of_the_open_server_is_forgotten() {
    let served = Served::start(&notes());
    let (keyring, _hold) = Fake::start(Mode::Works);
    let mut window = Window::open_with_keyring(keyring.secrets(ENOUGH, ENOUGH));
    remember(&mut window, &served);
    window.until_named("The system's keyring has the password of");
    window.choose("Locked", "Forget the password of this server");
    window.until_named("is removed from the keyring");
    assert!(keyring.kept().is_empty());
}

#[test]
fn a_server_that_is_removed_from_the_list_takes_its_password_along() {
    let served = Served::start(&notes());
    let (keyring, _hold) = Fake::start(Mode::Works);
    let mut window = remembered(&served, keyring.secrets(ENOUGH, ENOUGH));
    window.click(&format!("Remove {} from the list", name(&window)));
    // The window waits for it, so nothing has to be drawn.
    drop(window);
    assert!(keyring.kept().is_empty());
}

/// The titles that the window was given in the last frame.
fn titles(window: &Window) -> Vec<String> {
    let viewports = window.harness.output().viewport_output.values();
    let commands = viewports.flat_map(|viewport| &viewport.commands);
    let titles = commands.filter_map(|command| match command {
        egui::ViewportCommand::Title(title) => Some(title.clone()),
        _ => None,
    });
    titles.collect()
}

#[test]
fn the_password_is_in_nothing_that_is_written_or_shown() {
    let served = Served::start(&notes());
    let password = served.password();
    let (keyring, _hold) = Fake::start(Mode::Works);
    let mut window = Window::open_with_keyring(keyring.secrets(ENOUGH, ENOUGH));
    let check = |window: &mut Window, when: &str| {
        let state = window.state();
        let log: Vec<_> = state.commands.records().iter().map(|sent| &sent.text).collect();
        let toasts: Vec<_> = state.toasts.list().iter().map(|toast| &toast.text).collect();
        let shown = [
            format!("settings: {:?}", window.state().settings.fields()),
            format!("commands: {log:?}"),
            format!("messages: {toasts:?}"),
            format!("history: {:?}", state.console),
            format!("state: {state:?}"),
            format!("names: {:?}", keyring.kept().keys()),
            format!("screen: {}", window.on_screen()),
        ];
        for text in shown {
            let place = text.split(':').next().unwrap_or_default();
            assert!(!text.contains(&password), "{when}: the password is in the {place}");
        }
    };
    dialog(&mut window, &served.uri);
    window.until_enabled(REMEMBER);
    window.click(REMEMBER);
    // The password leaves the string when another control has the keyboard.
    window.click("Test");
    window.until_named("Log in: done");
    assert!(window.has("Password"));
    check(&mut window, "typed");
    window.ask_only(Action::Connect(ConnectAction::Attach));
    window.until_frame("the title is that of the server", |window| {
        let titles = titles(window);
        assert!(!titles.iter().any(|title| title.contains(&password)), "{titles:?}");
        titles.iter().any(|title| title.contains("127.0.0.1"))
    });
    until_shown(&mut window);
    window.until_named("The system's keyring has the password of");
    check(&mut window, "kept");
    leave(&mut window);
    check(&mut window, "left");
    open_again(&mut window);
    until_shown(&mut window);
    check(&mut window, "opened again");
    leave(&mut window);
    served.source.close();
    open_again(&mut window);
    window.until_named("does not accept connections");
    check(&mut window, "not reached");
    assert!(format!("{:?}", window.state().settings).contains("remembered: true"));
}
