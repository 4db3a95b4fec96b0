//! Black-box tests; what they share.

pub mod display;
pub mod inspect;
