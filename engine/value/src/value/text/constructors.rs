//! Literals of mongosh that start with a name or a slash: `ObjectId('…')`, `NaN`, `/re/i`.

use std::borrow::Cow;

use bson::{oid::ObjectId, spec::ElementType as T};

use super::{
    base,
    date::{Zone, parse_iso},
    error::Fault,
    numbers::{self, Literal},
    parser::Parser,
};

type Done = Result<(), Fault>;

/// The subtype of a UUID in the order of an older driver.
const LEGACY_UUID: u8 = 3;

/// The characters that may be between the digits of a UUID.
const UUID_MARKS: [char; 3] = ['{', '}', '-'];

/// The bytes of a UUID in the order that the older drivers of Java, C# and Python wrote.
fn legacy_order(constructor: &str, mut bytes: [u8; 16]) -> [u8; 16] {
    let turned: &[std::ops::Range<usize>] = match constructor {
        "LegacyJavaUUID" => &[0..8, 8..16],
        "LegacyCSharpUUID" => &[0..4, 4..6, 6..8],
        _ => &[],
    };
    for range in turned {
        bytes.get_mut(range.clone()).unwrap_or_default().reverse();
    }
    bytes
}

impl Parser<'_, '_> {
    /// After a word that is not a JSON literal: reads its value.
    pub(super) fn constructor(
        &mut self,
        start: usize,
        word: &str,
        tag_at: usize,
        depth: usize,
    ) -> Done {
        if word == "new" {
            self.peek()?;
            let at = self.at;
            let class = self.bare_word();
            if class.is_empty() || class == "new" {
                return Err(Fault::new(at, "expected a name such as Date after new"));
            }
            if class == "Date" && self.is_empty_call()? {
                return self.put_now(tag_at);
            }
            return self.constructor(at, class, tag_at, depth);
        }
        match word {
            "undefined" => self.put(tag_at, T::Undefined, &[]),
            "NaN" => self.put(tag_at, T::Double, &f64::NAN.to_le_bytes()),
            "Infinity" => self.put(tag_at, T::Double, &f64::INFINITY.to_le_bytes()),
            "MinKey" | "MaxKey" => {
                self.put(tag_at, if word == "MinKey" { T::MinKey } else { T::MaxKey }, &[]);
                self.space()?;
                if self.bytes.get(self.at) == Some(&b'(') {
                    self.at += 1;
                    self.close()?;
                }
            }
            "ISODate" if self.is_empty_call()? => self.put_now(tag_at)?,
            "Date" if self.take_now_method() => {
                self.at = start;
                let ms = self.sum("Date.now() takes whole numbers added or subtracted")?;
                self.put(tag_at, T::Int64, &ms.to_le_bytes());
            }
            "ObjectId" | "ObjectID" if self.is_new()? => self.put_new_id(tag_at)?,
            "UUID" if self.is_new()? => self.put_new_uuid(tag_at, 4)?,
            "LegacyJavaUUID" | "LegacyCSharpUUID" | "LegacyPythonUUID" if self.is_new()? => {
                self.put_new_uuid(tag_at, LEGACY_UUID)?;
            }
            _ => {
                self.space()?;
                if self.bytes.get(self.at) != Some(&b'(') {
                    let message = format!("{word} is not a value; put strings in quotes");
                    return Err(Fault::new(start, message));
                }
                self.at += 1;
                self.call(start, word, tag_at, depth)?;
                self.close()?;
            }
        }
        Ok(())
    }

    /// Takes `()`, if that follows.
    fn is_empty_call(&mut self) -> Result<bool, Fault> {
        let start = self.at;
        self.space()?;
        let is_empty =
            self.bytes.get(self.at) == Some(&b'(') && self.take(b'(')? && self.take(b')')?;
        if !is_empty {
            self.at = start;
        }
        Ok(is_empty)
    }

    /// Takes `()`, if that follows and the caller makes new values: it passed the time in.
    fn is_new(&mut self) -> Result<bool, Fault> {
        Ok(self.work.now_ms.is_some() && self.is_empty_call()?)
    }

    /// Takes `.now()`, if that follows.
    fn take_now_method(&mut self) -> bool {
        const METHOD: &[u8] = b".now()";
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let is_now = rest.starts_with(METHOD);
        self.at += if is_now { METHOD.len() } else { 0 };
        is_now
    }

