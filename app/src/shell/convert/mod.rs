//! BSON to JavaScript and back, without a text between.
//!
//! JavaScript has one number type; the others are objects of the classes in `js/types.js`, each with
//! `_bsontype` and the fields that [`from_js`] reads.

pub(super) mod from_js;
pub(super) mod to_js;
