//! Scans a time-series collection: unpacks its buckets and visits the measurements.

use bson::raw::{RawDocument, RawDocumentBuf};

use super::{
    PlanError,
    source::{ScanSource, Stats, Step, Visit},
};
use crate::{
    store::{CollectionId, Reader, RecordNumber, Scan, StoredDocument},
    value::bucket,
};

/// Visits the measurements after position `after`, bucket by bucket. True when nothing is left.
pub(super) fn walk<E: From<PlanError>>(
    reader: &Reader<'_>,
    source: ScanSource,
    direction: Scan,
    after: &mut Option<RecordNumber>,
    stats: &mut Stats,
    visit: Visit<'_, E>,
) -> Result<bool, E> {
    // The bucket at the last position may hold more.
    let from = match (direction, *after) {
        (_, Some(place)) => bucket::split(place).0,
        (Scan::Forward, None) => 0,
        (Scan::Backward, None) => RecordNumber::MAX,
    };
    let mut buckets =
        reader.documents(source.collection, from, direction).map_err(PlanError::from)?;
    while let Some(unread) = buckets.next_unverified() {
        let unread = unread.map_err(PlanError::from)?;
        if *after == Some(last_place(unread.record, direction)) {
            continue;
        }
        let Some((stored, packed)) = source.whole(unread.read(), stats).map_err(PlanError::from)?
        else {
            *after = Some(last_place(unread.record, direction));
            continue;
        };
        let mut measurements: Vec<_> = bucket::measurements(packed).collect();
        if direction == Scan::Backward {
            measurements.reverse();
        }
        for (number, document) in measurements {
            let place = bucket::place(stored.record, number);
            let is_seen = after.is_some_and(|after| match direction {
                Scan::Forward => place <= after,
                Scan::Backward => place >= after,
            });
            if is_seen {
                continue;
            }
            stats.docs_examined += 1;
            let step = visit(&as_stored(place, &stored, &document), &document)?;
            if step == Step::LeaveAndStop {
                return Ok(false);
            }
            *after = Some(place);
            if step == Step::TakeAndStop {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The last position of a bucket in this direction.
fn last_place(bucket: RecordNumber, direction: Scan) -> RecordNumber {
    match direction {
        Scan::Forward => bucket::end(bucket),
        Scan::Backward => bucket::place(bucket, 0),
    }
}

/// The measurement at a position.
pub(super) fn document(
    reader: &Reader<'_>,
    collection: CollectionId,
    place: RecordNumber,
) -> Result<Option<RawDocumentBuf>, PlanError> {
    let (record, number) = bucket::split(place);
    let Some(stored) = reader.document(collection, record)? else { return Ok(None) };
    Ok(bucket::at(stored.document()?, number))
}

/// Visits the measurements at these positions, starting with the last one. True when nothing is
/// left.
pub(super) fn walk_sorted<E: From<PlanError>>(
    reader: &Reader<'_>,
    source: ScanSource,
    places: &mut Vec<RecordNumber>,
    stats: &mut Stats,
    visit: Visit<'_, E>,
) -> Result<bool, E> {
    while let Some(place) = places.last().copied() {
        let (record, number) = bucket::split(place);
        let found = source.document(reader, record, stats).map_err(PlanError::from)?;
        if let Some((stored, packed)) = found
            && let Some(document) = bucket::at(packed, number)
        {
            stats.docs_examined += 1;
            match visit(&as_stored(place, &stored, &document), &document)? {
                Step::Take => {}
                Step::LeaveAndStop => return Ok(false),
                Step::TakeAndStop => {
                    places.pop();
                    return Ok(places.is_empty());
                }
            }
        }
        places.pop();
    }
    Ok(true)
}

fn as_stored<'d>(
    place: RecordNumber,
    bucket: &StoredDocument<'_>,
    document: &'d RawDocument,
) -> StoredDocument<'d> {
    StoredDocument { record: place, modified_ms: bucket.modified_ms, bytes: document.as_bytes() }
}
