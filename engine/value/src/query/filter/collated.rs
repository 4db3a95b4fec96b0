//! Marks the tests of a filter that depend on its collation.

use bson::raw::RawBson;

use super::expr::{CollatedTest, Expr, Test};
use crate::value::{Collation, collation::has_text, order::compare_by};

impl Expr {
    /// Makes text compare by a collation.
    pub(super) fn collate(&mut self, collation: &Collation) {
        match self {
            Self::And(parts) | Self::Or(parts) | Self::Nor(parts) => {
                for part in parts {
                    part.collate(collation);
                }
            }
            Self::Not(part) => part.collate(collation),
            Self::Field { test, .. } => test.collate(collation),
            // Patterns and `$jsonSchema` compare without a collation, as in MongoDB; `$expr` has
            // the one that it was read with.
            Self::True | Self::False | Self::Schema(_) | Self::Expression(_) => {}
        }
    }
}

impl Test {
    fn collate(&mut self, collation: &Collation) {
        let is_text = |value: &RawBson| has_text(value.as_raw_bson_ref());
        match self {
            Self::Compare { value, .. } if is_text(value) => {}
            Self::In { values, .. } if values.iter().any(is_text) => {
                values.sort_by(|a, b| {
                    compare_by(a.as_raw_bson_ref(), b.as_raw_bson_ref(), collation)
                });
            }
            Self::ElemMatchDocument(expr) => return expr.collate(collation),
            Self::ElemMatchValue(tests) | Self::NotAll(tests) => {
                for test in tests {
                    test.collate(collation);
                }
                return;
            }
            _ => return,
        }
        let test = std::mem::replace(self, Self::Exists);
        *self = Self::Collated(Box::new(CollatedTest { collation: collation.clone(), test }));
    }

    /// The test, and its collation if it depends on one.
    pub fn collated(&self) -> (&Self, Option<&Collation>) {
        match self {
            Self::Collated(collated) => (&collated.test, Some(&collated.collation)),
            test => (test, None),
        }
    }

    /// Whether the test compares text.
    pub fn compares_text(&self) -> bool {
        let is_text = |value: &RawBson| has_text(value.as_raw_bson_ref());
        match self {
            Self::Collated(_) | Self::Regex(_) => true,
            Self::Compare { value, .. } => is_text(value),
            Self::In { values, patterns } => !patterns.is_empty() || values.iter().any(is_text),
            _ => false,
        }
    }
}
