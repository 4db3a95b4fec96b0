//! One parser for Extended JSON and mongosh literals. It writes BSON as it reads.
//!
//! Why not a general JSON reader: whole numbers keep all their digits, doubles are exact, a name
//! that stands twice is refused there, and the same wrappers mean the same in both dialects.

use std::borrow::Cow;

use bson::spec::ElementType as T;

use super::{
    error::Fault,
    names::Name,
    nonstandard::{Nonstandard, NonstandardCounter},
    numbers::{self, Literal, NotANumber},
    strings,
};
use crate::value::scan::{DEPTH_MAX, DOCUMENT_BYTES_MAX};

/// Which text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::value) enum Dialect {
    /// Strict JSON with the wrappers of Extended JSON.
    Json,
    /// mongosh: also bare names, single quotes, comments, trailing commas, constructors.
    Shell,
}

/// Buffers that outlive one document, so that reading many allocates once.
#[derive(Debug, Default)]
pub(in crate::value) struct Work {
    pub(in crate::value) out: Vec<u8>,
    /// The non-standard forms that are accepted, and how often each was met.
    pub(in crate::value) taking: NonstandardCounter,
    /// The names of the fields of all open documents.
    pub(super) names: Vec<Name>,
    /// The time of `new Date()`, in ms since 1970. `None` refuses it, and `ObjectId()` and `UUID()`.
    pub(in crate::value) now_ms: Option<i64>,
    /// Some document so far has a name twice, which is read.
    pub(super) has_duplicate: bool,
}

/// Reads from a slice of bytes.
pub(in crate::value) struct Parser<'t, 'w> {
    pub(in crate::value) bytes: &'t [u8],
    pub(in crate::value) at: usize,
    pub(super) dialect: Dialect,
    pub(in crate::value) work: &'w mut Work,
}

type Done = Result<(), Fault>;

/// The first offset from `at` on that is not white space.
pub(in crate::value) fn skip_space(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let space = |byte: &u8| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
    rest.iter().position(space).map_or(bytes.len(), |length| at + length)
}

impl<'t, 'w> Parser<'t, 'w> {
    pub(in crate::value) fn new(
        bytes: &'t [u8],
        at: usize,
        dialect: Dialect,
        work: &'w mut Work,
    ) -> Self {
        let mut parser = Self { bytes, at, dialect, work };
        parser.restart(at, dialect);
        parser
    }

    /// Begins again at this place, in this dialect.
    pub(in crate::value) fn restart(&mut self, at: usize, dialect: Dialect) {
        (self.at, self.dialect) = (at, dialect);
        self.work.out.clear();
        self.work.names.clear();
        self.work.has_duplicate = false;
    }

    /// Reads one document into `work.out`.
    pub(in crate::value) fn whole_document(&mut self) -> Done {
        match self.peek()? {
            b'{' => self.document(1),
            b'[' => {
                let message = "a document is expected here, not an array; wrap each one, such as \
                               {\"values\": [1]}";
                Err(Fault::new(self.at, message))
            }
            _ => Err(Fault::new(self.at, "a document is expected here; it starts with {")),
        }
    }

    /// Reads one value into `work.out`, as the field with the empty name of a document.
    pub(in crate::value) fn whole_value(&mut self) -> Done {
        self.work.out.extend_from_slice(&[0; 6]);
        self.value(4, 1)?;
        self.finish_document(0)
    }

    /// Reads the next of several values into `work.out`. Returns whether there is no further one;
    /// there must be a first one.
    pub(in crate::value) fn next_value(&mut self, is_first: bool) -> Result<bool, Fault> {
        self.space()?;
        if !is_first && self.bytes.get(self.at) == Some(&b',') {
            self.at += 1;
            self.space()?;
        }
        if !is_first && self.at >= self.bytes.len() {
            return Ok(true);
        }
        self.whole_value().map(|()| false)
    }

    /// Nothing may follow but white space.
    pub(in crate::value) fn end(&mut self) -> Done {
        self.space()?;
        if self.at < self.bytes.len() {
            return Err(Fault::new(self.at, "unexpected text after the value; remove it"));
        }
        Ok(())
    }

    pub(super) fn is_shell(&self) -> bool {
        self.dialect == Dialect::Shell
    }

    pub(super) fn fail<R>(&self, message: impl Into<Cow<'static, str>>) -> Result<R, Fault> {
        Err(Fault::new(self.at, message))
    }

