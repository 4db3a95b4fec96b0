//! Which operators there are.

use bson::raw::RawBsonRef;

use super::{
    arithmetic, array, binding, boolean, choose, compare, conditional, convert, date, extremes,
    field,
    node::Node,
    object,
    operator::Operator,
    parse::{Form, NameLookup, Parser},
    percentile, regex, replace, set, string, substring,
};
use crate::query::QueryError;

/// Families of plain operators, one file each.
static FAMILIES: &[&[Operator]] = &[
    arithmetic::BITS,
    arithmetic::EXPONENTIAL,
    arithmetic::ROUNDING,
    arithmetic::SUMS,
    arithmetic::TRIGONOMETRY,
    array::OPERATORS,
    boolean::OPERATORS,
    choose::OPERATORS,
    compare::OPERATORS,
    convert::OPERATORS,
    date::ARITHMETIC,
    date::PARTS,
    date::TEXT,
    extremes::OPERATORS,
    field::OPERATORS,
    object::OPERATORS,
    percentile::OPERATORS,
    regex::OPERATORS,
    replace::OPERATORS,
    set::OPERATORS,
    string::OPERATORS,
    substring::OPERATORS,
];

/// Operators of MongoDB that Mayfly will not have, and why.
const REFUSED: [(&str, &str); 5] = [
    ("$function", "server-side JavaScript"),
    ("$accumulator", "server-side JavaScript"),
    ("$where", "server-side JavaScript"),
    ("$_internalJsEmit", "server-side JavaScript"),
    ("$meta", "text and vector search scores"),
];

/// Operators that decide which arguments they evaluate, or that bind variables.
static FORMS: &[Form] = &[
    Form { name: "$literal", parse: literal },
    Form { name: "$const", parse: literal },
    Form { name: "$expr", parse: Parser::operand },
    Form { name: "$and", parse: boolean::and },
    Form { name: "$or", parse: boolean::or },
    Form { name: "$cond", parse: conditional::cond },
    Form { name: "$ifNull", parse: conditional::parse_if_null },
    Form { name: "$switch", parse: conditional::switch },
    Form { name: "$getField", parse: field::parse_get_field },
    Form { name: "$rand", parse: field::parse_rand },
    Form { name: "$let", parse: binding::parse_let },
    Form { name: "$map", parse: binding::parse_map },
    Form { name: "$filter", parse: binding::parse_filter },
    Form { name: "$reduce", parse: binding::parse_reduce },
];

/// Looks a name with `$` up.
pub(super) fn find(name: &str) -> Option<NameLookup> {
    if let Some(form) = FORMS.iter().find(|form| form.name == name) {
        return Some(NameLookup::Form(form));
    }
    let mut operators = FAMILIES.iter().copied().flatten();
    if let Some(operator) = operators.find(|operator| operator.name == name) {
        return Some(NameLookup::Operator(operator));
    }
    let (_, needs) = REFUSED.iter().find(|(refused, _)| *refused == name)?;
    Some(NameLookup::Refused(needs))
}

#[expect(clippy::unnecessary_wraps, reason = "the type of every form's parser")]
fn literal(_: &mut Parser, value: RawBsonRef<'_>) -> Result<Node, QueryError> {
    Ok(Node::Constant(Some(value.into())))
}
