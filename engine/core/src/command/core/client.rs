//! The sender of a command.

use std::sync::{Arc, Mutex, PoisonError};

use bson::Document;

/// The sender of a command: a connection of the listener, or the program itself. Clones share their
/// state.
#[derive(Debug, Clone, Default)]
pub struct Client {
    /// The number of the connection; 0 for the program itself.
    pub connection_id: i32,
    /// Its address as `host:port`, or fixed text for a Unix socket; empty for the program itself.
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
    pub fn of_connection(connection_id: i32, address: String) -> Self {
        Self { connection_id, address, state: Arc::default() }
    }

    /// Whether this is the same client. Each listener numbers its own connections, so the number
    /// is not unique.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }

    /// The client metadata of the first `hello`: driver, system, application.
    pub fn metadata(&self) -> Option<Document> {
        self.lock().metadata.clone()
    }

    /// Keeps the client metadata of the first `hello`; later ones change nothing.
    pub fn introduce(&self, metadata: Document) {
        self.lock().metadata.get_or_insert(metadata);
    }

    /// The user that has logged in; `None` for the program itself and without authentication.
    pub fn user(&self) -> Option<String> {
        self.lock().user.clone()
    }

    /// Records the logged-in user; `None` after a logout.
    pub fn log_in(&self, user: Option<String>) {
        self.lock().user = user;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, ClientState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The database that users belong to.
pub const USERS_DB: &str = "admin";

/// The role of every user: all privileges.
pub const ROLE: &str = "root";