    /// Skips white space, and comments in the shell's dialect.
    pub(super) fn space(&mut self) -> Done {
        self.at = skip_space(self.bytes, self.at);
        while self.is_shell() && self.bytes.get(self.at) == Some(&b'/') {
            let rest = self.bytes.get(self.at + 2..).unwrap_or_default();
            let length = match self.bytes.get(self.at + 1) {
                Some(b'/') => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
                Some(b'*') => match rest.windows(2).position(|pair| pair == b"*/") {
                    Some(length) => length + 2,
                    None => return self.fail("unterminated comment; close it with */"),
                },
                _ => return Ok(()),
            };
            self.at = skip_space(self.bytes, self.at + 2 + length);
        }
        Ok(())
    }

    /// The next byte that is not white space; it is not used up.
    #[inline]
    pub(in crate::value) fn peek(&mut self) -> Result<u8, Fault> {
        // Nearly always there is no space and no comment.
        match self.bytes.get(self.at) {
            Some(byte) if *byte > b' ' && *byte != b'/' => Ok(*byte),
            _ => self.peek_behind_space(),
        }
    }

    fn peek_behind_space(&mut self) -> Result<u8, Fault> {
        self.space()?;
        self.bytes.get(self.at).copied().ok_or(Fault::cut(self.bytes.len()))
    }

    /// Uses up the next byte if it is this one.
    pub(in crate::value) fn take(&mut self, byte: u8) -> Result<bool, Fault> {
        let found = self.peek()? == byte;
        self.at += usize::from(found);
        Ok(found)
    }

    pub(in crate::value) fn expect(&mut self, byte: u8, message: &'static str) -> Done {
        if self.take(byte)? { Ok(()) } else { self.fail(message) }
    }

    /// Reads a value and sets its type byte at `tag_at` of the output.
    pub(super) fn value(&mut self, tag_at: usize, depth: usize) -> Done {
        match self.peek()? {
            b'{' => self.object(tag_at, depth + 1),
            b'[' => self.array(tag_at, depth + 1),
            b'"' => self.string_value(tag_at, b'"'),
            b'\'' if self.is_shell() => self.string_value(tag_at, b'\''),
            b'-' | b'0'..=b'9' => self.number(tag_at),
            b'.' | b'+' if self.is_shell() => self.number(tag_at),
            b'/' if self.is_shell() => self.regex_literal(tag_at),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => self.word(tag_at, depth),
            b'/' => self.fail("comments are not part of JSON; remove it"),
            b'\'' => self.fail("JSON requires double quotes; use \" instead of '"),
            b',' | b']' | b'}' => self.fail("a value is missing here"),
            _ => self.fail("unexpected character"),
        }
    }

    pub(super) fn set_tag(&mut self, tag_at: usize, tag: T) {
        if let Some(byte) = self.work.out.get_mut(tag_at) {
            *byte = tag as u8;
        }
    }

    pub(super) fn put(&mut self, tag_at: usize, tag: T, payload: &[u8]) {
        self.set_tag(tag_at, tag);
        self.work.out.extend_from_slice(payload);
    }

    /// Appends a BSON string: length, bytes, NUL.
    pub(super) fn put_text(&mut self, tag_at: usize, tag: T, text: &str) {
        self.set_tag(tag_at, tag);
        let length = i32::try_from(text.len() + 1).unwrap_or(i32::MAX);
        self.work.out.extend_from_slice(&length.to_le_bytes());
        self.work.out.extend_from_slice(text.as_bytes());
        self.work.out.push(0);
    }

    fn string_value(&mut self, tag_at: usize, quote: u8) -> Done {
        let start = self.work.out.len();
        self.put(tag_at, T::String, &[0; 4]);
        self.quoted(quote)?;
        self.work.out.push(0);
        self.patch_length(start, start + 4)
    }

    /// Appends the text in quotes at the present place to the output.
    pub(super) fn quoted(&mut self, quote: u8) -> Done {
        let shell = self.is_shell();
        let (out, taking) = (&mut self.work.out, &mut self.work.taking);
        self.at = strings::read(self.bytes, self.at + 1, quote, shell, out, taking)?;
        Ok(())
    }

