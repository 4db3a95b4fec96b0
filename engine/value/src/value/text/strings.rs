//! Quoted text, read and written.

use super::{
    error::Fault,
    nonstandard::{Nonstandard, NonstandardCounter},
    runs::{self, Run},
};

/// Reads quoted text from after its opening quote, appends it to `out` and returns the offset after
/// the closing quote. `shell` takes JavaScript's escapes too; `taking` says whether broken text is
/// replaced.
pub(super) fn read(
    bytes: &[u8],
    start: usize,
    quote: u8,
    shell: bool,
    out: &mut Vec<u8>,
    taking: &mut NonstandardCounter,
) -> Result<usize, Fault> {
    let mut at = start;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let Run { length, is_ascii } = runs::before_quote(rest, quote);
        let run = rest.get(..length).unwrap_or_default();
        let Some(stop) = rest.get(length) else {
            // A caller that waits for more bytes sees how many these are already.
            out.extend_from_slice(run);
            return Err(Fault::cut(bytes.len()));
        };
        if !is_ascii && let Err(error) = str::from_utf8(run) {
            let fault = || not_utf8(at + error.valid_up_to());
            replace(run, out, taking).ok_or_else(fault)?;
        } else {
            out.extend_from_slice(run);
        }
        at += length;
        match *stop {
            b'\\' => at = escape(bytes, at, shell, out, taking)?,
            byte if byte == quote => return Ok(at + 1),
            byte if shell && !matches!(byte, b'\n' | b'\r') => {
                out.push(byte);
                at += 1;
            }
            _ => {
                let message = "unescaped newline or control character in a string; escape it as \\n, or close the quotes";
                return Err(Fault::new(at, message));
            }
        }
    }
}

fn not_utf8(at: usize) -> Fault {
    let message = "the text is not valid UTF-8; convert the file to UTF-8";
    Fault::odd(at, Nonstandard::BrokenText, message)
}

/// Appends text with U+FFFD where bytes are not UTF-8, if that is wanted.
fn replace(text: &[u8], out: &mut Vec<u8>, taking: &mut NonstandardCounter) -> Option<()> {
    let broken = text.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
    let replaces = taking.takes(Nonstandard::BrokenText, broken);
    replaces.then(|| out.extend_from_slice(String::from_utf8_lossy(text).as_bytes()))
}

/// Quoted text without escapes, from after its opening quote to before the closing one.
pub(super) fn plain(bytes: &[u8], start: usize, quote: u8) -> Option<&str> {
    let rest = bytes.get(start..)?;
    let length = runs::before_quote(rest, quote).length;
    let text = rest.get(..length).filter(|_| rest.get(length) == Some(&quote))?;
    str::from_utf8(text).ok()
}

/// Reads the escape at `at` and returns the offset after it.
fn escape(
    bytes: &[u8],
    at: usize,
    shell: bool,
    out: &mut Vec<u8>,
    taking: &mut NonstandardCounter,
) -> Result<usize, Fault> {
    let byte = *bytes.get(at + 1).ok_or(Fault::cut(bytes.len()))?;
    let plain = match byte {
        b'"' | b'\\' | b'/' => byte,
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 8,
        b'f' => 12,
        b'u' => return unicode(bytes, at, shell, out, taking),
        b'v' if shell => 11,
        b'0' if shell => 0,
        b'x' if shell => {
            push_char(out, hex(bytes, at + 2, 2)?, at, taking)?;
            return Ok(at + 4);
        }
        b'\n' if shell => return Ok(at + 2),
        _ if shell && byte >= b' ' => {
            // The character itself follows as ordinary text unless it is a quote.
            if byte.is_ascii() {
                out.push(byte);
                return Ok(at + 2);
            }
            return Ok(at + 1);
        }
        _ => {
            let message = "this escape does not exist; write \\\\ for a backslash";
            return Err(Fault::new(at, message));
        }
    };
    out.push(plain);
    Ok(at + 2)
}

