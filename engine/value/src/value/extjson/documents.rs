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
}

/// Where in the stream we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the first byte.
    Start,
    Between,
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
        }
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
        let found = find(&mut parser, self.form, self.state);
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
            Ok(None) => Ok(Step::NeedMore),
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
        let mut trial = Self { state: self.state, place: self.place, ..new };
        trial.step(bytes, false) == Ok(Step::NeedMore) && trial.work.out.len() <= DOCUMENT_BYTES_MAX
    }

    /// Reads a document that has a line for itself, with the line's end. False, and nothing has
    /// happened, when the line is anything else: [`Self::step`] tells what it is. The place is not
    /// followed: before the next step it has to be given to [`Self::resume`].
    pub fn line(&mut self, line: &[u8]) -> bool {
        let before = self.work.taking.tally;
        let Some((b'\n', text)) = line.split_last() else { return false };
        if self.form != Form::Stream || text.first() != Some(&b'{') {
            return false;
        }
        let mut parser = Parser::new(text, 0, Dialect::Json, &mut self.work);
        let is_whole = parser.whole_document().is_ok() && parser.end().is_ok();
        if is_whole {
            self.state = State::Between;
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
    /// of.
    pub fn skip(&mut self, bytes: &[u8]) {
        self.state = State::Between;
        self.advance(bytes, bytes.len());
    }

    /// Resumes in the middle of a stream: after a document that an earlier run has read. Line and
    /// column count from 1, the offset from 0.
    pub fn resume(&mut self, line: u64, column: u64, offset: u64) {
        let size = |number| usize::try_from(number).unwrap_or(usize::MAX);
        self.state = State::Between;
        self.place = SourcePosition::at(size(line), size(column), size(offset));
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
            Some(_) => parser.whole_document().map(|()| Some(State::Between)),
        };
    }
    if state == State::Start {
        parser.expect(b'[', "an array is expected here; it starts with [")?;
    }
    if parser.take(b']')? {
        return closed(parser);
    }
    if state == State::Between {
        parser.expect(b',', "a comma or the closing bracket ] is missing here")?;
        let comma = parser.at - 1;
        if parser.peek()? == b']' {
            return Err(Fault::new(comma, "trailing comma; remove it"));
        }
    }
    parser.whole_document().map(|()| Some(State::Between))
}

/// Only white space may follow the closing bracket.
fn closed(parser: &mut Parser<'_, '_>) -> Result<Option<State>, Fault> {
    parser.at = skip_space(parser.bytes, parser.at);
    if parser.at < parser.bytes.len() {
        return Err(Fault::new(parser.at, "unexpected text after the array; remove it"));
    }
    Ok(None)
}
