//! Extended JSON in a file: NDJSON, concatenated documents or an array.

use bson::RawDocument;

use crate::transfer::limits::{IMPORT_TEXT_BYTES_BLIND, IMPORT_TEXT_BYTES_MAX, READ_BYTES};
use crate::transfer::read::input::Input;
use crate::transfer::read::item::{BadRecord, Item};
use crate::transfer::{RecordFormat, TextPosition};
use crate::value::{
    TextError,
    extjson::{self, Documents, Leniency, Nonstandard, Step, Tally},
    scan::DOCUMENT_BYTES_MAX,
};

/// The documents of a JSON file.
pub(in crate::transfer) struct JsonRecords {
    documents: Documents,
    form: RecordFormat,
    /// Position of the first buffered byte.
    position: TextPosition,
    /// Offset at which `documents` started.
    start_offset: u64,
    /// `documents` does not know the position: it read whole lines without counting.
    is_ahead: bool,
}

/// The extent of a document that could not be read.
#[derive(Debug, PartialEq, Eq)]
enum Extent {
    /// Its length in bytes.
    Ends(usize),
    /// It ends after these bytes.
    Open,
    /// Quotes or braces do not match.
    Broken,
}

impl JsonRecords {
    pub(in crate::transfer) fn new(
        form: RecordFormat,
        position: TextPosition,
        leniency: Leniency,
    ) -> Self {
        let inner =
            if form == RecordFormat::Array { extjson::Form::Array } else { extjson::Form::Stream };
        let documents = Documents::new(inner).lenient(leniency).tolerant();
        Self { documents, form, position, start_offset: position.offset, is_ahead: false }
    }

    /// Continues after a document, in an array or not.
    pub(in crate::transfer) fn resume(&mut self, position: TextPosition, is_inside: bool) {
        if position.offset > self.start_offset {
            let TextPosition { line, column, offset, .. } = position;
            self.documents.resume((line, column, offset - self.start_offset), is_inside);
            self.position = position;
        }
    }

    /// Tells `documents` the position after lines that it read without counting. Such a line is in no
    /// array.
    fn catch_up(&mut self) {
        if std::mem::take(&mut self.is_ahead) {
            self.resume(self.position, false);
        }
    }

    /// Whether the last document was in an array.
    pub(in crate::transfer) fn is_inside(&self) -> bool {
        self.documents.is_inside()
    }

    /// Where the next document starts.
    pub(in crate::transfer) fn position(&self) -> TextPosition {
        self.position
    }

    pub(in crate::transfer) fn document(&self) -> &RawDocument {
        self.documents.document()
    }

    pub(in crate::transfer) fn tally(&self) -> Tally {
        self.documents.tally()
    }

    pub(in crate::transfer) fn next(&mut self, input: &mut Input<'_>) -> Item {
        let next = if self.form == RecordFormat::Lines && !self.is_inside() {
            self.next_line(input)
        } else {
            self.next_whole(input)
        };
        next.unwrap_or_else(|reason| self.broken_off(input, reason))
    }

    /// After what can be read of a file that breaks off: its last document, if that is whole.
    fn broken_off(&mut self, input: &mut Input<'_>, reason: String) -> Item {
        self.catch_up();
        if let Ok(Step::Document { consumed }) = self.documents.step(input.bytes(), false) {
            return self.found(input, consumed);
        }
        let position = self.position.after(input.bytes());
        let start_line = self.position.after(Self::lead(input.bytes())).line;
        Item::Bad(BadRecord::new(position, reason, &[], true).started(start_line))
    }

    /// The next document of an NDJSON file. An unreadable line does not affect others.
    fn next_line(&mut self, input: &mut Input<'_>) -> Result<Item, String> {
        loop {
            if let Some(item) = self.item_of_line(input)? {
                return Ok(item);
            }
        }
    }

    /// The document of the next line; `None` after what is before it.
    fn item_of_line(&mut self, input: &mut Input<'_>) -> Result<Option<Item>, String> {
        let found = self.line(input)?;
        if let Some((length, _)) = found
            && self.documents.line(input.bytes().get(..length).unwrap_or_default())
        {
            let position = self.position;
            input.consume(length);
            self.position = position.after_line(length);
            self.is_ahead = true;
            return Ok(Some(Item::Document(position)));
        }
        self.catch_up();
        let Some((length, last)) = found else { return self.too_long(input).map(Some) };
        let window = input.bytes().get(..length).unwrap_or_default();
        let lead = self.documents.separators(window);
        if lead == window.len() && last {
            return Ok(Some(Item::End));
        }
        if lead > 0 {
            self.advance(input, lead);
            self.is_ahead = true;
            return Ok(None);
        }
        if window.first() == Some(&b'[') {
            return self.next_whole(input).map(Some);
        }
        let mut step = self.documents.step(window, last);
        if step == Ok(Step::NeedMore) {
            if let Some(item) = self.over_lines(input)? {
                return Ok(Some(item));
            }
            // The document breaks where its line ends, not where the next one starts.
            let window = input.bytes().get(..length).unwrap_or_default().trim_ascii_end();
            step = self.documents.step(window, true);
        }
        let window = input.bytes().get(..length).unwrap_or_default();
        match step {
            Ok(Step::Document { consumed }) => Ok(Some(self.found(input, consumed))),
            Ok(Step::End { .. } | Step::NeedMore) => Ok(Some(Item::End)),
            Err(error) => {
                let bad = self.bad(&error, b"", window.trim_ascii(), false);
                self.documents.skip(window);
                Ok(Some(self.passed(input, length, bad)))
            }
        }
    }

