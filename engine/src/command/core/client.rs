//! Who sends a command.

use std::sync::{Arc, Mutex, PoisonError};

use bson::Document;

/// Who sends a command: a connection of the listener, or the program itself. A clone is the same
/// client.
#[derive(Debug, Clone, Default)]
pub struct Client {
    /// The number of the connection; 0 for the program itself.
    pub connection_id: i32,
    /// Its address as `host:port`, or the words for a socket's other end, which has none; empty for the
    /// program itself.
    pub address: String,
    state: Arc<Mutex<ClientState>>,
}

#[derive(Debug, Default)]
struct ClientState {
    metadata: Option<Document>,
    user: Option<String>,
}

impl Client {
    /// The client of a connection.
    #[must_use]
    pub fn of_connection(connection_id: i32, address: String) -> Self {
        Self { connection_id, address, state: Arc::default() }
    }

    /// Whether this is the same client. Numbers are given by each listener anew.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }

    /// What the client said about itself in its first `hello`: driver, system, application.
    #[must_use]
    pub fn metadata(&self) -> Option<Document> {
        self.lock().metadata.clone()
    }

    /// Keeps what the client says about itself, the first time it does.
    pub fn introduce(&self, metadata: Document) {
        self.lock().metadata.get_or_insert(metadata);
    }

    /// The user that has logged in; `None` for the program itself and without authentication.
    #[must_use]
    pub fn user(&self) -> Option<String> {
        self.lock().user.clone()
    }

    /// Notes who has logged in, or with `None` that nobody is any more.
    pub fn log_in(&self, user: Option<String>) {
        self.lock().user = user;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, ClientState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The database that users belong to.
pub const USERS_DB: &str = "admin";

/// What a user may do: everything.
pub const ROLE: &str = "root";
