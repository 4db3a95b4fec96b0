//! `mayflyDiscardTrash`: removes rows that wait for an archive which the store doesn't know.

use std::ops::ControlFlow;

use bson::doc;

use super::trash_selection::TrashSelection;
use crate::{
    command::core::{Answer, Command, CommandError, Context, Request, long, raw},
    limits::BULK_DOCS_MAX,
};

/// `{mayflyDiscardTrash: coll | 1}`; 1 is all collections of all databases. Rows that wait for a known
/// archive, and rows that wait for none, stay.
pub static COMMAND: Command = Command::any("mayflyDiscardTrash", &[], run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let chosen = TrashSelection::read(context, request)?;
    let unclaimed = context.reaper.archives().unclaimed()?;
    let store = context.collections.store();
    let (mut before, mut discarded) = (None, 0);
    loop {
        let max = if store.is_full() { store.batch_docs() } else { BULK_DOCS_MAX };
        let mut numbers = Vec::new();
        before = context.collections.scan_trash(before, &mut |row| {
            let is_unclaimed = row.archive.is_some_and(|folder| unclaimed.contains_key(folder));
            if is_unclaimed && chosen.has(row)? {
                numbers.push(row.number);
            }
            let is_full = numbers.len() >= max;
            Ok::<_, CommandError>(if is_full {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })?;
        discarded += context.write(|writer| {
            let mut count = 0;
            for number in &numbers {
                count += u64::from(writer.take_from_trash(*number)?);
            }
            Ok::<_, CommandError>(count)
        })?;
        if before.is_none() {
            return raw(&doc! { "discarded": long(discarded) });
        }
    }
}
