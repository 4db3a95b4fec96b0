//! Chooses how to find the documents of a query.

use std::sync::Arc;

use bson::{Bson, Document, raw::RawBsonRef};

use super::{
    PlanError, PlanErrorKind,
    bounds::{Bounds, bounds, conjuncts, holds_all_matches},
    summary::PlanSummary,
};
use crate::{
    catalog::{CollectionMeta, IndexMeta},
    query::{Expr, Filter, Sort, Test},
    store::Scan,
    value::{Collation, Direction, Path},
};

/// How a query finds its documents.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Where they are read from.
    pub access: Access,
    /// Whether the documents must be sorted after they are found.
    pub sort_in_memory: bool,
}

impl Plan {
    /// One line as MongoDB writes it, such as `IXSCAN { a: 1 }`.
    pub fn summary(&self) -> String {
        self.to_summary().summary()
    }

    pub(super) fn to_summary(&self) -> PlanSummary {
        match &self.access {
            Access::Nothing => PlanSummary::Stage("EOF"),
            Access::Collection(_) => PlanSummary::Stage("COLLSCAN"),
            Access::Index { index, .. } => PlanSummary::Index("IXSCAN", Arc::clone(index)),
        }
    }
}

/// Where documents are read from.
#[derive(Debug, Clone)]
pub enum Access {
    /// The filter can't match anything.
    Nothing,
    /// All documents in insertion order, or the reverse.
    Collection(Scan),
    /// Entries of an index within bounds.
    Index { index: Arc<IndexMeta>, bounds: Bounds, direction: Scan },
}

impl Access {
    pub(super) fn index_now<'c>(
        &self,
        collection: &'c CollectionMeta,
    ) -> Option<&'c Arc<IndexMeta>> {
        match self {
            Self::Index { index, .. } => collection.index_by_id(index.id),
            Self::Nothing | Self::Collection(_) => None,
        }
    }
}

/// An index that the client requests.
#[derive(Debug, Clone, PartialEq)]
pub enum Hint {
    /// No index: natural order.
    Natural(Scan),
    Name(String),
    Key(Document),
}

impl Hint {
    /// Parses a `hint`; an empty document is none.
    ///
    /// # Errors
    /// `HintType` when it is neither a string nor a document, `BadHint` for a bad `$natural`.
    pub fn parse(value: RawBsonRef<'_>) -> Result<Option<Self>, PlanError> {
        let wrong =
            || PlanError::new(PlanErrorKind::HintType, "Hint must be a string or an object");
        match value {
            RawBsonRef::String(name) => Ok(Some(Self::Name(name.to_owned()))),
            RawBsonRef::Document(key) => {
                let key = Document::try_from(key).map_err(|_| wrong())?;
                match key.get("$natural") {
                    Some(direction) => natural(&key, direction).map(Self::Natural).map(Some),
                    None if key.is_empty() => Ok(None),
                    None => Ok(Some(Self::Key(key))),
                }
            }
            _ => Err(wrong()),
        }
    }
}

/// Chooses a plan. Preference: an equality on `_id`, a unique index with all fields equal, the
/// longest prefix of equal fields, a range, an index that provides the sort order.
///
/// # Errors
/// `BadHint` when the hint names no index that queries may use.
pub fn choose(
    collection: &CollectionMeta,
    filter: &Filter,
    sort: Option<&Sort>,
    hint: Option<&Hint>,
) -> Result<Plan, PlanError> {
    // MongoDB reads nothing then either, and explains it as `EOF`.
    if matches!(filter.root(), Expr::False) {
        return Ok(Plan { access: Access::Nothing, sort_in_memory: false });
    }
    let natural = sort.and_then(Sort::natural);
    let natural_scan = natural.map_or(Scan::Forward, |direction| match direction {
        Direction::Ascending => Scan::Forward,
        Direction::Descending => Scan::Backward,
    });
    let wants_order = sort.is_some() && natural.is_none();
    let whole =
        |direction| Plan { access: Access::Collection(direction), sort_in_memory: wants_order };
    if collection.options.time_series.is_some() {
        return bucket_plan(collection, hint, whole(natural_scan), whole(Scan::Backward));
    }
    let tests = conjuncts(filter.root());
    match hint {
        Some(Hint::Natural(direction)) => return Ok(whole(*direction)),
        Some(hint) => {
            // Two indexes on one key may differ by collation. A hint by key means the one that the
            // query can use.
            let wanted = sort.and_then(Sort::collation).or_else(|| filter.collation());
            let index = hinted(collection, hint, wanted)?;
            return Ok(index_plan(index, bounds(index, &tests), sort));
        }
        None if natural.is_some() => return Ok(whole(natural_scan)),
        None => {}
    }
    if let Some(plan) = by_id(collection, &tests, sort) {
        return Ok(plan);
    }
    let best = collection
        .indexes
        .iter()
        .filter(|index| index.answers_queries() && index.key.is_plain())
        // A partial or sparse index may lack documents that match.
        .filter(|index| holds_all_matches(index, &tests))
        .filter_map(|index| {
            let plan = index_plan(index, bounds(index, &tests), sort);
            let score = score(index, &plan, wants_order)?;
            Some((score, plan))
        })
        // The first of equal ones wins, so a plan doesn't change when an index is added after it.
        .reduce(|best, other| if other.0 > best.0 { other } else { best });
    Ok(best.map_or_else(|| whole(natural_scan), |(_, plan)| plan))
}

