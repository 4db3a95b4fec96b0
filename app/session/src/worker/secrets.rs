//! The system's keyring with a time limit for each call.
//!
//! A keyring may wait: for its own password, or for a D-Bus that hangs. So each call has its own
//! thread, and when its time is over the caller continues without it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crossbeam_channel::bounded;

use crate::job::connection_string::Secret;
use crate::limits::{KEYRING_CALL, KEYRING_CALLS_MAX, KEYRING_LOOK};
use crate::source::secrets::{Keyring, KeyringError, NoKeyring, SystemKeyring};

/// A keyring whose calls end in time.
#[derive(Clone)]
pub struct Secrets {
    keyring: Arc<dyn Keyring>,
    /// How long a look may take.
    look: Duration,
    /// How long any other call may take.
    call: Duration,
    calls: Arc<Calls>,
}

/// The calls that have not ended.
#[derive(Default)]
struct Calls {
    /// All of them, those included for which no one waits any longer.
    running: AtomicUsize,
    /// Those that change the keyring and are waited for.
    changes: Mutex<usize>,
    changed: Condvar,
}

impl Secrets {
    /// The keyring of this system.
    pub fn system() -> Self {
        Self::new(Arc::new(SystemKeyring), KEYRING_LOOK, KEYRING_CALL)
    }

    /// No keyring: passwords stay in memory.
    pub fn none() -> Self {
        Self::new(Arc::new(NoKeyring), KEYRING_LOOK, KEYRING_CALL)
    }

    /// A keyring, how long a look at it may take, and how long any other call.
    pub fn new(keyring: Arc<dyn Keyring>, look: Duration, call: Duration) -> Self {
        Self { keyring, look, call, calls: Arc::default() }
    }

    /// Whether there is a keyring.
    ///
    /// # Errors
    /// There is none, or it does not answer.
    pub fn look(&self) -> Result<(), KeyringError> {
        self.call(self.look, Keyring::look)
    }

    /// The password of a key, if the keyring has one.
    ///
    /// # Errors
    /// It can't be read in time.
    pub fn read(&self, key: &str) -> Result<Option<Secret>, KeyringError> {
        self.look()?;
        let key = key.to_owned();
        self.call(self.call, move |keyring| keyring.read(&key))
    }

    /// Keeps a password.
    ///
    /// # Errors
    /// It can't be kept in time.
    pub fn write(&self, key: &str, password: &Secret) -> Result<(), KeyringError> {
        let (key, password) = (key.to_owned(), password.clone());
        self.change(move |keyring| keyring.write(&key, &password))
    }

    /// Removes the password of a key.
    ///
    /// # Errors
    /// It can't be removed in time.
    pub fn remove(&self, key: &str) -> Result<(), KeyringError> {
        let key = key.to_owned();
        self.change(move |keyring| keyring.remove(&key))
    }

    /// Notes that a change is about to be asked for, so that [`finish`](Self::finish) waits for it.
    pub fn begin_change(&self) -> ChangeBegun {
        *self.calls.changes.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        ChangeBegun(Arc::clone(&self.calls))
    }

    /// Waits for the changes that were begun, but no longer than `limit`.
    pub fn finish(&self, limit: Duration) {
        let changes = self.calls.changes.lock().unwrap_or_else(PoisonError::into_inner);
        // Whether they ended or not, the program ends.
        drop(self.calls.changed.wait_timeout_while(changes, limit, |changes| *changes > 0));
    }

    fn change(
        &self,
        change: impl FnOnce(&dyn Keyring) -> Result<(), KeyringError> + Send + 'static,
    ) -> Result<(), KeyringError> {
        self.look()?;
        self.call(self.call, change)
    }

    /// Makes one call on a new thread and waits for it. A call that never ends keeps its thread, so
    /// their number is bounded.
    fn call<T: Send + 'static>(
        &self,
        limit: Duration,
        call: impl FnOnce(&dyn Keyring) -> Result<T, KeyringError> + Send + 'static,
    ) -> Result<T, KeyringError> {
        let one_more = |running| (running < KEYRING_CALLS_MAX).then_some(running + 1);
        let running = &self.calls.running;
        if running.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more).is_err() {
            return Err(KeyringError::Silent);
        }
        let ends = CallRuns(Arc::clone(&self.calls));
        let keyring = Arc::clone(&self.keyring);
        let (sender, answer) = bounded(1);
        let work = move || {
            let _ends = ends;
            // Without a receiver nothing is lost: its time is over.
            let _ = sender.send(call(keyring.as_ref()));
        };
        let thread = thread::Builder::new().name("mayfly-keyring".to_owned()).spawn(work);
        thread.map_err(|error| KeyringError::Refused(format!("Can't start a thread: {error}")))?;
        match answer.recv_timeout(limit) {
            Ok(result) => result,
            Err(error) if error.is_timeout() => Err(KeyringError::Silent),
            // The thread panicked.
            Err(_) => Err(KeyringError::Refused("The system's keyring failed".to_owned())),
        }
    }
}

/// A call counts as long as this is there.
struct CallRuns(Arc<Calls>);

