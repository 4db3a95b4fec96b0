//! The bounds of import and export.

/// First size of the read buffer in bytes. It doubles for longer documents.
pub(super) const READ_BYTES: usize = 256 << 10;

/// Bytes of a file that are used to detect its format.
pub(super) const DETECT_BYTES: usize = 64 << 10;

/// Bytes of text that one document may have; a longer one is rejected. Sixteen times the largest
/// document, so that every export can be imported. An empty regular expression grows most: from 4
/// bytes of BSON with an empty name to 54 of Extended JSON. A control character grows from 1 to 6.
pub const IMPORT_TEXT_BYTES_MAX: usize = 256 << 20;

/// Bytes of text after which an unfinished document is read further only if it is not too large
/// yet. This bounds the memory for a line without an end.
pub(super) const IMPORT_TEXT_BYTES_BLIND: usize = 64 << 20;

/// Bytes of a CSV row. Each byte of a value takes at most two: a doubled quote or two hex digits.
pub(super) const CSV_ROW_BYTES_MAX: usize = 64 << 20;

/// Bytes that a batch of a Parquet file is meant to have.
pub(super) const COLUMNAR_BATCH_BYTES: i64 = 4 << 20;

/// Rows of such a batch.
pub(super) const COLUMNAR_BATCH_ROWS_MAX: usize = 1_024;

/// Bytes of a batch of an Arrow file, with and without its compression.
pub(super) const ARROW_MESSAGE_BYTES_MAX: usize = 2 << 30;

/// Bytes of the description of such a batch, or of the schema.
pub(super) const ARROW_METADATA_BYTES_MAX: usize = 64 << 20;

/// Bytes of a workbook.
pub(super) const WORKBOOK_BYTES_MAX: u64 = 1 << 30;

/// Bytes of a part of a workbook that is read whole, without its compression.
pub(super) const WORKBOOK_PART_BYTES_MAX: u64 = 512 << 20;

/// Bytes of the values of a sheet, which is kept whole: about 40 million numbers.
pub(super) const SHEET_BYTES_MAX: usize = 1 << 30;

/// Rejected documents after which an import stops.
pub const IMPORT_REJECTS_MAX: u64 = 1_000;

/// Rejected documents that a report lists. The file of rejected documents has them all.
pub(super) const REJECTS_LISTED_MAX: usize = 20;

/// Bytes of a rejected document's text that are kept: as many as a document may have.
pub(super) const REJECT_TEXT_BYTES_MAX: usize = 16 << 20;

/// Bytes that are kept of a longer text, and of the rest of a file that can't be read.
pub(super) const REJECT_REST_BYTES_MAX: usize = 64 << 10;

/// Bytes of the name of a file of rejected documents, with its number. Most file systems allow 255.
pub(super) const REJECT_NAME_BYTES_MAX: usize = 240;

/// Bytes of rejected text after which a transaction of an import ends.
pub(super) const REJECTS_BYTES_MAX: usize = 1 << 20;

/// Numbers tried for the name of a file of rejected documents.
pub(super) const REJECT_FILES_MAX: u32 = 1_000;

/// Bytes of BSON and rejected text after which a batch goes to the writer.
pub(super) const BATCH_BYTES_MAX: usize = 4 << 20;

/// Batches queued for the writer.
pub(super) const BATCH_QUEUE_MAX: usize = 2;

/// Documents between two clock readings within a transaction.
pub(super) const CLOCK_DOCS: usize = 16;

/// Ratio of decompressed to compressed bytes above which a compressed file is refused, once it is longer
/// than [`UNPACKED_BYTES_FREE`].
pub(super) const UNPACKED_RATIO_MAX: u64 = 200;

/// Decompressed bytes up to which any ratio is accepted.
pub(super) const UNPACKED_BYTES_FREE: u64 = 100 << 20;

/// Decompressed bytes from which the size of a compressed file is estimated.
pub(super) const UNPACKED_SAMPLE_BYTES: u64 = 16 << 20;

/// Documents that a preview shows.
pub const PREVIEW_DOCS_MAX: usize = 20;

/// Bytes of a file after which a preview reads no further document.
pub(super) const PREVIEW_BYTES_MAX: u64 = 16 << 20;

/// Entries of a folder in which a dump is looked for.
pub(super) const DUMP_FILES_MAX: usize = 20_000;

/// Folders above each other in which the collections of an exported snapshot are looked for.
pub(super) const DUMP_DEPTH_MAX: usize = 8;

/// Bytes of a collection's metadata in a dump.
pub(super) const DUMP_METADATA_BYTES_MAX: usize = 16 << 20;

/// Bytes of the metadata of all collections in an archive or a tar: more than for [`DUMP_FILES_MAX`]
/// collections.
pub(super) const DUMP_METADATA_ALL_BYTES_MAX: usize = 256 << 20;

/// Bytes of a file in a container after which another look at it needs another reading.
pub(super) const REPLAY_BYTES_MAX: usize = 1 << 20;

/// Bytes of the manifest of a folder: more than for [`DUMP_FILES_MAX`] files.
pub(super) const MANIFEST_BYTES_MAX: u64 = 64 << 20;

/// Documents over which a preview detects types and layouts.
pub const SAMPLE_DOCS_MAX: u64 = 5_000;

/// Paths for which a preview does so.
pub(super) const SAMPLE_PATHS_MAX: usize = 500;

/// Documents that one read transaction of an export visits.
pub(super) const EXPORT_DOCS_MAX: usize = 10_000;

/// Bytes of text after which a read transaction of an export ends.
pub(super) const EXPORT_BYTES_MAX: usize = 4 << 20;

/// Characters of an `_id` that a report shows.
pub(super) const LOOKALIKE_ID_CHARS_MAX: usize = 100;

/// Fields for which an export counts the longs that JSON makes ints of. Those of others share one
/// count.
pub(super) const LOSS_PATHS_MAX: usize = 1_000;

/// Sentences about what a file loses. Further kinds share the last one.
pub(super) const LOSS_SENTENCES_MAX: usize = 8;

/// Fields that one of them names.
pub(super) const LOSS_FIELDS_NAMED_MAX: usize = 3;

/// Characters of such a name.
pub(super) const LOSS_NAME_CHARS_MAX: usize = 60;

/// Bytes of a suggested file name, without hash and extension.
pub(super) const FILE_NAME_BYTES_MAX: usize = 120;

/// Columns of a CSV file.
pub(super) const CSV_COLUMNS_MAX: usize = 10_000;

/// Documents that an import reads before the share of rejected ones counts.
pub const REJECTS_SHARE_DOCS_MIN: u64 = 1_000;

/// An import stops when more than one in this many documents was rejected.
pub const REJECTS_SHARE: u64 = 10;

/// Reasons that are counted separately. Later ones share one count.
pub(super) const REASONS_MAX: usize = 50;

/// Bytes at the start of a file that identify it.
pub(super) const IDENTITY_BYTES: u64 = 1 << 20;

/// Bytes at its end that do so too.
pub(super) const IDENTITY_END_BYTES: u64 = 64 << 10;

/// Complete imports that can be rolled back, as many as one import has files. The next one forgets
/// the oldest.
pub(super) const COMPLETE_IMPORTS_MAX: usize = 100;

/// Unfinished imports that a store remembers.
pub(super) const UNFINISHED_MAX: usize = 100;

/// Lists of inserted documents that one transaction deletes.
pub(super) const FORGET_LISTS_MAX: u64 = 1_000;

/// Zero bytes at the end of a text that are ignored. A sparse file may have far more.
pub(super) const PADDING_BYTES_MAX: u64 = 16 << 20;
