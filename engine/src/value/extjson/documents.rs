//! Document after document out of a stream of bytes.

use bson::raw::RawDocument;

use crate::value::text::TextError;

/// How the documents of a file follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One after the other with white space between them or nothing: NDJSON, concatenated or pretty.
    Stream,
    /// The elements of one array.
    Array,
}

/// What one step of [`Documents`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A document, to be had by [`Documents::document`]; go on `consumed` bytes later.
    Document {
        /// Bytes used up.
        consumed: usize,
    },
    /// No more documents. All bytes are used up.
    End {
        /// Bytes used up.
        consumed: usize,
    },
    /// The bytes end inside a document: come again with the same bytes and more behind them.
    NeedMore,
}

/// Reads document after document out of slices of a stream.
///
/// ```
/// use mayfly_engine::value::extjson::{Documents, Form, Step};
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
}

impl Documents {
    /// At the start of a stream.
    pub fn new(form: Form) -> Self {
        Self { form }
    }

    /// Reads the next document from the start of `bytes`. `last` says that nothing comes after
    /// these bytes.
    ///
    /// # Errors
    /// The first thing found wrong; line and column count from the start of the stream, `offset`
    /// too. The stream stays before the bad document: see [`Self::skip_line`].
    pub fn step(&mut self, bytes: &[u8], last: bool) -> Result<Step, TextError> {
        let _ = (bytes, last, self.form);
        todo!()
    }

    /// The document of the last [`Step::Document`].
    pub fn document(&self) -> &RawDocument {
        todo!()
    }

    /// After an error in NDJSON: takes the bytes up to and including the next line end as used up
    /// and returns their number; `None` if there is no line end in `bytes`.
    pub fn skip_line(&mut self, bytes: &[u8]) -> Option<usize> {
        let _ = bytes;
        todo!()
    }

    /// Documents read so far.
    pub fn count(&self) -> u64 {
        todo!()
    }

    /// Values in the older form (Extended JSON v1) met so far.
    pub fn legacy_values(&self) -> u64 {
        todo!()
    }
}
