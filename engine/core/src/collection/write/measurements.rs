//! Writing measurements into the buckets of a time-series collection.

use std::{collections::HashMap, ops::Bound, sync::Arc};

use bson::{
    RawDocumentBuf,
    oid::ObjectId,
    raw::{CString, RawBsonRef, RawDocument},
};

use super::keys::bucket_key;
use crate::{
    catalog::{CollectionMeta, EntryForm, IndexMeta, IndexState},
    collection::{DocumentWriter, WriteError},
    limits::BUCKETS_LOOKED_AT_MAX,
    store::{RecordNumber, Scan, StoreError},
    value::{
        bucket::{self, Bucket, TimeSeries, normalized},
        key::prefix_end,
        scan::{self, DEPTH_MAX, DOCUMENT_BYTES_MAX},
    },
};

/// Bytes of a bucket besides its metadata and one measurement, without field names of any length.
const BUCKET_FRAME_BYTES: usize = 256;

/// Levels of nesting that a bucket adds around a measurement.
const BUCKET_LEVELS: usize = 2;

/// Measurements to be written into buckets. They are collected until [`Measurements::finish`], so
/// each bucket is written once.
pub struct Measurements {
    collection: Arc<CollectionMeta>,
    options: TimeSeries,
    time_field: CString,
    open: Vec<OpenBucket>,
    /// Positions in `open` by the bytes of the metadata.
    of_meta: HashMap<Vec<u8>, Vec<usize>>,
}

struct OpenBucket {
    /// Its record number if it is stored already.
    record: Option<RecordNumber>,
    bucket: Bucket,
}

/// A measurement, split as a bucket stores it.
struct MeasurementParts {
    time_ms: i64,
    meta: Option<RawDocumentBuf>,
    row: RawDocumentBuf,
}

impl Measurements {
    /// `None` when the collection is not a time-series collection.
    pub fn new(collection: &Arc<CollectionMeta>) -> Option<Self> {
        let options = collection.time_series()?;
        let time_field = CString::try_from(options.time_field.clone()).ok()?;
        Some(Self {
            collection: Arc::clone(collection),
            options,
            time_field,
            open: Vec::new(),
            of_meta: HashMap::new(),
        })
    }

    /// Adds a measurement.
    ///
    /// # Errors
    /// `BadDocument` without a time, or when it is too large; what was added before stays valid.
    /// When the store fails.
    pub fn add(
        &mut self,
        writer: &DocumentWriter<'_, '_>,
        document: &RawDocument,
    ) -> Result<(), WriteError> {
        let parts = self.parts(document)?;
        let span = self.options.span;
        let key = parts.meta.as_ref().map(|meta| meta.as_bytes().to_vec()).unwrap_or_default();
        let of_meta = self.of_meta.entry(key).or_default();
        let open = || of_meta.iter().filter_map(|at| Some((*at, self.open.get(*at)?)));
        let mut takers =
            open().rev().filter(|(_, open)| open.bucket.takes(span, parts.time_ms, &parts.row));
        let at = if let Some((at, _)) = takers.next() {
            at
        } else {
            let known: Vec<RecordNumber> = open().filter_map(|(_, open)| open.record).collect();
            let found = find(writer, &self.collection, &self.options, &known, &parts)?;
            self.open.push(found.unwrap_or_else(|| {
                let (field, id) = (self.time_field.clone(), ObjectId::new());
                let bucket = Bucket::new(field, span, parts.time_ms, parts.meta, id);
                OpenBucket { record: None, bucket }
            }));
            of_meta.push(self.open.len() - 1);
            self.open.len() - 1
        };
        let pushed = self.open.get_mut(at).is_some_and(|open| open.bucket.push(&parts.row));
        if pushed {
            Ok(())
        } else {
            Err(StoreError::Bug { what: "a bucket refused a measurement it takes".into() }.into())
        }
    }

    /// Writes the buckets.
    ///
    /// # Errors
    /// When the store fails; the transaction must be aborted.
    pub fn finish(self, writer: &mut DocumentWriter<'_, '_>) -> Result<(), WriteError> {
        for OpenBucket { record, bucket } in self.open {
            let document = bucket.to_document();
            match record {
                Some(record) => writer.replace(&self.collection, record, &document)?,
                None => writer.insert_bucket(&self.collection, &document).map(drop)?,
            }
        }
        Ok(())
    }

    fn parts(&self, document: &RawDocument) -> Result<MeasurementParts, WriteError> {
        let time_field = self.options.time_field.as_str();
        let Ok(Some(RawBsonRef::DateTime(time))) = document.get(time_field) else {
            return bad(format!(
                "'{time_field}' must be present and contain a valid BSON UTC datetime value"
            ));
        };
        let mut row = RawDocumentBuf::new();
        row.append(self.time_field.clone(), time);
        let mut meta = None;
        for (name, value) in document.iter().filter_map(Result::ok) {
            if Some(name.as_str()) == self.options.meta_field.as_deref() {
                let mut found = RawDocumentBuf::new();
                found.append(name, normalized(value));
                meta = Some(found);
            } else if name.as_str() != time_field {
                row.append(name, value);
            }
        }
        check_fits(&row, meta.as_deref())?;
        Ok(MeasurementParts { time_ms: time.timestamp_millis(), meta, row })
    }
}

