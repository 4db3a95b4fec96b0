//! Positional parts of a path, made concrete on one document.

use std::collections::BTreeMap;

use bson::{Bson, Document};

use super::path::{Part, UpdatePath};
use super::value::{raw, shown};
use super::{UpdateContext, target};
use crate::{
    interrupt,
    limits::UPDATE_PLACES_MAX,
    query::{Code, Context, Expr, Filter, QueryError},
};

/// Finds the places of an update's paths in one document.
pub(super) struct PathResolver<'u> {
    document: &'u Document,
    array_filters: &'u BTreeMap<String, Expr>,
    /// The filter that found the document, and what it sees.
    context: &'u UpdateContext<'u>,
    /// The element that the filter matched, once it was needed.
    matched: Option<usize>,
    /// How many more elements `$[]` and `$[identifier]` may expand to.
    left: usize,
}

impl<'u> PathResolver<'u> {
    pub(super) fn new(
        document: &'u Document,
        array_filters: &'u BTreeMap<String, Expr>,
        context: &'u UpdateContext<'u>,
    ) -> Self {
        Self { document, array_filters, context, matched: None, left: UPDATE_PLACES_MAX }
    }

    /// The position for `$`.
    fn matched(&mut self) -> Result<usize, QueryError> {
        if let Some(position) = self.matched {
            return Ok(position);
        }
        let position = matched_position(self.document, self.context)?;
        self.matched = Some(position);
        Ok(position)
    }

    fn count_one(&mut self) -> Result<(), QueryError> {
        self.left = self.left.checked_sub(1).ok_or_else(|| {
            QueryError::bad_value(format!(
                "the update's paths match more than {UPDATE_PLACES_MAX} array elements; \
                 change fewer fields or elements at once"
            ))
        })?;
        Ok(())
    }
}

/// The concrete paths that a path expands to.
///
/// # Errors
/// No array where one must be, or too many elements.
pub(super) fn expand(
    path: &UpdatePath,
    places: &mut PathResolver<'_>,
) -> Result<Vec<Vec<String>>, QueryError> {
    let (document, array_filters) = (places.document, places.array_filters);
    let mut paths: Vec<Vec<String>> = vec![Vec::new()];
    for part in &path.parts {
        if let Part::Name(name) = part {
            for path in &mut paths {
                path.push(name.clone());
            }
            continue;
        }
        if *part == Part::Matched {
            let position = places.matched()?;
            for path in &mut paths {
                path.push(position.to_string());
            }
            continue;
        }
        let mut longer = Vec::new();
        for found in paths {
            let elements = match target::get(document, &found) {
                Some(Bson::Array(elements)) => elements,
                Some(other) => {
                    return Err(QueryError::bad_value(format!(
                        "Cannot apply array updates to non-array element {}",
                        shown(found.last().map_or("", String::as_str), other)
                    )));
                }
                None => {
                    return Err(QueryError::bad_value(format!(
                        "The path '{}' must exist in the document in order to apply array updates.",
                        found.join(".")
                    )));
                }
            };
            for (position, element) in elements.iter().enumerate() {
                interrupt::tick()?;
                if accepts(part, element, array_filters)? {
                    places.count_one()?;
                    let mut next = found.clone();
                    next.push(position.to_string());
                    longer.push(next);
                }
            }
        }
        paths = longer;
    }
    Ok(paths)
}

/// Checks that no place is changed twice: only the document decides which elements positional paths
/// name.
///
/// # Errors
/// `ConflictingUpdateOperators`.
pub(super) fn check_apart(places: &[Vec<Vec<String>>]) -> Result<(), QueryError> {
    let mut places: Vec<&[String]> = places.iter().flatten().map(Vec::as_slice).collect();
    places.sort_unstable();
    // In order, a path is directly before those that it leads to.
    let met = places.windows(2).find_map(|pair| match pair {
        [short, long] if long.starts_with(short) => Some(short.join(".")),
        _ => None,
    });
    met.map_or(Ok(()), |place| {
        Err(QueryError::new(
            Code::CONFLICTING_UPDATE_OPERATORS,
            format!("Update created a conflict at '{place}'"),
        ))
    })
}

/// Array filters see the element as the field that carries the identifier's name.
fn accepts(
    part: &Part,
    element: &Bson,
    array_filters: &BTreeMap<String, Expr>,
) -> Result<bool, QueryError> {
    let Part::Filtered(name) = part else { return Ok(true) };
    let mut carrier = Document::new();
    carrier.insert(name.clone(), element.clone());
    let carrier = raw(&carrier)?;
    array_filters.get(name).map_or(Ok(false), |filter| filter.matches(&carrier))
}

fn matched_position(document: &Document, context: &UpdateContext<'_>) -> Result<usize, QueryError> {
    let document = raw(document)?;
    let mut seen = Context::at(context.now_ms).with_collation(context.collation);
    seen.variables = context.variables.to_vec();
    let position = |filter: &Filter| filter.root().matched_position(&document, &seen);
    let position = context.filter.map(position).transpose()?;
    position.flatten().ok_or_else(|| {
        QueryError::bad_value(
            "The positional operator did not find the match needed from the query.",
        )
    })
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn the_places_of_an_update_have_a_bound() {
        let (document, filters) = (doc! { "a": [[1, 2], [3], []] }, BTreeMap::new());
        let path = UpdatePath::parse("a.$[].$[]").expect("a path");
        let found = |left| {
            let context = UpdateContext::default();
            let mut places =
                PathResolver { left, ..PathResolver::new(&document, &filters, &context) };
            expand(&path, &mut places).map(|paths| paths.len())
        };
        assert_eq!(found(6), Ok(3));
        let refused = found(5).expect_err("too many");
        assert!(refused.message.contains("more than 2000000 array elements"), "{refused}");
    }
}
