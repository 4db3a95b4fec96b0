//! Document after document out of a stream of bytes.

use bson::raw::RawDocument;

use crate::value::{
    scan::DOCUMENT_BYTES_MAX,
    text::{Dialect, Fault, Leniency, Parser, SourcePosition, Tally, TextError, Work, skip_space},
};

/// How the documents of a file follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One after the other with white space between them or nothing: NDJSON, concatenated or
    /// pretty.
    Stream,
    /// The elements of one array.
    Array,
}

/// The result of one step of [`Documents`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A document, returned by [`Documents::document`]; continue `consumed` bytes later.
    Document {
        /// Bytes used up.
        consumed: usize,
    },
    /// No more documents. All bytes are used up.
    End {
        /// Bytes used up.
        consumed: usize,
    },
    /// The bytes end inside a document: call again with the same bytes and more after them.
    NeedMore,
}

/// Reads document after document out of slices of a stream.
///
/// ```
/// use mayfly_value::value::extjson::{Documents, Form, Step};
///
/// let mut documents = Documents::new(Form::Stream);
/// let bytes = b"{\"a\": 1}\n{\"a\": 2}\n";
/// let Ok(Step::Document { consumed }) = documents.step(bytes, true) else { panic!() };
/// assert_eq!(documents.document().get_i32("a").unwrap(), 1);
/// assert_eq!(&bytes[consumed..], b"\n{\"a\": 2}\n");
/// ```
#[derive(Debug)]
pub struct Documents {
    form: Form,
    state: State,
    place: SourcePosition,
    work: Work,
    count: u64,
    is_tolerant: bool,
}

/// Where in the stream we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the first byte.
    Start,
    /// In an array, after a document.
    Inside,
    /// In no array, after a document.
    Outside,
    /// At the end.
    Closed,
}

impl Documents {
    /// At the start of a stream.
    pub fn new(form: Form) -> Self {
        Self {
            form,
            state: State::Start,
            place: SourcePosition::START,
            work: Work::default(),
            count: 0,
            is_tolerant: false,
        }
    }

    /// The same, but takes what programs and people put between documents (commas, semicolons, comments,
    /// byte order marks, another array), and reads a document that isn't JSON as one of mongosh. Both
    /// are counted in the tally.
    #[must_use]
    pub fn tolerant(mut self) -> Self {
        self.is_tolerant = true;
        self
    }

    /// The same, but takes what is refused otherwise.
    #[must_use]
    pub fn lenient(mut self, leniency: Leniency) -> Self {
        self.work.taking.leniency = leniency;
        self
    }

    /// Reads the next document from the start of `bytes`. `last` says that nothing comes after
    /// these bytes.
    ///
    /// # Errors
    /// The first thing found wrong; line and column count from the start of the stream, `offset`
    /// too. The stream stays before the bad document: see [`Self::skip`].
    pub fn step(&mut self, bytes: &[u8], last: bool) -> Result<Step, TextError> {
        let mut at = 0;
        if self.state == State::Start {
            if bytes.len() < 3 && !last {
                return Ok(Step::NeedMore);
            }
            at = byte_order_mark(bytes).map_err(|fault| self.place.error(bytes, fault))?;
        }
        let before = self.work.taking.tally;
        let mut parser = Parser::new(bytes, at, Dialect::Json, &mut self.work);
        let found = if self.is_tolerant {
            find_tolerant(&mut parser, self.form, self.state)
        } else {
            find(&mut parser, self.form, self.state)
        };
        let end = parser.at;
        match found {
            Ok(Some(state)) => {
                self.state = state;
                self.count += 1;
                self.advance(bytes, end);
                Ok(Step::Document { consumed: end })
            }
            Ok(None) if last => {
                self.state = State::Closed;
                self.advance(bytes, bytes.len());
                Ok(Step::End { consumed: bytes.len() })
            }
            Ok(None) => {
                self.work.taking.tally = before;
                Ok(Step::NeedMore)
            }
            Err(fault) => {
                self.work.taking.tally = before;
                if !last && (fault.message.is_none() || end >= bytes.len()) {
                    return Ok(Step::NeedMore);
                }
                Err(self.place.error(bytes, fault))
            }
        }
    }

