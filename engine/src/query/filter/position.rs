//! By which element of an array a document matches.

use bson::raw::{RawBsonRef, RawDocument};

use super::{Expr, Test};
use crate::value::Path;

impl Expr {
    /// The position of the array element by which the document matches; none when no array has to do
    /// with it. The last condition with an array decides, as in MongoDB.
    pub(crate) fn matched_position(&self, document: &RawDocument) -> Option<usize> {
        match self {
            Self::And(parts) => parts.iter().rev().find_map(|part| part.matched_position(document)),
            Self::Or(parts) => {
                parts.iter().find(|part| part.matches(document))?.matched_position(document)
            }
            Self::Field { path, test } => {
                let names: Vec<&str> = path.parts().iter().map(|part| part.name.as_str()).collect();
                position_on(&names, test, document)
            }
            _ => None,
        }
    }
}

fn position_on(names: &[&str], test: &Test, document: &RawDocument) -> Option<usize> {
    let (name, rest) = names.split_first()?;
    match document.get(name).ok()?? {
        RawBsonRef::Document(inner) => position_on(rest, test, inner),
        RawBsonRef::Array(array) if rest.is_empty() => test.matching_element(array).map(|m| m.0),
        RawBsonRef::Array(array) => {
            let path = Path::parse_any(&rest.join(".")).ok()?;
            let below = Expr::Field { path, test: test.clone() };
            Test::ElemMatchDocument(Box::new(below)).matching_element(array).map(|m| m.0)
        }
        _ => None,
    }
}
