//! `mayflyArchived`: a page of what a collection's archive holds, newest first.

use std::ops::ControlFlow;

use bson::{
    DateTime, RawArrayBuf, RawDocumentBuf,
    raw::{RawBson, RawBsonRef, cstr},
};

use super::archive_selection::{RemovedFilter, archive_of, mark_document, read_start};
use crate::{
    archive::Archived,
    command::core::{Answer, Command, Context, Request, long, optional},
    limits::{ARCHIVE_PAGE_DOCS_MAX, CURSOR_BATCH_BYTES_MAX},
};

/// The default `limit`.
const LIMIT_DEFAULT: u64 = 100;

/// `{mayflyArchived: coll, filter?, before?: date, after?: the "next" of the page before, limit?}`
pub static COMMAND: Command = Command::any(
    "mayflyArchived",
    &[optional("filter"), optional("before"), optional("after"), optional("limit")],
    run,
);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let archive = archive_of(context, request)?;
    let (from, filter) = (read_start(request)?, RemovedFilter::read(context, request)?);
    let limit = request.count("limit")?.unwrap_or(LIMIT_DEFAULT);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX).clamp(1, ARCHIVE_PAGE_DOCS_MAX);
    let (mut rows, mut count, mut bytes) = (RawArrayBuf::new(), 0, 0);
    let seen = filter.scan(&archive, &from, |archived, _| {
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