    /// Whether the bytes end inside a document that is not too large so far. Nothing has happened
    /// then.
    pub fn can_go_on(&self, bytes: &[u8]) -> bool {
        let new = Self::new(self.form).lenient(self.work.taking.leniency);
        let is_tolerant = self.is_tolerant;
        let mut trial = Self { state: self.state, place: self.place, is_tolerant, ..new };
        trial.step(bytes, false) == Ok(Step::NeedMore) && trial.work.out.len() <= DOCUMENT_BYTES_MAX
    }

    /// Reads a document that has a line for itself, with the line's end. False, and nothing has
    /// happened, when the line is anything else: [`Self::step`] tells what it is. The place is not
    /// followed: before the next step it has to be given to [`Self::resume`].
    pub fn line(&mut self, line: &[u8]) -> bool {
        let before = self.work.taking.tally;
        let Some((b'\n', text)) = line.split_last() else { return false };
        let is_inside = self.form == Form::Array || self.is_inside();
        if is_inside || text.first() != Some(&b'{') {
            return false;
        }
        let mut parser = Parser::new(text, 0, Dialect::Json, &mut self.work);
        let mut is_whole = parser.whole_document().is_ok();
        if is_whole && self.is_tolerant {
            parser.at = skip_space(text, parser.at);
            if matches!(text.get(parser.at), Some(b',' | b';')) {
                parser.at += 1;
                parser.work.taking.tally.separators += 1;
            }
        }
        is_whole &= parser.end().is_ok();
        if is_whole {
            self.state = State::Outside;
            self.count += 1;
        } else {
            self.work.taking.tally = before;
        }
        is_whole
    }

    fn advance(&mut self, bytes: &[u8], consumed: usize) {
        self.place = self.place.after(bytes.get(..consumed).unwrap_or(bytes));
    }

    /// The document of the last [`Step::Document`]; after anything else an empty one.
    pub fn document(&self) -> &RawDocument {
        RawDocument::from_bytes(&self.work.out).unwrap_or(rawdoc_empty())
    }

    /// Takes bytes as used up without reading them: a bad document that the caller found the end
    /// of, and what is before it.
    pub fn skip(&mut self, bytes: &[u8]) {
        self.state = self.state_before(bytes);
        self.advance(bytes, bytes.len());
    }

    /// Takes bytes as used up of which it is not known where their document ends, so that they may
    /// have the end of its array too.
    pub fn skip_out(&mut self, bytes: &[u8]) {
        self.state = State::Outside;
        self.advance(bytes, bytes.len());
    }

    /// Whether the last document was in an array.
    pub fn is_inside(&self) -> bool {
        self.state == State::Inside
    }

    /// Whether the document at the start of these bytes, after the brackets before it, is in an array.
    #[must_use]
    pub fn begins_inside(&self, bytes: &[u8]) -> bool {
        self.state_before(bytes) == State::Inside
    }

    /// The state after the brackets that are before the next document.
    fn state_before(&self, bytes: &[u8]) -> State {
        let mut state = match (self.state, self.form) {
            (State::Start, Form::Array) => State::Inside,
            (State::Start, Form::Stream) => State::Outside,
            (state, _) => state,
        };
        let mut rest = bytes;
        loop {
            rest = rest.get(separators(rest, b",;").0..).unwrap_or_default();
            state = match rest.first() {
                Some(b'[') => State::Inside,
                Some(b']') => State::Outside,
                _ => return state,
            };
            rest = rest.get(1..).unwrap_or_default();
        }
    }

    /// Resumes in the middle of a stream: after a document that an earlier run has read, in an array
    /// or not. Line and column count from 1, the offset from 0.
    pub fn resume(&mut self, (line, column, offset): (u64, u64, u64), is_inside: bool) {
        let size = |number| usize::try_from(number).unwrap_or(usize::MAX);
        self.state = if is_inside { State::Inside } else { State::Outside };
        self.place = SourcePosition::at(size(line), size(column), size(offset));
    }

    /// The length of the white space, commas, semicolons, comments and marks at the start of bytes
    /// between two documents of a stream. They are counted in the tally.
    pub fn separators(&mut self, bytes: &[u8]) -> usize {
        let (length, count) = separators(bytes, b",;");
        self.work.taking.tally.separators += count;
        length
    }

