//! `mayflyExpiring`: documents in the order in which they expire.

use bson::{Document, raw::RawDocument};

use super::ttl_targets::targets_for;
use crate::{
    command::core::{Answer, Command, CommandError, Context, Request, fields, raw},
    limits::EXPIRING_DOCS_MAX,
    reaper::{Expiring, Token, expiring},
    reply::{ExpiringPage, ExpiringRow},
};

/// The default `limit`.
const LIMIT_DEFAULT: u64 = 100;

fields! {
    struct ExpiringFields<'r> from Request<'r> {
        optional "index",
        optional "after": document => after Option<&'r RawDocument>,
        optional "limit": count => limit Option<u64>,
    }
}

/// `{mayflyExpiring: coll, index?: name, after?: token, limit?: n}`
pub static COMMAND: Command = Command::any("mayflyExpiring", ExpiringFields::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let (_, targets) = targets_for(context, request)?;
    let fields = ExpiringFields::read(request)?;
    let after = fields.after.map(token).transpose()?;
    let limit = fields.limit.unwrap_or(LIMIT_DEFAULT);
    let limit = usize::try_from(limit).unwrap_or(EXPIRING_DOCS_MAX).clamp(1, EXPIRING_DOCS_MAX);
    let now_ms = context.now_ms();
    let page = expiring(context.collections.store(), &targets, after.as_ref(), limit)?;
    let page = ExpiringPage {
        batch: page.documents.into_iter().map(|document| row(document, now_ms)).collect(),
        next: page.next.map(|token| token.to_document()),
        rules: Some(targets.len() as u64),
    };
    raw(&page.to_document())
}

fn token(after: &RawDocument) -> Result<Token, CommandError> {
    let token = Token::from_document(&Document::try_from(after)?);
    token.ok_or_else(|| {
        CommandError::bad_value(
            "after is not a valid token; use the \"next\" value of the previous page",
        )
    })
}

fn row(found: Expiring, now_ms: i64) -> ExpiringRow {
    let Expiring { id, index, field, deadline, dates_ms } = found;
    let state = if deadline.threshold_ms <= now_ms { "overdue" } else { "waiting" };
    ExpiringRow {
        id,
        index,
        field,
        base_ms: deadline.base_ms,
        threshold_ms: deadline.threshold_ms,
        source: deadline.source.as_str().to_owned(),
        dates_ms: (!dates_ms.is_empty()).then_some(dates_ms),
        state: state.to_owned(),
    }
}
