//! Reads documents one after the other and counts what is in them.

use std::collections::HashMap;

use bson::raw::{RawArray, RawBsonRef, RawDocument};
use foldhash::fast::FixedState;

use super::histogram::{Histogram, Numbers, Times};
use super::kind::Kind;
use super::path::{Path, Step};
use super::report::{Extent, Field, Schema, Times as TimesReport};
use super::ttl::Candidate;
use super::values::Values;
use crate::limits::{SCHEMA_DEPTH_MAX, SCHEMA_PATHS_MAX};

/// The analysis of the documents so far.
#[derive(Debug, Default)]
pub struct Analysis {
    now_ms: i64,
    documents: u64,
    bytes: u64,
    root: Fields,
    candidates: Vec<Candidate>,
    by_path: HashMap<String, usize>,
    paths: usize,
    /// Whether there was something in a path beyond the bound.
    is_cut: bool,
    scratch: Vec<u8>,
}

/// The fields of the documents at one place, in the order in which they were first met.
#[derive(Debug, Default)]
struct Fields {
    nodes: Vec<(Box<str>, Node)>,
    by_name: HashMap<Box<str>, usize, FixedState>,
}

/// The values at one path.
#[derive(Debug, Default)]
struct Node {
    seen: u64,
    kinds: [u64; Kind::ALL.len()],
    values: Values,
    numbers: Option<Box<Histogram<Numbers>>>,
    times: Option<Box<TimeShape>>,
    text_lengths: Extent,
    array_lengths: Extent,
    fields: Fields,
    elements: Option<Box<Node>>,
    /// Its candidate for a TTL. `None` if no index reaches it.
    candidate: Option<usize>,
}

#[derive(Debug, Default)]
struct TimeShape {
    histogram: Histogram<Times>,
    hours: [u64; 24],
    weekdays: [u64; 7],
}

impl Fields {
    /// The place of a field.
    fn find(&self, name: &str, expected: usize) -> Option<usize> {
        // Documents mostly have their fields in one order, so the place after the last one is
        // looked at first.
        if self.nodes.get(expected).is_some_and(|(known, _)| **known == *name) {
            return Some(expected);
        }
        self.by_name.get(name).copied()
    }
}

impl TimeShape {
    fn add(&mut self, at_ms: i64) {
        self.histogram.add(at_ms);
        let hours = at_ms.div_euclid(3_600_000);
        let place = |number: i64| usize::try_from(number).unwrap_or(0);
        self.hours[place(hours.rem_euclid(24))] += 1;
        // 1970 began on a Thursday; weeks begin on Monday.
        self.weekdays[place((hours.div_euclid(24) + 3).rem_euclid(7))] += 1;
    }
}

/// State shared while one document is read.
struct Reading<'a> {
    now_ms: i64,
    document: u64,
    candidates: &'a mut Vec<Candidate>,
    by_path: &'a mut HashMap<String, usize>,
    paths: &'a mut usize,
    is_cut: &'a mut bool,
    scratch: &'a mut Vec<u8>,
    steps: Vec<Step>,
}

impl Analysis {
    /// An analysis at an instant, which decides what a TTL would remove.
    pub fn new(now_ms: i64) -> Self {
        Self { now_ms, ..Self::default() }
    }

    /// Documents that were read.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Counts a document. What can't be read of it is left out.
    pub fn add(&mut self, document: &RawDocument) {
        self.documents += 1;
        self.bytes += document.as_bytes().len() as u64;
        let mut reading = Reading {
            now_ms: self.now_ms,
            document: self.documents,
            candidates: &mut self.candidates,
            by_path: &mut self.by_path,
            paths: &mut self.paths,
            is_cut: &mut self.is_cut,
            scratch: &mut self.scratch,
            steps: Vec::new(),
        };
        reading.document(&mut self.root, document);
    }

    /// The report so far.
    pub fn report(&mut self) -> Schema {
        for candidate in &mut self.candidates {
            candidate.finish(self.now_ms);
        }
        let mut fields = Vec::new();
        report(&self.root, self.documents, &mut Vec::new(), &mut fields);
        let mut candidates: Vec<Candidate> =
            self.candidates.iter().filter(|one| one.is_one()).cloned().collect();
        let rank = |one: &Candidate| (one.dates, one.texts, one.instants().map(|it| it.documents));
        candidates.sort_by(|a, b| rank(b).cmp(&rank(a)).then_with(|| a.path.cmp(&b.path)));
        Schema {
            documents: self.documents,
            bytes: self.bytes,
            fields,
            candidates,
            is_cut: self.is_cut,
        }
    }
}