    /// A document that starts on this line and ends on a later one; `None` if the following lines
    /// don't continue it.
    fn over_lines(&mut self, input: &mut Input<'_>) -> Result<Option<Item>, String> {
        loop {
            match self.documents.step(input.bytes(), input.has_ended()) {
                Ok(Step::Document { consumed }) => return Ok(Some(self.found(input, consumed))),
                Ok(Step::End { .. }) => return Ok(Some(Item::End)),
                Ok(Step::NeedMore) if !is_long(input) && !input.is_enough() => more(input)?,
                _ => return Ok(None),
            }
        }
    }

    /// Length up to the end of the next non-blank line, and whether the file ends there. `None` if
    /// the line is longer than allowed.
    fn line(&self, input: &mut Input<'_>) -> Result<Option<(usize, bool)>, String> {
        loop {
            let bytes = input.bytes();
            let start = blank(bytes);
            let rest = bytes.get(start..).unwrap_or_default();
            if let Some(end) = memchr::memchr(b'\n', rest) {
                return Ok(Some((start + end + 1, false)));
            }
            if input.has_ended() {
                return Ok(Some((bytes.len(), true)));
            }
            if self.is_too_long(input) {
                return Ok(None);
            }
            more(input)?;
        }
    }

    /// Whether the buffered text can't become a document of valid size.
    fn is_too_long(&self, input: &Input<'_>) -> bool {
        let rest = input.bytes().get(blank(input.bytes())..).unwrap_or_default();
        let is_hopeless = || rest.is_empty() || !self.documents.can_go_on(rest);
        input.is_full() || (is_long(input) && is_hopeless())
    }

    /// Rejects a line that is longer than allowed, and skips to its end unless reading should stop.
    fn too_long(&mut self, input: &mut Input<'_>) -> Result<Item, String> {
        let start = blank(input.bytes());
        let position = self.position.after(input.bytes().get(..start).unwrap_or_default());
        let text = input.bytes().get(start..).unwrap_or_default();
        // No document, so its beginning is enough to find it.
        let mut bad = BadRecord::new(position, too_long_reason(), text, true);
        let mut start = start;
        loop {
            let bytes = input.bytes();
            let rest = bytes.get(start..).unwrap_or_default();
            let end = memchr::memchr(b'\n', rest).map(|end| start + end + 1);
            let length = end.unwrap_or(bytes.len());
            self.documents.skip(bytes.get(..length).unwrap_or(bytes));
            self.advance(input, length);
            start = 0;
            bad.fatal = end.is_none() && !input.has_ended() && input.is_enough();
            if end.is_some() || input.has_ended() || bad.fatal {
                self.position.document += 1;
                return Ok(Item::Bad(bad));
            }
            input.fill()?;
        }
    }

    /// The next document of an array or of concatenated documents. If it isn't known where an unreadable
    /// document ends, that costs its line in a file with a document per line, else the rest of the file.
    fn next_whole(&mut self, input: &mut Input<'_>) -> Result<Item, String> {
        loop {
            match self.documents.step(input.bytes(), input.has_ended()) {
                Ok(Step::Document { consumed }) => return Ok(self.found(input, consumed)),
                Ok(Step::End { .. }) => return Ok(Item::End),
                Ok(Step::NeedMore) if self.is_too_long(input) => {
                    let position = self.position.after(Self::lead(input.bytes()));
                    return Ok(Item::Bad(BadRecord::new(
                        position,
                        too_long_reason(),
                        input.bytes(),
                        true,
                    )));
                }
                Ok(Step::NeedMore) => more(input)?,
                Err(error) => {
                    let extent = self.extent(&error, input.bytes(), input.has_ended());
                    let line = (self.form == RecordFormat::Lines).then(|| Self::line_end(input));
                    let is_more_wanted = !input.has_ended() && !is_long(input);
                    match (extent, line) {
                        (Extent::Ends(length), _) => {
                            let bad = self.rejected(input, &error, length);
                            self.documents.skip(input.bytes().get(..length).unwrap_or_default());
                            return Ok(self.passed(input, length, bad));
                        }
                        (Extent::Open, _) | (_, Some(None)) if is_more_wanted => more(input)?,
                        (_, Some(Some(length))) => {
                            let bad = self.rejected(input, &error, length);
                            let bytes = input.bytes().get(..length).unwrap_or_default();
                            self.documents.skip_out(bytes);
                            return Ok(self.passed(input, length, bad));
                        }
                        _ => {
                            let lead = Self::lead(input.bytes());
                            return Ok(Item::Bad(self.bad(&error, lead, input.bytes(), true)));
                        }
                    }
                }
            }
        }
    }

