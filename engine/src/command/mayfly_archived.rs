//! `mayflyArchived`: a page of what a collection's archive holds, newest first.

use std::{ops::ControlFlow, sync::Arc};

use bson::{
    DateTime, RawArrayBuf, RawDocumentBuf,
    raw::{RawBson, RawBsonRef, cstr},
};

use super::{
    context::Context,
    error::{Answer, Code, CommandError},
    field::optional,
    mayfly_clock::date,
    mayfly_reap::long,
    request::Request,
    table::{Command, Scope},
};
use crate::{
    archive::{Archive, ArchiveError, Archived, From, Mark, Seen},
    interrupt::Limit,
    limits::{ARCHIVE_PAGE_DOCS_MAX, CURSOR_BATCH_BYTES_MAX},
    plan::Operation,
    query::{self, Filter},
};

/// Documents on a page when nobody says how many.
const LIMIT_DEFAULT: u64 = 100;

/// `{mayflyArchived: coll, filter?, before?: date, after?: the "next" of the page before, limit?}`
pub static COMMAND: Command = Command {
    name: "mayflyArchived",
    aliases: &[],
    scope: Scope::Any,
    fields: &[optional("filter"), optional("before"), optional("after"), optional("limit")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let archive = archive_of(context, request)?;
    let selection = Selection::read(context, request)?;
    let limit = request.count("limit")?.unwrap_or(LIMIT_DEFAULT);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX).clamp(1, ARCHIVE_PAGE_DOCS_MAX);
    let (mut rows, mut count, mut bytes) = (RawArrayBuf::new(), 0, 0);
    let seen = selection.scan(&archive, |archived| {
        bytes += archived.document.as_bytes().len();
        count += 1;
        rows.push(RawBson::Document(row(&archived)));
        let is_full = count >= limit || bytes >= CURSOR_BATCH_BYTES_MAX / 2;
        Ok(if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    let mut reply = RawDocumentBuf::new();
    reply.append(cstr!("batch"), rows);
    match &seen.next {
        Some(mark) => reply.append(cstr!("next"), mark_document(mark)),
        None => reply.append(cstr!("next"), RawBson::Null),
    }
    reply.append(cstr!("unreadableBytes"), long(seen.unreadable));
    Ok(reply)
}

/// The archive of the collection that the command's own field names.
pub(super) fn archive_of(
    context: &Context,
    request: &Request<'_>,
) -> Result<Arc<Archive>, CommandError> {
    let namespace = request.namespace()?;
    context
        .reaper
        .archives()
        .find(&namespace)
        .ok_or_else(|| ArchiveError::NoArchive { namespace: namespace.to_string() }.into())
}

/// Which documents of an archive are meant.
pub(super) struct Selection {
    from: From,
    filter: Filter,
    context: query::Context,
}

impl Selection {
    /// Reads `filter`, `before` and `after`.
    pub(super) fn read(context: &Context, request: &Request<'_>) -> Result<Self, CommandError> {
        let names = query::VariableNames::default();
        let parse = |filter| Filter::parse_query(filter, &names);
        let filter = request.document("filter")?.map(parse).transpose()?;
        Ok(Self {
            from: From { before_ms: date(request, "before")?, after: read_mark(request)? },
            filter: filter.unwrap_or_else(Filter::matches_all),
            context: query::Context::at(context.now_ms()),
        })
    }

    /// Gives the documents that are meant, what was removed last first, until `visit` breaks off.
    pub(super) fn scan(
        &self,
        archive: &Archive,
        mut visit: impl FnMut(Archived) -> Result<ControlFlow<()>, CommandError>,
    ) -> Result<Seen, CommandError> {
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

fn read_mark(request: &Request<'_>) -> Result<Option<Mark>, CommandError> {
    let Some(after) = request.document("after")? else { return Ok(None) };
    let mark = (|| {
        let Ok(Some(RawBsonRef::String(segment))) = after.get("segment") else { return None };
        let number = |name: &str| match after.get(name) {
            Ok(Some(RawBsonRef::Int64(number))) => u64::try_from(number).ok(),
            _ => None,
        };
        let (offset, line) = (number("offset")?, number("line")?);
        Some(Mark { segment: segment.to_owned(), offset, line })
    })();
    mark.map(Some).ok_or_else(|| {
        CommandError::new(
            Code::BAD_VALUE,
            "after is not a place in an archive; give back the \"next\" of the page before",
        )
    })
}

fn mark_document(mark: &Mark) -> RawDocumentBuf {
    let mut document = RawDocumentBuf::new();
    document.append(cstr!("segment"), mark.segment.as_str());
    document.append(cstr!("offset"), long(mark.offset));
    document.append(cstr!("line"), long(mark.line));
    document
}

fn row(archived: &Archived) -> RawDocumentBuf {
    let instant = |ms: i64| RawBsonRef::DateTime(DateTime::from_millis(ms));
    let mut row = RawDocumentBuf::new();
    let id = archived.document.get("_id").ok().flatten();
    row.append(cstr!("_id"), id.unwrap_or(RawBsonRef::Null));
    row.append(cstr!("removed"), instant(archived.removed_ms));
    row.append(cstr!("expired"), instant(archived.threshold_ms));
    row.append(cstr!("modified"), instant(archived.modified_ms));
    row.append(cstr!("index"), archived.index.as_str());
    row.append(cstr!("ns"), archived.namespace.to_string());
    row.append(cstr!("document"), RawBsonRef::Document(&archived.document));
    row
}