fn unicode(
    bytes: &[u8],
    at: usize,
    shell: bool,
    out: &mut Vec<u8>,
    taking: &mut NonstandardCounter,
) -> Result<usize, Fault> {
    if shell && bytes.get(at + 2) == Some(&b'{') {
        let digits = bytes.get(at + 3..).unwrap_or_default().iter().take_while(|b| **b != b'}');
        let count = digits.count();
        if !(1..=6).contains(&count) {
            return Err(Fault::new(at, "write one to six hexadecimal digits in \\u{…}"));
        }
        push_char(out, hex(bytes, at + 3, count)?, at, taking)?;
        return Ok(at + 4 + count);
    }
    let first = hex(bytes, at + 2, 4)?;
    if (0xd800..0xdc00).contains(&first)
        && let Some(second) = second_half(bytes, at + 6)?
    {
        push_char(out, 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00), at, taking)?;
        return Ok(at + 12);
    }
    push_char(out, first, at, taking)?;
    Ok(at + 6)
}

/// The second half of a character, if it follows here.
fn second_half(bytes: &[u8], at: usize) -> Result<Option<u32>, Fault> {
    for (ahead, expected) in [(0, b'\\'), (1, b'u')] {
        match bytes.get(at + ahead) {
            None => return Err(Fault::cut(bytes.len())),
            Some(byte) if *byte != expected => return Ok(None),
            Some(_) => {}
        }
    }
    Ok(Some(hex(bytes, at + 2, 4)?).filter(|half| (0xdc00..0xe000).contains(half)))
}

/// Appends a character. Half of one is replaced, if that is wanted.
fn push_char(
    out: &mut Vec<u8>,
    code: u32,
    at: usize,
    taking: &mut NonstandardCounter,
) -> Result<(), Fault> {
    let whole = char::from_u32(code);
    let replaced =
        || taking.takes(Nonstandard::BrokenText, 1).then_some(char::REPLACEMENT_CHARACTER);
    let character = whole.or_else(replaced).ok_or_else(|| {
        let message = "this escape is half of a character (a lone surrogate); write both halves";
        Fault::odd(at, Nonstandard::BrokenText, message)
    })?;
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    Ok(())
}

fn hex(bytes: &[u8], at: usize, count: usize) -> Result<u32, Fault> {
    let digits = bytes.get(at..at + count).ok_or(Fault::cut(bytes.len()))?;
    digits.iter().try_fold(0, |code, byte| {
        let digit = char::from(*byte).to_digit(16);
        digit
            .map(|digit| code << 4 | digit)
            .ok_or_else(|| Fault::new(at, format!("this escape needs {count} hexadecimal digits")))
    })
}

/// Appends text in quotes, with what JSON and JavaScript want escaped.
pub(in crate::value) fn append_quoted(out: &mut Vec<u8>, text: &str, quote: u8) {
    out.push(quote);
    let mut rest = text.as_bytes();
    loop {
        let (run, from) = rest.split_at(runs::before_escape(rest, quote).length);
        out.extend_from_slice(run);
        rest = match from {
            [] => break,
            [runs::C1_LEAD, next, after @ ..] => {
                append_after_7f(out, *next);
                after
            }
            [byte, after @ ..] => {
                append_escape(out, *byte);
                after
            }
        };
    }
    out.push(quote);
}

/// Appends the character that [`runs::C1_LEAD`] and `next` are: as an escape if it is a control
/// character, which can rule the terminal that it is shown in.
fn append_after_7f(out: &mut Vec<u8>, next: u8) {
    if next < 0xa0 {
        out.extend_from_slice(format!("\\u00{next:02x}").as_bytes());
    } else {
        out.extend_from_slice(&[runs::C1_LEAD, next]);
    }
}

fn append_escape(out: &mut Vec<u8>, byte: u8) {
    match byte {
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        8 => out.extend_from_slice(b"\\b"),
        12 => out.extend_from_slice(b"\\f"),
        0..b' ' | 0x7f => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
        _ => out.extend_from_slice(&[b'\\', byte]),
    }
}
