//! Formats of tables that aren't text: Parquet, Arrow and workbooks.

#[cfg(feature = "tables")]
use crate::transfer::read::{
    columnar::{ColumnarRows, is_arrow, is_parquet},
    sheet::{SheetRows, is_legacy, is_workbook},
};
use crate::transfer::read::{input::Input, row_reader::RowReader};
use crate::transfer::{ReadOptions, RecordFormat};

/// Endings of the names of workbooks that are zip archives.
pub(in crate::transfer) const WORKBOOK_ENDINGS: [&str; 4] = [".xlsx", ".xlsm", ".xlsb", ".ods"];

/// Recognizes no such file: this build can't read them.
#[cfg(not(feature = "tables"))]
pub(in crate::transfer) fn form(_: &Input<'_>, _: bool) -> Option<RecordFormat> {
    None
}

#[cfg(not(feature = "tables"))]
pub(in crate::transfer) fn reader(
    _: RecordFormat,
    _: &mut Input<'_>,
    _: &ReadOptions,
) -> Result<Box<dyn RowReader>, String> {
    Err("this build of Mayfly can't read this format".to_owned())
}

/// Recognizes such a file by its first bytes. `is_named` says that it has the name of a workbook.
#[cfg(feature = "tables")]
pub(in crate::transfer) fn form(input: &Input<'_>, is_named: bool) -> Option<RecordFormat> {
    let start = input.bytes();
    if is_parquet(start) {
        return Some(RecordFormat::Parquet);
    }
    if is_arrow(start) {
        return Some(RecordFormat::Arrow);
    }
    (is_legacy(start) || is_workbook(input, is_named)).then_some(RecordFormat::Workbook)
}

/// The reader of such a format.
///
/// # Errors
/// One sentence without its full stop.
#[cfg(feature = "tables")]
pub(in crate::transfer) fn reader(
    form: RecordFormat,
    input: &mut Input<'_>,
    options: &ReadOptions,
) -> Result<Box<dyn RowReader>, String> {
    Ok(match form {
        RecordFormat::Parquet => Box::new(ColumnarRows::parquet(input, options)?),
        RecordFormat::Arrow => Box::new(ColumnarRows::arrow(input, options)?),
        _ => Box::new(SheetRows::open(input, options)?),
    })
}