/// The plan for an equality on `_id`, if there is one.
fn by_id(
    collection: &CollectionMeta,
    tests: &[(&Path, &Test)],
    sort: Option<&Sort>,
) -> Option<Plan> {
    let index = collection.id_index()?;
    // An equality on `_id` leaves one document, so no other index can be better.
    let asks_for_id = tests.iter().any(|(path, _)| path.as_str() == "_id");
    if !asks_for_id || !index.answers_queries() || !index.key.is_plain() {
        return None;
    }
    let bounds = bounds(index, tests);
    // Bounds such as `$gt` on `_id` may leave many documents, so another index may be better.
    (bounds.equal_fields > 0).then(|| index_plan(index, bounds, sort))
}

/// Every plan unpacks all buckets, but the hinted index must exist.
fn bucket_plan(
    collection: &CollectionMeta,
    hint: Option<&Hint>,
    usual: Plan,
    reverse: Plan,
) -> Result<Plan, PlanError> {
    let is_there = match hint {
        Some(Hint::Natural(Scan::Backward)) => return Ok(reverse),
        None | Some(Hint::Natural(Scan::Forward)) => true,
        Some(Hint::Name(name)) => collection.shown_indexes().any(|index| index.name == *name),
        Some(Hint::Key(key)) => collection.shown_indexes().any(|index| index.key.same_pattern(key)),
    };
    if is_there {
        return Ok(usual);
    }
    Err(bad_hint("hint provided does not correspond to an existing index".to_owned()))
}

/// Larger is better; `None` when the index does not help.
fn score(index: &IndexMeta, plan: &Plan, wants_order: bool) -> Option<(u8, usize, bool, bool)> {
    let Access::Index { bounds, .. } = &plan.access else { return None };
    let all_equal = bounds.equal_fields == index.key.parts.len();
    let exact = match (all_equal, index.is_id(), index.unique) {
        (true, true, _) => 2,
        (true, _, true) => 1,
        _ => 0,
    };
    let sorts = wants_order && !plan.sort_in_memory;
    // An index that neither bounds nor sorts would only cost each document a second read.
    let helps = bounds.equal_fields > 0 || bounds.has_range || sorts;
    helps.then_some((exact, bounds.equal_fields, bounds.has_range, sorts))
}

pub(super) fn index_plan(index: &Arc<IndexMeta>, bounds: Bounds, sort: Option<&Sort>) -> Plan {
    let sort = sort.filter(|sort| sort.natural().is_none());
    let provided = sort.and_then(|sort| order_provided(index, &bounds, sort));
    Plan {
        sort_in_memory: sort.is_some() && provided.is_none(),
        access: Access::Index {
            index: Arc::clone(index),
            bounds,
            direction: provided.unwrap_or(Scan::Forward),
        },
    }
}

/// The direction in which the index provides the sort order. An index with another collation
/// provides none.
fn order_provided(index: &IndexMeta, bounds: &Bounds, sort: &Sort) -> Option<Scan> {
    // A document has several entries in a multikey index, but sorts by the smallest or largest of
    // them.
    if index.multikey || index.collation.as_ref() != sort.collation() {
        return None;
    }
    let fixed = index.key.parts.get(..bounds.fixed_fields)?;
    let mut rest = index.key.parts.get(bounds.fixed_fields..)?.iter();
    let mut scan = None;
    for (path, wanted) in sort.fields() {
        // A field that is bound to one value is the same in every result, so it doesn't affect the
        // order.
        if fixed.iter().any(|part| part.path == *path) {
            continue;
        }
        let part = rest.next().filter(|part| part.path == *path)?;
        let needed = if part.kind.direction()? == *wanted { Scan::Forward } else { Scan::Backward };
        // One scan has one direction, so all fields must need the same one.
        if *scan.get_or_insert(needed) != needed {
            return None;
        }
    }
    Some(scan.unwrap_or(Scan::Forward))
}

fn natural(key: &Document, direction: &Bson) -> Result<Scan, PlanError> {
    let is = |wanted: i32| match direction {
        Bson::Int32(number) => *number == wanted,
        Bson::Int64(number) => *number == i64::from(wanted),
        Bson::Double(number) => (*number - f64::from(wanted)).abs() < f64::EPSILON,
        Bson::Decimal128(number) => number.to_string() == wanted.to_string(),
        _ => false,
    };
    match (key.len(), is(1), is(-1)) {
        (1, true, _) => Ok(Scan::Forward),
        (1, _, true) => Ok(Scan::Backward),
        (1, ..) => Err(bad_hint(format!(
            "$natural hint may only accept a value of 1 or -1, not {direction}"
        ))),
        _ => Err(bad_hint("$natural hint may not be combined with other fields".to_owned())),
    }
}

pub(super) fn hinted<'c>(
    collection: &'c CollectionMeta,
    hint: &Hint,
    collation: Option<&Collation>,
) -> Result<&'c Arc<IndexMeta>, PlanError> {
    let named = |index: &&Arc<IndexMeta>| match hint {
        Hint::Name(name) => index.name == *name,
        Hint::Key(key) => index.key.same_pattern(key),
        Hint::Natural(_) => false,
    };
    collection
        .indexes
        .iter()
        // Only the entries of a plain index are in the order of values.
        .filter(|index| index.answers_queries() && index.key.is_plain())
        .filter(named)
        // Indexes of one key may differ by collation.
        .min_by_key(|index| index.collation.as_ref() != collation)
        .ok_or_else(|| {
            bad_hint(format!(
                "hint provided does not correspond to an existing index of {} that queries may use; \
                 unhide it, or leave the hint out",
                collection.namespace
            ))
        })
}

fn bad_hint(message: String) -> PlanError {
    PlanError::new(PlanErrorKind::BadHint, message)
}
