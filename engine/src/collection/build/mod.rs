//! Index builds: bounded steps, who runs them, and what happens when their state is damaged.

pub(super) mod build_owners;
mod rebuild;
pub(super) mod steps;
