//! `$lookup`.

use std::{collections::VecDeque, sync::Arc};

use bson::{
    RawArrayBuf, RawDocumentBuf,
    raw::{CString, RawBson, RawBsonRef, RawDocument, cstr},
};

use super::Match;
use crate::pipeline::flow::{Input, Stage};
use crate::{
    pipeline::{
        Origin, ParseContext, Pipeline, PipelineError, Run,
        edit::FieldPath,
        memory::MemoryBudget,
        parse_context::{Nesting, stages_of, variables},
        text::kind,
        views::draws_lots,
    },
    query::{Code, Context, Expression, Filter, Scope, check_made},
    value::{Collation, Path},
};

/// `$lookup`: the documents of another collection that belong to each one.
#[derive(Clone)]
pub(in crate::pipeline) struct Lookup {
    options: Arc<Options>,
    /// Results of a pipeline that is the same for all documents.
    same_for_all: Option<Arc<VecDeque<RawDocumentBuf>>>,
    /// Whether it is, once that is known.
    is_same_for_all: Option<bool>,
    held: MemoryBudget,
}

struct Options {
    origin: Origin,
    into: FieldPath,
    /// The fields that must be equal: here and there.
    fields: Option<(Path, CString)>,
    variables: Vec<(String, Expression)>,
    pipeline: Pipeline,
    /// The pipeline as it was given.
    stages: Vec<RawDocumentBuf>,
}

/// The arguments as they were given.
#[derive(Default)]
struct LookupArguments<'d> {
    from: Option<&'d str>,
    into: Option<&'d str>,
    local: Option<&'d str>,
    foreign: Option<&'d str>,
    variables: Option<&'d RawDocument>,
    stages: Option<Vec<&'d RawDocument>>,
}

fn fail<T>(message: impl Into<String>) -> Result<T, PipelineError> {
    Err(PipelineError::stage(Code::FAILED_TO_PARSE, message))
}

impl<'d> LookupArguments<'d> {
    fn read(options: &'d RawDocument) -> Result<Self, PipelineError> {
        let mut given = Self::default();
        for element in options {
            let (name, value) = element?;
            match (name.as_str(), value) {
                ("pipeline", value) => given.stages = Some(stages_of(value, "$lookup.pipeline")?),
                ("let", RawBsonRef::Document(variables)) => given.variables = Some(variables),
                ("let", other) => {
                    return fail(format!(
                        "$lookup argument 'let' must be an object, is type {}",
                        kind(other)
                    ));
                }
                ("from", RawBsonRef::String(text)) => given.from = Some(text),
                ("from", other) => {
                    return fail(format!(
                        "$lookup 'from' field must be a string, but found {}",
                        kind(other)
                    ));
                }
                ("as", RawBsonRef::String(text)) => given.into = Some(text),
                ("localField", RawBsonRef::String(text)) => given.local = Some(text),
                ("foreignField", RawBsonRef::String(text)) => given.foreign = Some(text),
                (name @ ("as" | "localField" | "foreignField"), other) => {
                    return fail(format!(
                        "$lookup argument '{name}' must be a string, is type {}",
                        kind(other)
                    ));
                }
                (other, _) => return fail(format!("unknown argument to $lookup: {other}")),
            }
        }
        Ok(given)
    }
}

impl Lookup {
    pub(in crate::pipeline) fn parse(
        value: RawBsonRef<'_>,
        reading: &ParseContext<'_>,
    ) -> Result<Self, PipelineError> {
        let RawBsonRef::Document(options) = value else {
            return fail(format!(
                "the $lookup stage specification must be an object, but found {}",
                kind(value)
            ));
        };
        let given = LookupArguments::read(options)?;
        let Some(into) = given.into else {
            return fail("must specify 'as' field for a $lookup");
        };
        let fields = match (given.local, given.foreign) {
            (None, None) if given.stages.is_none() => {
                return fail(
                    "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to \
                     be specified",
                );
            }
            (None, None) => None,
            (Some(local), Some(foreign)) => {
                FieldPath::parse(local)?;
                FieldPath::parse(foreign)?;
                let path = Path::parse(local).map_err(|error| {
                    PipelineError::stage(Code::FAILED_TO_PARSE, error.to_string())
                })?;
                Some((path, CString::try_from(foreign)?))
            }
            _ => {
                return fail(
                    "$lookup requires both or neither of 'localField' and 'foreignField' to be \
                     specified",
                );
            }
        };
        if given.variables.is_some() && given.stages.is_none() {
            return fail("$lookup with a 'let' argument must also specify 'pipeline'");
        }
        let stages = given.stages.unwrap_or_default();
        let origin = match given.from {
            Some(name) => Origin::collection(reading.db, name)?,
            None => reading.without_collection("$lookup", &stages)?,
        };
        let mut inner = reading.within(Nesting::Lookup)?;
        let variables = variables(given.variables, &reading.names, &mut inner.names)?;
        let pipeline = Pipeline::parse(&stages, &inner)?;
        let into = FieldPath::parse(into)?;
        let stages = stages.iter().map(|stage| (*stage).to_owned()).collect();
        let options = Options { origin, into, fields, variables, pipeline, stages };
        Ok(Self {
            options: Arc::new(options),
            same_for_all: None,
            is_same_for_all: None,
            held: MemoryBudget::default(),
        })
    }
}

