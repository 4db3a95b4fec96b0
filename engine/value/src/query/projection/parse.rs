//! Projection documents to trees.

use bson::raw::{RawBsonRef, RawDocument};

use super::{
    Child, Dialect, Mode, Node, Projection, Slice,
    positional::{self, Positional},
};
use crate::{
    interrupt,
    query::{
        Code, Expr, Expression, Filter, QueryError, Test, VariableNames,
        error::refused,
        filter::{
            is_expression,
            number::{as_double, truncated, truthy},
            type_name,
        },
        reshape::{Fields, check_path},
    },
};

/// The value of one path.
enum Spec {
    Include,
    /// Kept, and of the array only the element that matched.
    Positional,
    Exclude,
    Slice(Slice),
    ElemMatch(Test),
    Computed(Expression),
    /// Computed without an operator: a path, an array, a constant.
    Value(Expression),
}

pub(super) fn projection(
    projection: &RawDocument,
    dialect: Dialect,
    names: &VariableNames,
) -> Result<Option<Projection>, QueryError> {
    let mut specs = Vec::new();
    flatten("", projection, (dialect, names), &mut specs)?;
    if specs.is_empty() {
        return Ok(None);
    }
    let positional = check_positional(&specs)?;
    let mode = mode(&specs);
    let (mut root, mut computed) = (Node::default(), Fields::default());
    if mode == Mode::Inclusion && !specs.iter().any(|(path, _)| names_id(path)) {
        root.children.push("_id".to_owned(), Child::Leaf);
    }
    for (path, spec) in specs {
        interrupt::tick()?;
        let child = match (spec, mode) {
            (Spec::Exclude, Mode::Inclusion) | (Spec::Include, Mode::Exclusion)
                if path == "_id" =>
            {
                continue;
            }
            (Spec::Include | Spec::Positional, Mode::Inclusion)
            | (Spec::Exclude, Mode::Exclusion) => Child::Leaf,
            (Spec::Computed(expression) | Spec::Value(expression), Mode::Inclusion) => {
                if root.leaf_above(&path) {
                    return Err(below(&path));
                }
                if root.covers(&path) || computed.insert(&path, expression).is_err() {
                    return Err(collision(&path));
                }
                // The values on the way to a nested computed field must be kept, or there is
                // nothing to set it in.
                if let Some((before, _)) = path.rsplit_once('.') {
                    root.keep_way(before);
                }
                continue;
            }
            (Spec::ElemMatch(test), _) => Child::ElemMatch(test),
            (Spec::Slice(slice), _) => Child::Slice(slice),
            (spec, mode) => return Err(in_other_mode(&spec, mode, &path)),
        };
        if computed.covers(&path) {
            return Err(collision(&path));
        }
        insert(&mut root, &path, child)?;
    }
    Ok(Some(Projection { mode, root, computed, positional: positional.map(Box::new) }))
}

/// A projection keeps what it names or leaves it out, not both.
fn in_other_mode(spec: &Spec, mode: Mode, path: &str) -> QueryError {
    let (code, message) = match (spec, mode) {
        (_, Mode::Inclusion) => {
            (31254, format!("Cannot do exclusion on field {path} in inclusion projection"))
        }
        (Spec::Computed(_), _) => {
            (31252, format!("Cannot use an expression for {path} in an exclusion projection"))
        }
        (Spec::Value(_), _) => {
            (31310, format!("Cannot use the value of {path} in an exclusion projection"))
        }
        _ => (31253, format!("Cannot do inclusion on field {path} in exclusion projection")),
    };
    QueryError::new(code, message)
}

/// The projection's positional path; it is alone, and without `$elemMatch`.
fn check_positional(specs: &[(String, Spec)]) -> Result<Option<Positional>, QueryError> {
    let mut found = None;
    let mut has_elem_match = false;
    for (path, spec) in specs {
        match spec {
            Spec::Positional if found.is_some() => {
                return Err(refused(
                    31276,
                    "Cannot specify more than one positional projection per query.",
                ));
            }
            Spec::Positional if has_elem_match => {
                return Err(refused(31256, "Cannot specify positional operator and $elemMatch."));
            }
            Spec::Positional => found = Some(Positional::new(path)),
            Spec::ElemMatch(_) if found.is_some() => {
                return Err(refused(31255, "Cannot specify positional operator and $elemMatch."));
            }
            Spec::ElemMatch(_) => has_elem_match = true,
            _ => {}
        }
    }
    Ok(found)
}

