//! Workbooks of Excel and of the Open Document Format.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use calamine::{
    Data, DataRef, Ods, OdsError, Reader, Sheet, SheetType, SheetVisible, Xls, XlsError, Xlsb,
    XlsbError, Xlsx, XlsxError,
};
use zip::ZipArchive;

use super::cell::CellValue;
use crate::transfer::limits::{
    UNPACKED_BYTES_FREE, UNPACKED_RATIO_MAX, WORKBOOK_BYTES_MAX, WORKBOOK_PART_BYTES_MAX,
};
use crate::transfer::read::input::Input;

const FORMAT: &str = "Excel";
const DAMAGED: &str = "the workbook is damaged; open it in its program and save it again";
const ENCRYPTED: &str = "the workbook has a password; remove it and save the file again";

/// Of a zip archive.
const ZIP_MAGIC: &[u8] = b"PK\x03\x04";

/// Of a file system in a file, in which Office kept documents until 2007, and keeps encrypted ones.
const LEGACY_MAGIC: &[u8] = b"\xd0\xcf\x11\xe0";

/// The file in a zip archive that each kind of workbook has.
const PARTS: [(&str, Kind); 3] =
    [("xl/workbook.xml", Kind::Xlsx), ("xl/workbook.bin", Kind::Xlsb), ("content.xml", Kind::Ods)];

/// Bytes at the start of the shared texts that say how many there are.
const TEXTS_START_BYTES: u64 = 4 << 10;

type WorkbookFile = BufReader<CountedFile>;

/// Cells are passed to this with their row and column, from 0, until it returns false.
pub(super) type TakeCell<'t> = &'t mut dyn FnMut(u32, u32, &CellValue<'_>) -> Result<bool, String>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Xlsx,
    Xlsb,
    Ods,
}

enum Book {
    Xlsx(Box<Xlsx<WorkbookFile>>),
    Xlsb(Box<Xlsb<WorkbookFile>>),
    Ods(Box<Ods<WorkbookFile>>),
    Xls(Box<Xls<WorkbookFile>>),
}

pub(super) struct Workbook {
    book: Book,
    read: Arc<AtomicU64>,
}

/// Recognizes a workbook. Another zip archive isn't one, but a zip archive that broke off has no list
/// of its files: `is_named` says that it has the name of a workbook.
pub(in crate::transfer) fn is_workbook(input: &Input<'_>, is_named: bool) -> bool {
    if !input.bytes().starts_with(ZIP_MAGIC) {
        return false;
    }
    let archive = input.file(FORMAT).ok().and_then(|file| zip(file).ok());
    archive.map_or(is_named, |archive| kind(&archive).is_some())
}

/// Recognizes the file system of older versions of Office.
pub(in crate::transfer) fn is_legacy(start: &[u8]) -> bool {
    start.starts_with(LEGACY_MAGIC)
}

fn zip(file: File) -> Result<ZipArchive<BufReader<File>>, String> {
    guarded(|| ZipArchive::new(BufReader::new(file)).map_err(|_| DAMAGED.to_owned()))
}

fn kind(archive: &ZipArchive<BufReader<File>>) -> Option<Kind> {
    let has = |(part, _): &&(&str, Kind)| archive.index_for_name(part).is_some();
    PARTS.iter().find(has).map(|(_, kind)| *kind)
}

impl Workbook {
    pub(super) fn open(input: &Input<'_>) -> Result<Self, String> {
        let file = input.file(FORMAT)?;
        let failed = |error: io::Error| input.failed(&error);
        if file.metadata().map_err(failed)?.len() > WORKBOOK_BYTES_MAX {
            let max = WORKBOOK_BYTES_MAX >> 20;
            return Err(format!("the workbook is larger than {max} MB; save the sheet as CSV"));
        }
        let kind = if is_legacy(input.bytes()) {
            None
        } else {
            let mut archive = zip(file.try_clone().map_err(failed)?)?;
            let kind = kind(&archive).ok_or(DAMAGED)?;
            guarded(|| check_parts(&mut archive))?;
            Some(kind)
        };
        let mut source = CountedFile { file, read: Arc::default() };
        source.seek(SeekFrom::Start(0)).map_err(failed)?;
        let read = Arc::clone(&source.read);
        let source = BufReader::new(source);
        let book = guarded(|| match kind {
            Some(Kind::Xlsx) => {
                Xlsx::new(source).map(Box::new).map(Book::Xlsx).map_err(|error| of_xlsx(&error))
            }
            Some(Kind::Xlsb) => {
                Xlsb::new(source).map(Box::new).map(Book::Xlsb).map_err(|error| of_xlsb(&error))
            }
            Some(Kind::Ods) => {
                Ods::new(source).map(Box::new).map(Book::Ods).map_err(|error| of_ods(&error))
            }
            None => legacy(source),
        })?;
        Ok(Self { book, read })
    }

