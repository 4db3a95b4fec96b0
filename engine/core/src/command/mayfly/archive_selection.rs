//! Which documents of an archive a command selects.

use std::{ops::ControlFlow, sync::Arc};

use bson::raw::RawBsonRef;

use crate::{
    archive::{Archive, ArchiveError, Archived, ScanMark, ScanResult, ScanStart},
    command::core::{CommandError, Context, Request},
    interrupt::Limit,
    plan::Operation,
    query::{self, Filter},
};

/// The archive of the collection that the command's own field names.
pub fn archive_of(context: &Context, request: &Request<'_>) -> Result<Arc<Archive>, CommandError> {
    let namespace = request.namespace()?;
    context
        .reaper
        .archives()
        .find(&namespace)
        .ok_or_else(|| ArchiveError::NoArchive { namespace: namespace.to_string() }.into())
}

/// Which documents of an archive are meant.
pub struct ArchiveSelection {
    from: ScanStart,
    filter: Filter,
    context: query::Context,
}

impl ArchiveSelection {
    /// Reads `filter`, `before` and `after`.
    pub fn read(context: &Context, request: &Request<'_>) -> Result<Self, CommandError> {
        let names = query::VariableNames::default();
        let parse = |filter| Filter::parse_query(filter, &names);
        let filter = request.document("filter")?.map(parse).transpose()?;
        Ok(Self {
            from: ScanStart { before_ms: request.date("before")?, after: read_mark(request)? },
            filter: filter.unwrap_or_else(Filter::matches_all),
            context: query::Context::at(context.now_ms()),
        })
    }

    /// Gives the documents that are meant, what was removed last first, until `visit` breaks off.
    pub fn scan(
        &self,
        archive: &Archive,
        mut visit: impl FnMut(Archived) -> Result<ControlFlow<()>, CommandError>,
    ) -> Result<ScanResult, CommandError> {
        let operation = Operation::current();
        let mut failed = None;
        let seen = archive.scan(&self.from, &mut |archived| {
            let outcome =
                operation
                    .as_ref()
                    .map_or(Ok(()), |operation| operation.tick().map_err(CommandError::from))
                    .and_then(|()| Ok(self.filter.matches_in(&archived.document, &self.context)?))
                    .and_then(|is_meant| {
                        if is_meant { visit(archived) } else { Ok(ControlFlow::Continue(())) }
                    });
            outcome.unwrap_or_else(|error| {
                failed = Some(error);
                ControlFlow::Break(())
            })
        })?;
        failed.map_or(Ok(seen), Err)
    }
}

fn read_mark(request: &Request<'_>) -> Result<Option<ScanMark>, CommandError> {
    let Some(after) = request.document("after")? else { return Ok(None) };
    let mark = (|| {
        let Ok(Some(RawBsonRef::String(segment))) = after.get("segment") else { return None };
        let number = |name: &str| match after.get(name) {
            Ok(Some(RawBsonRef::Int64(number))) => u64::try_from(number).ok(),
            _ => None,
        };
        let (offset, line) = (number("offset")?, number("line")?);
        Some(ScanMark { segment: segment.to_owned(), offset, line })
    })();
    mark.map(Some).ok_or_else(|| {
        CommandError::bad_value("after is not valid; use the \"next\" value of the previous page")
    })
}
