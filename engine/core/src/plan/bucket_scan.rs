//! The measurements of a time-series collection: unpacks its buckets and visits them.

use bson::raw::{RawDocument, RawDocumentBuf};

use super::{
    PlanError,
    source::{ScanSource, Stats, Step, Visit, visit_at},
};
use crate::{
    store::{CollectionId, Reader, RecordNumber, Scan, StoredDocument},
    value::bucket,
};

/// Visits the measurements of a bucket after position `after`. False when the scan stops.
pub(super) fn visit_bucket<E: From<PlanError>>(
    stored: &StoredDocument<'_>,
    packed: &RawDocument,
    direction: Scan,
    after: &mut Option<RecordNumber>,
    stats: &mut Stats,
    visit: Visit<'_, E>,
) -> Result<bool, E> {
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
        let measurement = as_stored(place, stored, &document);
        if !visit_at(&measurement, &document, after, stats, visit)? {
            return Ok(false);
        }
    }
    Ok(true)
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

/// Visits the measurement at a position. One that does not exist counts as taken.
pub(super) fn visit_measurement<E: From<PlanError>>(
    reader: &Reader<'_>,
    source: ScanSource,
    place: RecordNumber,
    stats: &mut Stats,
    visit: Visit<'_, E>,
) -> Result<Step, E> {
    let (record, number) = bucket::split(place);
    let found = source.document(reader, record, stats).map_err(PlanError::from)?;
    let Some((stored, packed)) = found else { return Ok(Step::Take) };
    let Some(document) = bucket::at(packed, number) else { return Ok(Step::Take) };
    stats.docs_examined += 1;
    visit(&as_stored(place, &stored, &document), &document)
}

fn as_stored<'d>(
    place: RecordNumber,
    bucket: &StoredDocument<'_>,
    document: &'d RawDocument,
) -> StoredDocument<'d> {
    StoredDocument { record: place, modified_ms: bucket.modified_ms, bytes: document.as_bytes() }
}
