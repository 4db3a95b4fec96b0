//! The listener, on `admin`.

use bson::{Document, doc};
use mayfly_engine::command::ListenAt;

/// Reads the status of the listener.
pub fn status() -> Document {
    doc! { "mayflyListen": 1 }
}

/// Starts listening.
pub fn turn_on(at: &ListenAt) -> Document {
    match at {
        ListenAt::Port(port) => doc! { "mayflyListen": 1, "on": true, "port": i32::from(*port) },
        ListenAt::Socket(path) => {
            doc! { "mayflyListen": 1, "on": true, "socket": path.to_string_lossy().as_ref() }
        }
    }
}

/// Stops listening.
pub fn turn_off() -> Document {
    doc! { "mayflyListen": 1, "on": false }
}
