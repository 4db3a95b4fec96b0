//! Text in another encoding than UTF-8, decoded while it is read.

use std::{
    fmt,
    io::{self, Read},
};

use encoding_rs::{Decoder, DecoderResult, Encoding};

use crate::transfer::limits::READ_BYTES;
use crate::transfer::read::source::Bytes;

/// The encoding of a text, as the Encoding Standard of WHATWG defines it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TextEncoding(&'static Encoding);

impl fmt::Debug for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl TextEncoding {
    /// The encodings that files are likely to have.
    pub const USUAL: [Self; 8] = [
        Self(encoding_rs::WINDOWS_1252),
        Self(encoding_rs::WINDOWS_1250),
        Self(encoding_rs::WINDOWS_1251),
        Self(encoding_rs::UTF_16LE),
        Self(encoding_rs::SHIFT_JIS),
        Self(encoding_rs::GB18030),
        Self(encoding_rs::BIG5),
        Self(encoding_rs::EUC_KR),
    ];

    /// The encoding with this name or alias, such as `latin1`.
    ///
    /// # Errors
    /// When there is none; one sentence without its full stop.
    pub fn parse(name: &str) -> Result<Self, String> {
        let alias = name.trim().to_ascii_lowercase().replace(' ', "-");
        // Python's names for code pages of Windows that the standard lacks.
        let alias = match alias.as_str() {
            "cp932" => "shift_jis",
            "cp936" => "gbk",
            "cp949" => "euc-kr",
            "cp950" => "big5",
            alias => alias,
        };
        Encoding::for_label_no_replacement(alias.as_bytes()).map(Self).ok_or_else(|| {
            format!("{name:?} is not a known encoding, such as windows-1252, UTF-16LE or Shift_JIS")
        })
    }

    /// The encoding that the refusal of a file asks for.
    pub fn of_refusal(sentence: &str) -> Option<Self> {
        let (name, _) = sentence.split_once("(--encoding ")?.1.split_once(')')?;
        Self::parse(name).ok()
    }

    /// Its name in the standard.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Whether the text has this encoding anyway.
    pub(in crate::transfer) fn is_utf8(self) -> bool {
        self.0 == encoding_rs::UTF_8
    }

    /// The encoding that a byte order mark names, other than UTF-8.
    pub(in crate::transfer) fn of_mark(text: &[u8]) -> Option<Self> {
        // UTF-32 has this start too, and its first character is never a zero byte.
        if text.starts_with(&[0xff, 0xfe, 0, 0]) {
            return None;
        }
        let (encoding, _) = Encoding::for_bom(text)?;
        Some(Self(encoding)).filter(|found| !found.is_utf8())
    }

    /// Decodes what is read. Bytes that make no character become one byte that UTF-8 never has, so that
    /// only their document is rejected.
    pub(in crate::transfer) fn reader(self, from: Bytes<'_>) -> Bytes<'_> {
        Box::new(DecodingReader {
            from,
            decoder: self.0.new_decoder(),
            raw: Part { bytes: vec![0; READ_BYTES], start: 0, end: 0 },
            text: Part { bytes: vec![0; READ_BYTES], start: 0, end: 0 },
            has_ended: false,
            is_done: false,
        })
    }
}

/// A byte that is in no UTF-8.
const BROKEN: u8 = 0xff;

/// The bytes of a buffer that are not taken yet.
struct Part {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Part {
    fn left(&self) -> &[u8] {
        self.bytes.get(self.start..self.end).unwrap_or_default()
    }
}

struct DecodingReader<'p> {
    from: Bytes<'p>,
    decoder: Decoder,
    raw: Part,
    text: Part,
    has_ended: bool,
    /// The decoder saw the end.
    is_done: bool,
}

impl DecodingReader<'_> {
    /// Decodes the next bytes, of which there may be none.
    fn decode(&mut self) -> io::Result<()> {
        if self.raw.left().is_empty() && !self.has_ended {
            (self.raw.start, self.raw.end) = (0, self.from.read(&mut self.raw.bytes)?);
            self.has_ended = self.raw.end == 0;
        }
        let Some((last, room)) = self.text.bytes.split_last_mut() else { return Ok(()) };
        let (raw, is_last) = (self.raw.left(), self.has_ended);
        let (result, read, written) =
            self.decoder.decode_to_utf8_without_replacement(raw, room, is_last);
        self.raw.start += read;
        (self.text.start, self.text.end) = (0, written);
        match result {
            DecoderResult::InputEmpty => self.is_done = is_last,
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(..) => {
                *room.get_mut(written).unwrap_or(last) = BROKEN;
                self.text.end += 1;
            }
        }
        Ok(())
    }
}

impl Read for DecodingReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.text.left().is_empty() {
            if self.is_done {
                return Ok(0);
            }
            self.decode()?;
        }
        let count = self.text.left().len().min(into.len());
        let part = self.text.left().get(..count).unwrap_or_default();
        into.get_mut(..count).unwrap_or_default().copy_from_slice(part);
        self.text.start += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_decoded_through_buffers_of_any_size() {
        let check = |name: &str, raw: &[u8], expected: &[u8]| {
            for room in [1, 2, 3, 64] {
                let raw = Box::new(io::Cursor::new(raw.to_vec()));
                let mut reader = TextEncoding::parse(name).unwrap().reader(raw);
                let (mut all, mut part) = (Vec::new(), vec![0; room]);
                loop {
                    let count = reader.read(&mut part).unwrap();
                    if count == 0 {
                        break;
                    }
                    all.extend_from_slice(&part[..count]);
                }
                assert_eq!(all, expected, "{name}, {room} bytes at once");
            }
        };
        check("Latin1", b"Jos\xe9 \x80", "José €".as_bytes());
        check("cp932", b"\x93\x8c\x8b\x9e", "東京".as_bytes());
        check("utf-16", b"\xff\xfe\xe9\0", "é".as_bytes());
        check("utf-16", b"\xfe\xff\0\xe9", "é".as_bytes());
        check("UTF 16LE", b"\xe9\0", "é".as_bytes());
        check("shift_jis", b"a\x81", b"a\xff");
        check("shift_jis", b"a\x81\x81\x40b", "a\u{ff1d}@b".as_bytes());
        check("utf-16le", b"a\0\0", b"a\xff");
        check("windows-1252", b"", b"");
        let long = vec![b'\xe9'; 3 * READ_BYTES];
        check("windows-1252", &long, "é".repeat(3 * READ_BYTES).as_bytes());
    }

    #[test]
    fn an_unknown_encoding_says_which_are_known() {
        for name in ["", "utf-33", "cp437", "replacement"] {
            let what = TextEncoding::parse(name).unwrap_err();
            assert!(what.contains("such as windows-1252"), "{what}");
        }
        assert!(TextEncoding::USUAL.iter().all(|it| TextEncoding::parse(it.name()) == Ok(*it)));
    }
}
