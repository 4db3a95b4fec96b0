//! A server's documents for the dialog of a conversion: it may have far more than may be looked at.

use super::draft::{asker, draft};
use crate::apply::Apply;
use crate::apply::question::Question;
use crate::job::reply::{self, number};
use crate::limits::{CONVERT_COUNT_MS, CONVERT_READ_BYTES, CONVERT_SAMPLE_DOCUMENTS};
use crate::state::convert::ConvertDraft;
use crate::state::documents::pages::estimated_bytes;
use crate::state::transfer::Loadable;
use crate::worker::Reply;

/// Values of the field. If there are more, their documents are counted.
#[derive(Debug, PartialEq)]
pub(super) struct ReadValues;

impl Question for ReadValues {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, generation: u64, reply: Reply, cx: &mut Apply<'_>) {
        let waits = |open: &ConvertDraft| open.preview == Loadable::Waiting(generation);
        let Some(open) = asker(&reply, waits, cx.state) else { return };
        let found = match reply.result {
            Ok(found) => found,
            Err(error) => {
                open.preview = Loadable::Failed(error);
                (open.failing, open.counts) = Default::default();
                return;
            }
        };
        let (Some(namespace), Some(conversion)) = (open.namespace.clone(), open.looked_for.clone())
        else {
            return;
        };
        let documents = reply::documents(&found);
        let bytes: usize = documents.iter().map(estimated_bytes).sum();
        // One reply holds no more than 16 MiB.
        let count = i64::try_from(documents.len()).unwrap_or(i64::MAX);
        let is_all = count < CONVERT_SAMPLE_DOCUMENTS && bytes < CONVERT_READ_BYTES;
        if !open.take_read(&conversion, &documents, is_all) {
            return;
        }
        let count = conversion.count_candidates(&namespace.collection, CONVERT_COUNT_MS);
        let generation = cx.ask(CountCandidates, &namespace.db, count);
        if let Some(open) = draft(cx.state) {
            open.counting = Some(generation);
        }
    }
}

/// How many documents may have such a value.
#[derive(Debug, PartialEq)]
struct CountCandidates;

impl Question for CountCandidates {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, generation: u64, reply: Reply, cx: &mut Apply<'_>) {
        let waits = |open: &ConvertDraft| open.counting == Some(generation);
        if let (Some(open), Some(found)) = (asker(&reply, waits, cx.state), reply.ok()) {
            open.take_count(number(found, "n").unwrap_or(0));
        }
    }
}
