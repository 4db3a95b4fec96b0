//! How deep documents and arrays lie in one another.

use bson::{
    raw::{RawBsonRef, RawIter},
    spec::ElementType,
};

/// Bytes that each further level takes at least: length, type, the end of a name, the end.
const LEVEL_BYTES_MIN: usize = 7;

/// Whether a value has more levels than this, a document or array alone being one. It does not
/// recurse, and a value too short to be that deep is not scanned.
pub fn is_deeper_than(value: RawBsonRef<'_>, levels: usize) -> bool {
    let Some((bytes, first)) = inside(value) else { return false };
    if levels == 0 {
        return true;
    }
    if bytes / LEVEL_BYTES_MIN < levels {
        return false;
    }
    let mut open = vec![first];
    while let Some(elements) = open.last_mut() {
        // Bytes that are not BSON end the level.
        let Some(element) = elements.next().and_then(Result::ok) else {
            open.pop();
            continue;
        };
        let is_open = matches!(
            element.element_type(),
            ElementType::EmbeddedDocument
                | ElementType::Array
                | ElementType::JavaScriptCodeWithScope
        );
        if is_open && let Some((_, inner)) = element.value().ok().and_then(inside) {
            if open.len() >= levels {
                return true;
            }
            open.push(inner);
        }
    }
    false
}

/// The bytes and the elements of what has elements.
fn inside(value: RawBsonRef<'_>) -> Option<(usize, RawIter<'_>)> {
    match value {
        RawBsonRef::Document(document) => {
            Some((document.as_bytes().len(), document.iter_elements()))
        }
        RawBsonRef::Array(array) => Some((array.as_bytes().len(), array.iter_elements())),
        RawBsonRef::JavaScriptCodeWithScope(code) => {
            Some((code.scope.as_bytes().len(), code.scope.iter_elements()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use bson::{RawArrayBuf, RawDocumentBuf, raw::cstr};

    use super::*;

    #[test]
    fn levels_are_counted_in_documents_and_arrays() {
        let (mut documents, mut arrays) = (RawDocumentBuf::new(), RawArrayBuf::new());
        for level in 1..300 {
            let check = |value: RawBsonRef<'_>, kind: &str| {
                assert!(!is_deeper_than(value, level), "{level} {kind}");
                assert!(is_deeper_than(value, level - 1), "{level} {kind}");
            };
            check(RawBsonRef::Document(&documents), "documents");
            check(RawBsonRef::Array(&arrays), "arrays");
            let (mut document, mut array) = (RawDocumentBuf::new(), RawArrayBuf::new());
            document.append(cstr!(""), documents);
            array.push(&*arrays);
            (documents, arrays) = (document, array);
        }
        assert!(!is_deeper_than(RawBsonRef::Int32(1), 0));
    }
}
