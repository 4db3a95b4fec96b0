//! Scans the records of a collection. The buckets of a time series are scanned by their index.

use super::{
    PlanError, bucket_scan,
    source::{ScanSource, Stats, Step, Visit, visit_at},
};
use crate::store::{Reader, RecordNumber, Scan, WholeScan};

/// Visits the documents after position `after`. True when nothing is left. `whole` counts what a scan from the
/// begin has met; a lost page is then an error, not a short answer.
pub(super) fn walk<E: From<PlanError>>(
    reader: &Reader<'_>,
    source: ScanSource,
    direction: Scan,
    after: &mut Option<RecordNumber>,
    whole: &mut Option<WholeScan>,
    stats: &mut Stats,
    visit: Visit<'_, E>,
) -> Result<bool, E> {
    if after.is_none() {
        *whole = Some(WholeScan::of_documents(reader, source.collection).map_err(PlanError::from)?);
    }
    let from = match (direction, *after) {
        (Scan::Forward, None) => Some(0),
        (Scan::Backward, None) => Some(RecordNumber::MAX),
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
            // A damaged document that is left out still moves the position, or the next call would
            // meet it again.
            *after = Some(unread.record);
            if let Some(whole) = whole {
                whole.add(1);
            }
            continue;
        };
        let continues = visit_at(&stored, document, after, stats, visit)?;
        // A document that the visitor left stays for the next call and is counted there.
        if let Some(whole) = whole
            && *after == Some(unread.record)
        {
            whole.add(1);
        }
        if !continues {
            return Ok(false);
        }
    }
    whole.map_or(Ok(()), |whole| whole.end(reader)).map_err(PlanError::from)?;
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

#[cfg(test)]
mod tests {
    use crate::{catalog::Namespace, command::testing::Lab, store::Scan, store::StoreError};

    /// A lost page would hide documents from a scan, but not from the counter.
    #[test]
    fn a_scan_that_meets_fewer_documents_than_counted_is_an_error() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2}, {_id: 3}]}");
        let collections = lab.engine.collections();
        let namespace = Namespace::new("test", "c");
        let id = collections.catalog().collection(&namespace).expect("there").id;
        let lost: Result<bool, StoreError> = collections.store().write(|writer| {
            let first = writer.reader().documents(id, 0, Scan::Forward)?.next();
            let record = first.map(|row| row.map(|row| row.record)).transpose()?;
            writer.delete_document(id, record.unwrap_or_default())
        });
        assert_eq!(lost, Ok(true));
        for command in [
            "{find: 'c'}",
            "{find: 'c', sort: {a: 1}}",
            "{find: 'c', hint: {$natural: -1}}",
            "{aggregate: 'c', pipeline: [{$match: {a: null}}], cursor: {}}",
        ] {
            let reply = lab.run(command);
            assert!(reply.to_string().contains("met 2 of its 3 documents"), "{command}: {reply}");
        }
        // A cursor that stops before the end has nothing to compare.
        lab.ok("{find: 'c', limit: 1}");
        let cursor = lab.ok("{find: 'c', batchSize: 1}");
        let cursor = cursor.get_document("cursor").and_then(|cursor| cursor.get_i64("id"));
        let more = lab.run(&format!("{{getMore: {}, collection: 'c'}}", cursor.expect("open")));
        assert!(more.to_string().contains("met 2 of its 3 documents"), "{more}");
        // While documents are written between two batches, it can't.
        let cursor = lab.ok("{find: 'c', batchSize: 1}");
        let cursor = cursor.get_document("cursor").and_then(|cursor| cursor.get_i64("id"));
        lab.ok("{insert: 'c', documents: [{_id: 4}]}");
        lab.ok(&format!("{{getMore: {}, collection: 'c'}}", cursor.expect("open")));
    }
}
