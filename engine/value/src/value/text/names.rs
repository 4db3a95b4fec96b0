//! The names of fields: each is unique in a document, or the last one is kept.

use xxhash_rust::xxh3::xxh3_64;

use super::{
    error::Fault,
    nonstandard::Nonstandard,
    parser::{Parser, Work},
};

/// Fields up to which each new name is compared with all before it; beyond, names are sorted once.
const NAMES_COMPARED: usize = 48;

/// A field name of an open document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name {
    hash: u64,
    /// Its first byte in the output; the type of its value is before it.
    start: usize,
    length: usize,
    /// Its place in the text.
    at: usize,
}

type Done = Result<(), Fault>;

impl Parser<'_, '_> {
    /// Reads a field's name into the output, with its NUL.
    pub(super) fn name(&mut self, names_from: usize) -> Done {
        let (start, at) = (self.work.out.len(), {
            self.peek()?;
            self.at
        });
        self.raw_name()?;
        let bytes = self.work.out.get(start..).unwrap_or_default();
        if bytes.contains(&0) {
            return Err(Fault::new(at, "a field name can't hold a NUL character; remove it"));
        }
        let name = Name { hash: xxh3_64(bytes), start, length: bytes.len(), at };
        self.work.out.push(0);
        let open = self.work.names.get(names_from..).unwrap_or_default();
        if open.len() < NAMES_COMPARED && open.iter().any(|other| self.work.is_same(other, &name)) {
            self.duplicate(&name)?;
        }
        self.work.names.push(name);
        Ok(())
    }

    fn raw_name(&mut self) -> Done {
        match self.peek()? {
            b'"' => self.quoted(b'"'),
            b'\'' if self.is_shell() => self.quoted(b'\''),
            _ if self.is_shell() => {
                let name = self.bare_word();
                if name.is_empty() {
                    return self.fail("a field name is expected here");
                }
                self.work.out.extend_from_slice(name.as_bytes());
                Ok(())
            }
            _ => self.fail("a field name in double quotes is expected here"),
        }
    }

    /// At the end of a document: checks that its names are unique.
    pub(super) fn close_names(&mut self, names_from: usize) -> Done {
        if self.work.has_duplicate || self.work.names.len() - names_from > NAMES_COMPARED {
            let mut sorted = self.work.names.get(names_from..).unwrap_or_default().to_vec();
            sorted.sort_unstable_by(|a, b| self.work.order(a, b));
            let mut earlier = Vec::new();
            for pair in sorted.windows(2) {
                if let [name, later] = pair
                    && self.work.is_same(name, later)
                {
                    self.duplicate(later)?;
                    earlier.push(name.start);
                }
            }
            earlier.sort_unstable();
            self.work.remove(names_from, &earlier);
        }
        self.work.names.truncate(names_from);
        Ok(())
    }

    /// A duplicate name: an error, unless the last one is kept.
    #[cold]
    fn duplicate(&mut self, name: &Name) -> Done {
        self.work.has_duplicate = self.work.taking.leniency.takes(Nonstandard::DuplicateField);
        if self.work.has_duplicate {
            return Ok(());
        }
        let text = String::from_utf8_lossy(self.work.bytes_of(name));
        let message = format!("duplicate field {text:?}; remove one");
        Err(Fault::odd(name.at, Nonstandard::DuplicateField, message))
    }
}

impl Work {
    fn bytes_of(&self, name: &Name) -> &[u8] {
        self.out.get(name.start..name.start + name.length).unwrap_or_default()
    }

    fn is_same(&self, a: &Name, b: &Name) -> bool {
        a.hash == b.hash && self.bytes_of(a) == self.bytes_of(b)
    }

    /// Brings equal names together, in the order of the text.
    fn order(&self, a: &Name, b: &Name) -> std::cmp::Ordering {
        let of_hash = a.hash.cmp(&b.hash);
        let of_bytes = || self.bytes_of(a).cmp(self.bytes_of(b));
        of_hash.then_with(of_bytes).then_with(|| a.at.cmp(&b.at))
    }

    /// Removes the fields whose names start at these places from the innermost document.
    fn remove(&mut self, names_from: usize, earlier: &[usize]) {
        let Some(first) = earlier.first() else { return };
        self.taking.takes(Nonstandard::DuplicateField, earlier.len());
        let names = self.names.get(names_from..).unwrap_or_default();
        let mut kept = first - 1;
        for (place, name) in names.iter().enumerate() {
            let end = names.get(place + 1).map_or(self.out.len(), |next| next.start - 1);
            if name.start > *first && earlier.binary_search(&name.start).is_err() {
                self.out.copy_within(name.start - 1..end, kept);
                kept += end - (name.start - 1);
            }
        }
        self.out.truncate(kept);
    }
}
