//! Reading files: from bytes over records to documents, in batches. Of JSON, CSV and BSON.

pub(super) mod archive;
pub(super) mod batch;
pub(super) mod bson_records;
pub(super) mod container;
pub(super) mod convert;
pub(super) mod csv;
pub(super) mod csv_detect;
pub(super) mod csv_document;
pub(super) mod csv_header;
pub(super) mod csv_name;
pub(super) mod csv_number;
pub(super) mod csv_row;
pub(super) mod csv_survey;
pub(super) mod csv_value;
pub(super) mod detect;
pub(super) mod foreign;
pub(super) mod gzip;
pub(super) mod input;
pub(super) mod item;
pub(super) mod json;
pub(super) mod prepare;
pub(super) mod records;
pub(super) mod sample;
pub(super) mod tar;
pub(super) mod text_position;
pub(super) mod types;
