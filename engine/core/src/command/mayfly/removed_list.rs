//! The trash and the archives as one list, newest first.

use std::{collections::BTreeMap, ops::ControlFlow, vec};

use bson::{
    Bson, Document,
    raw::{RawBsonRef, RawDocument},
};

use super::{
    archive_selection::{mark_document, read_mark},
    trash_selection::TrashSelection,
};
use crate::{
    archive::{Archive, ScanMark, ScanStart},
    command::core::{CommandError, Context, Request, long},
    limits::CURSOR_BATCH_BYTES_MAX,
    reply::TrashRow,
};

/// Where a page of the list or a step of a restore begins.
#[derive(Debug, Clone, Default)]
pub struct ListPosition {
    /// Below this row of the trash.
    pub trash: Option<u64>,
    /// After these documents of the archives, by folder.
    pub archives: BTreeMap<String, ScanMark>,
}

impl ListPosition {
    /// Reads `after`: a number, or a document that [`ListPosition::next`] wrote.
    pub fn read(request: &Request<'_>) -> Result<Self, CommandError> {
        let Some(RawBsonRef::Document(after)) = request.get("after")? else {
            return Ok(Self { trash: request.count("after")?, ..Self::default() });
        };
        let read = || {
            let trash = after.get("trash").ok()?.and_then(RawBsonRef::as_i64);
            let mut archives = BTreeMap::new();
            for entry in after.get_document("archives").ok()? {
                let (folder, mark) = entry.ok()?;
                archives.insert(folder.to_string(), read_mark(mark.as_document()?)?);
            }
            Some(Self { trash: trash.and_then(|row| row.try_into().ok()), archives })
        };
        let invalid = "after is not valid; use the \"next\" value of the previous reply";
        read().ok_or_else(|| CommandError::bad_value(invalid))
    }

    /// The value of `next`.
    pub fn next(self, chosen: &TrashSelection) -> Result<Bson, CommandError> {
        let trash = self.trash.map_or(Bson::Null, |row| long(row).into());
        if chosen.archives.is_none() {
            return Ok(trash);
        }
        let mark =
            |(folder, mark)| Ok((folder, Document::try_from(&*mark_document(&mark))?.into()));
        let archives = self.archives.into_iter().map(mark);
        let archives: Document = archives.collect::<Result<_, CommandError>>()?;
        Ok(bson::doc! { "trash": trash, "archives": archives }.into())
    }

    /// Where a scan of an archive begins.
    pub fn start_of(&self, archive: &Archive) -> ScanStart {
        ScanStart { after: self.archives.get(archive.folder()).cloned() }
    }
}

/// The most documents of a page, and whether they come with it.
#[derive(Debug, Clone, Copy)]
pub struct PageSize {
    pub rows: usize,
    pub has_documents: bool,
}

/// A row, and its position in the trash or in the archive of a folder.
struct Listed {
    row: TrashRow,
    place: Result<u64, (String, ScanMark)>,
}

/// Rows in their order, of one source or of several.
struct Rows {
    listed: Vec<Listed>,
    bytes: usize,
    size: PageSize,
    /// Whether rows were left out.
    more: bool,
}

impl Rows {
    fn new(size: PageSize) -> Self {
        Self { listed: Vec::new(), bytes: 0, size, more: false }
    }

    /// Adds a row; breaks when the page is full.
    fn add(&mut self, listed: Listed) -> ControlFlow<()> {
        if self.size.has_documents {
            self.bytes += usize::try_from(listed.row.bytes).unwrap_or(usize::MAX);
        }
        self.listed.push(listed);
        if self.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn is_full(&self) -> bool {
        self.listed.len() >= self.size.rows || self.bytes >= CURSOR_BATCH_BYTES_MAX / 2
    }

    /// Whether no document that was removed at this instant or earlier belongs to the page.
    fn is_full_of_later(&self, removed_ms: i64) -> bool {
        self.is_full() && self.listed.iter().all(|listed| listed.row.removed_ms > removed_ms)
    }

    /// The document, if rows have theirs.
    fn document(&self, document: &RawDocument) -> Option<Document> {
        self.size.has_documents.then(|| Document::try_from(document).ok()).flatten()
    }

    /// Both as one list, newest first. Each keeps its own order, also where the clock went back, so
    /// that the position of its last row has all before it.
    fn merge(self, other: Self) -> Self {
        let mut merged = Self { more: self.more || other.more, ..Self::new(self.size) };
        let next = |rows: &mut vec::IntoIter<Listed>, than: Option<&Listed>| {
            let first = rows.as_slice().first()?;
            let is_newer = than.is_none_or(|than| first.row.removed_ms >= than.row.removed_ms);
            is_newer.then(|| rows.next())?
        };
        let (mut left, mut right) = (self.listed.into_iter(), other.listed.into_iter());
        loop {
            let listed =
                next(&mut left, right.as_slice().first()).or_else(|| next(&mut right, None));
            let Some(listed) = listed else { return merged };
            if merged.add(listed).is_break() {
                merged.more |= !left.as_slice().is_empty() || !right.as_slice().is_empty();
                return merged;
            }
        }
    }
}

/// A page of what is selected. Returns where the next one begins; `None` at the end.
pub fn page(
    context: &Context,
    chosen: &TrashSelection,
    from: ListPosition,
    size: PageSize,
) -> Result<(Vec<TrashRow>, Option<ListPosition>), CommandError> {
    let mut found = Rows::new(size);
    let stopped = context.collections.scan_trash(from.trash, &mut |row| {
        if !chosen.has(row)? {
            return Ok(ControlFlow::Continue(()));
        }
        let listed = TrashRow { document: found.document(row.document), ..chosen.describe(row) };
        Ok::<_, CommandError>(found.add(Listed { row: listed, place: Ok(row.number) }))
    })?;
    found.more = stopped.is_some();
    for archive in chosen.archives.iter().flatten() {
        // One that can't be read hides no other; `mayflyArchives` says why.
        let Ok(summary) = archive.summary() else { continue };
        if summary.newest_ms.is_none_or(|newest_ms| found.is_full_of_later(newest_ms)) {
            found.more |= summary.documents > 0;
            continue;
        }
        let mut moved = Rows::new(size);
        let seen = chosen.filter.scan(archive, &from.start_of(archive), |archived, mark| {
            let row = chosen.describe_archived(archive, &archived);
            let document = moved.document(&archived.document);
            let place = Err((archive.folder().to_owned(), mark.clone()));
            Ok(moved.add(Listed { row: TrashRow { document, ..row }, place }))
        })?;
        moved.more = seen.next.is_some();
        found = found.merge(moved);
    }
    let (mut next, more) = (from, found.more);
    let rows = found.listed.into_iter().map(|listed| {
        match listed.place {
            Ok(number) => next.trash = Some(number),
            Err((folder, mark)) => drop(next.archives.insert(folder, mark)),
        }
        listed.row
    });
    let rows = rows.collect();
    Ok((rows, more.then_some(next)))
}
