//! `mayflyPasses`: the history of passes.

use crate::{
    command::core::{Answer, Command, CommandError, Context, Request, optional, raw},
    limits::{HISTORY_SPANS_DEFAULT, HISTORY_SPANS_MAX},
    reply::Passes,
};

/// `{mayflyPasses: 1, from?: Date, until?: Date, spans?: int}`
///
/// The history from one instant to before another, or to now, in at most this many spans.
pub static COMMAND: Command =
    Command::admin("mayflyPasses", &[optional("from"), optional("until"), optional("spans")], run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let from_ms = request.date("from")?.unwrap_or(0);
    let until_ms = request.date("until")?.unwrap_or_else(|| context.now_ms().saturating_add(1));
    let spans = request.integer("spans")?.unwrap_or(HISTORY_SPANS_DEFAULT);
    if !(1..=HISTORY_SPANS_MAX).contains(&spans) {
        let sentence = format!("spans must be between 1 and {HISTORY_SPANS_MAX}, but is {spans}");
        return Err(CommandError::bad_value(sentence));
    }
    let (spans, first_ms) = context.reaper.history((from_ms, until_ms), spans)?;
    raw(&Passes { spans, first_ms }.to_document())
}