/// The value of a path with the positional operator.
fn positional_spec(value: RawBsonRef<'_>) -> Result<Spec, QueryError> {
    let (code, message) = match value {
        RawBsonRef::Document(_) => {
            (31271, "positional projection cannot be used with an expression or sub object")
        }
        RawBsonRef::Boolean(_)
        | RawBsonRef::Int32(_)
        | RawBsonRef::Int64(_)
        | RawBsonRef::Double(_)
        | RawBsonRef::Decimal128(_) => {
            if truthy(value) {
                return Ok(Spec::Positional);
            }
            let message = "positional projection cannot be used with exclusion";
            (31395, message)
        }
        _ => (31308, "positional projection cannot be used with a literal"),
    };
    Err(refused(code, message))
}

fn names_id(path: &str) -> bool {
    path == "_id" || path.starts_with("_id.")
}

/// The first field other than `_id` decides. `$slice` and `$elemMatch` leave it open; where no other
/// field decides, `$elemMatch` keeps what it names.
fn mode(specs: &[(String, Spec)]) -> Mode {
    let says = |spec: &Spec| match spec {
        Spec::Include | Spec::Positional | Spec::Computed(_) | Spec::Value(_) => {
            Some(Mode::Inclusion)
        }
        Spec::Exclude => Some(Mode::Exclusion),
        Spec::Slice(_) | Spec::ElemMatch(_) => None,
    };
    let has_elem_match = specs.iter().any(|(_, spec)| matches!(spec, Spec::ElemMatch(_)));
    let is_open = |(path, spec): &&(String, Spec)| {
        path == "_id" && !matches!(spec, Spec::Computed(_) | Spec::Value(_))
    };
    let others = specs.iter().filter(|spec| !is_open(spec));
    let decided = others.clone().find_map(|(_, spec)| says(spec));
    decided.or_else(|| has_elem_match.then_some(Mode::Inclusion)).unwrap_or_else(|| {
        specs.iter().filter(is_open).find_map(|(_, spec)| says(spec)).unwrap_or(Mode::Exclusion)
    })
}

/// Turns `{a: {b: 1}}` into `a.b`. Recursion is bounded by the depth of the document.
fn flatten(
    prefix: &str,
    projection: &RawDocument,
    grammar: (Dialect, &VariableNames),
    specs: &mut Vec<(String, Spec)>,
) -> Result<(), QueryError> {
    let (dialect, names) = grammar;
    for element in projection {
        let (name, value) = element?;
        let path = format!("{prefix}{}", name.as_str());
        if dialect == Dialect::Find
            && let Some(array) = positional::path(&path)?
        {
            check_path(array)?;
            specs.push((array.to_owned(), positional_spec(value)?));
            continue;
        }
        check_path(&path)?;
        match value {
            RawBsonRef::Document(inner) if is_expression(inner) => {
                let spec = match dialect {
                    Dialect::Find => operator(&path, inner, names)?,
                    Dialect::Stage => Spec::Computed(Expression::parse(value, names)?),
                };
                specs.push((path, spec));
            }
            RawBsonRef::Document(inner) if inner.is_empty() => {
                return Err(QueryError::new(
                    51270,
                    format!(
                        "An empty sub-projection is not a valid value. Found empty object at path \
                         {path}"
                    ),
                ));
            }
            RawBsonRef::Document(inner) => flatten(&format!("{path}."), inner, grammar, specs)?,
            RawBsonRef::Boolean(_)
            | RawBsonRef::Int32(_)
            | RawBsonRef::Int64(_)
            | RawBsonRef::Double(_)
            | RawBsonRef::Decimal128(_) => {
                specs.push((path, if truthy(value) { Spec::Include } else { Spec::Exclude }));
            }
            _ => specs.push((path, Spec::Value(Expression::parse(value, names)?))),
        }
    }
    Ok(())
}

fn operator(
    path: &str,
    operators: &RawDocument,
    names: &VariableNames,
) -> Result<Spec, QueryError> {
    let mut elements = operators.into_iter();
    let (name, argument) = match (elements.next(), elements.next()) {
        (Some(element), None) => element?,
        (Some(Ok((name, _))), _) => {
            // Several fields are not an operator, but fields below this one.
            check_path(&format!("{path}.{}", name.as_str()))?;
            return expression(operators, names);
        }
        _ => return expression(operators, names),
    };
    match name.as_str() {
        "$slice" => match slice(argument)? {
            Some(slice) => Ok(Spec::Slice(slice)),
            None => expression(operators, names),
        },
        "$elemMatch" if argument.as_document().is_none() => Err(QueryError::new(
            31274,
            format!(
                "elemMatch: Invalid argument, object required, but got {}",
                type_name(argument)
            ),
        )),
        "$elemMatch" if path.contains('.') => {
            Err(QueryError::new(31275, "Cannot use $elemMatch projection on a nested field"))
        }
        "$elemMatch" => elem_match(path, operators, names).map(Spec::ElemMatch),
        "$meta" => Err(QueryError::unsupported("$meta is not supported in a projection")),
        name => expression(operators, names).map_err(|error| match error.code {
            Code::INVALID_PIPELINE_OPERATOR if error.message.contains(name) => {
                QueryError::new(31325, format!("Unknown expression {name}"))
            }
            _ => error,
        }),
    }
}