impl Reading<'_> {
    fn document(&mut self, fields: &mut Fields, document: &RawDocument) {
        if self.steps.len() >= SCHEMA_DEPTH_MAX {
            *self.is_cut = true;
            return;
        }
        let mut expected = 0;
        for element in document {
            let Ok((name, value)) = element else { return };
            let name = name.as_str();
            let place = match fields.find(name, expected) {
                Some(place) => place,
                None if *self.paths < SCHEMA_PATHS_MAX => {
                    *self.paths += 1;
                    fields.by_name.insert(name.into(), fields.nodes.len());
                    let step = Step::Field(name.to_owned());
                    fields.nodes.push((name.into(), self.node(step)));
                    fields.nodes.len() - 1
                }
                None => {
                    *self.is_cut = true;
                    continue;
                }
            };
            expected = place + 1;
            let Some((name, node)) = fields.nodes.get_mut(place) else { continue };
            let is_nested = matches!(value, RawBsonRef::Document(_) | RawBsonRef::Array(_));
            if is_nested {
                self.steps.push(Step::Field(name.to_string()));
            }
            self.value(node, value);
            if is_nested {
                self.steps.pop();
            }
        }
    }

    /// A new place, one step further.
    fn node(&mut self, step: Step) -> Node {
        self.steps.push(step);
        let dotted = Path::new(self.steps.clone()).dotted();
        self.steps.pop();
        let candidate = dotted.map(|dotted| {
            *self.by_path.entry(dotted).or_insert_with_key(|dotted| {
                self.candidates.push(Candidate::new(dotted.clone()));
                self.candidates.len() - 1
            })
        });
        Node { candidate, ..Node::default() }
    }

    fn array(&mut self, node: &mut Node, array: &RawArray) {
        if node.elements.is_none() {
            if *self.paths >= SCHEMA_PATHS_MAX || self.steps.len() >= SCHEMA_DEPTH_MAX {
                *self.is_cut = true;
                return;
            }
            *self.paths += 1;
            node.elements = Some(Box::new(self.node(Step::Elements)));
        }
        self.steps.push(Step::Elements);
        let mut length = 0;
        if let Some(elements) = &mut node.elements {
            for element in array {
                let Ok(element) = element else { break };
                length += 1;
                self.value(elements, element);
            }
        }
        self.steps.pop();
        node.array_lengths.add(length);
    }

    fn value(&mut self, node: &mut Node, value: RawBsonRef<'_>) {
        let kind = Kind::of(value.element_type());
        node.seen += 1;
        node.kinds[kind as usize] += 1;
        match value {
            RawBsonRef::Document(document) => return self.document(&mut node.fields, document),
            RawBsonRef::Array(array) => return self.array(node, array),
            RawBsonRef::DateTime(at) => {
                let at_ms = at.timestamp_millis();
                node.times.get_or_insert_default().add(at_ms);
                if let Some(candidate) = node.candidate {
                    self.candidates[candidate].date(self.document, at_ms, self.now_ms);
                }
            }
            RawBsonRef::String(text) => {
                node.text_lengths.add(text.len() as u64);
                if let Some(candidate) = node.candidate {
                    self.candidates[candidate].text(self.document, text);
                }
            }
            _ => {
                if let Some(number) = number(value) {
                    node.numbers.get_or_insert_default().add(number);
                    // No conversion makes a date of a decimal.
                    if let Some(candidate) = node.candidate
                        && kind != Kind::Decimal
                    {
                        self.candidates[candidate].number(self.document, number);
                    }
                }
            }
        }
        node.values.add(kind, value, self.scratch);
    }
}

