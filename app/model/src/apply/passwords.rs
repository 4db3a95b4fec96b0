//! The passwords of servers in the system's keyring, and which of the recent servers have one there.

use super::Apply;
use crate::job::{ConnectionString, Keeping, Server};
use crate::source::secrets::KeyringError;
use crate::state::State;
use crate::state::connect::KeyringState;
use crate::state::recent_stores::RecentStores;
use crate::state::toasts::Kind;
use crate::worker::SecretWork;

/// Asks whether there is a keyring, unless that is known. One that was missing may be there by now.
pub(super) fn look(cx: &mut Apply<'_>) {
    if matches!(cx.state.keyring, KeyringState::Unknown | KeyringState::Missing(_)) {
        cx.state.keyring = KeyringState::Asked;
        cx.effects.secrets.push(SecretWork::Look);
    }
}

/// The keyring has said whether it is there.
pub(super) fn looked(result: &Result<(), KeyringError>, state: &mut State) {
    learn(result.as_ref().err(), state);
}

/// A server was opened.
pub(super) fn opened(cx: &mut Apply<'_>) {
    let mut server = cx.state.store.request.server.take();
    settle(server.as_deref_mut(), cx);
    cx.state.store.request.server = server;
}

/// The password of a server that is open is kept or not, as the dialog said.
pub(super) fn settle(server: Option<&mut Server>, cx: &mut Apply<'_>) {
    let Some(server) = server else { return };
    let keeping = std::mem::take(&mut server.keeping);
    let Some(key) = server.string.secret_key() else { return };
    match (keeping, &server.string.password) {
        (Keeping::Keep, Some(password)) => {
            cx.effects.secrets.push(SecretWork::Keep { key, password: password.clone() });
        }
        (Keeping::Forget, _) => forget(&key, cx),
        (Keeping::Keep | Keeping::AsBefore, _) => {}
    }
}

/// The keyring is no longer to have the password of this key.
pub(super) fn forget(key: &str, cx: &mut Apply<'_>) {
    change_list(|stores| stores.set_remembered(key, false), cx);
}

/// Changes the list of recent stores. The keyring forgets the passwords that no server of the list
/// needs any more.
pub(super) fn change_list(change: impl FnOnce(&mut RecentStores), cx: &mut Apply<'_>) {
    let stores = &mut cx.state.settings.stores;
    let before = stores.secret_keys();
    change(stores);
    let after = stores.secret_keys();
    let gone = before.difference(&after).cloned();
    cx.effects.secrets.extend(gone.map(|key| SecretWork::Forget { key }));
}

pub(super) fn kept(key: String, result: Result<(), KeyringError>, cx: &mut Apply<'_>) {
    learn(result.as_ref().err(), cx.state);
    let name = name(&key);
    match result {
        Ok(()) if cx.state.settings.stores.has_server(&key) => {
            cx.state.settings.stores.set_remembered(&key, true);
            let text = format!("The system's keyring has the password of {name}");
            cx.toast(Kind::Done, text);
        }
        // The server was taken off the list in the meantime.
        Ok(()) => cx.effects.secrets.push(SecretWork::Forget { key }),
        Err(error) => {
            let why = error.sentence();
            let text = format!("The password of {name} is not remembered. {why}");
            cx.warn(text);
        }
    }
}

/// A password was removed or not.
pub(super) fn forgotten(key: &str, result: Result<(), KeyringError>, cx: &mut Apply<'_>) {
    learn(result.as_ref().err(), cx.state);
    let name = name(key);
    let (kind, text) = match result {
        Ok(()) => (Kind::Done, format!("The password of {name} is removed from the keyring")),
        Err(error) => {
            // So that it can be tried again.
            cx.state.settings.stores.set_remembered(key, true);
            let why = error.sentence();
            let text = format!(
                "The password of {name} may still be in the system's keyring. {why}. You can remove \
                 it there, under the name Mayfly"
            );
            (Kind::Warning, text)
        }
    };
    cx.toast(kind, text);
}

/// Learns from an answer whether there is a keyring.
pub(super) fn learn(error: Option<&KeyringError>, state: &mut State) {
    state.keyring = match error.filter(|error| error.is_absence()) {
        None => KeyringState::Ready,
        Some(absence) => KeyringState::Missing(absence.sentence()),
    };
}

/// The name that the window gives to the server of a key.
fn name(key: &str) -> String {
    ConnectionString::read(key).map_or_else(|_| key.to_owned(), |string| string.name())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::apply::Effects;
    use crate::job::{Attached, ServerMark};
    use crate::limits::RECENT_STORES_MAX;
    use crate::state::recent_stores::RecentStore;

    const KEY: &str = "mongodb://u@h/admin";

    fn server() -> RecentStore {
        let attached = Attached {
            address: "mongodb://u@h/".to_owned(),
            name: "h".to_owned(),
            mark: ServerMark::default(),
            topology: String::new(),
            version: String::new(),
            ahead_ms: 0,
            pass_job: None,
            is_replica_set: false,
            slow_down: crate::job::server::SlowDown::default(),
            stored: crate::job::Stored::default(),
        };
        RecentStore::attached(&attached, 0)
    }

    fn forgets() -> Vec<SecretWork> {
        vec![SecretWork::Forget { key: KEY.to_owned() }]
    }

    fn remembered() -> State {
        let mut state = State::default();
        state.settings.stores.note(server());
        state.settings.stores.set_remembered(KEY, true);
        state
    }

    #[test]
    fn a_server_that_leaves_the_list_takes_its_password_along() {
        let (mut state, mut effects) = (remembered(), Effects::default());
        for number in 0..RECENT_STORES_MAX {
            assert!(effects.secrets.is_empty(), "{number}");
            let cx = &mut Apply::new(&mut state, &mut effects);
            let folder = format!("/{number}");
            let store = RecentStore::in_folder(Path::new(&folder), 0);
            change_list(|stores| stores.note(store), cx);
        }
        assert_eq!(effects.secrets, forgets());
    }

    #[test]
    fn a_password_that_was_not_removed_can_be_forgotten_again() {
        let (mut state, mut effects) = (remembered(), Effects::default());
        let cx = &mut Apply::new(&mut state, &mut effects);
        forget(KEY, cx);
        assert!(cx.state.settings.stores.secret_keys().is_empty());
        forgotten(KEY, Err(KeyringError::Silent), cx);
        assert!(cx.state.settings.stores.secret_keys().contains(KEY));
        assert!(matches!(cx.state.keyring, KeyringState::Missing(_)));
        assert!(cx.state.toasts.list()[0].text.contains("may still be in the system's keyring"));
        assert_eq!(effects.secrets, forgets());
    }

    #[test]
    fn a_password_is_not_kept_for_a_server_that_left_the_list() {
        let (mut state, mut effects) = (State::default(), Effects::default());
        kept(KEY.to_owned(), Ok(()), &mut Apply::new(&mut state, &mut effects));
        assert_eq!(effects.secrets, forgets());
    }
}
