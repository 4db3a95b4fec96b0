//! A small Bloom filter over the field names of a command.

use bson::raw::RawDocument;

use super::{Code, CommandError};

/// The field names of a document as a Bloom filter. Commands know many fields and clients send few,
/// so most lookups end here.
#[derive(Debug, Clone, Copy, Default)]
pub struct FieldFilter {
    bits: u64,
    /// Number of names; a duplicate counts twice.
    count: usize,
}

/// Up to this many fields, each name is compared with those before it. Beyond it, all names are
/// sorted once. No command knows this many fields.
const NAMES_COMPARED: usize = 64;

impl FieldFilter {
    /// The names of a document.
    pub fn of(document: &RawDocument) -> Self {
        let names = document.iter_elements().try_fold(Self::default(), |names, element| {
            element.map(|element| names.with(element.key().as_str()))
        });
        // An unreadable document may have any name: the error surfaces when a field is read.
        names.unwrap_or(Self { bits: u64::MAX, count: usize::MAX })
    }

    /// Adds a name.
    pub fn with(self, name: &str) -> Self {
        Self { bits: self.bits | Self::bit(name), count: self.count.saturating_add(1) }
    }

    /// Whether the document may have a field of this name.
    pub fn may_have(self, name: &str) -> bool {
        self.bits & Self::bit(name) != 0
    }

    /// Refuses a name that is among these first names of the document. After too many names to
    /// compare one by one, [`FieldFilter::check_many_once`] does it.
    pub fn check_once(
        self,
        document: &RawDocument,
        place: &str,
        name: &str,
    ) -> Result<(), CommandError> {
        if self.count > NAMES_COMPARED || !self.may_have(name) {
            return Ok(());
        }
        let mut before = document.iter_elements().flatten().take(self.count);
        if before.any(|element| element.key().as_str() == name) {
            return Err(duplicate_field(place, name));
        }
        Ok(())
    }

    /// Refuses a document with many names that has a duplicate.
    pub fn check_many_once(self, document: &RawDocument, place: &str) -> Result<(), CommandError> {
        if self.count <= NAMES_COMPARED {
            return Ok(());
        }
        let keys = document.iter_elements().flatten().map(|element| element.key().as_str());
        let mut keys: Vec<_> = keys.collect();
        keys.sort_unstable();
        match keys.array_windows().find(|[name, next]| name == next) {
            Some([name, _]) => Err(duplicate_field(place, name)),
            None => Ok(()),
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

/// A duplicate field is refused: a command reads only one of the two, maybe not the one that was
/// meant.
pub fn duplicate_field(place: &str, name: &str) -> CommandError {
    CommandError::new(
        Code::IDL_DUPLICATE_FIELD,
        format!("BSON field '{place}.{name}' is a duplicate field"),
    )
}

#[cfg(test)]
mod tests {
    use bson::{Bson, Document, RawDocumentBuf, raw::CString, rawdoc};

    use super::*;
    use crate::command::testing::Lab;

    #[test]
    fn a_name_that_is_there_is_never_missed() {
        let document = rawdoc! { "find": "c", "filter": {}, "": 1, "ключ": 2 };
        let names = FieldFilter::of(&document);
        for name in ["find", "filter", "", "ключ"] {
            assert!(names.may_have(name), "{name}");
        }
        let absent = ["sort", "projection", "hint", "skip", "limit", "let", "maxTimeMS", "comment"];
        let missed = absent.iter().filter(|name| !names.may_have(name)).count();
        assert!(missed > absent.len() / 2, "the set tells most names apart: {missed}");
        assert!(!FieldFilter::default().may_have("find"));
    }

    /// A command with this many fields that no command knows, all of which begin alike.
    fn with_fields(count: usize) -> Document {
        let fields = (0..count).map(|number| (format!("${number:x}"), Bson::Int32(1)));
        [("ping".to_owned(), Bson::Int32(1))].into_iter().chain(fields).collect()
    }

    #[test]
    fn a_field_that_stands_twice_is_found_among_few_and_many() {
        for count in [1, 62, 63, 64, 65, 500] {
            let command = with_fields(count);
            assert!(Lab::new().run_document(&command).contains_key("ok"));
            for at in [0, count / 2, count - 1] {
                let mut command = RawDocumentBuf::try_from(&command).expect("a command");
                let name = CString::try_from(format!("${at:x}")).expect("no NUL");
                command.append(name, 2);
                let lab = Lab::new();
                let reply = lab.engine.run_raw("test", &command);
                let code = reply.get_i32("code").ok();
                assert_eq!(code, Some(40413), "{at} of {count}: {reply:?}");
            }
        }
    }

    /// Each of many names compared with all others would take a minute.
    #[test]
    fn among_many_a_name_is_left_to_the_one_look_at_all_of_them() {
        for count in [NAMES_COMPARED, NAMES_COMPARED + 1] {
            let few = count == NAMES_COMPARED;
            let mut document = rawdoc! { "twice": 1 };
            for number in 1..count {
                document.append(CString::try_from(format!("f{number}")).expect("no NUL"), 1);
            }
            let names = FieldFilter::of(&document);
            document.append(CString::try_from("twice").expect("no NUL"), 2);
            assert_eq!(names.check_once(&document, "ping", "twice").is_err(), few);
            assert_eq!(names.check_many_once(&document, "ping").is_err(), !few);
        }
    }

    #[test]
    fn of_what_can_not_be_read_any_name_may_be_there() {
        let cut = RawDocument::from_bytes(b"\x08\0\0\0\x10a\0\0").expect("a length and an end");
        assert!(FieldFilter::of(cut).may_have("b"));
    }
}
