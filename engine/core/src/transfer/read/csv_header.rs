//! The header row of CSV: paths, and types as mongoimport's `--columnsHaveTypes` has them.
//!
//! A header has types if one of its columns is a whole `name.type(argument)`: the type is known and
//! the argument fits it, so that `due.date(UTC)` is an ordinary name. Then all columns need one. So
//! no option says whether there are types: without the option, `due.date_ms(yyyy)` would become a
//! field in a field, and nothing would say so.

use std::collections::HashSet;

use bson::Bson;

use crate::transfer::Nonstandard;
use crate::transfer::read::csv_name::{self, ColumnPath, names, path_text};
use crate::transfer::read::csv_number::CellForm;
use crate::transfer::read::csv_row::Cell;
use crate::transfer::read::csv_value::{BinaryText, CellType};
use crate::value::{
    date_text::{DateForm, Dialect},
    zone::Zone,
};

/// A column of a table, as a preview shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableColumn {
    /// The cell of the header row; empty for a column beyond it.
    pub header: String,
    /// The path of its values: `a.b`, `tags[0]`. Unique.
    pub name: String,
    /// How its cells read where that isn't obvious.
    pub notes: Vec<ColumnNote>,
}

/// How the cells of a column read where that isn't obvious, each with the first such cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnNote {
    /// The column stays text because this number would be written in another way, as `1.10` would.
    Altered(String),
    /// The column stays text because its cells have quotes and those of others don't.
    Quoted(String),
    /// The column stays text because the comma may be one between thousands, as in `1,234`.
    UnclearComma(String),
    /// Its numbers have a comma before their decimals.
    DecimalComma(String),
    /// This word is an empty cell, because the others are numbers or booleans.
    MissingWord(String),
    /// The header lacks the column, and a backslash stands before a separator.
    ShiftedByEscape,
}

impl ColumnNote {
    /// The same in a few words that follow the name of the column.
    pub fn words(&self) -> String {
        match self {
            Self::Altered(cell) => {
                format!("stays text: {cell} would be written in another way as a number")
            }
            Self::Quoted(cell) => {
                format!("stays text: its cells have quotes, as \"{cell}\" has, and others don't")
            }
            Self::UnclearComma(cell) => {
                format!("stays text: {cell} may have a decimal comma or thousands")
            }
            Self::DecimalComma(cell) => format!("numbers with a decimal comma, as {cell} has"),
            Self::MissingWord(cell) => format!("{cell} is read as a missing value"),
            Self::ShiftedByEscape => {
                "the header lacks it, and some row has a backslash before a separator".to_owned()
            }
        }
    }
}

impl TableColumn {
    /// The path of its values as `--type` has it: those in arrays have the path of their array.
    pub fn field_path(&self) -> String {
        csv_name::meant(&self.name).map_or_else(|| self.name.clone(), |path| names(&path).join("."))
    }

    /// Whether its name isn't that of the header.
    pub fn is_renamed(&self) -> bool {
        self.header.trim() != self.name
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::transfer) struct Column {
    /// As the header has it, without a type.
    pub(in crate::transfer) header: String,
    pub(in crate::transfer) path: ColumnPath,
    pub(in crate::transfer) to: CellType,
    /// The type as the header has it, `date_ms(yyyy-MM-dd)`.
    pub(in crate::transfer) declared: Option<String>,
    /// The converter's field, whose type comes before that of the header.
    pub(in crate::transfer) field: Option<usize>,
    /// Blanks without quotes are text and not a missing value.
    pub(in crate::transfer) keeps_blanks: bool,
    /// Some cell is a word for a missing value, or `""` among numbers.
    pub(in crate::transfer) has_words: bool,
    /// Numbers have a comma before their decimals.
    pub(in crate::transfer) has_commas: bool,
    /// As in [`TableColumn`].
    pub(in crate::transfer) notes: Vec<ColumnNote>,
}

impl Column {
    /// A column without a type.
    pub(in crate::transfer) fn plain(path: ColumnPath) -> Self {
        Self {
            header: String::new(),
            path,
            to: CellType::Auto,
            declared: None,
            field: None,
            keeps_blanks: false,
            has_words: false,
            has_commas: false,
            notes: Vec::new(),
        }
    }

    /// Whether a cell of the column has a value.
    pub(in crate::transfer) fn has_value(&self, cell: &Cell, row: &[u8]) -> bool {
        if cell.is_empty() || (!self.keeps_blanks && cell.is_missing(row)) {
            return false;
        }
        !self.has_words || !self.is_word(cell, row)
    }

