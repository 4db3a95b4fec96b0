//! Documents in the order in which they expire, page by page.

use bson::{Binary, Bson, DateTime, Document, doc, spec::BinarySubtype};

use crate::{
    clock::work_time,
    limits::{EXPIRING_DATES_MAX, EXPIRING_ENTRIES_MAX, READ_MS_MAX},
    reaper::{batch::id_of, target::Target, ttl_range::TtlRange},
    store::{Entries, Entry, IndexId, Reader, RecordNumber, Store, StoreError},
    ttl::{self, Deadline},
};

/// A document with a threshold.
#[derive(Debug, Clone, PartialEq)]
pub struct Expiring {
    /// Its `_id`.
    pub id: Bson,
    /// The rule that removes it first.
    pub index: String,
    /// The path the rule looks at.
    pub field: String,
    /// When and why.
    pub deadline: Deadline,
    /// The dates in the field, earliest first, if there are several; at most
    /// [`EXPIRING_DATES_MAX`].
    pub dates_ms: Vec<i64>,
}

/// A position in the order; the next page begins after it. Opaque to clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    threshold_ms: i64,
    range: RangeOrder,
    key: Vec<u8>,
    record: RecordNumber,
}

/// Which thresholds to list, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ThresholdRange {
    /// The first instant; `None` for all of the past.
    pub from_ms: Option<i64>,
    /// The end, which is outside; `None` for all of the future.
    pub to_ms: Option<i64>,
}

impl ThresholdRange {
    /// Whether it ends before it begins.
    #[must_use]
    pub fn is_reversed(self) -> bool {
        matches!((self.from_ms, self.to_ms), (Some(from_ms), Some(to_ms)) if from_ms > to_ms)
    }

    fn ends_before(self, threshold_ms: i64) -> bool {
        self.to_ms.is_some_and(|to_ms| threshold_ms >= to_ms)
    }
}

/// A page of documents.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page {
    /// Soonest first; may be short, or even empty, when much had to be skipped.
    pub documents: Vec<Expiring>,
    /// Where to resume; `None` at the end.
    pub next: Option<Token>,
}

/// The order of ranges with equal thresholds: index, own rule of the collection, range.
type RangeOrder = (IndexId, bool, usize);

impl Token {
    /// The form in replies.
    pub fn to_document(&self) -> Document {
        let (IndexId(index), own, range) = self.range;
        let key = Binary { subtype: BinarySubtype::Generic, bytes: self.key.clone() };
        doc! {
            "t": DateTime::from_millis(self.threshold_ms),
            "i": i64::from(index),
            "o": own,
            "l": i64::try_from(range).unwrap_or(i64::MAX),
            "k": key,
            "r": self.record.to_string(),
        }
    }

    /// Reads [`Token::to_document`] back. `None` if it isn't a token.
    pub fn from_document(document: &Document) -> Option<Self> {
        let index = IndexId(u32::try_from(document.get_i64("i").ok()?).ok()?);
        let range = usize::try_from(document.get_i64("l").ok()?).ok()?;
        Some(Self {
            threshold_ms: document.get_datetime("t").ok()?.timestamp_millis(),
            range: (index, document.get_bool("o").ok()?, range),
            key: document.get_binary_generic("k").ok()?.clone(),
            record: document.get_str("r").ok()?.parse().ok()?,
        })
    }
}

/// At most `limit` documents of `range` after `after`. A document with several dates or rules is listed once,
/// at its earliest threshold. Damaged documents are skipped.
///
/// # Errors
/// When the store can't be read.
pub fn expiring(
    store: &Store,
    targets: &[Target],
    range: ThresholdRange,
    after: Option<&Token>,
    limit: usize,
) -> Result<Page, StoreError> {
    store.read(|reader| {
        let mut merge = Merge::open(reader, targets, range, after)?;
        let began = work_time();
        let mut page = Page::default();
        let mut examined = 0;
        while let Some((target, token)) = merge.next()? {
            examined += 1;
            // A damaged document is never removed; each pass reports it.
            let found = first_of_its_document(reader, targets, target, &token);
            page.documents.extend(StoreError::unless_damaged(found)?.flatten());
            let spent = work_time().saturating_sub(began).as_millis();
            if page.documents.len() >= limit
                || examined >= EXPIRING_ENTRIES_MAX
                || spent >= u128::from(READ_MS_MAX)
            {
                page.next = merge.has_more().then_some(token);
                break;
            }
        }
        Ok(page)
    })
}