    fn metadata(&self) -> &[Sheet] {
        match &self.book {
            Book::Xlsx(book) => book.sheets_metadata(),
            Book::Xlsb(book) => book.sheets_metadata(),
            Book::Ods(book) => book.sheets_metadata(),
            Book::Xls(book) => book.sheets_metadata(),
        }
    }

    /// The names of the sheets with cells.
    pub(super) fn sheets(&self) -> Vec<String> {
        let sheets = self.metadata().iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
        sheets.map(|sheet| sheet.name.clone()).collect()
    }

    /// The first of them that isn't hidden, or the first one.
    pub(super) fn first_sheet(&self) -> Option<String> {
        let is_seen =
            |it: &&Sheet| it.typ == SheetType::WorkSheet && it.visible == SheetVisible::Visible;
        let seen = self.metadata().iter().find(is_seen).map(|sheet| sheet.name.clone());
        seen.or_else(|| self.sheets().into_iter().next())
    }

    /// Bytes read of the file.
    pub(super) fn read_bytes(&self) -> u64 {
        self.read.load(Relaxed)
    }

    /// Passes on the cells of a sheet that have a value, row by row.
    ///
    /// # Errors
    /// One sentence without its full stop.
    pub(super) fn cells(
        &mut self,
        sheet: &str,
        input: &Input<'_>,
        take: TakeCell<'_>,
    ) -> Result<(), String> {
        let take: TakeCell<'_> = &mut |row, column, value: &CellValue<'_>| {
            if input.is_cancelled() {
                return Err("the import was canceled".to_owned());
            }
            take(row, column, value)
        };
        guarded(|| match &mut self.book {
            Book::Xlsx(book) => {
                let mut cells =
                    book.worksheet_cells_reader(sheet).map_err(|error| of_xlsx(&error))?;
                while let Some(cell) =
                    cells.next_cell_with_formula_metadata().map_err(|error| of_xlsx(&error))?
                {
                    let (row, column) = cell.pos;
                    let is_uncomputed = cell.formula.is_some() && cell.value == DataRef::Empty;
                    let value = match CellValue::of_ref(&cell.value) {
                        None if is_uncomputed => Some(CellValue::EmptyFormula),
                        value => value,
                    };
                    if let Some(value) = value
                        && !take(row, column, &value)?
                    {
                        break;
                    }
                }
                Ok(())
            }
            // Both binary formats have a value next to each formula.
            Book::Xlsb(book) => {
                let mut cells =
                    book.worksheet_cells_reader(sheet).map_err(|error| of_xlsb(&error))?;
                while let Some(cell) = cells.next_cell().map_err(|error| of_xlsb(&error))? {
                    let (row, column) = cell.get_position();
                    let value = CellValue::of_ref(cell.get_value());
                    if let Some(value) = value
                        && !take(row, column, &value)?
                    {
                        break;
                    }
                }
                Ok(())
            }
            Book::Ods(book) => {
                let formulas = book.worksheet_formula(sheet).map_err(|error| of_ods(&error))?;
                let cells = book.worksheet_range(sheet).map_err(|error| of_ods(&error))?;
                uncomputed(&formulas, &cells, take)?;
                range(&cells, take)
            }
            Book::Xls(book) => {
                range(&book.worksheet_range(sheet).map_err(|error| of_xls(&error))?, take)
            }
        })
    }
}

/// The cells of a sheet that was read whole.
fn range(range: &calamine::Range<Data>, take: TakeCell<'_>) -> Result<(), String> {
    let (first_row, first_column) = range.start().unwrap_or_default();
    for (row, column, data) in range.used_cells() {
        let Some(value) = CellValue::of(data) else { continue };
        let at = |first: u32, offset: usize| {
            u32::try_from(offset).ok().and_then(|offset| first.checked_add(offset))
        };
        let (Some(row), Some(column)) = (at(first_row, row), at(first_column, column)) else {
            return Err(DAMAGED.to_owned());
        };
        if !take(row, column, &value)? {
            break;
        }
    }
    Ok(())
}