    /// Whether a cell that isn't blank is a word for a missing value.
    pub(in crate::transfer) fn is_word(&self, cell: &Cell, row: &[u8]) -> bool {
        let bytes = cell.bytes(row);
        let text = str::from_utf8(&bytes).unwrap_or("\u{fffd}");
        self.to.form(cell.number_text(text)) == CellForm::Missing
    }

    /// The path with dots. Values in arrays have the path of their array.
    pub(in crate::transfer) fn field_path(&self) -> String {
        names(&self.path).join(".")
    }

    pub(in crate::transfer) fn shown(&self) -> TableColumn {
        let (header, notes) = (self.header.clone(), self.notes.clone());
        TableColumn { header, name: path_text(&self.path), notes }
    }

    /// The value of a cell.
    ///
    /// # Errors
    /// When it does not have the column's type.
    pub(in crate::transfer) fn value(&self, text: &str, zone: Zone) -> Result<Bson, String> {
        self.to.value(text, zone).ok_or_else(|| {
            let declared = self.declared.as_deref().unwrap_or("text");
            format!("{text:?} is not a valid {declared}; correct it or change the header")
        })
    }
}

/// Byte offset in the row, and what is wrong.
pub(in crate::transfer) type CellError = (usize, String);

/// Why text with broken characters isn't read.
pub(in crate::transfer) fn broken_text() -> String {
    let broken = Nonstandard::BrokenText;
    format!(
        "the text has broken characters; choose its encoding (--encoding), or the option \"{}\" \
         ({})",
        broken.option(),
        broken.flag()
    )
}

/// Reads the header row. All columns with a name have a type, or none has. `replaces` tells to read
/// text with broken characters.
pub(in crate::transfer) fn header(
    row: &[u8],
    cells: &[Cell],
    replaces: bool,
) -> Result<Vec<Column>, CellError> {
    let mut texts = Vec::new();
    for cell in cells {
        let text = match String::from_utf8(cell.bytes(row).into_owned()) {
            Ok(text) => text,
            Err(broken) if replaces => String::from_utf8_lossy(broken.as_bytes()).into_owned(),
            Err(_) => return Err((cell.at, broken_text())),
        };
        let is_line_end = |at: &usize| text.get(at + 1..at + 2) != Some("\n");
        let at = text.match_indices('\r').map(|(at, _)| at).find(is_line_end);
        if let Some(at) = at.filter(|_| !cell.quoted) {
            let what =
                "a carriage return without a line feed; save the file with standard line endings";
            return Err((cell.offset(at), what.to_owned()));
        }
        texts.push((cell.at, text));
    }
    let are_typed = texts.iter().any(|(_, text)| matches!(typed(text.trim()), Some((_, _, Ok(_)))));
    let mut columns: Vec<Column> = Vec::new();
    for (at, text) in &texts {
        let text = text.trim();
        let (name, declared, to) = match typed(text) {
            _ if !are_typed || text.is_empty() => (text, None, CellType::Auto),
            Some((name, declared, Ok(to))) => (name, Some(declared.to_owned()), to),
            Some((_, _, Err(reason))) => return Err((*at, format!("column {text:?}: {reason}"))),
            None => {
                let what = format!(
                    "the column {text:?} has no type, but others do; give all columns one of \
                     {TYPES}, or none"
                );
                return Err((*at, what));
            }
        };
        columns.push(Column {
            header: name.to_owned(),
            keeps_blanks: to == CellType::Text,
            to,
            declared,
            ..Column::plain(ColumnPath::new())
        });
    }
    let headers: Vec<&str> = columns.iter().map(|column| column.header.as_str()).collect();
    let paths = csv_name::paths(&headers);
    for (column, path) in columns.iter_mut().zip(paths) {
        column.path = path;
    }
    Ok(columns)
}

/// Gives columns the names that the user chose. Returns those for columns that are not there yet.
///
/// # Errors
/// One sentence without its full stop.
pub(in crate::transfer) fn rename<'r>(
    columns: &mut [Column],
    renames: &[&'r (String, String)],
) -> Result<Vec<&'r (String, String)>, String> {
    let shown: Vec<String> = columns.iter().map(|column| path_text(&column.path)).collect();
    let mut left = Vec::new();
    for rename in renames {
        let (from, to) = *rename;
        let by_name = shown.iter().position(|name| name == from);
        let by_header = || columns.iter().position(|column| column.header == *from);
        let Some(at) = by_name.or_else(by_header) else {
            left.push(*rename);
            continue;
        };
        let Some(path) = csv_name::path(to.trim()) else {
            return Err(format!("{to:?} is not a name for the column {from:?}; choose another"));
        };
        if let Some(column) = columns.get_mut(at) {
            column.path = path;
        }
    }
    let mut taken = HashSet::new();
    if let Some(twice) = columns.iter().find(|column| !taken.insert(&column.path)) {
        return Err(format!(
            "two columns would be called {:?}; choose another name for one of them",
            path_text(&twice.path)
        ));
    }
    let paths: Vec<Option<ColumnPath>> = columns.iter().map(|it| Some(it.path.clone())).collect();
    match csv_name::broken_arrays(&paths).iter().next().filter(|_| !renames.is_empty()) {
        None => Ok(left),
        Some(array) => Err(format!(
            "the columns of the array {:?} would not be its elements [0], [1] and so on; choose \
             other names",
            path_text(array)
        )),
    }
}