    /// Where the line of the next document ends. `None` if the buffer ends before.
    fn line_end(input: &Input<'_>) -> Option<usize> {
        let (bytes, lead) = (input.bytes(), Self::lead(input.bytes()).len());
        let end = memchr::memchr(b'\n', bytes.get(lead..).unwrap_or_default());
        end.map(|end| lead + end + 1).or_else(|| input.has_ended().then_some(bytes.len()))
    }

    /// The unreadable document in these first bytes of the buffer.
    fn rejected(&self, input: &Input<'_>, error: &TextError, length: usize) -> BadRecord {
        let lead = Self::lead(input.bytes());
        let text = input.bytes().get(lead.len()..length).unwrap_or_default();
        self.bad(error, lead, text.trim_ascii_end(), false)
    }

    fn passed(&mut self, input: &mut Input<'_>, length: usize, bad: BadRecord) -> Item {
        self.advance(input, length);
        self.position.document += 1;
        Item::Bad(bad)
    }

    /// White space, brackets of arrays, commas and comments before the next document.
    fn lead(bytes: &[u8]) -> &[u8] {
        bytes.get(..Documents::lead(bytes)).unwrap_or(bytes)
    }

    /// Where an unreadable document ends. Known only if the error is inside it, its quotes and
    /// braces match and a valid separator follows.
    fn extent(&self, error: &TextError, bytes: &[u8], ended: bool) -> Extent {
        let lead = Self::lead(bytes).len();
        if error.offset as u64 + self.start_offset <= self.position.offset + lead as u64 {
            return Extent::Broken;
        }
        let Extent::Ends(length) = object_extent(bytes.get(lead..).unwrap_or_default()) else {
            return object_extent(bytes.get(lead..).unwrap_or_default());
        };
        let behind = bytes.get(lead + length..).unwrap_or_default();
        match (behind.get(blank(behind)), self.documents.begins_inside(bytes)) {
            (Some(b',' | b']'), _) | (Some(b'{' | b'[' | b';' | b'/'), false) => {
                Extent::Ends(lead + length)
            }
            (None, false) if ended => Extent::Ends(lead + length),
            (None, _) if !ended => Extent::Open,
            _ => Extent::Broken,
        }
    }

    fn found(&mut self, input: &mut Input<'_>, consumed: usize) -> Item {
        let lead = Self::lead(input.bytes()).len();
        self.advance(input, lead);
        let position = self.position;
        self.advance(input, consumed.saturating_sub(lead));
        self.position.document += 1;
        Item::Document(position)
    }

    fn advance(&mut self, input: &mut Input<'_>, count: usize) {
        self.position = self.position.after(input.bytes().get(..count).unwrap_or_default());
        input.consume(count);
    }

    /// The error in the document after `lead`.
    fn bad(&self, error: &TextError, lead: &[u8], text: &[u8], fatal: bool) -> BadRecord {
        let offset = error.offset as u64 + self.start_offset;
        let position = TextPosition {
            line: error.line as u64,
            column: error.column as u64,
            offset,
            document: self.position.document,
        };
        let option = error.nonstandard.map(option).unwrap_or_default();
        let byte = if error.message.contains("UTF-8") {
            format!(" (byte {offset} of the file)")
        } else {
            String::new()
        };
        let reason = format!("{}{option}{byte}", error.message);
        BadRecord::new(position, reason, text, fatal).started(self.position.after(lead).line)
    }
}

/// Which option would accept a rejected document.
fn option(nonstandard: Nonstandard) -> String {
    format!(", or select the option \"{}\" ({})", nonstandard.option(), nonstandard.flag())
}

fn too_long_reason() -> String {
    format!(
        "the document is larger than {} MiB, or its text is larger than {} MiB; split it",
        DOCUMENT_BYTES_MAX >> 20,
        IMPORT_TEXT_BYTES_MAX >> 20
    )
}

/// Whether the buffer is so long that a document in it must be checked for its size.
fn is_long(input: &Input<'_>) -> bool {
    input.bytes().len() >= IMPORT_TEXT_BYTES_BLIND
}

/// Doubles the buffered bytes, so that a long document is parsed a few times and not at every read.
fn more(input: &mut Input<'_>) -> Result<(), String> {
    let wanted = (input.bytes().len() * 2).clamp(READ_BYTES, IMPORT_TEXT_BYTES_MAX);
    input.fill()?;
    // All that can be read before the file breaks off is read.
    input.fill_up_to(wanted);
    Ok(())
}

fn blank(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count()
}

/// The extent of the braces at the start. A line break in quotes breaks it: JSON has none.
fn object_extent(bytes: &[u8]) -> Extent {
    if bytes.first().is_some_and(|byte| *byte != b'{') {
        return Extent::Broken;
    }
    let (mut depth, mut quoted, mut escaped) = (0_u64, false, false);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'\n' if quoted => return Extent::Broken,
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Extent::Ends(at + 1);
                }
            }
            _ => {}
        }
    }
    Extent::Open
}
