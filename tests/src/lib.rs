//! Black-box tests; what they share.

pub mod compositor;
pub mod deadline;
pub mod disk;
pub mod display;
pub mod documentdb;
pub mod frames;
pub mod gateway;
#[cfg(feature = "window")]
pub mod inspect;
pub mod program;
pub mod random;
pub mod removals;
pub mod server;
pub mod shim;
pub mod steps;
pub mod store;
pub mod victim;
