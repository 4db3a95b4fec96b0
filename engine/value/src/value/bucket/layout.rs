//! Packing measurements into the document of a bucket, and taking them out again.

use bson::{
    DateTime, RawDocumentBuf,
    oid::ObjectId,
    raw::{CString, RawBsonRef, RawDocument, cstr},
};

use super::Span;

/// Most measurements of a bucket, as in MongoDB.
const MEASUREMENTS_MAX: u16 = 1_000;

/// Bytes of measurements after which a bucket takes no more, as in MongoDB. A single measurement
/// may be larger.
const BUCKET_BYTES_MAX: usize = 128_000;

/// Bits of a place that hold the number of the measurement in its bucket.
const NUMBER_BITS: u32 = 10;

/// The place of a measurement in its collection: the record of its bucket and its number there.
pub fn place(record: u128, number: u16) -> u128 {
    (record << NUMBER_BITS) | u128::from(number)
}

/// The record and the number of a place.
pub fn split(place: u128) -> (u128, u16) {
    let number = place & ((1 << NUMBER_BITS) - 1);
    (place >> NUMBER_BITS, u16::try_from(number).unwrap_or(u16::MAX))
}

/// Where the bucket begins, in milliseconds since 1970; `None` for a document that is not a bucket.
pub fn start_ms(bucket: &RawDocument) -> Option<i64> {
    control_ms(bucket, "min")
}

/// The latest time in the bucket.
pub fn latest_ms(bucket: &RawDocument) -> Option<i64> {
    control_ms(bucket, "max")
}

fn control_ms(bucket: &RawDocument, bound: &str) -> Option<i64> {
    let control = bucket.get_document("control").ok()?;
    let (_, time) = control.get_document(bound).ok()?.iter().next()?.ok()?;
    time.as_datetime().map(DateTime::timestamp_millis)
}

/// The metadata of the bucket, under its name; `None` when the measurements have none.
pub fn meta_of(bucket: &RawDocument) -> Option<&RawDocument> {
    bucket.get_document("meta").ok()
}

/// Whether the bucket's metadata is exactly this, which is normalized.
pub fn has_meta(bucket: &RawDocument, meta: Option<&RawDocument>) -> bool {
    meta_of(bucket).map(RawDocument::as_bytes) == meta.map(RawDocument::as_bytes)
}

/// Every measurement with its number, in order: the time, the metadata, the other fields.
pub fn measurements(bucket: &RawDocument) -> impl Iterator<Item = (u16, RawDocumentBuf)> {
    let meta = meta_of(bucket);
    rows(bucket).map(move |(number, row)| (number, unpacked(row, meta)))
}

/// The measurement with this number.
pub fn at(bucket: &RawDocument, number: u16) -> Option<RawDocumentBuf> {
    let (_, row) = rows(bucket).find(|(other, _)| *other == number)?;
    Some(unpacked(row, meta_of(bucket)))
}

fn rows(bucket: &RawDocument) -> impl Iterator<Item = (u16, &RawDocument)> {
    let data = bucket.get_document("data").ok();
    data.into_iter().flatten().filter_map(|field| {
        let (name, row) = field.ok()?;
        Some((name.as_str().parse().ok()?, row.as_document()?))
    })
}

fn unpacked(row: &RawDocument, meta: Option<&RawDocument>) -> RawDocumentBuf {
    let mut document = RawDocumentBuf::new();
    let mut meta = meta;
    for (name, value) in row.iter().filter_map(Result::ok) {
        document.append(name, value);
        // The time is the first field of a row, and the metadata follows it.
        for (name, value) in meta.take().into_iter().flatten().filter_map(Result::ok) {
            document.append(name, value);
        }
    }
    document
}

fn time_of(row: &RawDocument) -> Option<i64> {
    let (_, time) = row.iter().next()?.ok()?;
    time.as_datetime().map(DateTime::timestamp_millis)
}

/// A bucket that is being filled.
#[derive(Debug, Clone)]
pub struct Bucket {
    id: ObjectId,
    start_ms: i64,
    latest_ms: i64,
    time_field: CString,
    meta: Option<RawDocumentBuf>,
    data: RawDocumentBuf,
    count: u16,
    next: u16,
}