fn expression(operators: &RawDocument, names: &VariableNames) -> Result<Spec, QueryError> {
    Expression::parse(RawBsonRef::Document(operators), names).map(Spec::Computed)
}

fn elem_match(
    path: &str,
    operators: &RawDocument,
    names: &VariableNames,
) -> Result<Test, QueryError> {
    // The operator's document is also a filter's, so the filter's parser reads it.
    let mut filter = bson::raw::RawDocumentBuf::new();
    let name = <&bson::raw::CStr>::try_from(path)?;
    filter.append(name, operators);
    // In a projection there is no query that these could be part of.
    let parsed = Filter::parse_in(&filter, names.collation()).map_err(QueryError::elsewhere)?;
    match parsed.root() {
        Expr::Field { test, .. } => Ok(test.clone()),
        _ => Err(QueryError::bad_value("$elemMatch needs an Object")),
    }
}

/// A number of elements; one that no array has, such as infinity, is the most.
fn bound(value: RawBsonRef<'_>) -> Option<i64> {
    let number = as_double(value).filter(|number| !number.is_nan())?;
    Some(truncated(value).unwrap_or(if number < 0.0 { i64::MIN } else { i64::MAX }))
}

/// The part of an array; none when the argument is an expression's.
fn slice(argument: RawBsonRef<'_>) -> Result<Option<Slice>, QueryError> {
    if let Some(number) = bound(argument) {
        return Ok(Some(if number < 0 {
            Slice { skip: number, limit: i64::MAX }
        } else {
            Slice { skip: 0, limit: number }
        }));
    }
    let items: Vec<_> = match argument.as_array() {
        Some(list) => list.into_iter().collect::<Result<_, _>>()?,
        None => return Ok(None),
    };
    let [skip, limit] = items.as_slice() else { return Ok(None) };
    let (Some(skip), Some(limit)) = (bound(*skip), bound(*limit)) else { return Ok(None) };
    if limit <= 0 {
        return Err(QueryError::new(
            28724,
            "First argument to $slice must be an array, but is of type: int; the limit of a $slice \
             that begins with a number must be positive",
        ));
    }
    Ok(Some(Slice { skip, limit }))
}

fn insert(root: &mut Node, path: &str, child: Child) -> Result<(), QueryError> {
    let (before, last) = path.rsplit_once('.').map_or((None, path), |(b, l)| (Some(b), l));
    let mut node = root;
    for part in before.into_iter().flat_map(|before| before.split('.')) {
        if node.child(part).is_none() {
            node.children.push(part.to_owned(), Child::Tree(Node::default()));
        }
        node = match node.children.get_mut(part) {
            Some(Child::Tree(inner)) => inner,
            _ => return Err(below(path)),
        };
    }
    if node.child(last).is_some() {
        return Err(collision(path));
    }
    node.children.push(last.to_owned(), child);
    Ok(())
}

/// The projection names what is above the path before it names the path.
fn below(path: &str) -> QueryError {
    QueryError { code: Code(31249), ..collision(path) }
}

fn collision(path: &str) -> QueryError {
    QueryError::new(
        31250,
        format!("Path collision at {path}: the projection names it, or a part of it, twice"),
    )
}

impl Node {
    /// Whether what is above a path is listed.
    fn leaf_above(&self, path: &str) -> bool {
        let mut node = self;
        let Some((above, _)) = path.rsplit_once('.') else { return false };
        for part in above.split('.') {
            match node.child(part) {
                None => return false,
                Some(Child::Tree(inner)) => node = inner,
                Some(_) => return true,
            }
        }
        false
    }

    /// Whether a path, or what is above it, is listed.
    fn covers(&self, path: &str) -> bool {
        let mut node = self;
        for part in path.split('.') {
            match node.child(part) {
                None => return false,
                Some(Child::Tree(inner)) => node = inner,
                Some(_) => return true,
            }
        }
        !node.children.is_empty()
    }

    /// Keeps the documents along a path, without their fields.
    fn keep_way(&mut self, path: &str) {
        let mut node = self;
        for part in path.split('.') {
            if node.child(part).is_none() {
                node.children.push(part.to_owned(), Child::Tree(Self::default()));
            }
            let Some(Child::Tree(inner)) = node.children.get_mut(part) else { return };
            inner.is_computed = true;
            node = inner;
        }
    }
}
