//! The bounds of files in and out.

/// Bytes that are read from a file at first; the buffer doubles when a document is longer.
pub(super) const READ_BYTES: usize = 256 << 10;

/// Bytes of a file that are looked at to tell its form.
pub(super) const DETECT_BYTES: usize = 64 << 10;

/// Bytes of text that one document may have. A longer one is rejected. Sixteen times the largest
/// document, so that every export can be imported: of all types an empty pattern grows most, from four
/// bytes of BSON with an empty name to 54 of Extended JSON, and a control character in text from one to six.
pub const IMPORT_TEXT_BYTES_MAX: usize = 256 << 20;

/// Bytes of text after which a document that has not ended is read on only if what is here of it is not
/// too large already: a line without an end costs no more memory.
pub(super) const IMPORT_TEXT_BYTES_BLIND: usize = 64 << 20;

/// Bytes of a row of CSV. Each byte of a value takes two at most, a quote or a hexadecimal digit pair.
pub(super) const CSV_ROW_BYTES_MAX: usize = 64 << 20;

/// Rejected documents after which an import stops.
pub const IMPORT_REJECTS_MAX: u64 = 1_000;

/// Rejected documents that a report lists; the file of rejected documents has them all.
pub(super) const REJECTS_LISTED_MAX: usize = 20;

/// Bytes of a rejected document's text that are kept.
pub(super) const REJECT_TEXT_BYTES_MAX: usize = 64 << 10;

/// Bytes of rejected documents' text after which a transaction of an import ends.
pub(super) const REJECTS_BYTES_MAX: usize = 1 << 20;

/// Numbers tried for the name of a file of rejected documents.
pub(super) const REJECT_FILES_MAX: u32 = 1_000;

/// Bytes of BSON and of rejected texts after which a batch goes to the writer.
pub(super) const BATCH_BYTES_MAX: usize = 4 << 20;

/// Batches that wait for the writer.
pub(super) const BATCH_QUEUE_MAX: usize = 2;

/// Documents between two looks at the clock within a transaction.
pub(super) const CLOCK_DOCS: usize = 16;

/// Unpacked bytes per packed byte above which a gzip file is refused, once it is longer than
/// [`GZIP_BYTES_FREE`].
pub(super) const GZIP_RATIO_MAX: u64 = 200;

/// Unpacked bytes up to which any ratio is fine.
pub(super) const GZIP_BYTES_FREE: u64 = 100 << 20;

/// Bytes that are unpacked of a gzip file to tell about how long it is.
pub(super) const GZIP_SAMPLE_BYTES: u64 = 16 << 20;

/// Documents that a preview shows.
pub const PREVIEW_DOCS_MAX: usize = 20;

/// Bytes of a file after which a preview looks at no further document.
pub(super) const PREVIEW_BYTES_MAX: u64 = 16 << 20;

/// Documents that one read transaction of an export visits.
pub(super) const EXPORT_DOCS_MAX: usize = 10_000;

/// Text bytes after which a read transaction of an export ends.
pub(super) const EXPORT_BYTES_MAX: usize = 4 << 20;

/// Characters of the `_id` that a report shows of a document that JSON does not give back as it is.
pub(super) const LOOKALIKE_ID_CHARS_MAX: usize = 100;

/// Bytes of a suggested file name, without a hash of what was cut off and without its ending.
pub(super) const FILE_NAME_BYTES_MAX: usize = 120;

/// Columns of a CSV file.
pub(super) const CSV_COLUMNS_MAX: usize = 10_000;

/// Documents of which an import has seen at least so many before the share of rejected ones counts.
pub const REJECTS_SHARE_DOCS_MIN: u64 = 1_000;

/// An import stops when more than one document in so many was rejected.
pub const REJECTS_SHARE: u64 = 10;

/// Kinds of reasons that are counted apart; what comes later counts as one kind.
pub(super) const REASONS_MAX: usize = 50;

/// Bytes at the start of a file that tell it from another one.
pub(super) const IDENTITY_BYTES: u64 = 1 << 20;

/// Imports that did not reach their end which a store remembers.
pub(super) const UNFINISHED_MAX: usize = 100;

/// Lists of stored documents that one transaction forgets.
pub(super) const FORGET_LISTS_MAX: u64 = 1_000;