impl Bucket {
    /// An empty bucket for a measurement with this time and this normalized metadata. Its id ends
    /// as `unique` does.
    pub fn new(
        time_field: CString,
        span: Span,
        time_ms: i64,
        meta: Option<RawDocumentBuf>,
        unique: ObjectId,
    ) -> Self {
        let start_ms = span.start_ms(time_ms);
        Self {
            id: id_from(start_ms, unique),
            start_ms,
            latest_ms: time_ms,
            time_field,
            meta,
            data: RawDocumentBuf::new(),
            count: 0,
            next: 0,
        }
    }

    /// Reads a stored bucket, without the measurement of this number if one is given; `None` for a
    /// document that is not a bucket.
    pub fn read(stored: &RawDocument, without: Option<u16>) -> Option<Self> {
        let control = stored.get_document("control").ok()?;
        let (time_field, _) = control.get_document("min").ok()?.iter().next()?.ok()?;
        let mut bucket = Self {
            id: stored.get_object_id("_id").ok()?,
            start_ms: start_ms(stored)?,
            latest_ms: latest_ms(stored)?,
            time_field: time_field.to_owned(),
            meta: meta_of(stored).map(RawDocument::to_owned),
            data: RawDocumentBuf::new(),
            count: 0,
            next: 0,
        };
        if without.is_some() {
            bucket.latest_ms = bucket.start_ms;
        }
        for (number, row) in rows(stored).filter(|(number, _)| Some(*number) != without) {
            bucket.append(number, row)?;
        }
        Some(bucket)
    }

    /// Replaces the metadata by other normalized metadata.
    pub fn set_meta(&mut self, meta: Option<RawDocumentBuf>) {
        self.meta = meta;
    }

    /// Measurements in it.
    pub fn count(&self) -> u16 {
        self.count
    }

    /// Whether it takes this row as well.
    pub fn takes(&self, span: Span, time_ms: i64, row: &RawDocument) -> bool {
        let bytes = self.data.as_bytes().len().saturating_add(row.as_bytes().len());
        span.takes(self.start_ms, time_ms)
            && self.next < MEASUREMENTS_MAX
            && (self.count == 0 || bytes <= BUCKET_BYTES_MAX)
    }

    /// Adds a row: the time, then all fields but the metadata. False when its number is used up or
    /// it has no time.
    pub fn push(&mut self, row: &RawDocument) -> bool {
        self.append(self.next, row).is_some()
    }

    fn append(&mut self, number: u16, row: &RawDocument) -> Option<()> {
        let name = CString::try_from(number.to_string()).ok()?;
        self.latest_ms = self.latest_ms.max(time_of(row)?);
        self.data.append(name, row);
        self.count = self.count.saturating_add(1);
        self.next = number.checked_add(1)?;
        Some(())
    }

    /// The document to store.
    pub fn to_document(&self) -> RawDocumentBuf {
        let time = |ms| {
            let mut bound = RawDocumentBuf::new();
            bound.append(self.time_field.clone(), DateTime::from_millis(ms));
            bound
        };
        let mut control = RawDocumentBuf::new();
        control.append(cstr!("version"), 1);
        control.append(cstr!("min"), time(self.start_ms));
        control.append(cstr!("max"), time(self.latest_ms));
        control.append(cstr!("count"), i32::from(self.count));
        let mut bucket = RawDocumentBuf::new();
        bucket.append(cstr!("_id"), self.id);
        bucket.append(cstr!("control"), control);
        if let Some(meta) = &self.meta {
            bucket.append(cstr!("meta"), meta.clone());
        }
        bucket.append(cstr!("data"), RawBsonRef::Document(&self.data));
        bucket
    }
}