/// The same once all columns are known. The rows were looked at without these names, so none may be inside of another
/// column.
///
/// # Errors
/// One sentence without its full stop.
pub(in crate::transfer) fn rename_late(
    columns: &mut [Column],
    renames: &[&(String, String)],
) -> Result<(), String> {
    if let Some((from, _)) = rename(columns, renames)?.first() {
        return Err(format!("no column is called {from:?}; correct the name to change"));
    }
    for (from, to) in renames {
        let path = csv_name::path(to.trim()).unwrap_or_default();
        let is_around = |a: &ColumnPath, b: &ColumnPath| a.len() < b.len() && b.starts_with(a);
        if columns.iter().any(|it| is_around(&it.path, &path) || is_around(&path, &it.path)) {
            return Err(format!(
                "{to:?} would be inside of another column, or around it; choose another name for \
                 {from:?}"
            ));
        }
    }
    Ok(())
}

/// The types that a header may name.
const TYPES: &str = "auto(), binary(base64), binary(base32), binary(hex), boolean(), date(LAYOUT), \
                     date_go(LAYOUT), date_ms(LAYOUT), date_oracle(LAYOUT), decimal(), double(), \
                     ejson(), int32(), int64(), objectId() and string()";

/// Splits `name.type(argument)` into the name, `type(argument)` and the type. `None` for a header
/// of another form. The error is the mistake in the type.
fn typed(header: &str) -> Option<(&str, &str, Result<CellType, String>)> {
    let inside = header.strip_suffix(')')?;
    // The argument may have parentheses too.
    inside.rmatch_indices('(').find_map(|(open, _)| {
        let (before, argument) = (inside.get(..open)?, inside.get(open + 1..)?);
        let (name, kind) = before.rsplit_once('.')?;
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let declared = header.get(name.len() + 1..)?;
        (!kind.is_empty() && kind.chars().all(is_word))
            .then(|| (name, declared, cell_type(kind, &unescaped(argument))))
    })
}

/// `\(`, `\)` and `\\` are what follows the backslash.
fn unescaped(argument: &str) -> String {
    let mut text = String::new();
    let mut chars = argument.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.extend(chars.next()),
            c => text.push(c),
        }
    }
    text
}