    /// The text in quotes that must come next.
    pub(super) fn text(&mut self, message: &'static str) -> Result<Cow<'t, str>, Fault> {
        let quote = self.peek()?;
        if quote != b'"' && !(self.is_shell() && quote == b'\'') {
            return self.fail(message);
        }
        if let Some(plain) = strings::plain(self.bytes, self.at + 1, quote) {
            self.at += plain.len() + 2;
            return Ok(Cow::Borrowed(plain));
        }
        let mut text = Vec::new();
        let (shell, taking) = (self.is_shell(), &mut self.work.taking);
        self.at = strings::read(self.bytes, self.at + 1, quote, shell, &mut text, taking)?;
        String::from_utf8(text)
            .map(Cow::Owned)
            .or_else(|_| self.fail("the text is not valid UTF-8"))
    }

    /// Writes the number of bytes from `from` to the end into the four bytes at `at`.
    pub(super) fn patch_length(&mut self, at: usize, from: usize) -> Done {
        let out = &mut self.work.out;
        let length = out.len() - from;
        if out.len() > DOCUMENT_BYTES_MAX {
            let message = format!(
                "the document is larger than {DOCUMENT_BYTES_MAX} bytes; split it into several"
            );
            return self.fail(message);
        }
        let length = u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
        if let Some(field) = out.get_mut(at..at + 4) {
            field.copy_from_slice(&length);
        }
        Ok(())
    }

    pub(super) fn finish_document(&mut self, start: usize) -> Done {
        self.work.out.push(0);
        self.patch_length(start, start)
    }

    pub(super) fn check_depth(&self, depth: usize) -> Done {
        if depth > DEPTH_MAX {
            let message = format!("more than {DEPTH_MAX} levels of nesting; use fewer");
            return self.fail(message);
        }
        Ok(())
    }

    fn object(&mut self, tag_at: usize, depth: usize) -> Done {
        let start = self.at;
        self.at += 1;
        if self.wrapper(tag_at, depth)? {
            return Ok(());
        }
        self.at = start;
        self.set_tag(tag_at, T::EmbeddedDocument);
        self.document(depth)
    }

    /// Reads a document from its opening brace on.
    pub(super) fn document(&mut self, depth: usize) -> Done {
        self.check_depth(depth)?;
        self.at += 1;
        let start = self.work.out.len();
        let names_from = self.work.names.len();
        self.work.out.extend_from_slice(&[0; 4]);
        if !self.take(b'}')? {
            loop {
                let tag_at = self.work.out.len();
                self.work.out.push(0);
                self.name(names_from)?;
                self.expect(b':', "missing colon after the field name")?;
                self.value(tag_at, depth)?;
                if !self.more(b'}', "a comma or the closing brace } is missing here")? {
                    break;
                }
            }
        }
        self.close_names(names_from)?;
        self.finish_document(start)
    }

    fn array(&mut self, tag_at: usize, depth: usize) -> Done {
        self.check_depth(depth)?;
        self.at += 1;
        let start = self.work.out.len();
        self.put(tag_at, T::Array, &[0; 4]);
        if !self.take(b']')? {
            for position in 0_u32.. {
                let tag_at = self.work.out.len();
                self.work.out.push(0);
                append_position(&mut self.work.out, position);
                self.work.out.push(0);
                self.value(tag_at, depth)?;
                if !self.more(b']', "a comma or the closing bracket ] is missing here")? {
                    break;
                }
            }
        }
        self.finish_document(start)
    }

    /// Between two elements: whether another one follows.
    fn more(&mut self, close: u8, message: &'static str) -> Result<bool, Fault> {
        if self.take(close)? {
            return Ok(false);
        }
        let comma = self.at;
        self.expect(b',', message)?;
        if self.peek()? != close {
            return Ok(true);
        }
        if !self.is_shell() {
            return Err(Fault::new(comma, "trailing comma; remove it"));
        }
        self.at += 1;
        Ok(false)
    }

    /// Letters, digits, `_`, `$` and whatever is not ASCII; used up. May be empty.
    pub(super) fn bare_word(&mut self) -> &'t str {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | 0x80..);
        let length = rest.iter().take_while(|byte| word(byte)).count();
        let text = rest.get(..length).and_then(|word| str::from_utf8(word).ok()).unwrap_or("");
        self.at += text.len();
        text
    }

