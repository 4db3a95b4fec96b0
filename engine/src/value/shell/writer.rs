//! BSON to mongosh literals.

use bson::{Bson, raw::RawDocument};

use crate::value::text::Layout;

/// One value as mongosh shows it: `ObjectId('…')`, `ISODate('…')`, `Long('…')`.
pub fn write_value(value: &Bson, layout: Layout) -> String {
    let _ = (value, layout);
    todo!()
}

/// One document as mongosh shows it.
pub fn write_document(document: &RawDocument, layout: Layout) -> String {
    let _ = (document, layout);
    todo!()
}
