//! The iterative check of untrusted BSON.

use bson::{raw::RawDocument, spec::ElementType as T};

use super::field::{Tag, is_ascii, until_nul};

/// Largest document in bytes, MongoDB's own limit.
pub const DOCUMENT_BYTES_MAX: usize = 16_777_216;

/// Most levels of documents and arrays in one another, the outermost one counted.
pub const DEPTH_MAX: usize = 100;

/// The limits of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest document in bytes.
    pub bytes_max: usize,
    /// Most levels, the outermost document counted.
    pub depth_max: usize,
    /// Whether two fields of one document may have the same name.
    pub allow_duplicate_names: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes_max: DOCUMENT_BYTES_MAX, depth_max: DEPTH_MAX, allow_duplicate_names: true }
    }
}

/// Why bytes are not an acceptable document, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (byte {offset})")]
pub struct ScanError {
    /// The kind of damage.
    pub kind: ScanErrorKind,
    /// Offset in bytes from the start of the document.
    pub offset: usize,
}

/// The damage that a scan can find.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScanErrorKind {
    /// The document is larger than allowed.
    #[error("the document has {bytes} bytes; at most {max} are allowed")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The limit.
        max: usize,
    },
    /// Documents and arrays are nested too deeply.
    #[error("the document has more than {max} levels; nest it less deeply")]
    TooDeep {
        /// The limit.
        max: usize,
    },
    /// Two fields of one document have the same name.
    #[error("duplicate field {name:?}; rename or remove one")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// The bytes end within a value, or a length reaches beyond its document.
    #[error("the document is cut short: a {what} reaches beyond its end")]
    CutShort {
        /// The part that was being read.
        what: &'static str,
    },
    /// A length field does not agree with what it measures.
    #[error("the document is damaged: the length of a {what} is wrong")]
    WrongLength {
        /// The value that the length belongs to.
        what: &'static str,
    },
    /// No NUL byte where one must be.
    #[error("the document is damaged: a {what} does not end with a NUL byte")]
    NotTerminated {
        /// The part that was being read.
        what: &'static str,
    },
    /// Text is not UTF-8.
    #[error("the document is damaged: a {what} is not valid UTF-8")]
    NotUtf8 {
        /// The part that was being read.
        what: &'static str,
    },
    /// A type that BSON does not have.
    #[error("the document is damaged: {tag:#04x} is not a BSON type")]
    UnknownType {
        /// The type byte.
        tag: u8,
    },
    /// A boolean that is neither 0 nor 1.
    #[error("the document is damaged: {byte} is not a boolean")]
    NotBoolean {
        /// The byte found.
        byte: u8,
    },
}

use ScanErrorKind as Kind;

/// Checks a whole document with the default [`Limits`].
///
/// # Errors
/// The first thing found wrong.
pub fn check(bytes: &[u8]) -> Result<&RawDocument, ScanError> {
    check_with(bytes, &Limits::default())
}

/// Checks a whole document.
///
/// # Errors
/// The first thing found wrong.
pub fn check_with<'b>(bytes: &'b [u8], limits: &Limits) -> Result<&'b RawDocument, ScanError> {
    check_telling(bytes, limits).map(|(document, _)| document)
}

/// The facts that a scan collects about a document, at any level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DocumentFacts {
    /// Levels of documents and arrays, the outermost one counted.
    pub levels: usize,
    /// A field `_id` that is not the first of its document.
    pub late_id: bool,
    /// A timestamp.
    pub timestamp: bool,
}

impl DocumentFacts {
    /// The facts of two pieces together.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            levels: self.levels.max(other.levels),
            late_id: self.late_id | other.late_id,
            timestamp: self.timestamp | other.timestamp,
        }
    }

    #[inline]
    fn see(&mut self, kind: u8, name: &[u8], is_first: bool) {
        self.late_id |= !is_first && name == b"_id";
        self.timestamp |= kind == T::Timestamp as u8;
    }
}

/// Checks a whole document and returns its facts.
///
/// # Errors
/// The first thing found wrong.
pub fn check_telling<'b>(
    bytes: &'b [u8],
    limits: &Limits,
) -> Result<(&'b RawDocument, DocumentFacts), ScanError> {
    let max = limits.bytes_max;
    if bytes.len() > max {
        return Err(ScanError { kind: Kind::TooLarge { bytes: bytes.len(), max }, offset: 0 });
    }
    let mut scan = Scan {
        bytes,
        at: 0,
        end: bytes.len(),
        innermost: None,
        outer: Vec::new(),
        names: Vec::new(),
        met: DocumentFacts::default(),
    };
    let wrong = |offset| ScanError { kind: Kind::WrongLength { what: "document" }, offset };
    scan.open_document(limits)?;
    if scan.end != bytes.len() {
        return Err(wrong(0));
    }
    while scan.innermost.is_some() {
        scan.usual_elements(limits);
        scan.element(limits)?;
    }
    let document = RawDocument::from_bytes(bytes).map_err(|_| wrong(0))?;
    Ok((document, scan.met))
}

