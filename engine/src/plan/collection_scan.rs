//! Scans the records of an ordinary collection.

use super::{
    PlanError,
    source::{ScanSource, Stats, Step, Visit},
};
use crate::store::{Reader, RecordNumber, Scan};

/// Visits the records after `after`. True when nothing is left.
pub(super) fn walk<E: From<PlanError>>(
    reader: &Reader<'_>,
    source: ScanSource,
    direction: Scan,
    after: &mut Option<RecordNumber>,
    stats: &mut Stats,
    visit: Visit<'_, E>,
) -> Result<bool, E> {
    let from = match (direction, *after) {
        (Scan::Forward, None) => Some(0),
        (Scan::Backward, None) => Some(RecordNumber::MAX),
        (Scan::Forward, Some(record)) => record.checked_add(1),
        (Scan::Backward, Some(record)) => record.checked_sub(1),
    };
    let Some(from) = from else { return Ok(true) };
    let mut documents =
        reader.documents(source.collection, from, direction).map_err(PlanError::from)?;
    while let Some(unread) = documents.next_unverified() {
        let unread = unread.map_err(PlanError::from)?;
        let Some((stored, document)) =
            source.whole(unread.read(), stats).map_err(PlanError::from)?
        else {
            *after = Some(unread.record);
            continue;
        };
        stats.docs_examined += 1;
        let step = visit(&stored, document)?;
        if step == Step::LeaveAndStop {
            return Ok(false);
        }
        *after = Some(stored.record);
        if step == Step::TakeAndStop {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Visits these records, starting with the last one. True when nothing is left.
pub(super) fn walk_sorted<E: From<PlanError>>(
    reader: &Reader<'_>,
    source: ScanSource,
    records: &mut Vec<RecordNumber>,
    stats: &mut Stats,
    visit: Visit<'_, E>,
) -> Result<bool, E> {
    while let Some(record) = records.last().copied() {
        let found = source.document(reader, record, stats).map_err(PlanError::from)?;
        if let Some((stored, document)) = found {
            stats.docs_examined += 1;
            match visit(&stored, document)? {
                Step::Take => {}
                Step::LeaveAndStop => return Ok(false),
                Step::TakeAndStop => {
                    records.pop();
                    return Ok(records.is_empty());
                }
            }
        }
        records.pop();
    }
    Ok(true)
}
