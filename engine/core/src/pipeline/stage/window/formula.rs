//! Arithmetic on values, in the language of expressions, so that numbers have the types that
//! MongoDB's arithmetic gives them.

use bson::raw::{RawBson, RawBsonRef, RawDocument, RawDocumentBuf};

use crate::{
    pipeline::PipelineError,
    query::{Context, Expression, Scope, VariableNames},
};

/// An expression over named values.
#[derive(Debug)]
pub(super) struct Formula {
    expression: Expression,
    names: &'static [&'static str],
}

impl Formula {
    pub(super) fn of(
        expression: &RawDocument,
        names: &'static [&'static str],
    ) -> Result<Self, PipelineError> {
        let known = names.iter().fold(VariableNames::default(), |known, name| known.with(name));
        let expression = Expression::parse(RawBsonRef::Document(expression), &known)?;
        Ok(Self { expression, names })
    }

    /// The value for these values of its names, in their order.
    pub(super) fn value(&self, values: &[RawBsonRef<'_>]) -> Result<RawBson, PipelineError> {
        let named = self.names.iter().zip(values);
        let context = named.fold(Context::default(), |context, (name, value)| {
            context.with_variable(name, Some((*value).into()))
        });
        let nothing = RawDocumentBuf::new();
        let value = self.expression.evaluate(&Scope::new(&nothing, &context))?;
        Ok(value.into_owned().unwrap_or(RawBson::Null))
    }
}