/// Type, name and the rest after a well-formed element that holds no others, has an ASCII name and
/// no rare type.
#[inline]
fn usual_element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    let (length, true) = until_nul(rest)? else { return None };
    let (name, rest) = rest.split_at_checked(length)?;
    let value = rest.get(1..)?;
    let Some(fixed) = Tag::of(tag).bytes else {
        if tag != T::String as u8 {
            return None;
        }
        let (length, text) = value.split_first_chunk()?;
        let length = usize::try_from(i32::from_le_bytes(*length)).ok()?;
        let (text, rest) = text.split_at_checked(length)?;
        let (0, text) = text.split_last()? else { return None };
        let is_text = is_ascii(text) || str::from_utf8(text).is_ok();
        return is_text.then_some((tag, name, rest));
    };
    let (value, rest) = value.split_at_checked(usize::from(fixed))?;
    let is_good = tag != T::Boolean as u8 || matches!(value, [0 | 1]);
    is_good.then_some((tag, name, rest))
}

/// A document or array that has begun and not ended.
#[derive(Clone, Copy)]
struct OpenDocument {
    /// Offset of its first element.
    begin: usize,
    /// Offset after its last byte.
    end: usize,
    /// Where its names begin in `Scan::names`.
    names_from: usize,
}

struct Scan<'b> {
    bytes: &'b [u8],
    at: usize,
    /// End of the innermost open document; nothing may reach beyond it.
    end: usize,
    innermost: Option<OpenDocument>,
    /// Those around the innermost one; most documents have none.
    outer: Vec<OpenDocument>,
    names: Vec<&'b [u8]>,
    met: DocumentFacts,
}

impl<'b> Scan<'b> {
    fn fail<T>(&self, kind: Kind) -> Result<T, ScanError> {
        Err(ScanError { kind, offset: self.at })
    }

