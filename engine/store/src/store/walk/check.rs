//! The checks of a whole file.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::Path as FsPath;

use serde::{Deserialize, Serialize};

use super::header::{Tree, read_headers};
use super::source::Source;
use super::tree::{KeyOrder, MAIN, PageSet, RowAction, Value, Walker};
use crate::store::file::app_lock::open_chosen;
use crate::store::file::folder::DATA_FILE;
use crate::store::progress::Watch;
use crate::store::table::TABLE_NAMES;
use crate::store::{DamagedRows, StoreError};

/// The result of a full check of the file's structure.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StructureReport {
    /// Pages in use, headers included.
    pub pages_used: u64,
    /// Pages that LMDB can reuse.
    pub pages_free: u64,
    /// Damage of the structure, one clause each; empty for a sound file.
    pub findings: Vec<String>,
    /// Rows that don't match their checksum, if the check read rows.
    pub rows: DamagedRows,
}

/// Checks the two header pages and nothing else.
pub(in crate::store) fn check_begin(file: &File) -> Result<(), StoreError> {
    read_headers(&Source::new(file)?).map(drop)
}

/// Whether the headers of an open data file were overwritten.
pub(in crate::store) fn header_damage(folder: &FsPath) -> Option<StoreError> {
    let file = open_chosen(&folder.join(DATA_FILE)).ok()?;
    // LMDB then refuses its own transactions, which otherwise would be our mistake.
    match check_begin(&file) {
        Err(StoreError::Damaged { .. } | StoreError::NotADatabase { .. }) => {
            Some(StoreError::damaged("the headers of data.mdb were overwritten while it was open"))
        }
        _ => None,
    }
}

/// The quick check at every opening: headers and the list of tables. Returns the number of the last
/// committed transaction.
pub(in crate::store) fn check_header(file: &File) -> Result<u64, StoreError> {
    let mut ignore_progress = |_| ControlFlow::Continue(());
    let mut walker = walker(file, &mut ignore_progress)?;
    tables(&mut walker)?;
    Ok(walker.header.txn)
}

/// The full check: every reachable page, the free pages, and that each page is exactly one of both. Damage
/// is a finding; an error means that the file could not be read or is not a store.
pub(in crate::store) fn walk(file: &File) -> Result<StructureReport, StoreError> {
    walk_watched(file, &mut |_| ControlFlow::Continue(()))
}

/// As [`walk`], with progress; `watch` may stop it.
pub(in crate::store) fn walk_watched(
    file: &File,
    watch: &mut Watch<'_>,
) -> Result<StructureReport, StoreError> {
    report(file, false, watch)
}

/// As [`walk_watched`], and verifies the checksum of every row.
pub(in crate::store) fn read_watched(
    file: &File,
    watch: &mut Watch<'_>,
) -> Result<StructureReport, StoreError> {
    report(file, true, watch)
}

fn report(
    file: &File,
    reads_rows: bool,
    watch: &mut Watch<'_>,
) -> Result<StructureReport, StoreError> {
    let mut report = StructureReport::default();
    match walk_all(file, reads_rows, &mut report, watch) {
        Ok(()) => {}
        Err(StoreError::Damaged { what }) => report.findings.push(what),
        Err(error) => return Err(error),
    }
    Ok(report)
}

fn walk_all(
    file: &File,
    reads_rows: bool,
    report: &mut StructureReport,
    watch: &mut Watch<'_>,
) -> Result<(), StoreError> {
    let mut walker = walker(file, watch)?;
    for (name, tree) in tables(&mut walker)? {
        let rows = if reads_rows { RowAction::Check(name) } else { RowAction::Skip };
        match walker.tree(&format!("table {name}"), &tree, KeyOrder::Bytes, rows) {
            Ok(_) => {}
            Err(StoreError::Damaged { what }) => report.findings.push(what),
            Err(error) => return Err(error),
        }
    }
    report.rows = std::mem::take(&mut walker.damaged);
    let header = walker.header;
    let records =
        walker.tree("list of free pages", &header.free, KeyOrder::Numbers, RowAction::Keep)?;
    report.pages_used = walker.seen.count + 2;
    for (_, value) in records {
        report.pages_free += free_record(&mut walker, &value)?;
    }
    if report.findings.is_empty() && report.pages_used + report.pages_free != header.last_page + 1 {
        return Err(StoreError::damaged(format!(
            "of {} pages, {} are used and {} are free, so some are lost",
            header.last_page + 1,
            report.pages_used,
            report.pages_free
        )));
    }
    Ok(())
}

