//! The variables of a command's `let`.

use bson::{
    RawDocumentBuf,
    raw::{RawBson, RawBsonRef},
};

use super::{Code, CommandError, Request};
use crate::query::{self, Expression, VariableNames};

/// The variables of a command's `let`, the same for all its statements and documents.
#[derive(Debug, Clone, Default)]
pub struct LetVariables {
    /// Their names, for parsing.
    pub names: VariableNames,
    /// Their values; `None` is missing.
    pub values: Vec<(String, Option<RawBson>)>,
}

impl LetVariables {
    /// Reads `let`.
    ///
    /// # Errors
    /// A bad name, and errors of the expressions.
    pub fn read(request: &Request<'_>) -> Result<Self, CommandError> {
        let (names, values) = read_let(request)?;
        Ok(Self { names, values })
    }

    /// The context of expressions at this time.
    #[must_use]
    pub fn context(&self, now_ms: i64) -> query::Context {
        let mut seen = query::Context::at(now_ms);
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
pub fn read_let(request: &Request<'_>) -> Result<(VariableNames, Variables), CommandError> {
    let (mut names, mut values) = (VariableNames::default(), Vec::new());
    let empty = RawDocumentBuf::new();
    for element in request.document("let")?.into_iter().flatten() {
        let (name, value) = element?;
        VariableNames::check(name.as_str())?;
        let expression = Expression::parse(value, &names)?;
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
        let mut context = query::Context::at(request.now_ms);
        context.variables.clone_from(&values);
        let value = expression.evaluate(&query::Scope::new(&empty, &context))?.into_owned();
        query::check_made(value.as_ref())?;
        values.push((name.as_str().to_owned(), value));
        names = names.with(name.as_str());
    }
    Ok((names, values))
}