fn cell_type(kind: &str, argument: &str) -> Result<CellType, String> {
    let plain = match kind {
        "auto" => CellType::Auto,
        "boolean" => CellType::Bool,
        "decimal" => CellType::Decimal,
        "double" => CellType::Double,
        "int32" => CellType::Int,
        "int64" => CellType::Long,
        "string" => CellType::Text,
        "objectId" => CellType::ObjectId,
        "ejson" => CellType::Ejson,
        "binary" => {
            return match argument {
                "base64" => Ok(CellType::Binary(BinaryText::Base64)),
                "base32" => Ok(CellType::Binary(BinaryText::Base32)),
                "hex" => Ok(CellType::Binary(BinaryText::Hex)),
                _ => Err("write binary(base64), binary(base32) or binary(hex)".to_owned()),
            };
        }
        "date" if argument.is_empty() => return Ok(CellType::Date(DateForm::Iso)),
        "date" | "date_go" | "date_ms" | "date_oracle" => {
            let dialect = match kind {
                "date_ms" => Dialect::SqlServer,
                "date_oracle" => Dialect::Oracle,
                _ => Dialect::Go,
            };
            let layout = if argument.is_empty() {
                Err("write a layout in the parentheses".to_owned())
            } else {
                dialect.layout(argument)
            };
            return layout.map(|layout| CellType::Date(DateForm::Layout(layout)));
        }
        _ => return Err(format!("{kind} is not a type; use one of {TYPES}")),
    };
    if argument.is_empty() {
        Ok(plain)
    } else {
        Err(format!("{kind} has no argument; write {kind}()"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transfer::read::csv_row::{CsvSigns, split};

    fn columns(names: &[&str]) -> Result<Vec<(String, Option<String>, CellType)>, String> {
        let quoted = |name: &&str| format!("\"{name}\"");
        let row = names.iter().map(quoted).collect::<Vec<_>>().join(",");
        let mut cells = Vec::new();
        split(row.as_bytes(), CsvSigns::plain(b','), true, &mut cells);
        let columns = header(row.as_bytes(), &cells, false).map_err(|(_, reason)| reason)?;
        let column = |it: Column| (csv_name::names(&it.path).join("/"), it.declared, it.to);
        Ok(columns.into_iter().map(column).collect())
    }

    fn only(name: &str) -> (String, CellType) {
        let mut found = columns(&[name]).unwrap_or_else(|error| panic!("{name}: {error}"));
        let (path, declared, to) = found.remove(0);
        assert!(declared.is_some(), "{name} is an ordinary name");
        (path, to)
    }

    #[test]
    fn every_type_of_mongoimport() {
        let date = |layout: &str| CellType::Date(DateForm::parse(layout).expect("a layout"));
        for (name, to) in [
            ("x.auto()", CellType::Auto),
            ("x.binary(base64)", CellType::Binary(BinaryText::Base64)),
            ("x.binary(base32)", CellType::Binary(BinaryText::Base32)),
            ("x.binary(hex)", CellType::Binary(BinaryText::Hex)),
            ("x.boolean()", CellType::Bool),
            ("x.date()", CellType::Date(DateForm::Iso)),
            ("x.date(2006-01-02)", date("%Y-%m-%d")),
            ("x.date_go(Jan 2, 2006)", date("%b %d, %Y")),
            ("x.date_ms(yyyy-MM-dd HH:mm:ss)", date("%Y-%m-%d %H:%M:%S")),
            ("x.date_oracle(YYYY-MM-DD HH24:MI:SS)", date("%Y-%m-%d %H:%M:%S")),
            ("x.decimal()", CellType::Decimal),
            ("x.double()", CellType::Double),
            ("x.int32()", CellType::Int),
            ("x.int64()", CellType::Long),
            ("x.string()", CellType::Text),
        ] {
            assert_eq!(only(name), ("x".to_owned(), to), "{name}");
        }
        for (name, to) in [("x.objectId()", CellType::ObjectId), ("x.ejson()", CellType::Ejson)] {
            assert_eq!(only(name), ("x".to_owned(), to), "not one of mongoimport");
        }
        assert_eq!(only("a.b.string()").0, "a/b");
        assert_eq!(only("int32().string()").0, "int32()", "the last one is the type");
    }

    #[test]
    fn parentheses_and_backslashes_are_escaped() {
        for argument in [r"2006-01-02 \(Mon\)", "2006-01-02 (Mon)"] {
            let (path, to) = only(&format!("at.date({argument})"));
            let CellType::Date(DateForm::Layout(layout)) = to else { panic!("{to:?}") };
            assert_eq!((path.as_str(), layout.to_string().as_str()), ("at", "%Y-%m-%d (%a)"));
        }
        let CellType::Date(form) = only(r"at.date(2006\\01\\02)").1 else { panic!("a date") };
        assert_eq!(form.to_string(), r"%Y\%m\%d");
        let read = form.read(r"2024\02\01", Zone::UTC);
        assert_eq!(read, Ok(1_706_745_600_000));
    }

    #[test]
    fn ordinary_names_are_no_types() {
        for names in [
            &["a", "f(x)", "g.h(1)"][..],
            &["due.date(UTC)"],
            &["id", "due.date(UTC)", "paid.date(YYYY-MM-DD)"],
            &["size.double(mm)"],
            &["x.int32"],
            &["x.int32()y"],
            &["x.binary(gzip)"],
        ] {
            let found = columns(names).unwrap_or_else(|error| panic!("{names:?}: {error}"));
            let are_plain = found.iter().all(|(_, declared, _)| declared.is_none());
            assert!(are_plain, "{found:?}");
        }
    }

    #[test]
    fn a_header_with_types_has_one_for_each_column() {
        for (names, reason) in [
            (&["a.int32()", "b"][..], "the column \"b\" has no type, but others do; give all"),
            (&["a.int32()", "b.number()"], "column \"b.number()\": number is not a type; use one"),
            (&["a.int32()", "b.int64(8)"], "column \"b.int64(8)\": int64 has no argument; write"),
            (&["a.int32()", "b.binary(x)"], "column \"b.binary(x)\": write binary(base64), bin"),
            (&["a.int32()", "b.date_ms()"], "column \"b.date_ms()\": write a layout in the par"),
            (&["a.int32()", "b.date_oracle(YYYY)"], "column \"b.date_oracle(YYYY)\": the layou"),
        ] {
            let error = columns(names).expect_err("refused");
            assert!(error.starts_with(reason), "{error}");
        }
    }
}
