//! Walks over a time-series collection: its buckets are taken apart, and measurements are visited.

use bson::raw::{RawDocument, RawDocumentBuf};

use super::{
    PlanError,
    search::{Stats, Step, Visit},
};
use crate::{
    store::{CollectionId, Reader, RecordNumber, Scan, Stored},
    value::bucket,
};

/// Visits the measurements behind the place `after`, bucket by bucket. True when nothing is left.
pub(super) fn walk<E: From<PlanError>>(
    reader: &Reader<'_>,
    collection: CollectionId,
    direction: Scan,
    after: &mut Option<RecordNumber>,
    stats: &mut Stats,
    visit: Visit<'_, E>,
) -> Result<bool, E> {
    // The bucket of the last place may have more.
    let from = match (direction, *after) {
        (_, Some(place)) => bucket::split(place).0,
        (Scan::Forward, None) => 0,
        (Scan::Backward, None) => RecordNumber::MAX,
    };
    for stored in reader.documents(collection, from, direction).map_err(PlanError::from)? {
        let stored = stored.map_err(PlanError::from)?;
        let mut measurements: Vec<_> =
            bucket::measurements(stored.document().map_err(PlanError::from)?).collect();
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

/// The measurement at a place.
pub(super) fn document(
    reader: &Reader<'_>,
    collection: CollectionId,
    place: RecordNumber,
) -> Result<Option<RawDocumentBuf>, PlanError> {
    let (record, number) = bucket::split(place);
    let Some(stored) = reader.document(collection, record)? else { return Ok(None) };
    Ok(bucket::at(stored.document()?, number))
}

/// Visits the measurements at these places, the last one first. True when nothing is left.
pub(super) fn walk_sorted<E: From<PlanError>>(
    reader: &Reader<'_>,
    collection: CollectionId,
    places: &mut Vec<RecordNumber>,
    stats: &mut Stats,
    visit: Visit<'_, E>,
) -> Result<bool, E> {
    while let Some(place) = places.last().copied() {
        let (record, number) = bucket::split(place);
        if let Some(stored) = reader.document(collection, record).map_err(PlanError::from)?
            && let Some(document) = bucket::at(stored.document().map_err(PlanError::from)?, number)
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
    bucket: &Stored<'_>,
    document: &'d RawDocument,
) -> Stored<'d> {
    Stored { record: place, modified_ms: bucket.modified_ms, bytes: document.as_bytes() }
}
