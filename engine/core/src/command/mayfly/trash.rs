//! `mayflyTrash`: a page of the removed documents that can be restored, newest first.

use std::ops::ControlFlow;

use super::trash_selection::TrashSelection;
use crate::{
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
        optional "after": count => after Option<u64>,
        optional "limit": count => limit Option<u64>,
        optional "count": flag => counts bool,
    }
}

/// `{mayflyTrash: coll | 1, pass?: n, after?: the "next" of the page before, limit?, count?: bool}`;
/// 1 is all collections of all databases. With `count`, the reply says how many rows there are.
pub static COMMAND: Command = Command::any("mayflyTrash", TrashFields::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let chosen = TrashSelection::read(context, request)?;
    let TrashFields { after, limit, counts } = TrashFields::read(request)?;
    let limit = limit.unwrap_or(LIMIT_DEFAULT);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX).clamp(1, TRASH_PAGE_DOCS_MAX);
    let mut batch = Vec::new();
    let next = context.collections.scan_trash(after, &mut |row| {
        if chosen.has(row) {
            batch.push(chosen.describe(row));
        }
        let is_full = batch.len() >= limit;
        Ok::<_, CommandError>(if is_full {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    let matching = if counts { Some(count(context, &chosen)?) } else { None };
    let status = Some(trash_status(context)?);
    raw(&TrashPage { batch, next, status, matching }.to_document())
}

fn count(context: &Context, chosen: &TrashSelection) -> Result<u64, CommandError> {
    let mut matching = 0;
    context.collections.scan_trash(None, &mut |row| {
        matching += u64::from(chosen.has(row));
        Ok::<_, CommandError>(ControlFlow::Continue(()))
    })?;
    Ok(matching)
}
