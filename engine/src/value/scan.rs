//! The iterative check of untrusted BSON.

use bson::raw::RawDocument;

/// Largest document in bytes, MongoDB's own limit.
pub const DOCUMENT_BYTES_MAX: usize = 16_777_216;

/// Most levels of documents and arrays in one another, the outermost one counted.
pub const DEPTH_MAX: usize = 100;

/// What a scan allows.
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
    /// What is wrong.
    pub kind: ScanErrorKind,
    /// Offset in bytes from the start of the document.
    pub offset: usize,
}

/// What is wrong with the bytes.
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
}

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
    let _ = (bytes, limits);
    todo!()
}