impl Drop for CallRuns {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A change counts as long as this is there.
pub struct ChangeBegun(Arc<Calls>);

impl Drop for ChangeBegun {
    fn drop(&mut self) {
        *self.0.changes.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crossbeam_channel::{Receiver, Sender, unbounded};

    use super::*;

    /// Far longer than a call in memory takes.
    const ENOUGH: Duration = Duration::from_secs(30);

    /// Short, for calls that never end by themselves.
    const SHORT: Duration = Duration::from_millis(20);

    /// A keyring in memory. The key `hangs` waits until the test lets go of it, `refuses` is refused, and
    /// `panics` panics.
    struct Memory {
        kept: Mutex<BTreeMap<String, Secret>>,
        release: Receiver<()>,
    }

    impl Memory {
        fn start() -> (Arc<Self>, Sender<()>) {
            let (hold, release) = unbounded();
            (Arc::new(Self { kept: Mutex::default(), release }), hold)
        }

        fn kept(&self, key: &str) -> std::sync::MutexGuard<'_, BTreeMap<String, Secret>> {
            match key {
                "hangs" => _ = self.release.recv(),
                "panics" => panic!("as it was asked to"),
                _ => {}
            }
            self.kept.lock().expect("no panic")
        }

        fn check(key: &str) -> Result<(), KeyringError> {
            let refused = || Err(KeyringError::Refused("It refuses".to_owned()));
            if key == "refuses" { refused() } else { Ok(()) }
        }
    }

    impl Keyring for Memory {
        fn look(&self) -> Result<(), KeyringError> {
            Ok(())
        }

        fn read(&self, key: &str) -> Result<Option<Secret>, KeyringError> {
            Self::check(key)?;
            Ok(self.kept(key).get(key).cloned())
        }

        fn write(&self, key: &str, password: &Secret) -> Result<(), KeyringError> {
            Self::check(key)?;
            self.kept(key).insert(key.to_owned(), password.clone());
            Ok(())
        }

        fn remove(&self, key: &str) -> Result<(), KeyringError> {
            Self::check(key)?;
            self.kept(key).remove(key);
            Ok(())
        }
    }

    fn secret(text: &str) -> Secret {
        Secret::new(text.to_owned())
    }

    #[test]
    fn a_password_is_kept_replaced_and_removed() {
        let (memory, _hold) = Memory::start();
        let secrets = Secrets::new(memory, ENOUGH, ENOUGH);
        assert_eq!(secrets.look(), Ok(()));
        assert_eq!(secrets.read("a"), Ok(None));
        for password in ["first", "second"] {
            assert_eq!(secrets.write("a", &secret(password)), Ok(()));
            assert_eq!(secrets.read("a"), Ok(Some(secret(password))));
        }
        assert_eq!(secrets.read("b"), Ok(None));
        assert_eq!(secrets.remove("a"), Ok(()));
        assert_eq!(secrets.remove("a"), Ok(()));
        assert_eq!(secrets.read("a"), Ok(None));
    }

    #[test]
    fn a_password_that_cannot_be_read_does_not_block_the_others() {
        let (memory, hold) = Memory::start();
        memory.kept.lock().expect("no panic").insert("a".to_owned(), secret("p"));
        let impatient = Secrets::new(memory, ENOUGH, SHORT);
        let patient = Secrets { call: ENOUGH, ..impatient.clone() };
        assert_eq!(impatient.read("hangs"), Err(KeyringError::Silent));
        let refused = Err(KeyringError::Refused("It refuses".to_owned()));
        assert_eq!(patient.read("refuses"), refused);
        assert!(matches!(patient.read("panics"), Err(KeyringError::Refused(_))));
        assert_eq!(patient.read("a"), Ok(Some(secret("p"))));
        drop(hold);
    }

    #[test]
    fn calls_that_never_end_are_bounded() {
        let (memory, hold) = Memory::start();
        let secrets = Secrets::new(memory, ENOUGH, SHORT);
        let running = || secrets.calls.running.load(Ordering::Acquire);
        for _ in 0..KEYRING_CALLS_MAX + 3 {
            assert_eq!(secrets.read("hangs"), Err(KeyringError::Silent));
        }
        assert_eq!(running(), KEYRING_CALLS_MAX);
        // A look needs a thread as well.
        assert_eq!(secrets.look(), Err(KeyringError::Silent));
        drop(hold);
        while running() > 0 {
            thread::yield_now();
        }
        assert_eq!(secrets.look(), Ok(()));
    }

    #[test]
    fn the_end_waits_for_a_change_but_not_for_long() {
        let (memory, _hold) = Memory::start();
        let secrets = Secrets::new(Arc::clone(&memory) as Arc<dyn Keyring>, ENOUGH, ENOUGH);
        let begun = secrets.begin_change();
        secrets.finish(SHORT);
        let ends = secrets.clone();
        let (started, has_started) = bounded(0);
        let change = move || {
            started.send(()).expect("the test waits");
            assert_eq!(ends.write("a", &secret("p")), Ok(()));
            drop(begun);
        };
        let change = thread::Builder::new().name("change".to_owned()).spawn(change);
        has_started.recv().expect("the thread runs");
        secrets.finish(ENOUGH);
        assert_eq!(memory.kept("a").get("a"), Some(&secret("p")));
        change.expect("a thread").join().expect("no panic");
    }

    #[test]
    fn without_a_keyring_each_call_says_so() {
        let none = Secrets::none();
        assert_eq!(none.look(), Err(KeyringError::Missing));
        assert_eq!(none.read("a"), Err(KeyringError::Missing));
        assert_eq!(none.write("a", &secret("p")), Err(KeyringError::Missing));
        assert_eq!(none.remove("a"), Err(KeyringError::Missing));
    }
}