/// With a bucket around it, a measurement must still be a storable document.
fn check_fits(row: &RawDocument, meta: Option<&RawDocument>) -> Result<(), WriteError> {
    let meta_bytes = meta.map_or(0, |meta| meta.as_bytes().len());
    let bytes_max = DOCUMENT_BYTES_MAX - BUCKET_FRAME_BYTES;
    if row.as_bytes().len().saturating_add(meta_bytes) > bytes_max {
        return bad(format!(
            "the measurement exceeds the size limit of a bucket ({bytes_max} \
         bytes)"
        ));
    }
    let limits = scan::Limits { depth_max: DEPTH_MAX - BUCKET_LEVELS, ..scan::Limits::default() };
    for part in std::iter::once(row).chain(meta) {
        if let Err(error) = scan::check_with(part.as_bytes(), &limits) {
            return bad(error.to_string());
        }
    }
    Ok(())
}

fn bad<T>(message: String) -> Result<T, WriteError> {
    Err(WriteError::BadDocument { message })
}

/// The newest stored bucket that takes a measurement.
fn find(
    writer: &DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    options: &TimeSeries,
    known: &[RecordNumber],
    parts: &MeasurementParts,
) -> Result<Option<OpenBucket>, StoreError> {
    let Some(index) = lookup(collection) else { return Ok(None) };
    let meta = parts.meta.as_deref();
    let first = bucket_key(index, meta, options.span.before_ms(parts.time_ms));
    let last = bucket_key(index, meta, parts.time_ms);
    let lower = first.ordered().to_vec();
    // A truncated key does not hold the time, so all buckets with such metadata are candidates.
    let upper = if last.exact { Some(last.bytes) } else { prefix_end(last.ordered()) };
    let upper = upper.as_deref().map_or(Bound::Unbounded, Bound::Included);
    let reader = writer.reader();
    let entries = reader.entries(index.id, Bound::Included(&lower), upper, Scan::Backward)?;
    for entry in entries.take(BUCKETS_LOOKED_AT_MAX) {
        // A damaged bucket takes nothing more, but must not block new measurements.
        let Some(entry) = StoreError::unless_damaged(entry)? else { continue };
        let record = entry.record;
        if known.contains(&record) {
            continue;
        }
        let read = reader.document(collection.id, record);
        let Some(stored) = StoreError::unless_damaged(read)?.flatten() else { continue };
        let Some(stored) = StoreError::unless_damaged(stored.document())? else { continue };
        if !bucket::has_meta(stored, meta) {
            continue;
        }
        let Some(bucket) = Bucket::read(stored, None) else { continue };
        if bucket.takes(options.span, parts.time_ms, &parts.row) {
            return Ok(Some(OpenBucket { record: Some(record), bucket }));
        }
    }
    Ok(None)
}

/// The index that finds buckets by metadata, or else by time.
fn lookup(collection: &CollectionMeta) -> Option<&Arc<IndexMeta>> {
    let leads = |index: &IndexMeta| {
        index.form == EntryForm::Buckets
            && index.key.single().is_none()
            && index.partial.is_none()
            && index.state == IndexState::Ready
    };
    collection.indexes.iter().find(|index| leads(index)).or_else(|| collection.id_index())
}

impl DocumentWriter<'_, '_> {
    /// Stores a new bucket of a time-series collection.
    ///
    /// # Errors
    /// As [`DocumentWriter::insert`].
    fn insert_bucket(
        &mut self,
        collection: &CollectionMeta,
        bucket: &RawDocument,
    ) -> Result<RecordNumber, WriteError> {
        let collection = self.txn.current(collection)?;
        self.insert_new(&collection, bucket)
    }

    /// Removes the measurement at this position, and its bucket if it was the last one. False if
    /// there was none.
    ///
    /// # Errors
    /// When the store fails.
    pub fn delete_measurement(
        &mut self,
        collection: &CollectionMeta,
        place: RecordNumber,
    ) -> Result<bool, WriteError> {
        let (record, number) = bucket::split(place);
        let reader = self.reader();
        let Some(stored) = reader.document(collection.id, record)? else { return Ok(false) };
        let stored = stored.document()?;
        let (had, Some(rest)) = (bucket::at(stored, number), Bucket::read(stored, Some(number)))
        else {
            return Ok(false);
        };
        if had.is_none() {
            return Ok(false);
        }
        if rest.count() == 0 {
            return self.delete(collection, record);
        }
        self.replace(collection, record, &rest.to_document()).map(|()| true)
    }
}
