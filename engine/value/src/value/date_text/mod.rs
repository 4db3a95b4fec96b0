//! Dates that files hold as text or numbers: how they are written, and what instant they are.
//!
//! MongoDB never expires a document whose indexed field holds text. So text that looks like a date
//! is detected over a sample and read by a strftime layout. The order of day and month is never
//! guessed: when the sample does not decide it, [`Order::Ask`] has the choices.

mod common;
mod detect;
mod dialect;
mod form;
mod layout;
#[cfg(test)]
mod tests;

pub use detect::{Alternative, DateSample, Detection, Detector, Order, TEXTS_MAX};
pub use dialect::Dialect;
pub use form::DateForm;
pub use layout::{DateError, DateOrder, Layout, LayoutPart};
