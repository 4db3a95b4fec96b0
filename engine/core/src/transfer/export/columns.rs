//! The columns of a CSV file.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::mem;

use bson::raw::{RawBsonRef, RawDocument};

use super::cells::{Cells, CsvForm, type_name, typed_text};
use super::collection::CsvOptions;
use super::csv::{append_csv_line, cell_text, without_formula};
use super::losses::Losses;
use crate::transfer::limits::CSV_COLUMNS_MAX;
use crate::transfer::read::csv_header::header;
use crate::transfer::read::csv_name::{self, PathStep};
use crate::transfer::read::csv_row::{CsvSigns, RowEnd, split};
use crate::transfer::read::csv_value::CellType;
use crate::value::same_value;

/// The columns of a CSV file, as dotted paths, and which of their values an import keeps.
#[derive(Debug, Default)]
pub(in crate::transfer) struct Columns {
    all: Vec<Column>,
    known: HashMap<String, Place>,
    /// Paths without a column, with all that is inside them.
    hidden: Vec<String>,
    /// The user chose the columns: other fields are left out.
    are_chosen: bool,
    /// Chosen columns that may be inside of another one: the index of both.
    nested: Vec<(usize, usize)>,
    /// Those, and of all columns, of which some row has a value in both.
    both: HashSet<(usize, usize)>,
    form: CsvForm,
    too_many: bool,
    /// A column that is ambiguous for some document: `a.b` next to `{a: {b: …}}`, or a duplicate
    /// field.
    unclear: Option<String>,
    /// A field without a column.
    new: Option<String>,
    /// A column with a value of another type than its header has.
    changed: Option<String>,
    /// Documents whose fields aren't in the order of the columns.
    reordered: u64,
    /// The current path, kept to reuse its allocation.
    path: String,
}

#[derive(Debug, Default)]
struct Column {
    name: String,
    cells: Cells,
    /// Set once all values are known.
    to: Option<CellType>,
    /// Its text has quotes, which an import of Mayfly reads as: these are not numbers.
    is_quoted: bool,
}

/// A path that some document has.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// An import puts fields into this order.
    ordinal: usize,
    /// `None` if only fields inside of it have a column.
    column: Option<usize>,
}

/// A level of a document.
#[derive(Clone, Copy)]
struct Level<'d> {
    root: &'d RawDocument,
    document: &'d RawDocument,
    may_be_unclear: bool,
    /// A name on the path has dots, or is empty: it is read as another path.
    is_renamed: bool,
}

impl Columns {
    pub(in crate::transfer) fn new(options: &CsvOptions) -> Self {
        let mut columns =
            Self { form: options.form, hidden: options.hidden.clone(), ..Self::default() };
        if let Some(fields) = &options.fields {
            columns.are_chosen = true;
            let column = |name: &String| Column { name: name.clone(), ..Column::default() };
            columns.all = fields.iter().map(column).collect();
            let meant: Vec<Vec<String>> = fields.iter().map(|name| meant_names(name)).collect();
            let outer = |(at, inner): (usize, &Vec<String>)| {
                let is_outer = |(_, outer): &(usize, &Vec<String>)| may_be_inside(inner, outer);
                let outer = meant.iter().enumerate().filter(is_outer);
                outer.map(|(outer, _)| (at, outer)).collect::<Vec<_>>()
            };
            columns.nested = meant.iter().enumerate().flat_map(outer).collect();
        }
        columns
    }