/// The document of this entry, if the entry is the one with which its document expires first.
fn first_of_its_document(
    reader: &Reader<'_>,
    targets: &[Target],
    target: &Target,
    token: &Token,
) -> Result<Option<Expiring>, StoreError> {
    let Some(stored) = reader.document(target.collection.id, token.record)? else {
        return Ok(None);
    };
    let verdicts = targets
        .iter()
        .map(|target| target.expiry(&stored))
        .collect::<Result<Vec<_>, StoreError>>()?;
    let winner = ttl::winner(&verdicts);
    let Some((first, deadline)) =
        winner.and_then(|place| Some((targets.get(place)?, verdicts.get(place)?.deadline()?)))
    else {
        return Ok(None);
    };
    let is_first =
        first.identity() == target.identity() && deadline.threshold_ms == token.threshold_ms;
    if !is_first {
        return Ok(None);
    }
    let document = stored.document()?;
    let dates_ms = match deadline.dates {
        2.. => ttl::dates_ms(&first.rule, document, EXPIRING_DATES_MAX),
        _ => Vec::new(),
    };
    Ok(Some(Expiring {
        id: id_of(document),
        index: target.name().to_owned(),
        field: target.field().to_owned(),
        deadline: *deadline,
        dates_ms,
    }))
}

/// All ranges of all rules as one stream in order of threshold.
struct Merge<'t, 'r> {
    streams: Vec<Stream<'t, 'r>>,
    within: ThresholdRange,
}

struct Stream<'t, 'r> {
    target: &'r Target,
    range: TtlRange,
    order: RangeOrder,
    entries: Entries<'t>,
    head: Option<Token>,
}

impl<'t, 'r> Merge<'t, 'r> {
    fn open(
        reader: &Reader<'t>,
        targets: &'r [Target],
        within: ThresholdRange,
        after: Option<&Token>,
    ) -> Result<Self, StoreError> {
        let mut streams = Vec::new();
        for target in targets {
            for (number, range) in target.ranges.iter().enumerate() {
                let (_, index, own) = target.identity();
                let order = (index, own, number);
                let from_ms = within.from_ms;
                let entries = start(reader, index, *range, order, from_ms, after)?;
                let Some(entries) = entries else { continue };
                let mut stream = Stream { target, range: *range, order, entries, head: None };
                stream.advance(within)?;
                streams.push(stream);
            }
        }
        Ok(Self { streams, within })
    }

    /// The next entry with the rule it belongs to.
    fn next(&mut self) -> Result<Option<(&'r Target, Token)>, StoreError> {
        let soonest =
            self.streams.iter_mut().filter(|stream| stream.head.is_some()).min_by_key(|stream| {
                stream.head.as_ref().map(|head| (head.threshold_ms, head.range))
            });
        let Some(stream) = soonest else { return Ok(None) };
        let head = stream.head.take();
        stream.advance(self.within)?;
        Ok(head.map(|head| (stream.target, head)))
    }

    fn has_more(&self) -> bool {
        self.streams.iter().any(|stream| stream.head.is_some())
    }
}

impl Stream<'_, '_> {
    fn advance(&mut self, within: ThresholdRange) -> Result<(), StoreError> {
        let next = self.entries.find(|entry| !matches!(entry, Err(StoreError::Damaged { .. })));
        self.head = match next {
            None => None,
            Some(entry) => {
                self.token(entry?).filter(|token| !within.ends_before(token.threshold_ms))
            }
        };
        Ok(())
    }

    /// `None` also for a threshold past the end of time: all later entries have one too.
    fn token(&self, entry: Entry<'_>) -> Option<Token> {
        let threshold_ms = self.range.threshold_ms(self.range.instant_ms(entry.key)?)?;
        let key = entry.key.to_vec();
        Some(Token { threshold_ms, range: self.order, key, record: entry.record })
    }
}

/// The entries of a range after `after` in the merged order.
fn start<'t>(
    reader: &Reader<'t>,
    index: IndexId,
    range: TtlRange,
    order: RangeOrder,
    from_ms: Option<i64>,
    after: Option<&Token>,
) -> Result<Option<Entries<'t>>, StoreError> {
    let Some(after) = after else {
        let first_ms = from_ms.map_or(i64::MIN, |from_ms| range.first_from_ms(from_ms));
        return range.entries(reader, index, first_ms, i64::MAX).map(Some);
    };
    if order == after.range {
        let entry = (after.key.as_slice(), after.record);
        return range.entries_after(reader, index, entry, i64::MAX).map(Some);
    }
    let from = if order > after.range {
        after.threshold_ms
    } else if let Some(next) = after.threshold_ms.checked_add(1) {
        next
    } else {
        return Ok(None);
    };
    range.entries(reader, index, range.first_from_ms(from), i64::MAX).map(Some)
}
