//! `mayflyTrash`: a page of the removed documents that can be restored, newest first.

use std::ops::ControlFlow;

use bson::Bson;

use super::{
    removed_list::{ListPosition, PageSize, page},
    trash_selection::TrashSelection,
};
use crate::{
    archive::ScanStart,
    command::core::{
        Answer, Command, CommandError, Context, Request, fields, monitor::ttl_status::trash_status,
        raw,
    },
    limits::TRASH_PAGE_DOCS_MAX,
    reply::TrashPage,
};

/// The default `limit`.
const LIMIT_DEFAULT: u64 = 100;

fields! {
    struct TrashFields from Request<'_> {
        optional "pass",
        optional "filter",
        optional "archived",
        optional "after",
        optional "documents": flag => has_documents bool,
        optional "limit": count => limit Option<u64>,
        optional "count": flag => counts bool,
    }
}

/// `{mayflyTrash: coll | 1, pass?: n, filter?, archived?: bool, documents?: bool, after?: the "next" of
/// the page before, limit?, count?: bool}`; 1 is all collections of all databases.
///
/// With `archived`, what was moved to archives is listed too, except that of archives that can't be
/// read. With `documents`, rows have their document. With `count`, the reply says how many rows there are.
pub static COMMAND: Command = Command::any("mayflyTrash", TrashFields::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let chosen = TrashSelection::read(context, request)?;
    let TrashFields { has_documents, limit, counts } = TrashFields::read(request)?;
    let limit = limit.unwrap_or(LIMIT_DEFAULT);
    let rows = usize::try_from(limit).unwrap_or(usize::MAX).clamp(1, TRASH_PAGE_DOCS_MAX);
    let from = ListPosition::read(request)?;
    let (batch, next) = page(context, &chosen, from, PageSize { rows, has_documents })?;
    let next: Option<Bson> = next.map(|next| next.next(&chosen)).transpose()?;
    let matching = if counts { Some(count(context, &chosen)?) } else { None };
    let status = Some(trash_status(context)?);
    raw(&TrashPage { batch, next, status, matching }.to_document())
}

fn count(context: &Context, chosen: &TrashSelection) -> Result<u64, CommandError> {
    let mut matching = 0;
    context.collections.scan_trash(None, &mut |row| {
        matching += u64::from(chosen.has(row)?);
        Ok::<_, CommandError>(ControlFlow::Continue(()))
    })?;
    for archive in chosen.archives.iter().flatten() {
        chosen.filter.scan(archive, &ScanStart::default(), |_, _| {
            matching += 1;
            Ok(ControlFlow::Continue(()))
        })?;
    }
    Ok(matching)
}
