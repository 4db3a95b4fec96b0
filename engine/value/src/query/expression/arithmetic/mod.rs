//! Operators on numbers.

mod bits;
mod exponential;
mod number;
mod rounding;
mod running;
mod sums;
#[cfg(test)]
mod tests;
mod total;
mod trigonometry;

pub(super) use bits::OPERATORS as BITS;
pub(super) use exponential::OPERATORS as EXPONENTIAL;
pub(super) use number::Number;
pub(super) use rounding::OPERATORS as ROUNDING;
pub(super) use sums::OPERATORS as SUMS;
pub use total::Total;
pub(super) use trigonometry::OPERATORS as TRIGONOMETRY;