/// A number that has a place on an axis.
fn number(value: RawBsonRef<'_>) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "for a histogram")]
    let number = match value {
        RawBsonRef::Int32(number) => f64::from(number),
        RawBsonRef::Int64(number) => number as f64,
        RawBsonRef::Double(number) => number,
        RawBsonRef::Decimal128(number) => number.to_string().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

fn report(fields: &Fields, of: u64, steps: &mut Vec<Step>, into: &mut Vec<Field>) {
    for (name, node) in &fields.nodes {
        steps.push(Step::Field(name.to_string()));
        report_node(node, of, steps, into);
        steps.pop();
    }
}

fn report_node(node: &Node, of: u64, steps: &mut Vec<Step>, into: &mut Vec<Field>) {
    let mut kinds: Vec<(Kind, u64)> =
        Kind::ALL.into_iter().zip(node.kinds).filter(|(_, count)| *count > 0).collect();
    kinds.sort_by(|(_, a), (_, b)| b.cmp(a));
    let (distinct, is_exact) = node.values.distinct();
    into.push(Field {
        path: Path::new(steps.clone()),
        seen: node.seen,
        of: of.max(node.seen),
        kinds,
        distinct,
        is_exact,
        top: node.values.top(),
        examples: node.values.examples(),
        number_range: node.numbers.as_ref().and_then(|numbers| numbers.range()),
        numbers: node.numbers.as_ref().map(|numbers| numbers.bars()).unwrap_or_default(),
        times: node.times.as_ref().map(|times| TimesReport {
            range: times.histogram.range().unwrap_or_default(),
            bars: times.histogram.bars(),
            hours: times.hours,
            weekdays: times.weekdays,
        }),
        text_lengths: node.text_lengths,
        array_lengths: node.array_lengths,
        has_inner: !node.fields.nodes.is_empty() || node.elements.is_some(),
    });
    let objects = node.kinds[Kind::Object as usize];
    // Inside of elements, a field is missing in an element; elsewhere, in a document.
    let is_element = steps.contains(&Step::Elements);
    report(&node.fields, if is_element { objects } else { of }, steps, into);
    if let Some(elements) = &node.elements {
        steps.push(Step::Elements);
        report_node(elements, elements.seen, steps, into);
        steps.pop();
    }
}

#[cfg(test)]
mod tests {
    use bson::{Bson, DateTime, Document, RawDocumentBuf, doc};

    use super::*;

    const NOW_MS: i64 = 1_780_000_000_000;
    const DAY_MS: i64 = 86_400_000;

    fn schema(documents: &[Document]) -> Schema {
        let mut analysis = Analysis::new(NOW_MS);
        for document in documents {
            analysis.add(&RawDocumentBuf::try_from(document).expect("a document"));
        }
        analysis.report()
    }

    fn field<'a>(schema: &'a Schema, path: &str) -> &'a Field {
        let found = schema.fields.iter().find(|field| field.path.to_string() == path);
        found.unwrap_or_else(|| panic!("no {path} in {:?}", schema.fields))
    }

    #[test]
    fn types_presence_and_ranges_of_a_path() {
        let schema = schema(&[
            doc! { "a": 1, "b": "x" },
            doc! { "b": "y", "a": 2.5 },
            doc! { "a": "text", "c": Bson::Null },
            doc! { "b": "x", "a": 7_i64 },
        ]);
        let a = field(&schema, "a");
        assert_eq!((a.seen, a.of, a.missing()), (4, 4, 0));
        assert_eq!(a.number_range, Some((1.0, 7.0)));
        assert_eq!(a.kinds.len(), 4);
        let b = field(&schema, "b");
        assert_eq!((b.seen, b.missing(), b.distinct, b.is_exact), (3, 1, 2, true));
        assert_eq!(b.top[0].value, Bson::String("x".to_owned()));
        assert_eq!(field(&schema, "c").kinds, [(Kind::Null, 1)]);
        let paths: Vec<String> = schema.fields.iter().map(|f| f.path.to_string()).collect();
        assert_eq!(paths, ["a", "b", "c"]);
    }

    #[test]
    fn arrays_and_nested_documents_are_entered() {
        let schema = schema(&[
            doc! { "items": [ { "price": 1 }, { "price": 2, "tag": "x" } ], "at": { "city": "A" } },
            doc! { "items": [], "at": { "city": "B", "zip": 1 } },
            doc! {},
        ]);
        let items = field(&schema, "items");
        assert_eq!((items.seen, items.array_lengths.min, items.array_lengths.max), (2, 0, 2));
        let tag = field(&schema, "items[].tag");
        assert_eq!((tag.seen, tag.of, tag.missing()), (1, 2, 1), "of the elements");
        let zip = field(&schema, "at.zip");
        assert_eq!((zip.seen, zip.of), (1, 3), "of the documents");
        assert!(items.has_inner && !tag.has_inner);
    }

    #[test]
    fn candidates_for_a_ttl_are_ranked_with_what_they_would_remove() {
        let ago = |days: i64| DateTime::from_millis(NOW_MS - days * DAY_MS);
        let schema = schema(&[
            doc! { "at": ago(2), "seen": [ago(1), ago(400)], "day": "2015/01/01 08:00:00" },
            doc! { "at": ago(40), "day": "2016/01/01 08:00:00" },
            doc! { "at": [ago(0)], "name": "x" },
        ]);
        let found: Vec<_> = schema
            .candidates
            .iter()
            .map(|c| (c.path.as_str(), c.dates, c.expired, c.texts))
            .collect();
        let expected =
            [("at", 3, [2, 1, 0], 0), ("seen", 1, [1, 1, 1], 0), ("day", 0, [0, 0, 0], 2)];
        assert_eq!(found, expected);
    }

    #[test]
    fn hours_and_weekdays_are_those_of_utc() {
        // A Thursday.
        let schema = schema(&[doc! { "at": DateTime::from_millis(3 * 3_600_000) }]);
        let times = field(&schema, "at").times.as_ref().expect("times");
        assert_eq!((times.hours[3], times.weekdays[3]), (1, 1));
    }

    #[test]
    fn too_many_paths_are_left_out_and_said() {
        let mut wide = Document::new();
        for number in 0..SCHEMA_PATHS_MAX + 5 {
            wide.insert(format!("f{number}"), 1);
        }
        let wide = schema(&[wide]);
        assert!(wide.is_cut && wide.fields.len() == SCHEMA_PATHS_MAX);
        let mut deep = doc! { "x": 1 };
        for _ in 0..SCHEMA_DEPTH_MAX + 3 {
            deep = doc! { "x": deep };
        }
        assert!(schema(&[deep]).is_cut);
    }

    #[test]
    fn a_report_may_come_in_the_middle() {
        let mut analysis = Analysis::new(NOW_MS);
        let document = doc! { "at": DateTime::from_millis(0) };
        let document = RawDocumentBuf::try_from(&document).expect("a document");
        for round in 1..4 {
            analysis.add(&document);
            let candidate = analysis.report().candidates[0].clone();
            assert_eq!((candidate.dates, candidate.expired), (round, [round; 3]));
        }
    }
}
