//! Filter documents to trees.

use bson::raw::RawDocument;

use super::expr::Expr;
use crate::query::QueryError;

pub(super) fn filter(filter: &RawDocument) -> Result<Expr, QueryError> {
    todo!("{filter:?}")
}
