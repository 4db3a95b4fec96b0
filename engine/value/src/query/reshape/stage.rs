//! The stages themselves.

use bson::raw::{RawBsonRef, RawDocument, RawDocumentBuf};

use super::{
    fields::{Fields, compute},
    root,
};
use crate::query::{
    Context, Expression, Projection, QueryError, Scope, VariableNames, error::refused,
    filter::type_name,
};

/// A stage that makes one document of another.
#[derive(Debug, Clone)]
pub enum Reshape {
    /// `$project` and `$unset`
    Project(Projection),
    /// `$addFields` and `$set`
    AddFields(Fields),
    /// `$replaceRoot` and `$replaceWith`
    Replace(Expression),
}

impl Reshape {
    /// Reads a stage; `None` if its name is none of these.
    ///
    /// # Errors
    /// An invalid value.
    pub fn parse(
        stage: &str,
        value: RawBsonRef<'_>,
        names: &VariableNames,
    ) -> Result<Option<Self>, QueryError> {
        Ok(Some(match stage {
            "$project" => Self::Project(project(value, names)?),
            "$unset" => Self::Project(unset(value)?),
            "$addFields" | "$set" => match value {
                RawBsonRef::Document(fields) => Self::AddFields(Fields::parse(fields, names)?),
                other => {
                    return Err(refused!(
                        40272,
                        "{stage} specification stage must be an object, got {}",
                        type_name(other)
                    ));
                }
            },
            "$replaceRoot" => Self::Replace(root::parse(value, names)?),
            "$replaceWith" => Self::Replace(Expression::parse(value, names)?),
            _ => return Ok(None),
        }))
    }

    /// Whether the new document may have more levels than the old one.
    pub fn may_nest(&self) -> bool {
        match self {
            Self::Project(projection) => projection.computes(),
            Self::AddFields(_) | Self::Replace(_) => true,
        }
    }

    /// The new document.
    ///
    /// # Errors
    /// Those of an expression.
    pub fn apply(
        &self,
        document: &RawDocument,
        context: &Context,
    ) -> Result<RawDocumentBuf, QueryError> {
        let scope = Scope::new(document, context);
        match self {
            Self::Project(projection) => projection.apply(document, context),
            Self::AddFields(fields) => compute(fields, document, &scope),
            Self::Replace(root) => root::replace(root, document, &scope),
        }
    }
}

fn project(value: RawBsonRef<'_>, names: &VariableNames) -> Result<Projection, QueryError> {
    let RawBsonRef::Document(fields) = value else {
        return Err(refused(15969, "$project specification must be an object"));
    };
    let projection = Projection::parse_stage(fields, names).map_err(|mut error| {
        error.message = format!("Invalid $project :: caused by :: {}", error.message);
        error
    })?;
    projection.ok_or_else(|| {
        refused(
            51272,
            "Invalid $project :: caused by :: projection specification must have at least one field",
        )
    })
}

/// The fields are left out, as a projection does.
fn unset(value: RawBsonRef<'_>) -> Result<Projection, QueryError> {
    let mut names = Vec::new();
    match value {
        RawBsonRef::String(name) => names.push(name),
        RawBsonRef::Array(array) => {
            for item in array {
                let RawBsonRef::String(name) = item? else {
                    return Err(refused(
                        31120,
                        "$unset specification must be a string or an array containing only string \
                         values",
                    ));
                };
                names.push(name);
            }
        }
        _ => {
            return Err(refused(31002, "$unset specification must be a string or an array"));
        }
    }
    let mut fields = RawDocumentBuf::new();
    for name in names {
        super::fields::check_path(name)?;
        fields.append(<&bson::raw::CStr>::try_from(name)?, false);
    }
    Projection::parse(&fields)?.ok_or_else(|| {
        refused(31119, "$unset specification must be a string or an array with at least one field")
    })
}