/// The id with the low four bytes of the seconds in front.
fn id_from(start_ms: i64, unique: ObjectId) -> ObjectId {
    let secs = start_ms.div_euclid(1_000).to_be_bytes();
    let mut bytes = unique.bytes();
    for (byte, second) in bytes.iter_mut().zip(secs.into_iter().skip(4)) {
        *byte = second;
    }
    ObjectId::from_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use bson::{Document, doc};

    use super::*;

    fn raw(document: &Document) -> RawDocumentBuf {
        RawDocumentBuf::try_from(document).expect("a document")
    }

    fn date(ms: i64) -> DateTime {
        DateTime::from_millis(ms)
    }

    fn filled(start_ms: i64, rows: &[Document]) -> Bucket {
        let meta = Some(raw(&doc! { "host": "a" }));
        let span = Span::of(&doc! {});
        let unique = ObjectId::from_bytes([7; 12]);
        let mut bucket = Bucket::new(cstr!("t").to_owned(), span, start_ms, meta, unique);
        for row in rows {
            assert!(bucket.push(&raw(row)));
        }
        bucket
    }

    fn shown(bucket: &RawDocument) -> Vec<(u16, Document)> {
        measurements(bucket)
            .map(|(number, found)| (number, Document::try_from(&found).expect("a document")))
            .collect()
    }

    #[test]
    fn measurements_come_out_as_they_went_in_with_time_and_metadata_in_front() {
        let rows = [doc! { "t": date(61_000), "_id": 1, "v": 7 }, doc! { "t": date(60_000) }];
        let stored = filled(61_000, &rows).to_document();
        let first = doc! { "t": date(61_000), "host": "a", "_id": 1, "v": 7 };
        let second = doc! { "t": date(60_000), "host": "a" };
        assert_eq!(shown(&stored), [(0, first.clone()), (1, second)]);
        assert_eq!(at(&stored, 0), Some(raw(&first)));
        assert_eq!(at(&stored, 2), None);
        assert_eq!((start_ms(&stored), latest_ms(&stored)), (Some(60_000), Some(61_000)));
        assert!(has_meta(&stored, Some(&raw(&doc! { "host": "a" }))));
        assert!(!has_meta(&stored, Some(&raw(&doc! { "host": "b" }))) && !has_meta(&stored, None));
    }

    #[test]
    fn a_measurement_keeps_its_number_when_another_goes() {
        let rows = [1, 9, 3].map(|second| doc! { "t": date(second * 1_000), "_id": second });
        let stored = filled(0, &rows).to_document();
        let mut rest = Bucket::read(&stored, Some(1)).expect("a bucket");
        assert_eq!(rest.count(), 2);
        assert_eq!(latest_ms(&rest.to_document()), Some(3_000));
        assert!(rest.push(&raw(&rows[1])));
        let numbers: Vec<u16> = shown(&rest.to_document()).iter().map(|row| row.0).collect();
        assert_eq!(numbers, [0, 2, 3]);
    }

    #[test]
    fn a_full_bucket_takes_nothing_more() {
        let span = Span::of(&doc! {});
        let row = raw(&doc! { "t": date(0) });
        let mut many = filled(0, &[]);
        for _ in 0..1_000 {
            assert!(many.takes(span, 0, &row) && many.push(&row));
        }
        assert!(!many.takes(span, 0, &row));
        let large = raw(&doc! { "t": date(0), "text": "x".repeat(100_000) });
        let mut heavy = filled(0, &[]);
        assert!(heavy.takes(span, 0, &large) && heavy.push(&large));
        assert!(!heavy.takes(span, 0, &large) && heavy.takes(span, 0, &row));
    }

    #[test]
    fn ids_begin_with_the_seconds() {
        let seconds = |ms| filled(ms, &[]).to_document().get_object_id("_id").expect("an id");
        assert_eq!(seconds(120_500).bytes()[..4], [0, 0, 0, 120]);
        assert_eq!(seconds(-60_000).bytes()[..4], (-60_i32).to_be_bytes());
    }

    #[test]
    fn places_hold_record_and_number() {
        for (record, number) in [(1, 0), (1, 999), (1 << 50, 7)] {
            assert_eq!(split(place(record, number)), (record, number));
        }
        assert!(place(1, 999) < place(2, 0));
    }

    #[test]
    fn what_is_no_bucket_has_nothing_in_it() {
        for other in [doc! {}, doc! { "control": { "min": 1 }, "data": { "0": 1, "x": {} } }] {
            let other = raw(&other);
            assert_eq!((start_ms(&other), measurements(&other).count()), (None, 0));
            assert!(Bucket::read(&other, None).is_none());
        }
    }
}