impl Options {
    fn results(
        &self,
        document: &RawDocument,
        input: &Input<'_>,
        held: &mut MemoryBudget,
    ) -> Result<VecDeque<RawDocumentBuf>, PipelineError> {
        // The results of the document before are gone.
        *held = MemoryBudget::default();
        let mut context = Context::clone(input.context);
        let scope = Scope::new(document, input.context);
        for (name, expression) in &self.variables {
            let value = expression.evaluate(&scope)?.into_owned();
            check_made(value.as_ref())?;
            context = context.with_variable(name, value);
        }
        let first = match &self.fields {
            None => None,
            Some((local, foreign)) => {
                let collation = input.context.collation.as_ref();
                Some(Match::of(equal(local, foreign, document, collation)?))
            }
        };
        // Opened for each document, because the filter of its search comes from the document.
        let (environment, pipeline) = (&input.environment.within()?, &self.pipeline);
        let mut run = match first {
            None => Run::open(environment, &self.origin, pipeline, None, Arc::new(context))?,
            Some(first) => Run::open_after(
                environment,
                &self.origin,
                pipeline,
                Box::new(first),
                Arc::new(context),
            )?,
        };
        let mut results = VecDeque::new();
        while let Some(result) = run.advance(environment)? {
            held.add("$lookup", result.as_bytes().len())?;
            results.push_back(result);
        }
        Ok(results)
    }

    /// Whether the results do not depend on the document, nor on lots that a stage or a view draws.
    fn is_same_for_all(&self, input: &Input<'_>) -> bool {
        self.fields.is_none()
            && self.variables.is_empty()
            && !draws_lots(
                &input.environment.collections.catalog(),
                self.origin.namespace(),
                &self.stages,
            )
    }
}

/// The filter for documents whose field equals one of these values. As in a filter, an array means
/// its elements.
fn equal(
    local: &Path,
    foreign: &CString,
    document: &RawDocument,
    collation: Option<&Collation>,
) -> Result<Filter, PipelineError> {
    let mut values = RawArrayBuf::new();
    local.index_values(document, &mut |value| match value {
        // An index stores undefined for an empty array. Neither that nor a missing field adds a
        // value.
        None | Some(RawBsonRef::Undefined) => {}
        Some(value) => values.push(value),
    });
    // Without a value, as in an empty array, it is null.
    if values.is_empty() {
        values.push(RawBsonRef::Null);
    }
    among(foreign, values, collation)
}

/// The filter for documents whose field equals one of these values.
pub(super) fn among(
    foreign: &CString,
    values: RawArrayBuf,
    collation: Option<&Collation>,
) -> Result<Filter, PipelineError> {
    let mut test = RawDocumentBuf::new();
    let list: Vec<RawBsonRef<'_>> = values.into_iter().collect::<Result<_, _>>()?;
    match list.as_slice() {
        [one] => test.append(cstr!("$eq"), *one),
        // A pattern in a list would be matched, not compared.
        many if many.iter().any(|value| matches!(value, RawBsonRef::RegularExpression(_))) => {
            let mut any = RawArrayBuf::new();
            for value in many {
                let (mut one, mut of_field) = (RawDocumentBuf::new(), RawDocumentBuf::new());
                one.append(cstr!("$eq"), *value);
                of_field.append(foreign, one);
                any.push(of_field);
            }
            let mut filter = RawDocumentBuf::new();
            filter.append(cstr!("$or"), any);
            return Ok(Filter::parse_in(&filter, collation)?);
        }
        _ => test.append(cstr!("$in"), RawBson::Array(values)),
    }
    let mut filter = RawDocumentBuf::new();
    filter.append(foreign, test);
    Ok(Filter::parse_in(&filter, collation)?)
}

impl Stage for Lookup {
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RawDocumentBuf>, PipelineError> {
        let Some(document) = input.next_document()? else { return Ok(None) };
        let results = if let Some(results) = &self.same_for_all {
            Arc::clone(results)
        } else {
            let results = Arc::new(self.options.results(&document, input, &mut self.held)?);
            let is_same = || self.options.is_same_for_all(input);
            if *self.is_same_for_all.get_or_insert_with(is_same) {
                self.same_for_all = Some(Arc::clone(&results));
            }
            results
        };
        let mut array = RawArrayBuf::new();
        for result in &*results {
            array.push(&**result);
        }
        Ok(Some(self.options.into.set(&document, Some(RawBsonRef::Array(&array)))))
    }

    fn may_nest(&self) -> bool {
        true
    }
}
