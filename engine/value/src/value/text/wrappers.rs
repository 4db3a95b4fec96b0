//! The wrappers of Extended JSON: `{"$oid": "…"}` and its kin.
//!
//! A document whose first name is that of a wrapper must be that wrapper and nothing else. Every
//! other name that starts with `$` is an ordinary field.

use std::borrow::Cow;

use bson::spec::ElementType as T;

use super::{
    base,
    date::{Zone, is_at_leap_second, parse_iso},
    error::Fault,
    nonstandard::Nonstandard,
    numbers::{self, Literal},
    parser::Parser,
};

type Done = Result<(), Fault>;

/// The names that a wrapper may begin with.
pub(in crate::value) const WRAPPERS: [&str; 17] = [
    "$oid",
    "$date",
    "$numberInt",
    "$numberLong",
    "$numberDouble",
    "$numberDecimal",
    "$binary",
    "$uuid",
    "$regularExpression",
    "$timestamp",
    "$code",
    "$scope",
    "$symbol",
    "$minKey",
    "$maxKey",
    "$undefined",
    "$dbPointer",
];

impl<'t> Parser<'t, '_> {
    /// After an opening brace: reads a wrapper if one begins here. If not, returns false and leaves
    /// the position undefined.
    pub(super) fn wrapper(&mut self, tag_at: usize, depth: usize) -> Result<bool, Fault> {
        let Some(name) = self.wrapper_name()? else { return Ok(false) };
        let start = self.at;
        self.expect(b':', "missing colon after the field name")?;
        match &*name {
            "$oid" => self.object_id(tag_at)?,
            "$date" => self.date(tag_at)?,
            "$numberInt" | "$numberLong" | "$numberDouble" | "$numberDecimal" => {
                self.quoted_number(tag_at, &name)?;
            }
            "$binary" => self.binary(tag_at)?,
            "$uuid" => self.uuid(tag_at)?,
            "$regularExpression" => self.regular_expression(tag_at)?,
            "$timestamp" => self.timestamp(tag_at)?,
            // These braces are no level; those of the scope are.
            "$code" => self.code(tag_at, depth.saturating_sub(1))?,
            "$scope" => self.scope_before_code(tag_at, depth.saturating_sub(1))?,
            "$symbol" => {
                let text = self.text("$symbol holds text in quotes")?;
                self.put_text(tag_at, T::Symbol, &text);
            }
            "$minKey" => self.flag(tag_at, T::MinKey, "$minKey holds the number 1")?,
            "$maxKey" => self.flag(tag_at, T::MaxKey, "$maxKey holds the number 1")?,
            "$undefined" => self.flag(tag_at, T::Undefined, "$undefined holds true")?,
            "$dbPointer" => self.db_pointer(tag_at)?,
            _ => return Ok(false),
        }
        if !self.take(b'}')? {
            let message = format!("{name} must be the only field of its object; remove the others");
            return Err(Fault::new(self.at.max(start), message));
        }
        Ok(true)
    }

    /// The first name, if it starts with `$`.
    fn wrapper_name(&mut self) -> Result<Option<Cow<'t, str>>, Fault> {
        let quote = self.peek()?;
        let next = self.bytes.get(self.at + 1);
        match quote {
            b'"' if next == Some(&b'$') => {
                // A name that belongs to a plain field is read again, and counted then.
                let before = self.work.taking.tally;
                let name = self.text("")?;
                self.work.taking.tally = before;
                Ok(Some(name))
            }
            b'\'' if next == Some(&b'$') && self.is_shell() => self.text("").map(Some),
            b'$' if self.is_shell() => Ok(Some(Cow::Borrowed(self.bare_word()))),
            _ => Ok(None),
        }
    }

    /// Reads a document with these names, in any order and each once, handing each on by number.
    fn fields<const N: usize>(
        &mut self,
        names: [&'static str; N],
        message: &'static str,
        mut each: impl FnMut(&mut Self, usize) -> Done,
    ) -> Done {
        self.expect(b'{', message)?;
        let mut seen = [false; N];
        for position in 0..N {
            if position > 0 {
                self.expect(b',', message)?;
            }
            self.peek()?;
            let at = self.at;
            let name = if self.is_shell() && self.peek()?.is_ascii_alphabetic() {
                Cow::Borrowed(self.bare_word())
            } else {
                self.text(message)?
            };
            let number = names.iter().position(|known| *known == name);
            let Some((number, seen)) = number.and_then(|n| Some((n, seen.get_mut(n)?))) else {
                return Err(Fault::new(at, message));
            };
            if std::mem::replace(seen, true) {
                return Err(Fault::new(at, message));
            }
            self.expect(b':', "missing colon after the field name")?;
            each(self, number)?;
        }
        self.expect(b'}', message)
    }

    fn object_id(&mut self, tag_at: usize) -> Done {
        let id = self.object_id_bytes("$oid holds 24 hexadecimal digits in quotes")?;
        self.put(tag_at, T::ObjectId, &id);
        Ok(())
    }

    pub(super) fn object_id_bytes(&mut self, message: &'static str) -> Result<[u8; 12], Fault> {
        self.parsed(message, base::hex)
    }

    /// The text that comes next, parsed; if it can't be, the error is at the text's start.
    pub(super) fn parsed<R>(
        &mut self,
        message: &'static str,
        parse: impl Fn(&str) -> Option<R>,
    ) -> Result<R, Fault> {
        self.peek()?;
        let at = self.at;
        let text = self.text(message)?;
        parse(&text).ok_or_else(|| Fault::new(at, message))
    }

    fn date(&mut self, tag_at: usize) -> Done {
        const MESSAGE: &str = "$date holds a date such as \"2026-01-31T12:00:00Z\", with its zone, \
                               or {\"$numberLong\": \"milliseconds\"}";
        let ms = match self.peek()? {
            b'{' => {
                let mut ms = 0;
                self.fields(["$numberLong"], MESSAGE, |parser, _| {
                    ms = parser.parsed(MESSAGE, numbers::quoted_int)?;
                    Ok(())
                })?;
                ms
            }
            b'-' | b'0'..=b'9' => {
                self.work.taking.tally.legacy_values += 1;
                self.int_literal(MESSAGE)?
            }
            _ => self.iso_date(MESSAGE)?,
        };
        self.put(tag_at, T::DateTime, &ms.to_le_bytes());
        Ok(())
    }

    fn iso_date(&mut self, message: &'static str) -> Result<i64, Fault> {
        let at = self.at;
        let text = self.text(message)?;
        self.work.taking.tally.leap_seconds += u64::from(is_at_leap_second(&text));
        if let Some(ms) = parse_iso(&text, Zone::Required) {
            return Ok(ms);
        }
        let Some(local_ms) = parse_iso(&text, Zone::UtcIfMissing) else {
            return Err(Fault::new(at, message));
        };
        if !self.work.taking.takes(Nonstandard::NoZone, 1) {
            return Err(Fault::odd(at, Nonstandard::NoZone, message));
        }
        Ok(self.work.taking.leniency.zone.utc_ms(local_ms))
    }

    /// A whole number without quotes.
    pub(super) fn int_literal(&mut self, message: &'static str) -> Result<i64, Fault> {
        self.peek()?;
        let at = self.at;
        let text = self.number_text();
        match numbers::literal(text) {
            Ok(Literal::Int32(int)) => Ok(i64::from(int)),
            Ok(Literal::Int64(int)) => Ok(int),
            _ => Err(Fault::new(at, message)),
        }
    }

    fn quoted_number(&mut self, tag_at: usize, name: &str) -> Done {
        match name {
            "$numberInt" => {
                let message = "$numberInt holds a 32-bit integer in quotes";
                let int: i32 = self.parsed(message, numbers::quoted_int)?;
                self.put(tag_at, T::Int32, &int.to_le_bytes());
            }
            "$numberLong" => {
                let message = "$numberLong holds a 64-bit integer in quotes";
                let int: i64 = self.parsed(message, numbers::quoted_int)?;
                self.put(tag_at, T::Int64, &int.to_le_bytes());
            }
            "$numberDouble" => {
                let message = "$numberDouble holds a number in quotes, or Infinity, -Infinity, NaN";
                let double = self.parsed(message, numbers::quoted_double)?;
                self.put(tag_at, T::Double, &double.to_le_bytes());
            }
            _ => {
                let message = "$numberDecimal holds a decimal number in quotes, with at most 34 \
                               digits and an exponent from -6176 to 6111";
                let decimal = self.parsed(message, numbers::quoted_decimal)?;
                self.put(tag_at, T::Decimal128, &decimal.bytes());
            }
        }
        Ok(())
    }

    fn binary(&mut self, tag_at: usize) -> Done {
        const MESSAGE: &str = "$binary holds {\"base64\": \"…\", \"subType\": \"00\"} with padded \
                               base64 and one or two hexadecimal digits";
        let (mut bytes, mut subtype) = (Vec::new(), 0);
        if self.peek()? == b'{' {
            self.fields(["base64", "subType"], MESSAGE, |parser, number| {
                if number == 0 {
                    bytes = parser.parsed(MESSAGE, base::base64_bytes)?;
                } else {
                    subtype = parser.parsed(MESSAGE, subtype_of)?;
                }
                Ok(())
            })?;
        } else {
            bytes = self.parsed(MESSAGE, base::base64_bytes)?;
            self.expect(b',', MESSAGE)?;
            self.parsed(MESSAGE, |name| (name == "$type").then_some(()))?;
            self.expect(b':', MESSAGE)?;
            subtype = self.parsed(MESSAGE, subtype_of)?;
            self.work.taking.tally.legacy_values += 1;
        }
        self.put_binary(tag_at, subtype, &bytes);
        Ok(())
    }

    pub(super) fn put_binary(&mut self, tag_at: usize, subtype: u8, bytes: &[u8]) {
        self.set_tag(tag_at, T::Binary);
        let old = subtype == 2;
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let out = &mut self.work.out;
        out.extend_from_slice(&(length.saturating_add(if old { 4 } else { 0 })).to_le_bytes());
        out.push(subtype);
        if old {
            out.extend_from_slice(&length.to_le_bytes());
        }
        out.extend_from_slice(bytes);
    }

    fn uuid(&mut self, tag_at: usize) -> Done {
        let message = "$uuid holds 8-4-4-4-12 hexadecimal digits in quotes";
        let bytes = self.parsed(message, base::uuid)?;
        self.put_binary(tag_at, 4, &bytes);
        Ok(())
    }

    fn regular_expression(&mut self, tag_at: usize) -> Done {
        const MESSAGE: &str =
            "$regularExpression holds {\"pattern\": \"…\", \"options\": \"…\"}, both as text";
        let (mut pattern, mut options) = (String::new(), String::new());
        self.fields(["pattern", "options"], MESSAGE, |parser, number| {
            let text = parser.text(MESSAGE)?.into_owned();
            *(if number == 0 { &mut pattern } else { &mut options }) = text;
            Ok(())
        })?;
        self.put_regex(tag_at, &pattern, &options)
    }

    pub(super) fn put_regex(&mut self, tag_at: usize, pattern: &str, options: &str) -> Done {
        if pattern.contains('\0') || options.contains('\0') {
            return self.fail("a regular expression can't hold a NUL character; remove it");
        }
        let mut options: Vec<char> = options.chars().collect();
        options.sort_unstable();
        let options: String = options.into_iter().collect();
        self.put(tag_at, T::RegularExpression, pattern.as_bytes());
        self.work.out.push(0);
        self.work.out.extend_from_slice(options.as_bytes());
        self.work.out.push(0);
        Ok(())
    }

    fn timestamp(&mut self, tag_at: usize) -> Done {
        let (time, increment) =
            self.timestamp_fields("$timestamp holds {\"t\": 1, \"i\": 2}, both of 32 bits")?;
        self.put_timestamp(tag_at, time, increment);
        Ok(())
    }

    pub(super) fn timestamp_fields(&mut self, message: &'static str) -> Result<(u32, u32), Fault> {
        let (mut time, mut increment) = (0, 0);
        self.fields(["t", "i"], message, |parser, number| {
            let value = parser.u32_literal(message)?;
            *(if number == 0 { &mut time } else { &mut increment }) = value;
            Ok(())
        })?;
        Ok((time, increment))
    }

    pub(super) fn u32_literal(&mut self, message: &'static str) -> Result<u32, Fault> {
        let int = self.int_literal(message)?;
        u32::try_from(int).or_else(|_| self.fail(message))
    }

    pub(super) fn put_timestamp(&mut self, tag_at: usize, time: u32, increment: u32) {
        self.put(tag_at, T::Timestamp, &increment.to_le_bytes());
        self.work.out.extend_from_slice(&time.to_le_bytes());
    }

    fn flag(&mut self, tag_at: usize, tag: T, message: &'static str) -> Done {
        let good = if tag == T::Undefined {
            self.peek()? == b't' && self.bare_word() == "true"
        } else {
            self.int_literal(message)? == 1
        };
        if !good {
            return self.fail(message);
        }
        self.put(tag_at, tag, &[]);
        Ok(())
    }

    fn code(&mut self, tag_at: usize, depth: usize) -> Done {
        const MESSAGE: &str = "only $scope is allowed next to $code; remove the rest";
        let code = self.text("$code holds text in quotes")?;
        if !self.take(b',')? {
            self.put_text(tag_at, T::JavaScriptCode, &code);
            return Ok(());
        }
        self.parsed_name("$scope", MESSAGE)?;
        self.code_with_scope(tag_at, depth, &code)
    }

    fn parsed_name(&mut self, name: &'static str, message: &'static str) -> Done {
        let found = if self.is_shell() && self.peek()? == b'$' {
            self.bare_word() == name
        } else {
            self.parsed(message, |text| Some(text == name))?
        };
        if !found {
            return self.fail(message);
        }
        self.expect(b':', "missing colon after the field name")
    }

    /// Reads the scope that comes next and writes the code before it.
    pub(super) fn code_with_scope(&mut self, tag_at: usize, depth: usize, code: &str) -> Done {
        let start = self.work.out.len();
        self.work.out.extend_from_slice(&[0; 4]);
        self.put_text(tag_at, T::JavaScriptCodeWithScope, code);
        self.scope(depth)?;
        self.patch_length(start, start)
    }

    fn scope(&mut self, depth: usize) -> Done {
        if self.peek()? != b'{' {
            return self.fail("the scope of code is a document in braces");
        }
        self.document(depth + 1)
    }

    fn scope_before_code(&mut self, tag_at: usize, depth: usize) -> Done {
        const MESSAGE: &str = "$scope requires $code and no other field";
        let start = self.work.out.len();
        self.scope(depth)?;
        let scope = self.work.out.split_off(start);
        self.expect(b',', MESSAGE)?;
        self.parsed_name("$code", MESSAGE)?;
        let code = self.text("$code holds text in quotes")?;
        self.work.out.extend_from_slice(&[0; 4]);
        self.put_text(tag_at, T::JavaScriptCodeWithScope, &code);
        self.work.out.extend_from_slice(&scope);
        self.patch_length(start, start)
    }

    fn db_pointer(&mut self, tag_at: usize) -> Done {
        const MESSAGE: &str = "$dbPointer holds {\"$ref\": \"…\", \"$id\": {\"$oid\": \"…\"}}";
        let (mut namespace, mut id) = (String::new(), [0; 12]);
        self.fields(["$ref", "$id"], MESSAGE, |parser, number| {
            if number == 0 {
                namespace = parser.text(MESSAGE)?.into_owned();
                return Ok(());
            }
            parser.fields(["$oid"], MESSAGE, |parser, _| {
                id = parser.object_id_bytes(MESSAGE)?;
                Ok(())
            })
        })?;
        self.put_text(tag_at, T::DbPointer, &namespace);
        self.work.out.extend_from_slice(&id);
        Ok(())
    }
}

/// One or two hexadecimal digits.
fn subtype_of(text: &str) -> Option<u8> {
    if !(1..=2).contains(&text.len()) || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u8::from_str_radix(text, 16).ok()
}
