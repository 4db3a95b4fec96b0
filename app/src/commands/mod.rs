//! The MongoDB commands that the window sends, as documents.

pub mod archive;
pub mod clock;
pub mod documents;
pub mod expiry;
pub mod indexes;
pub mod listener;
pub mod maintenance;
pub mod reaper;
pub mod store;
pub mod trash;

#[cfg(test)]
mod tests;