    /// The characters of a number literal; used up.
    pub(super) fn number_text(&mut self) -> &'t str {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| numbers::is_part(**byte)).count();
        let text = rest.get(..length).and_then(|text| str::from_utf8(text).ok()).unwrap_or("");
        self.at += length;
        text
    }

    fn number(&mut self, tag_at: usize) -> Done {
        let start = self.at;
        if let Some((int, length)) = numbers::plain_int(self.bytes.get(start..).unwrap_or_default())
        {
            self.at += length;
            match i32::try_from(int) {
                Ok(int) => self.put(tag_at, T::Int32, &int.to_le_bytes()),
                Err(_) => self.put(tag_at, T::Int64, &int.to_le_bytes()),
            }
            return Ok(());
        }
        let text = self.number_text();
        match self.literal(text, start)? {
            Literal::Int32(int) => self.put(tag_at, T::Int32, &int.to_le_bytes()),
            Literal::Int64(int) => self.put(tag_at, T::Int64, &int.to_le_bytes()),
            Literal::Double(double) => self.put(tag_at, T::Double, &double.to_le_bytes()),
        }
        Ok(())
    }

    /// The number of a literal at this place, in this dialect.
    pub(super) fn literal(&mut self, text: &str, at: usize) -> Result<Literal, Fault> {
        if text == "-Infinity" {
            let double = if self.is_shell() { f64::NEG_INFINITY } else { self.bare(text, at)? };
            return Ok(Literal::Double(double));
        }
        let found = match numbers::literal(text) {
            Err(NotANumber::Malformed) if self.is_shell() => {
                // JavaScript also has `.5`, `5.` and a leading plus.
                // Not `010`, which is 8 there in old code.
                let digits = text.trim_start_matches(['+', '-']).as_bytes();
                let is_octal = matches!(digits, [b'0', b'0'..=b'9', ..]);
                let number =
                    !is_octal && text.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b));
                let double = text.parse().ok().filter(|double: &f64| number && double.is_finite());
                double.map(Literal::Double).ok_or(NotANumber::Malformed)
            }
            Err(NotANumber::BeyondInt64(double))
                if self.work.taking.takes(Nonstandard::BigInteger, 1) =>
            {
                Ok(Literal::Double(double))
            }
            found => found,
        };
        found.map_err(|error| {
            let decimal = match self.dialect {
                Dialect::Json => format!("{{\"$numberDecimal\": \"{text}\"}}"),
                Dialect::Shell => format!("Decimal128('{text}')"),
            };
            match error {
                NotANumber::Malformed => Fault::new(at, format!("{text} is not a number")),
                NotANumber::BeyondInt64(_) => {
                    let message = format!(
                        "{text} is larger than 64 bits; write it as {decimal} to keep its digits"
                    );
                    Fault::odd(at, Nonstandard::BigInteger, message)
                }
                NotANumber::BeyondDouble => {
                    let message = "is out of range for a double; write it as";
                    Fault::new(at, format!("{text} {message} {decimal}"))
                }
            }
        })
    }

    /// `NaN`, `Infinity` or `-Infinity` without quotes, which JSON does not have.
    fn bare(&mut self, word: &str, at: usize) -> Result<f64, Fault> {
        match numbers::quoted_double(word) {
            Some(double) if self.work.taking.takes(Nonstandard::NotFinite, 1) => Ok(double),
            _ => {
                let message =
                    format!("{word} is not JSON; write it as {{\"$numberDouble\": \"{word}\"}}");
                Err(Fault::odd(at, Nonstandard::NotFinite, message))
            }
        }
    }

    /// `true`, `false`, `null`, and in the shell's dialect everything that starts with a name.
    fn word(&mut self, tag_at: usize, depth: usize) -> Done {
        let start = self.at;
        let word = self.bare_word();
        match word {
            "true" => self.put(tag_at, T::Boolean, &[1]),
            "false" => self.put(tag_at, T::Boolean, &[0]),
            "null" => self.put(tag_at, T::Null, &[]),
            _ if self.is_shell() => return self.constructor(start, word, tag_at, depth),
            "NaN" | "Infinity" => {
                let double = self.bare(word, start)?;
                self.put(tag_at, T::Double, &double.to_le_bytes());
            }
            _ => {
                let message = format!("{word} is not a JSON value; put strings in double quotes");
                return Err(Fault::new(start, message));
            }
        }
        Ok(())
    }
}

/// Appends the name of an array's element.
fn append_position(out: &mut Vec<u8>, position: u32) {
    let mut digits = [0; 10];
    let mut rest = position;
    let mut count = 0;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
        count += 1;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(digits.len() - count..).unwrap_or_default());
}
