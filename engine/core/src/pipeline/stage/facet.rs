//! `$facet`.

use std::{collections::VecDeque, sync::Arc};

use bson::{
    RawArrayBuf, RawDocumentBuf,
    raw::{CString, RawBsonRef},
};

use crate::pipeline::flow::{Input, Stage};
use crate::pipeline::{
    ParseContext, Pipeline, PipelineError, Run,
    edit::check_name,
    error::fail,
    memory::MemoryBudget,
    parse_context::Nesting,
    text::{kind, shown},
};

/// `$facet`: several pipelines over the same documents, which are held for them.
#[derive(Clone)]
pub(in crate::pipeline) struct Facet {
    facets: Arc<Vec<(CString, Pipeline)>>,
    is_done: bool,
}

impl Facet {
    pub(in crate::pipeline) fn parse(
        value: RawBsonRef<'_>,
        reading: &ParseContext<'_>,
    ) -> Result<Self, PipelineError> {
        let options = match value {
            RawBsonRef::Document(options) if !options.is_empty() => options,
            other => {
                let message = format!(
                    "the $facet specification must be a non-empty object, but found: {}",
                    shown(other)
                );
                return fail(40169, message);
            }
        };
        let reading = reading.within(Nesting::Facet)?;
        let mut facets = Vec::new();
        for element in options {
            let (name, value) = element?;
            check_name(name.as_str())?;
            let RawBsonRef::Array(array) = value else {
                let message =
                    format!("arguments to $facet must be arrays, {name} is type {}", kind(value));
                return fail(40170, message);
            };
            let mut stages = Vec::new();
            for item in array {
                match item? {
                    RawBsonRef::Document(stage) => stages.push(stage),
                    other => {
                        let message = format!(
                            "elements of arrays in $facet spec must be non-empty objects, {name} \
                             argument contained an element of type {}: {}",
                            kind(other),
                            shown(other)
                        );
                        return fail(40171, message);
                    }
                }
            }
            facets.push((CString::from(name), Pipeline::parse(&stages, &reading)?));
        }
        Ok(Self { facets: Arc::new(facets), is_done: false })
    }
}

impl Stage for Facet {
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RawDocumentBuf>, PipelineError> {
        if std::mem::replace(&mut self.is_done, true) {
            return Ok(None);
        }
        let mut held = MemoryBudget::default();
        let mut documents = VecDeque::new();
        while let Some(document) = input.next_document()? {
            held.add("$facet", document.as_bytes().len())?;
            documents.push_back(document);
        }
        let mut out = RawDocumentBuf::new();
        for (name, pipeline) in &*self.facets {
            let mut run = Run::over(documents.clone(), pipeline, Arc::clone(input.context));
            let mut results = RawArrayBuf::new();
            while let Some(document) = run.advance(input.environment)? {
                held.add("$facet", document.as_bytes().len())?;
                results.push(document);
            }
            out.append(name, results);
        }
        Ok(Some(out))
    }

    fn may_nest(&self) -> bool {
        true
    }
}
