//! `$redact`.

use std::sync::Arc;

use bson::{
    RawArrayBuf, RawDocumentBuf,
    raw::{RawArray, RawBsonRef, RawDocument},
};

use crate::pipeline::flow::{Input, Stage};
use crate::{
    pipeline::{PipelineError, text::shown},
    query::{Context, Expression, Scope, VariableNames},
};

/// The three answers, as the variables hold them.
const ANSWERS: [(&str, &str); 3] = [("KEEP", "keep"), ("PRUNE", "prune"), ("DESCEND", "descend")];

/// `$redact`
#[derive(Debug, Clone)]
pub(in crate::pipeline) struct Redact {
    expression: Arc<Expression>,
    context: Option<Arc<Context>>,
}

impl Redact {
    pub(in crate::pipeline) fn parse(
        value: RawBsonRef<'_>,
        names: &VariableNames,
    ) -> Result<Self, PipelineError> {
        let names = ANSWERS.iter().fold(names.clone(), |names, (name, _)| names.with(name));
        let expression = Arc::new(Expression::parse(value, &names)?);
        Ok(Self { expression, context: None })
    }

    /// The redacted part of the document that is the root of `scope`, or `None` if it is pruned.
    /// Recursion is bounded by the depth of the document.
    fn redact(
        &self,
        document: &RawDocument,
        scope: &Scope<'_>,
    ) -> Result<Option<RawDocumentBuf>, PipelineError> {
        // The expression's root moves to the inner document, while `$$ROOT` stays the whole one.
        let answer = self.expression.evaluate(&scope.at(document))?;
        match answer.as_ref() {
            Some(RawBsonRef::String("keep")) => Ok(Some(document.to_owned())),
            Some(RawBsonRef::String("prune")) => Ok(None),
            Some(RawBsonRef::String("descend")) => {
                let mut out = RawDocumentBuf::new();
                for (name, value) in document.into_iter().map_while(Result::ok) {
                    match value {
                        RawBsonRef::Document(inner) => {
                            if let Some(inner) = self.redact(inner, scope)? {
                                out.append(name, inner);
                            }
                        }
                        RawBsonRef::Array(array) => out.append(name, self.each(array, scope)?),
                        other => out.append(name, other),
                    }
                }
                Ok(Some(out))
            }
            other => Err(refused!(
                17053,
                "$redact's expression should not return anything aside from the variables \
                     $$KEEP, $$DESCEND, and $$PRUNE, but returned {}",
                other.map_or_else(|| "MISSING".to_owned(), shown)
            )),
        }
    }

    fn each(&self, array: &RawArray, scope: &Scope<'_>) -> Result<RawArrayBuf, PipelineError> {
        let mut out = RawArrayBuf::new();
        for value in array.into_iter().map_while(Result::ok) {
            match value {
                RawBsonRef::Document(inner) => {
                    if let Some(inner) = self.redact(inner, scope)? {
                        out.push(inner);
                    }
                }
                RawBsonRef::Array(inner) => out.push(self.each(inner, scope)?),
                other => out.push(other),
            }
        }
        Ok(out)
    }
}

impl Stage for Redact {
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RawDocumentBuf>, PipelineError> {
        let context = self.context.get_or_insert_with(|| {
            let outer = Context::clone(input.context);
            Arc::new(ANSWERS.iter().fold(outer, |context, (name, value)| {
                context.with_variable(name, Some((*value).into()))
            }))
        });
        let context = Arc::clone(context);
        while let Some(document) = input.next_document()? {
            if let Some(document) = self.redact(&document, &Scope::new(&document, &context))? {
                return Ok(Some(document));
            }
        }
        Ok(None)
    }
}