    fn hides(&self, path: &str) -> bool {
        self.hidden.iter().any(|hidden| {
            path.strip_prefix(&**hidden)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    /// Adds all paths of a document that lead to a value other than a non-empty document, and counts
    /// its values.
    pub(in crate::transfer) fn add(&mut self, document: &RawDocument) {
        if self.are_chosen {
            self.add_chosen(document);
            return;
        }
        let mut path = mem::take(&mut self.path);
        let may_be_unclear = may_be_unclear(document);
        let level = Level { root: document, document, may_be_unclear, is_renamed: false };
        let mut shown = Vec::new();
        let is_in_order = self.add_level(level, &mut path, &mut shown);
        self.reordered += u64::from(!is_in_order);
        for (inner, names) in &shown {
            let outer = shown.iter().filter(|(_, outer)| may_be_inside(names, outer));
            self.both.extend(outer.map(|(outer, _)| (*inner, *outer)));
        }
        self.path = path;
    }

    /// Adds one level. `shown` gets the columns with a value if it may be unclear, and the names that
    /// they mean. Returns whether an import reads its fields in the same order.
    fn add_level(
        &mut self,
        level: Level<'_>,
        path: &mut String,
        shown: &mut Vec<(usize, Vec<String>)>,
    ) -> bool {
        let (end, mut before, mut is_in_order) = (path.len(), None, true);
        for (name, value) in level.document.iter().filter_map(Result::ok) {
            push_name(path, name.as_str());
            if !self.hides(path) {
                let place = self.place(path);
                is_in_order &= before < Some(place.ordinal);
                before = Some(place.ordinal);
                let is_odd = name.as_str().is_empty() || name.as_str().contains('.');
                let is_renamed = level.is_renamed || is_odd;
                match inner_document(value) {
                    Some(document) => {
                        let inner = Level { document, is_renamed, ..level };
                        is_in_order &= self.add_level(inner, path, shown);
                    }
                    None => self.add_value(path, value, Level { is_renamed, ..level }, shown),
                }
            }
            path.truncate(end);
        }
        is_in_order
    }

    fn add_value(
        &mut self,
        path: &str,
        value: RawBsonRef<'_>,
        level: Level<'_>,
        shown: &mut Vec<(usize, Vec<String>)>,
    ) {
        if level.may_be_unclear && !is_under(level.root, path, value) {
            self.unclear.get_or_insert_with(|| path.to_owned());
        }
        let Some(place) = self.known.get_mut(path) else { return };
        let column = *place.column.get_or_insert(self.all.len());
        if column == self.all.len() {
            if column >= CSV_COLUMNS_MAX {
                place.column = None;
                self.too_many = true;
                return;
            }
            self.all.push(Column { name: path.to_owned(), ..Column::default() });
        }
        // No column conflicts with an empty cell.
        let is_empty = self.form == CsvForm::Spreadsheet
            && matches!(value, RawBsonRef::Null | RawBsonRef::Undefined);
        if level.may_be_unclear && !is_empty {
            shown.push((column, meant_names(path)));
        }
        if let Some(column) = self.all.get_mut(column) {
            column.cells.add(value, self.form, level.is_renamed);
        }
    }

    /// The place of a path, the next one if it is new.
    fn place(&mut self, path: &str) -> Place {
        if let Some(place) = self.known.get(path) {
            return *place;
        }
        let place = Place { ordinal: self.known.len(), column: None };
        self.known.insert(path.to_owned(), place);
        place
    }

    fn add_chosen(&mut self, document: &RawDocument) {
        let is_only = self.all.len() == 1;
        let may_be_unclear = may_be_unclear(document);
        for column in &mut self.all {
            match lookup(document, &column.name) {
                Some(value) => {
                    let is_renamed = may_be_unclear && !is_at(document, &column.name);
                    column.cells.add(value, self.form, is_renamed);
                }
                // An empty line would be no row.
                None if is_only => column.cells.add_shown_missing(),
                None => {}
            }
        }
        let has = |column: usize| {
            self.all.get(column).is_some_and(|column| lookup(document, &column.name).is_some())
        };
        let both = self.nested.iter().filter(|(inner, outer)| has(*inner) && has(*outer));
        let both: Vec<(usize, usize)> = both.copied().collect();
        self.both.extend(both);
    }

    /// Ends the scan that [`Self::add`] is for. Returns what an import changes.
    pub(in crate::transfer) fn end(&mut self) -> Losses {
        let form = self.form;
        let has_unquoted = |column: &Column| {
            column.cells.has_unquoted() && !column.cells.is_text_like_others(form)
        };
        let may_quote = self.all.iter().any(has_unquoted);
        for column in &mut self.all {
            column.is_quoted = may_quote && column.cells.is_text_like_others(form);
            let own = || column.cells.cell_type(form);
            column.to = Some(if column.is_quoted { CellType::Text } else { own() });
        }
        let mut losses = Losses { reordered: self.reordered, ..Losses::default() };
        let line = self.header();
        let mut cells = Vec::new();
        let read = match split(&line, CsvSigns::plain(b','), true, &mut cells) {
            RowEnd::Complete(_) => header(&line, &cells, false).map_err(|(_, reason)| reason),
            _ => Err("the header has too many columns".to_owned()),
        };
        let read = match read {
            Ok(read) => read,
            Err(reason) => return Losses { unreadable: Some(reason), ..losses },
        };
        let path = |column: usize| read.get(column).map_or(&[][..], |read| &*read.path);
        for (inner, outer) in self.both.drain() {
            let is_inside =
                path(inner).strip_prefix(path(outer)).is_some_and(|rest| !rest.is_empty());
            if let Some(column) = self.all.get_mut(inner) {
                column.cells.is_in_value |= is_inside;
            }
        }
        for (index, column) in self.all.iter().enumerate() {
            let is_name = |(step, name): (&PathStep, &str)| matches!(step, PathStep::Name(step) if step == name);
            let comes_back = read.get(index).is_some_and(|read| {
                let names = column.name.split('.');
                read.path.len() == names.clone().count() && read.path.iter().zip(names).all(is_name)
            });
            let to = column.to.as_ref().unwrap_or(&CellType::Text);
            column.cells.losses(&column.name, (to, form), !comes_back, &mut losses);
        }
        losses.sorted()
    }

    /// Whether the row holds every value of a document. If not, [`Self::failure`] says why.
    pub(in crate::transfer) fn hold(&mut self, document: &RawDocument) -> bool {
        let may_be_unclear = may_be_unclear(document);
        if self.are_chosen {
            let twice = |name: &&str| may_be_unclear && stands_twice(document, name);
            let mut names = self.all.iter().map(|column| column.name.as_str());
            self.unclear = names.find(twice).map(str::to_owned);
            return self.unclear.is_none();
        }
        let mut path = mem::take(&mut self.path);
        leaves(document, &mut path, &mut |path, value| {
            if self.hides(path) {
                return;
            }
            if self.known.get(path).is_none_or(|place| place.column.is_none()) {
                self.new.get_or_insert_with(|| path.to_owned());
            } else if may_be_unclear && !is_under(document, path, value) {
                self.unclear.get_or_insert_with(|| path.to_owned());
            }
        });
        self.path = path;
        self.new.is_none() && self.unclear.is_none()
    }

    /// Why some value has no cell.
    pub(in crate::transfer) fn failure(&self) -> Option<String> {
        let other = if self.are_chosen { "other" } else { "the" };
        let instead = format!("choose {other} fields, or another format");
        if let Some(path) = &self.new {
            let what = format!("the field {path:?} was added during the export");
            return Some(format!("{what}; export again, or choose the fields"));
        }
        if let Some(path) = &self.changed {
            let what = format!("the field {path:?} got another type during the export");
            return Some(format!("{what}; export again, or without a typed header"));
        }
        if self.too_many {
            let what = "the documents have too many different fields for CSV";
            return Some(format!("{what}; {instead}"));
        }
        let path = self.unclear.as_ref()?;
        Some(format!("two fields would have the same column {path:?} in CSV; {instead}"))
    }

    /// The header row.
    pub(in crate::transfer) fn header(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let name = |column: &Column| {
            let name = column.name.clone();
            match (self.form, &column.to) {
                (CsvForm::Spreadsheet, _) => without_formula(name),
                (CsvForm::Typed, Some(to)) => format!("{name}.{}", type_name(to)),
                _ => name,
            }
        };
        append_csv_line(&mut out, self.all.iter().map(|it| (Some(Cow::Owned(name(it))), false)));
        out
    }

    /// Appends a document's row. A missing value is an empty cell; empty text is one with quotes.
    /// Returns false if a value has no cell; then [`Self::failure`] says why.
    pub(in crate::transfer) fn append_row(
        &mut self,
        out: &mut Vec<u8>,
        document: &RawDocument,
    ) -> bool {
        let mut changed = None;
        let is_only = self.all.len() == 1;
        let mut cell = |column: &Column| {
            let Some(value) = self.value(document, &column.name) else {
                // A line with empty text would be no Extended JSON.
                let needs_null = is_only && column.to == Some(CellType::Ejson);
                return needs_null.then(|| "null".into());
            };
            match (self.form, &column.to) {
                (CsvForm::Typed, Some(to)) => {
                    let text = typed_text(value, to);
                    changed =
                        changed.take().or_else(|| text.is_none().then(|| column.name.clone()));
                    text
                }
                (form, _) => cell_text(value, form),
            }
        };
        append_csv_line(out, self.all.iter().map(|column| (cell(column), column.is_quoted)));
        self.changed = changed;
        self.changed.is_none()
    }

    /// The value in a column. A document whose fields have columns leaves the one at its path empty,
    /// which holds the other values there.
    fn value<'d>(&self, document: &'d RawDocument, name: &str) -> Option<RawBsonRef<'d>> {
        let is_split =
            |value: &RawBsonRef<'_>| !self.are_chosen && inner_document(*value).is_some();
        lookup(document, name).filter(|value| !is_split(value))
    }
}

fn push_name(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}

/// A document with fields, which have columns.
fn inner_document(value: RawBsonRef<'_>) -> Option<&RawDocument> {
    match value {
        RawBsonRef::Document(inner) if !inner.is_empty() => Some(inner),
        _ => None,
    }
}

/// The names that a header leads to. Empty if it leads to an element of an array.
fn meant_names(header: &str) -> Vec<String> {
    let path = csv_name::meant(header).unwrap_or_default();
    let is_plain = path.iter().all(|step| matches!(step, PathStep::Name(_)));
    if is_plain { csv_name::names(&path) } else { Vec::new() }
}

/// Whether a column may lead into the value of another. Which of two with one name gets a number is known
/// once all are.
fn may_be_inside(inner: &[String], outer: &[String]) -> bool {
    let Some((last, heads)) = outer.split_last() else { return false };
    let (Some(start), Some(step)) = (inner.get(..heads.len()), inner.get(heads.len())) else {
        return false;
    };
    let may_be_last =
        step.strip_prefix(&**last).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    inner.len() > outer.len() && start == heads && may_be_last
}

/// Whether a name is read as another one or as a path.
fn is_odd(name: &str) -> bool {
    name.is_empty() || name.contains(['.', '\r', '\n']) || name.trim() != name
}

/// Whether some name, at any depth, is odd or a duplicate, so that paths can be ambiguous.
fn may_be_unclear(document: &RawDocument) -> bool {
    let mut names: Vec<&str> = Vec::new();
    for (name, value) in document.iter().filter_map(Result::ok) {
        let name = name.as_str();
        if is_odd(name) || matches!(value, RawBsonRef::Document(inner) if may_be_unclear(inner)) {
            return true;
        }
        names.push(name);
    }
    names.sort_unstable();
    names.windows(2).any(|pair| pair.first() == pair.last())
}

/// Whether a name on this path is a duplicate, so that a row would show only one of several values.
fn stands_twice(document: &RawDocument, path: &str) -> bool {
    let is_twice = |name: &str| {
        let names = document.iter().filter_map(Result::ok).map(|(name, _)| name);
        names.filter(|known| known.as_str() == name).nth(1).is_some()
    };
    is_twice(path) || path.match_indices('.').any(|(at, _)| {
        let (Some(head), Some(tail)) = (path.get(..at), path.get(at + 1..)) else {
            return false;
        };
        let inner = document.get(head);
        is_twice(head)
            || matches!(inner, Ok(Some(RawBsonRef::Document(inner))) if stands_twice(inner, tail))
    })
}

/// Visits every value with its dotted path, which starts with `path`. An empty document is a value.
fn leaves<'d>(
    document: &'d RawDocument,
    path: &mut String,
    visit: &mut dyn FnMut(&str, RawBsonRef<'d>),
) {
    let end = path.len();
    for (name, value) in document.iter().filter_map(Result::ok) {
        push_name(path, name.as_str());
        match inner_document(value) {
            Some(inner) => leaves(inner, path, visit),
            None => visit(path, value),
        }
        path.truncate(end);
    }
}

/// Whether the row shows this value under the path.
fn is_under(document: &RawDocument, path: &str, value: RawBsonRef<'_>) -> bool {
    lookup(document, path).is_some_and(|found| {
        found.element_type() == value.element_type() && same_value(found, value)
    })
}

/// The value at a dotted path. A field whose own name has the dots wins.
fn lookup<'d>(document: &'d RawDocument, path: &str) -> Option<RawBsonRef<'d>> {
    if let Ok(Some(value)) = document.get(path) {
        return Some(value);
    }
    path.match_indices('.').find_map(|(at, _)| {
        let (head, tail) = (path.get(..at)?, path.get(at + 1..)?);
        match document.get(head) {
            Ok(Some(RawBsonRef::Document(inner))) => lookup(inner, tail),
            _ => None,
        }
    })
}

/// Whether the names on this path, and not one with dots, lead to a value.
fn is_at(document: &RawDocument, path: &str) -> bool {
    let (head, rest) = path.split_once('.').map_or((path, None), |(head, rest)| (head, Some(rest)));
    match (document.get(head), rest) {
        (Ok(Some(_)), None) => true,
        (Ok(Some(RawBsonRef::Document(inner))), Some(rest)) => is_at(inner, rest),
        _ => false,
    }
}
