//! Which documents of an archive a command selects.

use std::ops::ControlFlow;

use bson::{
    RawDocumentBuf,
    raw::{RawBsonRef, RawDocument, cstr},
};

use crate::{
    archive::{Archive, Archived, ScanMark, ScanResult, ScanStart},
    command::core::{CommandError, Context, Request, long},
    interrupt::Limit,
    plan::Operation,
    query::{self, Filter},
};

/// A filter of removed documents.
pub struct RemovedFilter {
    filter: Filter,
    context: query::Context,
}

impl RemovedFilter {
    /// Reads `filter`.
    pub fn read(context: &Context, request: &Request<'_>) -> Result<Self, CommandError> {
        let names = query::VariableNames::default();
        let parse = |filter| Filter::parse_query(filter, &names);
        let filter = request.document("filter")?.map(parse).transpose()?;
        Ok(Self {
            filter: filter.unwrap_or_else(Filter::matches_all),
            context: query::Context::at(context.now_ms()),
        })
    }

    pub fn matches(&self, document: &RawDocument) -> Result<bool, CommandError> {
        Ok(self.filter.matches_in(document, &self.context)?)
    }

    /// Gives the documents of an archive that match, with their positions, what was removed last
    /// first, until `visit` breaks off.
    pub fn scan(
        &self,
        archive: &Archive,
        from: &ScanStart,
        mut visit: impl FnMut(Archived, &ScanMark) -> Result<ControlFlow<()>, CommandError>,
    ) -> Result<ScanResult, CommandError> {
        let operation = Operation::current();
        let mut failed = None;
        let seen = archive.scan(from, &mut |archived, mark| {
            let outcome = operation
                .as_ref()
                .map_or(Ok(()), |operation| operation.tick().map_err(CommandError::from))
                .and_then(|()| self.matches(&archived.document))
                .and_then(|is_meant| {
                    if is_meant { visit(archived, mark) } else { Ok(ControlFlow::Continue(())) }
                });
            outcome.unwrap_or_else(|error| {
                failed = Some(error);
                ControlFlow::Break(())
            })
        })?;
        failed.map_or(Ok(seen), Err)
    }
}

/// The position in a document; `None` if it has none.
pub fn read_mark(mark: &RawDocument) -> Option<ScanMark> {
    let Ok(Some(RawBsonRef::String(segment))) = mark.get("segment") else { return None };
    let number = |name: &str| match mark.get(name) {
        Ok(Some(RawBsonRef::Int64(number))) => u64::try_from(number).ok(),
        _ => None,
    };
    let (offset, line) = (number("offset")?, number("line")?);
    Some(ScanMark { segment: segment.to_owned(), offset, line })
}

/// The position as [`read_mark`] reads it.
pub fn mark_document(mark: &ScanMark) -> RawDocumentBuf {
    let mut document = RawDocumentBuf::new();
    document.append(cstr!("segment"), mark.segment.as_str());
    document.append(cstr!("offset"), long(mark.offset));
    document.append(cstr!("line"), long(mark.line));
    document
}
