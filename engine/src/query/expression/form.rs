//! Operators that decide themselves what is evaluated, or that bind variables.

use bson::raw::RawBsonRef;

use super::{binding, boolean, conditional, field, node::Node, parse::Parser};
use crate::query::QueryError;

/// A form: its name and how it is parsed.
pub(super) struct Form {
    pub name: &'static str,
    pub parse: fn(&mut Parser, RawBsonRef<'_>) -> Result<Node, QueryError>,
}

impl Form {
    /// All forms.
    pub(super) const ALL: &[Self] = &[
        Self { name: "$literal", parse: literal },
        Self { name: "$const", parse: literal },
        Self { name: "$expr", parse: Parser::operand },
        Self { name: "$and", parse: boolean::and },
        Self { name: "$or", parse: boolean::or },
        Self { name: "$cond", parse: conditional::cond },
        Self { name: "$ifNull", parse: conditional::parse_if_null },
        Self { name: "$switch", parse: conditional::switch },
        Self { name: "$getField", parse: field::parse_get_field },
        Self { name: "$rand", parse: field::parse_rand },
        Self { name: "$let", parse: binding::parse_let },
        Self { name: "$map", parse: binding::parse_map },
        Self { name: "$filter", parse: binding::parse_filter },
        Self { name: "$reduce", parse: binding::parse_reduce },
    ];
}

#[expect(clippy::unnecessary_wraps, reason = "what forms give")]
fn literal(_: &mut Parser, value: RawBsonRef<'_>) -> Result<Node, QueryError> {
    Ok(Node::Constant(Some(value.into())))
}
