//! Scans the records of a collection. Those of a time-series collection are buckets.

use super::{
    PlanError, bucket_scan,
    source::{ScanSource, Stats, Step, Visit, visit_at},
};
use crate::store::{Reader, RecordNumber, Scan};

/// Visits the documents after position `after`. True when nothing is left.
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
        (_, Some(place)) if source.is_bucketed => bucket_scan::resume_at(place, direction),
        (Scan::Forward, Some(record)) => record.checked_add(1),
        (Scan::Backward, Some(record)) => record.checked_sub(1),
    };
    let Some(from) = from else { return Ok(true) };
    let mut records =
        reader.documents(source.collection, from, direction).map_err(PlanError::from)?;
    while let Some(unread) = records.next_unverified() {
        let unread = unread.map_err(PlanError::from)?;
        let Some((stored, document)) =
            source.whole(unread.read(), stats).map_err(PlanError::from)?
        else {
            *after = Some(if source.is_bucketed {
                bucket_scan::last_place(unread.record, direction)
            } else {
                unread.record
            });
            continue;
        };
        let continues = if source.is_bucketed {
            bucket_scan::visit_bucket(&stored, document, direction, after, stats, visit)?
        } else {
            visit_at(&stored, document, after, stats, visit)?
        };
        if !continues {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Visits the documents at these positions, starting with the last one. True when nothing is left.
pub(super) fn walk_sorted<E: From<PlanError>>(
    reader: &Reader<'_>,
    source: ScanSource,
    places: &mut Vec<RecordNumber>,
    stats: &mut Stats,
    visit: Visit<'_, E>,
) -> Result<bool, E> {
    while let Some(place) = places.last().copied() {
        let step = if source.is_bucketed {
            bucket_scan::visit_measurement(reader, source, place, stats, visit)?
        } else {
            visit_record(reader, source, place, stats, visit)?
        };
        if step == Step::LeaveAndStop {
            return Ok(false);
        }
        places.pop();
        if step == Step::TakeAndStop {
            return Ok(places.is_empty());
        }
    }
    Ok(true)
}

fn visit_record<E: From<PlanError>>(
    reader: &Reader<'_>,
    source: ScanSource,
    record: RecordNumber,
    stats: &mut Stats,
    visit: Visit<'_, E>,
) -> Result<Step, E> {
    let found = source.document(reader, record, stats).map_err(PlanError::from)?;
    let Some((stored, document)) = found else { return Ok(Step::Take) };
    stats.docs_examined += 1;
    visit(&stored, document)
}