pub(super) fn walker<'f>(
    file: &'f File,
    watch: &'f mut Watch<'_>,
) -> Result<Walker<'f>, StoreError> {
    let source = Source::new(file)?;
    let (header, _) = read_headers(&source)?;
    let walker =
        Walker { source, header, seen: PageSet::default(), damaged: DamagedRows::default(), watch };
    // Each transaction lists the pages that it has freed: in a file that is not empty, at least the ones on
    // the path to its changes. Without this check a damaged transaction number would go unnoticed: it makes
    // the previous header the current one, and the state before the last transaction is complete.
    if walker.last_freed(&header)?.is_some_and(|last| last != header.txn) {
        return Err(StoreError::damaged(
            "the last transaction of the list of free pages differs from the header's",
        ));
    }
    Ok(walker)
}

/// Whether the previous header belongs to a later transaction than the current one, by its list of
/// free pages.
pub(in crate::store) fn is_last_commit_lost(file: &File) -> Result<bool, StoreError> {
    let mut ignore_progress = |_| ControlFlow::Continue(());
    let walker = walker(file, &mut ignore_progress)?;
    let (header, before) = read_headers(&walker.source)?;
    // LMDB resets the number of a header that it could not write. Otherwise the number is damaged.
    Ok(walker.last_freed(&before)?.is_some_and(|last| last > header.txn))
}

/// The tables of the file, which must be the store's own.
pub(super) fn tables(walker: &mut Walker<'_>) -> Result<Vec<(&'static str, Tree)>, StoreError> {
    let main = walker.header.main;
    let rows = walker.tree(MAIN, &main, KeyOrder::Bytes, RowAction::Keep)?;
    let mut tables = Vec::with_capacity(rows.len());
    for (name, value) in rows {
        let known = TABLE_NAMES.into_iter().find(|known| known.as_bytes() == name);
        let (Some(known), Value::Tree(tree)) = (known, value) else {
            return Err(StoreError::NotADatabase {
                what: "it is an LMDB file of another program or version".to_owned(),
            });
        };
        if tree.flags != 0 || tree.pad != 0 {
            return Err(StoreError::damaged(format!("the flags of table {known} are wrong")));
        }
        tables.push((known, tree));
    }
    if !tables.is_empty() && tables.len() != TABLE_NAMES.len() {
        return Err(StoreError::damaged("some of its tables are missing"));
    }
    Ok(tables)
}

/// Checks one record of the list of free pages: the pages that one transaction freed, in descending order.
/// Returns how many there are.
fn free_record(walker: &mut Walker<'_>, value: &Value) -> Result<u64, StoreError> {
    let damaged = |why: &str| StoreError::damaged(format!("the list of free pages {why}"));
    let Value::Bytes(bytes) = value else { return Err(damaged("holds a tree")) };
    let (numbers, rest) = bytes.as_chunks::<8>();
    let numbers: Vec<u64> = numbers.iter().map(|bytes| u64::from_ne_bytes(*bytes)).collect();
    let Some((&count, numbers)) = numbers.split_first() else {
        return Err(damaged("is truncated"));
    };
    let pages = usize::try_from(count).ok().and_then(|count| numbers.get(..count));
    let (Some(pages), []) = (pages, rest) else { return Err(damaged("is truncated")) };
    let mut previous = u64::MAX;
    for &page in pages {
        if page < 2 || page > walker.header.last_page || page >= previous {
            return Err(damaged("lists an invalid page"));
        }
        if !walker.seen.mark(page) {
            return Err(damaged("lists a page in use"));
        }
        previous = page;
    }
    Ok(count)
}
