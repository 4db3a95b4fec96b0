//! Index builds: bounded steps, who runs them, and what happens when their state is damaged.

pub(super) mod build_owners;
pub(super) mod progress;
mod rebuild;
pub(super) mod steps;
