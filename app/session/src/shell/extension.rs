//! Extensions of a shell beyond mongosh.

use std::time::Duration;

use bson::Document;

/// More JavaScript, and the calls that it makes.
pub trait Extension {
    /// Files that are evaluated after the shell's own, with their names.
    fn prelude(&self) -> &'static [(&'static str, &'static str)];

    /// Answers `__host.call(name, argument)`.
    ///
    /// # Errors
    /// The message of the error that is thrown.
    fn call(&self, name: &str, argument: &Document) -> Result<Document, String>;

    /// How long calls and commands have let the user watch so far. No bound counts this time.
    fn watched(&self) -> Duration {
        Duration::ZERO
    }
}
