//! BSON to JavaScript and back, without a text between.
//!
//! JavaScript has one number type; the others are objects of the classes in `js/classes.js`,
//! `js/long.js`, `js/binary.js` and `js/dates.js`. As in mongosh, a round trip turns a double that
//! is a whole number of 32 bits into an int32, BSON's `undefined` into null, and sorts names that
//! are whole numbers to the front. Every other type and digit survives it, except the payload of a
//! decimal's NaN.
//!
//! mongosh loses more: it reads a date beyond JavaScript's range as invalid, a symbol as a string,
//! and drops options of a regular expression. Here a separate class keeps each of them.

pub(super) mod from_js;
pub(super) mod functions;
mod kinds;
pub(super) mod to_js;

/// Levels of documents and arrays in one command: a stored document has at most 100, and the command
/// around it a few. More are a mistake, such as an object that contains itself.
const LEVELS_MAX: usize = 120;
