//! Which fields a command may have been sent with.

use bson::raw::RawDocument;

use super::error::{Code, CommandError};

/// The names of a document's fields as a set that may hold a few more. Commands know many fields and
/// clients send few, so most of them need not be looked for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Names(u64);

impl Names {
    /// Those of a document.
    pub(super) fn of(document: &RawDocument) -> Self {
        let names = document.iter_elements().try_fold(Self::default(), |names, element| {
            element.map(|element| names.with(element.key().as_str()))
        });
        // What can't be read is found out by whoever looks for a field.
        names.unwrap_or(Self(u64::MAX))
    }

    /// With this name too.
    pub(super) fn with(self, name: &str) -> Self {
        Self(self.0 | Self::bit(name))
    }

    /// Whether the document may have a field of this name.
    pub(super) fn may_have(self, name: &str) -> bool {
        self.0 & Self::bit(name) != 0
    }

    /// Refuses a name that is among these already and stands twice in the document.
    pub(super) fn check_once(
        self,
        document: &RawDocument,
        place: &str,
        name: &str,
    ) -> Result<(), CommandError> {
        if !self.may_have(name) {
            return Ok(());
        }
        let keys = document.iter_elements().flatten().map(|element| element.key().as_str());
        match keys.filter(|key| *key == name).count() {
            0 | 1 => Ok(()),
            _ => Err(duplicate_field(place, name)),
        }
    }

    fn bit(name: &str) -> u64 {
        let (first, last) = (name.as_bytes().first(), name.as_bytes().last());
        let byte = |byte: Option<&u8>| byte.copied().map_or(0, u32::from);
        let spread = byte(first).wrapping_mul(5) ^ byte(last).wrapping_mul(3);
        let length = u32::try_from(name.len()).unwrap_or(0).wrapping_mul(11);
        1 << ((spread ^ length) % u64::BITS)
    }
}

/// Of two fields with one name only one would be heeded, and nobody knows which one was meant.
pub(super) fn duplicate_field(place: &str, name: &str) -> CommandError {
    CommandError::new(
        Code::IDL_DUPLICATE_FIELD,
        format!("BSON field '{place}.{name}' is a duplicate field"),
    )
}

#[cfg(test)]
mod tests {
    use bson::rawdoc;

    use super::*;

    #[test]
    fn a_name_that_is_there_is_never_missed() {
        let document = rawdoc! { "find": "c", "filter": {}, "": 1, "ключ": 2 };
        let names = Names::of(&document);
        for name in ["find", "filter", "", "ключ"] {
            assert!(names.may_have(name), "{name}");
        }
        let absent = ["sort", "projection", "hint", "skip", "limit", "let", "maxTimeMS", "comment"];
        let missed = absent.iter().filter(|name| !names.may_have(name)).count();
        assert!(missed > absent.len() / 2, "the set tells most names apart: {missed}");
        assert!(!Names::default().may_have("find"));
    }

    #[test]
    fn of_what_can_not_be_read_any_name_may_be_there() {
        let cut = RawDocument::from_bytes(b"\x08\0\0\0\x10a\0\0").expect("a length and an end");
        assert!(Names::of(cut).may_have("b"));
    }
}