    fn now_ms(&self) -> Result<i64, Fault> {
        const NOT_KNOWN: &str = "the present time is not known here; write the date, such as \
                                 ISODate('2026-01-31T12:00:00Z')";
        self.work.now_ms.map_or_else(|| self.fail(NOT_KNOWN), Ok)
    }

    fn put_now(&mut self, tag_at: usize) -> Done {
        let ms = self.now_ms()?;
        self.put(tag_at, T::DateTime, &ms.to_le_bytes());
        Ok(())
    }

    /// An `ObjectId` of the caller's time.
    fn put_new_id(&mut self, tag_at: usize) -> Done {
        let seconds = u32::try_from(self.now_ms()?.div_euclid(1_000)).unwrap_or(0);
        let mut id = ObjectId::new().bytes();
        id[..4].copy_from_slice(&seconds.to_be_bytes());
        self.put(tag_at, T::ObjectId, &id);
        Ok(())
    }

    /// A random UUID: version 4, variant 1.
    fn put_new_uuid(&mut self, tag_at: usize, subtype: u8) -> Done {
        let mut bytes = [0; 16];
        if getrandom::fill(&mut bytes).is_err() {
            return self.fail("the system has no random numbers; write the UUID");
        }
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        self.put_binary(tag_at, subtype, &bytes);
        Ok(())
    }

    fn close(&mut self) -> Done {
        self.expect(b')', "the closing parenthesis ) is missing here")
    }

    /// Reads the arguments of a constructor, without the closing parenthesis.
    fn call(&mut self, start: usize, word: &str, tag_at: usize, depth: usize) -> Done {
        match word {
            "ObjectId" | "ObjectID" => {
                let id = self.object_id_bytes("ObjectId takes 24 hexadecimal digits in quotes")?;
                self.put(tag_at, T::ObjectId, &id);
            }
            "ISODate" | "Date" => self.date_call(tag_at, word == "ISODate")?,
            "Long" | "NumberLong" => {
                let int: i64 = self.int_argument("Long takes a 64-bit integer")?;
                self.put(tag_at, T::Int64, &int.to_le_bytes());
            }
            "Int32" | "NumberInt" => {
                let int: i32 = self.int_argument("Int32 takes a 32-bit integer")?;
                self.put(tag_at, T::Int32, &int.to_le_bytes());
            }
            "Double" => self.double_call(tag_at)?,
            "Decimal128" | "NumberDecimal" => {
                let message = "Decimal128 takes a decimal number of at most 34 digits";
                let text = self.text_or_number(message)?;
                let decimal = numbers::quoted_decimal(&text);
                let Some(decimal) = decimal else { return self.fail(message) };
                self.put(tag_at, T::Decimal128, &decimal.bytes());
            }
            "UUID" => {
                let bytes = self.parsed("UUID takes 8-4-4-4-12 hexadecimal digits", base::uuid)?;
                self.put_binary(tag_at, 4, &bytes);
            }
            "LegacyJavaUUID" | "LegacyCSharpUUID" | "LegacyPythonUUID" => {
                let message = "a UUID has 32 hexadecimal digits";
                let bytes =
                    self.parsed(message, |text| base::hex(&text.replace(UUID_MARKS, "")))?;
                self.put_binary(tag_at, LEGACY_UUID, &legacy_order(word, bytes));
            }
            "MD5" => {
                let bytes = self.parsed("MD5 takes hexadecimal digits", base::hex_bytes)?;
                self.put_binary(tag_at, 5, &bytes);
            }
            "BinData" => self.binary_call(
                tag_at,
                "BinData takes a subtype and base64 in quotes",
                base::base64_bytes,
            )?,
            "HexData" => self.binary_call(
                tag_at,
                "HexData takes a subtype and hexadecimal digits",
                base::hex_bytes,
            )?,
            "Timestamp" => self.timestamp_call(tag_at)?,
            "Code" => self.code_call(tag_at, depth)?,
            "Symbol" | "BSONSymbol" => {
                let text = self.text("Symbol takes text in quotes")?;
                self.put_text(tag_at, T::Symbol, &text);
            }
            "RegExp" | "BSONRegExp" => {
                let message = "a regular expression takes its pattern and options in quotes";
                let pattern = self.text(message)?;
                let options =
                    if self.take(b',')? { self.text(message)? } else { Cow::Borrowed("") };
                self.put_regex(tag_at, &pattern, &options)?;
            }
            "DBPointer" => self.db_pointer_call(tag_at)?,
            "DBRef" => self.db_ref_call(tag_at, depth)?,
            _ => {
                let message = format!("{word} is not supported here; write the value itself");
                return Err(Fault::new(start, message));
            }
        }
        Ok(())
    }