    /// The length of all that is before the next document, with the brackets of arrays.
    #[must_use]
    pub fn lead(bytes: &[u8]) -> usize {
        separators(bytes, b",;[]").0
    }

    /// The length of white space, comments and marks at the start of a file.
    #[must_use]
    pub fn comments(bytes: &[u8]) -> usize {
        separators(bytes, b"").0
    }

    /// Documents read so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// How many values of the documents so far were not as version 2 has them.
    pub fn tally(&self) -> Tally {
        self.work.taking.tally
    }
}

fn rawdoc_empty() -> &'static RawDocument {
    const EMPTY: &[u8] = &[5, 0, 0, 0, 0];
    match RawDocument::from_bytes(EMPTY) {
        Ok(document) => document,
        Err(_) => unreachable!("five bytes are the empty document"),
    }
}

/// Bytes of a UTF-8 mark to skip. UTF-16 and UTF-32 are refused.
fn byte_order_mark(bytes: &[u8]) -> Result<usize, Fault> {
    match bytes {
        [0xef, 0xbb, 0xbf, ..] => Ok(3),
        [0xfe, 0xff, ..] | [0xff, 0xfe, ..] | [0, 0, 0xfe, ..] => {
            Err(Fault::new(0, "the file is UTF-16 or UTF-32; convert it to UTF-8 first"))
        }
        [0x1f, 0x8b, ..] => Err(Fault::new(0, "the bytes are gzip; unpack them first")),
        _ => Ok(0),
    }
}

/// Reads the next document; returns the state after it, `None` if there is none.
fn find(parser: &mut Parser<'_, '_>, form: Form, state: State) -> Result<Option<State>, Fault> {
    parser.at = skip_space(parser.bytes, parser.at);
    let next = parser.bytes.get(parser.at);
    if form == Form::Stream || state == State::Closed {
        return match next {
            None => Ok(None),
            Some(_) if state == State::Closed => {
                Err(Fault::new(parser.at, "unexpected text after the array; remove it"))
            }
            Some(_) => parser.whole_document().map(|()| Some(State::Outside)),
        };
    }
    if state == State::Start {
        parser.expect(b'[', "an array is expected here; it starts with [")?;
    }
    if parser.take(b']')? {
        return closed(parser);
    }
    if state == State::Inside {
        parser.expect(b',', "a comma or the closing bracket ] is missing here")?;
        let comma = parser.at - 1;
        if parser.peek()? == b']' {
            return Err(Fault::new(comma, "trailing comma; remove it"));
        }
    }
    parser.whole_document().map(|()| Some(State::Inside))
}

/// White space, comments, byte order marks, the record separators of JSON text sequences (RFC 7464), and
/// bytes out of `others`: how long they are, and how many are not white space. A comment without an end
/// is left.
fn separators(bytes: &[u8], others: &[u8]) -> (usize, u64) {
    const RECORD: u8 = 0x1e;
    let (mut at, mut count) = (0, 0);
    loop {
        at = skip_space(bytes, at);
        let rest = bytes.get(at..).unwrap_or_default();
        let length = match rest {
            [0xef, 0xbb, 0xbf, ..] => 3,
            [b'/', b'/', comment @ ..] => match comment.iter().position(|byte| *byte == b'\n') {
                Some(length) => length + 3,
                None => return (at, count),
            },
            [b'/', b'*', comment @ ..] => match comment.windows(2).position(|pair| pair == b"*/") {
                Some(length) => length + 4,
                None => return (at, count),
            },
            [RECORD, ..] => 1,
            [byte, ..] if others.contains(byte) => 1,
            _ => return (at, count),
        };
        at += length;
        count += 1;
    }
}