/// Passes on the cells that have a formula and no value.
fn uncomputed(
    formulas: &calamine::Range<String>,
    cells: &calamine::Range<Data>,
    take: TakeCell<'_>,
) -> Result<(), String> {
    let (first_row, first_column) = formulas.start().unwrap_or_default();
    for (row, column, _) in formulas.used_cells().filter(|(.., formula)| !formula.is_empty()) {
        let at = |first: u32, offset| first.saturating_add(u32::try_from(offset).unwrap_or(0));
        let (row, column) = (at(first_row, row), at(first_column, column));
        let value = cells.get_value((row, column));
        if value.is_none_or(|value| *value == Data::Empty) {
            take(row, column, &CellValue::EmptyFormula)?;
        }
    }
    Ok(())
}

/// A workbook of Excel up to 2003, or an encrypted one of a later version.
fn legacy(mut source: WorkbookFile) -> Result<Book, String> {
    if matches!(Xlsx::new(&mut source), Err(XlsxError::Password)) {
        return Err(ENCRYPTED.to_owned());
    }
    source.seek(SeekFrom::Start(0)).map_err(|_| DAMAGED.to_owned())?;
    Xls::new(source).map(Box::new).map(Book::Xls).map_err(|error| match error {
        XlsError::Password => ENCRYPTED.to_owned(),
        _ => {
            "the file is of an older version of Office, and not a workbook that can be read; save \
              it as .xlsx or CSV"
                .to_owned()
        }
    })
}

/// Checks how large the parts of a workbook are: the texts that its sheets share are read whole.
fn check_parts(archive: &mut ZipArchive<BufReader<File>>) -> Result<(), String> {
    let mut texts = None;
    for index in 0..archive.len() {
        let part = archive.by_index_raw(index).map_err(|_| DAMAGED.to_owned())?;
        let (bytes, packed) = (part.size(), part.compressed_size().max(1));
        let name = part.name().map_err(|_| DAMAGED.to_owned())?;
        let is_sheet = name.starts_with("xl/worksheets/");
        if bytes > UNPACKED_BYTES_FREE && bytes / packed > UNPACKED_RATIO_MAX {
            return Err(format!(
                "a part of the workbook decompresses to more than {UNPACKED_RATIO_MAX} times its \
                 size; save the sheet as CSV"
            ));
        }
        if bytes > WORKBOOK_PART_BYTES_MAX && !is_sheet {
            let max = WORKBOOK_PART_BYTES_MAX >> 20;
            return Err(format!(
                "the workbook has more than {max} MB of text; save the sheet as CSV"
            ));
        }
        if name == "xl/sharedStrings.xml" {
            texts = Some((index, bytes));
        }
    }
    let Some((index, bytes)) = texts else { return Ok(()) };
    let mut start = String::new();
    let part = archive.by_index(index).map_err(|_| DAMAGED.to_owned())?;
    let mut lossy = Vec::new();
    part.take(TEXTS_START_BYTES).read_to_end(&mut lossy).map_err(|_| DAMAGED.to_owned())?;
    start.push_str(&String::from_utf8_lossy(&lossy));
    // Room is made for as many texts as the file claims to have.
    let claimed = start.split("uniqueCount=").nth(1).map(|rest| {
        let digits = rest.trim_start_matches(['"', '\'']);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits.get(..end).and_then(|digits| digits.parse::<u64>().ok()).unwrap_or(u64::MAX)
    });
    if claimed.is_some_and(|claimed| claimed > bytes) { Err(DAMAGED.to_owned()) } else { Ok(()) }
}

fn of_xlsx(error: &XlsxError) -> String {
    match error {
        XlsxError::Password => ENCRYPTED,
        _ => DAMAGED,
    }
    .to_owned()
}

fn of_xlsb(error: &XlsbError) -> String {
    match error {
        XlsbError::Password => ENCRYPTED,
        _ => DAMAGED,
    }
    .to_owned()
}

fn of_ods(error: &OdsError) -> String {
    match error {
        OdsError::Password => ENCRYPTED,
        OdsError::CellLimitExceeded { .. } => "the sheet has too many cells; save it as CSV",
        _ => DAMAGED,
    }
    .to_owned()
}

fn of_xls(error: &XlsError) -> String {
    match error {
        XlsError::Password => ENCRYPTED,
        _ => DAMAGED,
    }
    .to_owned()
}

/// Runs a reader, whose panic means that the file is damaged.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(DAMAGED.to_owned()))
}

/// A file that counts what is read of it.
struct CountedFile {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for CountedFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(into)?;
        self.read.fetch_add(count as u64, Relaxed);
        Ok(count)
    }
}

impl Seek for CountedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