    /// Text in quotes, or a number as it is written.
    fn text_or_number(&mut self, message: &'static str) -> Result<String, Fault> {
        match self.peek()? {
            b'-' | b'+' | b'.' | b'0'..=b'9' => Ok(self.number_text().to_owned()),
            b'N' | b'I' => Ok(self.bare_word().to_owned()),
            _ => self.text(message).map(Cow::into_owned),
        }
    }

    fn int_argument<I: std::str::FromStr>(&mut self, message: &'static str) -> Result<I, Fault> {
        let text = self.text_or_number(message)?;
        numbers::quoted_int(&text).ok_or_else(|| Fault::new(self.at, message))
    }

    fn double_call(&mut self, tag_at: usize) -> Done {
        let message = "Double takes a number, or Infinity, -Infinity, NaN";
        let text = self.text_or_number(message)?;
        let double = numbers::quoted_double(&text).or_else(|| match self.literal(&text, self.at) {
            Ok(Literal::Double(double)) => Some(double),
            _ => None,
        });
        let Some(double) = double else { return self.fail(message) };
        self.put(tag_at, T::Double, &double.to_le_bytes());
        Ok(())
    }

    fn date_call(&mut self, tag_at: usize, iso: bool) -> Done {
        const MESSAGE: &str = "write the date in UTC, such as ISODate('2026-01-31T12:00:00Z')";
        let ms = match self.peek()? {
            b'-' | b'0'..=b'9' | b'D' if !iso => self.sum(MESSAGE)?,
            _ => self.parsed(MESSAGE, |text| {
                // JavaScript takes a bare day as UTC, but a time without zone as local time.
                let is_day = !text.contains(['T', 't', ' ']);
                parse_iso(text, if iso || is_day { Zone::UtcIfMissing } else { Zone::Required })
            })?,
        };
        self.put(tag_at, T::DateTime, &ms.to_le_bytes());
        Ok(())
    }

    /// Milliseconds as `Date.now() - 24 * 60 * 60 * 1000`, which is how JavaScript shifts a date.
    fn sum(&mut self, message: &'static str) -> Result<i64, Fault> {
        let mut sum = self.product(message)?;
        loop {
            let next = if self.take(b'+')? {
                sum.checked_add(self.product(message)?)
            } else if self.take(b'-')? {
                sum.checked_sub(self.product(message)?)
            } else {
                return Ok(sum);
            };
            sum = next.ok_or_else(|| Fault::new(self.at, message))?;
        }
    }

    fn product(&mut self, message: &'static str) -> Result<i64, Fault> {
        let mut product = self.factor(message)?;
        while self.take(b'*')? {
            let next = product.checked_mul(self.factor(message)?);
            product = next.ok_or_else(|| Fault::new(self.at, message))?;
        }
        Ok(product)
    }

    /// A whole number, or `Date.now()`.
    fn factor(&mut self, message: &'static str) -> Result<i64, Fault> {
        self.peek()?;
        let at = self.at;
        if self.bare_word() == "Date" && self.take_now_method() {
            return self.now_ms();
        }
        self.at = at;
        let rest = self.bytes.get(at..).unwrap_or_default();
        let sign = usize::from(rest.starts_with(b"-"));
        let digits = rest.iter().skip(sign).take_while(|byte| byte.is_ascii_digit()).count();
        if let Some((int, length)) = numbers::with_exponent(rest, sign + digits) {
            self.at += length;
            return Ok(int);
        }
        self.at += sign + digits;
        let text = rest.get(..sign + digits).and_then(|text| str::from_utf8(text).ok());
        let int = text.and_then(|text| text.parse().ok());
        int.ok_or_else(|| Fault::new(at, message))
    }

