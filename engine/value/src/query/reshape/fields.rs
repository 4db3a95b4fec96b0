//! `$addFields`, and the computed fields of a projection.

use std::sync::Arc;

use bson::raw::{CStr, RawArray, RawArrayBuf, RawBson, RawBsonRef, RawDocument, RawDocumentBuf};

use crate::{
    interrupt,
    query::{
        Expression, QueryError, Scope, VariableNames, error::refused, expression::Budget,
        filter::is_expression, named_list::NamedList,
    },
    value::{Path, is_reserved_name},
};

/// Fields to set on one level of a document, in order.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    list: NamedList<Field>,
}

/// The value of one name.
#[derive(Debug, Clone)]
enum Field {
    /// A value that is computed; missing removes the field.
    Computed(Arc<Expression>),
    Within(Fields),
}

impl Fields {
    /// Reads the document of `$addFields`.
    pub(super) fn parse(spec: &RawDocument, names: &VariableNames) -> Result<Self, QueryError> {
        let mut fields = Self::default();
        if spec.is_empty() {
            return Err(refused(
                40177,
                "Invalid $addFields :: caused by :: specification must have at least one field",
            ));
        }
        for element in spec {
            let (name, value) = element?;
            fields.read(name.as_str(), value, names)?;
        }
        Ok(fields)
    }

    /// Recursion is bounded by the depth of the document.
    fn read(
        &mut self,
        path: &str,
        value: RawBsonRef<'_>,
        names: &VariableNames,
    ) -> Result<(), QueryError> {
        interrupt::tick()?;
        check_path(path)?;
        match value {
            // Without fields to compute, it is the value itself.
            RawBsonRef::Document(inner) if inner.is_empty() => {
                self.insert(path, Expression::parse(value, names)?)
            }
            RawBsonRef::Document(inner) if is_expression(inner) => {
                if inner.into_iter().nth(1).is_some() {
                    return Err(refused!(
                        40181,
                        "Invalid $addFields :: caused by :: an expression specification must \
                             contain exactly one field, the name of the expression. Found \
                             {} fields in {path}",
                        inner.into_iter().count()
                    ));
                }
                self.insert(path, Expression::parse(value, names)?)
            }
            RawBsonRef::Document(inner) => {
                for element in inner {
                    let (name, value) = element?;
                    self.read(&format!("{path}.{}", name.as_str()), value, names)?;
                }
                Ok(())
            }
            value => self.insert(path, Expression::parse(value, names)?),
        }
    }

    /// Adds a computed field at a dotted path.
    pub(in crate::query) fn insert(
        &mut self,
        path: &str,
        expression: Expression,
    ) -> Result<(), QueryError> {
        let collision = || {
            refused!(
                40176,
                "Invalid $addFields :: caused by :: specification contains two conflicting \
                     paths. Cannot specify both '{path}' and a part of it"
            )
        };
        let (before, last) = path.rsplit_once('.').map_or((None, path), |(b, l)| (Some(b), l));
        let mut level = self;
        for part in before.into_iter().flat_map(|before| before.split('.')) {
            if level.get(part).is_none() {
                level.list.push(part.to_owned(), Field::Within(Self::default()));
            }
            level = match level.list.get_mut(part) {
                Some(Field::Within(inner)) => inner,
                _ => return Err(collision()),
            };
        }
        if level.get(last).is_some() {
            return Err(collision());
        }
        level.list.push(last.to_owned(), Field::Computed(Arc::new(expression)));
        Ok(())
    }

    fn get(&self, name: &str) -> Option<&Field> {
        self.list.get(name)
    }

    /// Whether a path, or what is above or below it, is computed.
    pub(in crate::query) fn covers(&self, path: &str) -> bool {
        let mut level = self;
        for part in path.split('.') {
            match level.get(part) {
                None => return false,
                Some(Field::Within(inner)) => level = inner,
                Some(Field::Computed(_)) => return true,
            }
        }
        true
    }

