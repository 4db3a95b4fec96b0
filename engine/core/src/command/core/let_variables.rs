//! The variables of a command's `let`, and its collation.

use std::borrow::Cow;

use bson::{
    RawDocumentBuf,
    raw::{RawBson, RawBsonRef},
};

use super::{Code, CommandError, Context, Request, collation};
use crate::{
    query::{self, Expression, VariableNames},
    value::Collation,
};

/// The variables of a command's `let` and its collation, the same for all its documents.
#[derive(Debug, Clone, Default)]
pub struct LetVariables {
    pub names: VariableNames,
    /// Their values; `None` is missing.
    pub values: Vec<(String, Option<RawBson>)>,
}

impl LetVariables {
    /// Reads `let` and `collation`; without the second the default of the collection counts.
    ///
    /// # Errors
    /// A bad name, errors of the expressions, and a bad collation.
    pub fn read(context: &Context, request: &Request<'_>) -> Result<Self, CommandError> {
        let collation = collation::of_command(context, request)?;
        let (names, values) = read_let(request, collation)?;
        Ok(Self { names, values })
    }

    /// The same variables with another collation.
    pub fn collated(&self, collation: Option<Collation>) -> Self {
        Self { names: self.names.clone().with_collation(collation), values: self.values.clone() }
    }

    /// The same for a statement, which may have its own collation.
    ///
    /// # Errors
    /// A bad collation.
    pub fn for_statement(&self, fields: &Request<'_>) -> Result<Cow<'_, Self>, CommandError> {
        Ok(match collation::given(fields)? {
            None => Cow::Borrowed(self),
            Some(collation) => Cow::Owned(self.collated(collation)),
        })
    }

    /// How text compares.
    pub fn collation(&self) -> Option<&Collation> {
        self.names.collation()
    }

    /// The context of expressions at this time.
    pub fn context(&self, now_ms: i64) -> query::Context {
        let mut seen = query::Context::at(now_ms).with_collation(self.collation());
        seen.variables.clone_from(&self.values);
        seen
    }
}

/// Whether an expression names a field, or the document itself. Text that begins with a dollar is a
/// path wherever an expression has it, but for what `$literal` keeps.
fn reads_document(expression: RawBsonRef<'_>) -> Result<bool, CommandError> {
    match expression {
        RawBsonRef::String(text) => {
            let variable = text.strip_prefix("$$").map(|path| path.split('.').next());
            Ok(match variable {
                Some(name) => matches!(name, Some("ROOT" | "CURRENT")),
                None => text.starts_with('$'),
            })
        }
        RawBsonRef::Document(document) => {
            for element in document {
                let (name, value) = element?;
                if name.as_str() != "$literal" && reads_document(value)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        RawBsonRef::Array(array) => {
            for element in array {
                if reads_document(element?)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        _ => Ok(false),
    }
}

type Variables = Vec<(String, Option<RawBson>)>;

/// The names and values of a command's `let`, which are the same for all documents.
///
/// # Errors
/// A bad name, and errors of the expressions.
fn read_let(
    request: &Request<'_>,
    collation: Option<Collation>,
) -> Result<(VariableNames, Variables), CommandError> {
    let (mut names, mut values) = (VariableNames::of_collation(collation), Vec::new());
    let empty = RawDocumentBuf::new();
    for element in request.document("let")?.into_iter().flatten() {
        let (name, value) = element?;
        VariableNames::check(name.as_str())?;
        let expression = Expression::parse(value, &names)?;
        // Without a document the field would be missing, and the mistake would go unnoticed.
        if reads_document(value)? {
            return Err(CommandError::new(
                Code::LET_READS_FIELD,
                format!(
                    "Command let Expression tried to access a field, but 'let' is evaluated before any \
                     document is read; take the field out of '{}'",
                    name.as_str()
                ),
            ));
        }
        // Each variable may use the ones before it.
        let mut context = query::Context::at(request.now_ms).with_collation(names.collation());
        context.variables.clone_from(&values);
        let value = expression.evaluate(&query::Scope::new(&empty, &context))?.into_owned();
        query::check_made(value.as_ref())?;
        values.push((name.as_str().to_owned(), value));
        names = names.with(name.as_str());
    }
    Ok((names, values))
}
