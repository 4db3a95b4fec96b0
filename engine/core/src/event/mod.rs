//! Events of the engine as plain data, and the hub that sends them to subscribers.

mod events;
mod hub;
mod pass;

pub use events::{BuildProgress, Event, Finding};
pub use hub::{EventHub, Subscription};
pub use pass::{IndexReport, PassReport, RemovedDocument, RestoredDocument};