/// As [`find`], but takes what is met between documents.
fn find_tolerant(
    parser: &mut Parser<'_, '_>,
    form: Form,
    state: State,
) -> Result<Option<State>, Fault> {
    let mut is_inside = state == State::Inside;
    let mut needs_comma = is_inside;
    if state == State::Start && form == Form::Array {
        pass(parser, b"");
        parser.expect(b'[', "an array is expected here; it starts with [")?;
        is_inside = true;
    }
    loop {
        pass(parser, if is_inside { b"" } else { b",;" });
        match parser.bytes.get(parser.at) {
            None if is_inside => return Err(Fault::cut(parser.bytes.len())),
            None => return Ok(None),
            // A comment without its end: the rest of the file may have it.
            Some(b'/') if is_open_comment(parser) => return Err(Fault::cut(parser.bytes.len())),
            Some(b'/') if is_last_comment(parser) => return Ok(None),
            Some(b',') if needs_comma => {
                parser.at += 1;
                needs_comma = false;
                pass(parser, b"");
                let is_trailing = parser.bytes.get(parser.at) == Some(&b']');
                parser.work.taking.tally.separators += u64::from(is_trailing);
            }
            Some(b']') if is_inside => {
                parser.at += 1;
                (is_inside, needs_comma) = (false, false);
            }
            Some(b'[') if !is_inside => {
                parser.at += 1;
                (is_inside, needs_comma) = (true, false);
            }
            // The end of an array that was left at a line that can't be read.
            Some(b']') if form == Form::Stream => {
                parser.at += 1;
                parser.work.taking.tally.separators += 1;
            }
            Some(_) if needs_comma => {
                let message = "a comma or the closing bracket ] is missing here";
                return Err(Fault::new(parser.at, message));
            }
            Some(b'{') => {
                document(parser)?;
                return Ok(Some(if is_inside { State::Inside } else { State::Outside }));
            }
            Some(byte) if is_inside && *byte != b'[' => {
                let message = "a document is expected here, not a value of another type; wrap each \
                               one, such as {\"value\": 1}";
                return Err(Fault::new(parser.at, message));
            }
            Some(_) if state == State::Start || is_inside || form == Form::Stream => {
                return parser.whole_document().map(|()| None);
            }
            Some(_) => {
                return Err(Fault::new(parser.at, "unexpected text after the array; remove it"));
            }
        }
    }
}

fn pass(parser: &mut Parser<'_, '_>, others: &[u8]) {
    let (length, count) = separators(parser.bytes.get(parser.at..).unwrap_or_default(), others);
    parser.at += length;
    parser.work.taking.tally.separators += count;
}

fn is_open_comment(parser: &Parser<'_, '_>) -> bool {
    parser.bytes.get(parser.at..).is_some_and(|rest| rest.starts_with(b"/*") || rest == b"/")
}

fn is_last_comment(parser: &Parser<'_, '_>) -> bool {
    parser.bytes.get(parser.at..).is_some_and(|rest| rest.starts_with(b"//"))
}

/// Reads a document as JSON, and if it isn't, as mongosh would. Of two errors it returns the later one.
fn document(parser: &mut Parser<'_, '_>) -> Result<(), Fault> {
    let (start, tally) = (parser.at, parser.work.taking.tally);
    let Err(fault) = parser.whole_document() else { return Ok(()) };
    let is_cut = fault.message.is_none() || parser.at >= parser.bytes.len();
    // An option of the import says whether a non-standard form is read.
    if is_cut || fault.nonstandard.is_some() || !is_shell_at(parser.bytes, fault.at) {
        return Err(fault);
    }
    let end = parser.at;
    parser.work.taking.tally = tally;
    parser.restart(start, Dialect::Shell);
    match parser.whole_document() {
        Ok(()) => {
            parser.work.taking.tally.shell_documents += 1;
            Ok(())
        }
        Err(later) if later.at > fault.at => Err(later),
        Err(_) => {
            parser.at = end;
            Err(fault)
        }
    }
}

/// Whether what JSON refuses at this place begins something that mongosh has: a name or a call, text in single quotes,
/// a regular expression or comment, the end after a comma. An escape or a number that JSON refuses would be read as
/// another one: `"C:\dir"` without its backslash.
fn is_shell_at(bytes: &[u8], at: usize) -> bool {
    let byte = bytes.get(at).copied().unwrap_or_default();
    byte.is_ascii_alphabetic() || !byte.is_ascii() || b"_$'`/}]".contains(&byte)
}

/// Only white space may follow the closing bracket.
fn closed(parser: &mut Parser<'_, '_>) -> Result<Option<State>, Fault> {
    parser.at = skip_space(parser.bytes, parser.at);
    if parser.at < parser.bytes.len() {
        return Err(Fault::new(parser.at, "unexpected text after the array; remove it"));
    }
    Ok(None)
}