    /// Whether nothing is computed.
    pub(in crate::query) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// Refuses paths that no result can have.
pub(in crate::query) fn check_path(path: &str) -> Result<(), QueryError> {
    let fail = |code: i32, message: String| Err(QueryError::new(code, message));
    if path.is_empty() {
        return fail(40352, "FieldPath cannot be constructed with empty string".into());
    }
    if path.ends_with('.') {
        return fail(40353, "FieldPath must not end with a '.'.".into());
    }
    for part in path.split('.') {
        if part.is_empty() {
            let message = "FieldPath field names may not be empty strings.";
            return fail(15998, message.into());
        }
        if is_reserved_name(part) {
            let message = format!(
                "FieldPath field names may not start with '$'. Consider using $getField or \
                 $setField: {part}"
            );
            return fail(16410, message);
        }
    }
    Path::parse(path).map(drop).map_err(|error| QueryError::bad_value(error.to_string()))
}

/// The document with the fields set. A field that is there keeps its place, new ones come last.
/// Recursion is bounded by the paths of the fields, and what all fields of a document make together
/// as what one expression makes: each may be a copy of a large one.
pub(in crate::query) fn compute(
    fields: &Fields,
    document: &RawDocument,
    scope: &Scope<'_>,
) -> Result<RawDocumentBuf, QueryError> {
    FieldComputer { scope, budget: Budget::default() }.level(fields, document)
}

/// One document that gets its fields.
struct FieldComputer<'c> {
    scope: &'c Scope<'c>,
    budget: Budget,
}

impl FieldComputer<'_> {
    fn level(
        &mut self,
        fields: &Fields,
        document: &RawDocument,
    ) -> Result<RawDocumentBuf, QueryError> {
        let mut out = RawDocumentBuf::new();
        let mut is_met = vec![false; fields.list.len()];
        for (name, value) in document.into_iter().map_while(Result::ok) {
            interrupt::tick_among(fields.list.len())?;
            let at = fields.list.position(name.as_str());
            let Some((at, field)) = at.and_then(|at| Some((at, fields.list.at(at)?))) else {
                out.append(name, value);
                continue;
            };
            if let Some(is_met) = is_met.get_mut(at) {
                *is_met = true;
            }
            match field {
                Field::Computed(expression) => self.append(name, expression, &mut out)?,
                Field::Within(inner) => out.append(name, self.within(inner, value)?),
            }
        }
        for ((name, field), _) in fields.list.iter().zip(is_met).filter(|(_, is_met)| !is_met) {
            let name: &CStr = name.try_into()?;
            match field {
                Field::Computed(expression) => self.append(name, expression, &mut out)?,
                Field::Within(inner) => {
                    out.append(name, self.level(inner, &RawDocumentBuf::new())?);
                }
            }
        }
        Ok(out)
    }

    fn append(
        &mut self,
        name: &CStr,
        expression: &Expression,
        out: &mut RawDocumentBuf,
    ) -> Result<(), QueryError> {
        let value = expression.evaluate(self.scope)?;
        let Some(value) = value.as_ref() else { return Ok(()) };
        self.budget.take_bytes(name.as_str().len())?;
        self.budget.take(value)?;
        out.append(name, value);
        Ok(())
    }

    /// Arrays are entered; any other value becomes a document.
    fn within(&mut self, fields: &Fields, value: RawBsonRef<'_>) -> Result<RawBson, QueryError> {
        match value {
            RawBsonRef::Document(document) => Ok(self.level(fields, document)?.into()),
            RawBsonRef::Array(array) => Ok(self.each(fields, array)?.into()),
            _ => Ok(self.level(fields, &RawDocumentBuf::new())?.into()),
        }
    }

    fn each(&mut self, fields: &Fields, array: &RawArray) -> Result<RawArrayBuf, QueryError> {
        let mut out = RawArrayBuf::new();
        for value in array.into_iter().map_while(Result::ok) {
            out.push(self.within(fields, value)?);
        }
        Ok(out)
    }
}
