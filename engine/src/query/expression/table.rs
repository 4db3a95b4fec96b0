//! Which operators there are.

use super::{
    arithmetic, array, boolean, choose, compare, convert, date, extremes, field, form::Form,
    object, operator::Operator, regex, replace, set, string, substring,
};

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

/// What a name stands for.
pub(super) enum NameLookup {
    Operator(&'static Operator),
    Form(&'static Form),
    /// With what it would need.
    Refused(&'static str),
}

/// Looks a name with `$` up.
pub(super) fn find(name: &str) -> Option<NameLookup> {
    if let Some(form) = Form::ALL.iter().find(|form| form.name == name) {
        return Some(NameLookup::Form(form));
    }
    let mut operators = FAMILIES.iter().copied().flatten();
    if let Some(operator) = operators.find(|operator| operator.name == name) {
        return Some(NameLookup::Operator(operator));
    }
    let (_, needs) = REFUSED.iter().find(|(refused, _)| *refused == name)?;
    Some(NameLookup::Refused(needs))
}