    fn binary_call(
        &mut self,
        tag_at: usize,
        message: &'static str,
        parse: fn(&str) -> Option<Vec<u8>>,
    ) -> Done {
        let subtype = self.int_literal(message)?;
        let Ok(subtype) = u8::try_from(subtype) else { return self.fail(message) };
        self.expect(b',', message)?;
        let bytes = self.parsed(message, parse)?;
        self.put_binary(tag_at, subtype, &bytes);
        Ok(())
    }

    fn timestamp_call(&mut self, tag_at: usize) -> Done {
        const MESSAGE: &str = "Timestamp takes { t: 1, i: 2 }, both of 32 bits";
        let (time, increment) = if self.peek()? == b'{' {
            self.timestamp_fields(MESSAGE)?
        } else {
            let time = self.u32_literal(MESSAGE)?;
            self.expect(b',', MESSAGE)?;
            (time, self.u32_literal(MESSAGE)?)
        };
        self.put_timestamp(tag_at, time, increment);
        Ok(())
    }

    fn code_call(&mut self, tag_at: usize, depth: usize) -> Done {
        let code = self.text("Code takes its text in quotes")?;
        if self.take(b',')? {
            return self.code_with_scope(tag_at, depth, &code);
        }
        self.put_text(tag_at, T::JavaScriptCode, &code);
        Ok(())
    }

    fn db_pointer_call(&mut self, tag_at: usize) -> Done {
        const MESSAGE: &str = "DBPointer takes a namespace and ObjectId('…')";
        let namespace = self.text(MESSAGE)?;
        self.expect(b',', MESSAGE)?;
        self.peek()?;
        if !self.bare_word().starts_with("ObjectI") {
            return self.fail(MESSAGE);
        }
        self.expect(b'(', MESSAGE)?;
        let id = self.object_id_bytes(MESSAGE)?;
        self.close()?;
        self.put_text(tag_at, T::DbPointer, &namespace);
        self.work.out.extend_from_slice(&id);
        Ok(())
    }

    /// `DBRef('c', id, 'db')` is a document by convention.
    fn db_ref_call(&mut self, tag_at: usize, depth: usize) -> Done {
        const MESSAGE: &str = "DBRef takes a collection, an id and at most a database";
        self.check_depth(depth + 1)?;
        self.set_tag(tag_at, T::EmbeddedDocument);
        let start = self.work.out.len();
        self.work.out.extend_from_slice(&[0; 4]);
        let collection = self.text(MESSAGE)?;
        self.db_ref_field("$ref", Some(&collection), depth)?;
        self.expect(b',', MESSAGE)?;
        self.db_ref_field("$id", None, depth)?;
        if self.take(b',')? {
            let db = self.text(MESSAGE)?;
            self.db_ref_field("$db", Some(&db), depth)?;
        }
        self.finish_document(start)
    }

    /// Writes a field with this text, or with the value that comes next.
    fn db_ref_field(&mut self, name: &str, text: Option<&str>, depth: usize) -> Done {
        let tag_at = self.work.out.len();
        self.work.out.push(0);
        self.work.out.extend_from_slice(name.as_bytes());
        self.work.out.push(0);
        match text {
            Some(text) => self.put_text(tag_at, T::String, text),
            None => self.value(tag_at, depth + 1)?,
        }
        Ok(())
    }

    /// `/pattern/options`; a slash in a class or after a backslash belongs to the pattern.
    pub(super) fn regex_literal(&mut self, tag_at: usize) -> Done {
        let start = self.at;
        let rest = self.bytes.get(start + 1..).unwrap_or_default();
        let (mut escaped, mut in_class) = (false, false);
        let end = rest.iter().position(|byte| {
            let ends = *byte == b'\n' || *byte == b'/' && !escaped && !in_class;
            match byte {
                b'[' if !escaped => in_class = true,
                b']' if !escaped => in_class = false,
                _ => {}
            }
            escaped = *byte == b'\\' && !escaped;
            ends
        });
        let Some(length) = end.filter(|end| rest.get(*end) == Some(&b'/')) else {
            return self.fail("unterminated regular expression; close it with /");
        };
        let Some(pattern) = rest.get(..length).and_then(|text| str::from_utf8(text).ok()) else {
            return self.fail("the text is not valid UTF-8");
        };
        self.at = start + length + 2;
        let options = self.bare_word();
        self.put_regex(tag_at, pattern, options)
    }
}
