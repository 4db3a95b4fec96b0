//! By which element of an array a document matches.

use bson::raw::{RawBsonRef, RawDocument};

use super::{Expr, Test};
use crate::{
    query::{Context, QueryError},
    value::Path,
};

impl Expr {
    /// The position of the array element by which the document matches; none when no array has to
    /// do with it. The last condition with an array decides, as in MongoDB.
    ///
    /// # Errors
    /// As [`super::Filter::matches_in`].
    pub(crate) fn matched_position(
        &self,
        document: &RawDocument,
        context: &Context,
    ) -> Result<Option<usize>, QueryError> {
        match self {
            Self::And(parts) => {
                for part in parts.iter().rev() {
                    if let Some(position) = part.matched_position(document, context)? {
                        return Ok(Some(position));
                    }
                }
                Ok(None)
            }
            Self::Or(parts) => {
                for part in parts {
                    if part.passes(document, Some(context))? {
                        return part.matched_position(document, context);
                    }
                }
                Ok(None)
            }
            Self::Field { path, test } => {
                let names: Vec<&str> = path.parts().iter().map(|part| part.name.as_str()).collect();
                position_on(&names, test, document)
            }
            _ => Ok(None),
        }
    }
}

fn position_on(
    names: &[&str],
    test: &Test,
    document: &RawDocument,
) -> Result<Option<usize>, QueryError> {
    let Some((name, rest)) = names.split_first() else { return Ok(None) };
    let Ok(Some(value)) = document.get(name) else { return Ok(None) };
    let position = |test: &Test, array| Ok(test.matching_element(array)?.map(|found| found.0));
    match value {
        RawBsonRef::Document(inner) => position_on(rest, test, inner),
        RawBsonRef::Array(array) if rest.is_empty() => position(test, array),
        RawBsonRef::Array(array) => {
            let Ok(path) = Path::parse_any(&rest.join(".")) else { return Ok(None) };
            let below = Expr::Field { path, test: test.clone() };
            position(&Test::ElemMatchDocument(Box::new(below)), array)
        }
        _ => Ok(None),
    }
}