    fn take(&mut self, count: usize, what: &'static str) -> Result<&'b [u8], ScanError> {
        let to = self.at.checked_add(count).filter(|to| *to <= self.end);
        let Some(taken) = to.and_then(|to| self.bytes.get(self.at..to)) else {
            return self.fail(Kind::CutShort { what });
        };
        self.at += count;
        Ok(taken)
    }

    fn byte(&mut self, what: &'static str) -> Result<u8, ScanError> {
        Ok(self.take(1, what)?.first().copied().unwrap_or(0))
    }

    fn length(&mut self, what: &'static str) -> Result<usize, ScanError> {
        let bytes = self.take(4, what)?.first_chunk().copied().unwrap_or_default();
        usize::try_from(i32::from_le_bytes(bytes))
            .or_else(|_| self.fail(Kind::WrongLength { what }))
    }

    fn utf8(&self, text: &[u8], what: &'static str) -> Result<(), ScanError> {
        if !is_ascii(text) && str::from_utf8(text).is_err() {
            self.fail(Kind::NotUtf8 { what })
        } else {
            Ok(())
        }
    }

    fn cstring(&mut self, what: &'static str) -> Result<&'b [u8], ScanError> {
        let rest = self.bytes.get(self.at..self.end).unwrap_or_default();
        let Some((length, is_ascii)) = until_nul(rest) else {
            return self.fail(Kind::NotTerminated { what });
        };
        let text = self.take(length + 1, what)?.get(..length).unwrap_or_default();
        if !is_ascii {
            self.utf8(text, what)?;
        }
        Ok(text)
    }

    fn string(&mut self, what: &'static str) -> Result<(), ScanError> {
        let length = self.length(what)?;
        if length == 0 {
            return self.fail(Kind::WrongLength { what });
        }
        match self.take(length, what)?.split_last() {
            Some((0, text)) => self.utf8(text, what),
            _ => self.fail(Kind::NotTerminated { what }),
        }
    }

    fn binary(&mut self) -> Result<(), ScanError> {
        let length = self.length("binary value")?;
        let old = self.byte("binary value")? == 2;
        let bytes = self.take(length, "binary value")?;
        let inner = bytes.first_chunk().map(|chunk| i64::from(i32::from_le_bytes(*chunk)));
        let rest = i64::try_from(length).unwrap_or(i64::MAX) - 4;
        if old && inner != Some(rest) {
            return self.fail(Kind::WrongLength { what: "binary value" });
        }
        Ok(())
    }

    fn open_document(&mut self, limits: &Limits) -> Result<(), ScanError> {
        let start = self.at;
        if self.outer.len() + usize::from(self.innermost.is_some()) >= limits.depth_max {
            return self.fail(Kind::TooDeep { max: limits.depth_max });
        }
        let length = self.length("document")?;
        let end = start.checked_add(length).filter(|end| *end <= self.end);
        let Some(end) = end else { return self.fail(Kind::CutShort { what: "document" }) };
        if length < 5 {
            return self.fail(Kind::WrongLength { what: "document" });
        }
        self.outer.extend(self.innermost);
        self.innermost = Some(OpenDocument { begin: self.at, end, names_from: self.names.len() });
        self.met.levels = self.met.levels.max(self.outer.len() + 1);
        self.end = end;
        Ok(())
    }

    fn close_document(&mut self, limits: &Limits) -> Result<(), ScanError> {
        let Some(closed) = self.innermost else { return Ok(()) };
        if self.at != closed.end {
            return self.fail(Kind::WrongLength { what: "document" });
        }
        if !limits.allow_duplicate_names {
            let names = self.names.get_mut(closed.names_from..).unwrap_or_default();
            names.sort_unstable();
            if let Some(name) = names.windows(2).find(|pair| pair.first() == pair.last()) {
                let name = String::from_utf8_lossy(name.first().unwrap_or(&&b""[..])).into_owned();
                return self.fail(Kind::DuplicateName { name });
            }
            self.names.truncate(closed.names_from);
        }
        self.innermost = self.outer.pop();
        self.end = self.innermost.map_or(self.bytes.len(), |outer| outer.end);
        Ok(())
    }

    /// Passes the elements of which nothing can be wrong and that hold no others, up to the first
    /// that needs [`Scan::element`].
    fn usual_elements(&mut self, limits: &Limits) {
        if !limits.allow_duplicate_names {
            return;
        }
        let mut is_first = self.is_at_first();
        let mut met = self.met;
        let mut rest = self.bytes.get(self.at..self.end).unwrap_or_default();
        // Most documents have few other elements, so this loop is most of a scan.
        while let Some((tag, name, behind)) = usual_element(rest) {
            met.see(tag, name, is_first);
            is_first = false;
            rest = behind;
        }
        self.met = met;
        self.at = self.end.saturating_sub(rest.len());
    }

    fn is_at_first(&self) -> bool {
        self.innermost.is_some_and(|open| open.begin == self.at)
    }

    /// One element, or the end of the innermost document.
    fn element(&mut self, limits: &Limits) -> Result<(), ScanError> {
        let is_first = self.is_at_first();
        let tag = self.byte("document")?;
        if tag == 0 {
            return self.close_document(limits);
        }
        let name = self.cstring("field name")?;
        if !limits.allow_duplicate_names {
            self.names.push(name);
        }
        let Tag { kind: Some(kind), bytes } = Tag::of(tag) else {
            self.at = self.at.saturating_sub(name.len() + 2);
            return self.fail(Kind::UnknownType { tag });
        };
        self.met.see(tag, name, is_first);
        match kind {
            T::String | T::JavaScriptCode | T::Symbol => self.string("string"),
            T::EmbeddedDocument | T::Array => self.open_document(limits),
            T::Binary => self.binary(),
            T::Boolean => self.boolean(),
            T::RegularExpression => {
                self.cstring("regular expression")?;
                self.cstring("regular expression").map(drop)
            }
            T::DbPointer => {
                self.string("namespace")?;
                self.take(12, "value").map(drop)
            }
            T::JavaScriptCodeWithScope => self.code_with_scope(limits),
            _ => self.take(bytes.map_or(0, usize::from), "value").map(drop),
        }
    }

    fn boolean(&mut self) -> Result<(), ScanError> {
        match self.byte("boolean")? {
            0 | 1 => Ok(()),
            byte => self.fail(Kind::NotBoolean { byte }),
        }
    }

    fn code_with_scope(&mut self, limits: &Limits) -> Result<(), ScanError> {
        let start = self.at;
        let length = self.length("code with scope")?;
        self.string("code with scope")?;
        self.open_document(limits)?;
        if start.checked_add(length) != Some(self.end) {
            return self.fail(Kind::WrongLength { what: "code with scope" });
        }
        Ok(())
    }
}
