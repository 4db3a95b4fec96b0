//! `$setWindowFields`: values that a document gets from those around it.
//!
//! All documents are held, as for a `$sort`. Partitions are computed one after the other, and the
//! values of each document when it is asked for.

mod bounds;
mod fold;
mod formula;
mod function;
mod parse;
mod partition;

use std::{collections::VecDeque, sync::Arc};

use bson::{
    RawDocumentBuf,
    raw::{CStr, RawBson, RawBsonRef},
};
use function::{Function, Progress, Surroundings};
use parse::Setting;
use partition::Partition;

use super::server::wrong_type;
use crate::{
    interrupt::sort_by,
    pipeline::{
        PipelineError,
        accumulator::value_bytes,
        error::fail,
        flow::{Fresh, Input, Stage},
        memory::MemoryBudget,
        text::kind,
    },
    query::{Code, Context, Expression, QueryError, Reshape, Scope, Sort, SortKey, VariableNames},
    value::{Direction, key::encode_in},
};

const NAME: &str = "$setWindowFields";

/// `$setWindowFields`
pub(in crate::pipeline) struct WindowFields {
    options: Arc<Options>,
    /// The rows that are left, once all are read and sorted.
    rows: Option<VecDeque<Row>>,
    open: Option<OpenPartition>,
    held: MemoryBudget,
}

struct Options {
    partition: Option<Expression>,
    sort: Option<Sort>,
    /// The value of the only field of `sort`.
    place: Option<Expression>,
    functions: Vec<Function>,
    /// Sets the output fields to the variables that [`variable`] names; `None` without a field.
    output: Option<Reshape>,
}

/// A document with its place.
struct Row {
    partition: Vec<u8>,
    key: Option<SortKey>,
    document: RawDocumentBuf,
}

struct OpenPartition {
    partition: Partition,
    progress: Vec<Progress>,
    at: usize,
}

/// The arguments as they were given.
#[derive(Default)]
struct WindowArguments<'d> {
    partition: Option<RawBsonRef<'d>>,
    sort: Option<&'d bson::RawDocument>,
    output: Option<&'d bson::RawDocument>,
}

impl<'d> WindowArguments<'d> {
    fn read(value: RawBsonRef<'d>) -> Result<Self, PipelineError> {
        let RawBsonRef::Document(spec) = value else {
            let found = kind(value);
            let message =
                format!("the {NAME} stage specification must be an object, found {found}");
            return fail(Code::FAILED_TO_PARSE, message);
        };
        let mut given = Self::default();
        for element in spec {
            let (name, value) = element?;
            match (name.as_str(), value) {
                ("partitionBy", value) => given.partition = Some(value),
                ("sortBy", RawBsonRef::Document(sort)) => given.sort = Some(sort),
                ("output", RawBsonRef::Document(output)) => given.output = Some(output),
                (name @ ("sortBy" | "output"), other) => {
                    return Err(wrong_type(&format!("{NAME}.{name}"), other, "object"));
                }
                (other, _) => {
                    let message = format!("BSON field '{NAME}.{other}' is an unknown field.");
                    return fail(Code::IDL_UNKNOWN_FIELD, message);
                }
            }
        }
        Ok(given)
    }
}

impl WindowFields {
    pub(in crate::pipeline) fn parse(
        value: RawBsonRef<'_>,
        names: &VariableNames,
    ) -> Result<Self, PipelineError> {
        let given = WindowArguments::read(value)?;
        let Some(output) = given.output else {
            let message = format!("BSON field '{NAME}.output' is missing but a required field");
            return fail(Code::IDL_FAILED_TO_PARSE, message);
        };
        let partition = given.partition.map(|value| Expression::parse(value, names)).transpose()?;
        if let Some(Some(RawBsonRef::Array(_))) = partition.as_ref().and_then(Expression::constant)
        {
            return Err(array_partition());
        }
        let sort = given.sort.map(|sort| Sort::parse_in(sort, names.collation())).transpose()?;
        let sort = sort.flatten();
        let place = match sort.as_ref().map(Sort::fields) {
            Some([(path, _)]) => {
                let path = format!("${}", path.as_str());
                Some(Expression::parse(RawBsonRef::String(&path), names)?)
            }
            _ => None,
        };
        let setting = Setting { sort: sort.as_ref(), names };
        let mut functions = Vec::new();
        for element in output {
            let (field, value) = element?;
            functions.push(parse::function(field.as_str(), value, setting)?);
        }
        let output = setter(output)?;
        let options = Options { partition, sort, place, functions, output };
        Ok(Self {
            options: Arc::new(options),
            rows: None,
            open: None,
            held: MemoryBudget::default(),
        })
    }

    /// All documents, by partition and then in the order of `sortBy`.
    fn all(&mut self, input: &mut Input<'_>) -> Result<VecDeque<Row>, PipelineError> {
        let options = Arc::clone(&self.options);
        let mut rows = Vec::new();
        while let Some(document) = input.next_document()? {
            let partition = match &options.partition {
                None => Vec::new(),
                Some(expression) => {
                    let value = expression.evaluate(&Scope::new(&document, input.context))?;
                    if let Some(RawBsonRef::Array(_)) = value.as_ref() {
                        return Err(array_partition());
                    }
                    let collation = input.context.collation.as_ref();
                    // A missing value and null are one partition.
                    encode_in(value.as_ref(), Direction::Ascending, collation).bytes
                }
            };
            let key = options.sort.as_ref().map(|sort| sort.key(&document)).transpose()?;
            let bytes = partition.len()
                + key.as_ref().map_or(0, SortKey::size_bytes)
                + document.as_bytes().len();
            self.held.add(NAME, bytes)?;
            rows.push(Row { partition, key, document });
        }
        let by_place =
            |a: &Row, b: &Row| a.partition.cmp(&b.partition).then_with(|| a.key.cmp(&b.key));
        if options.partition.is_some() || options.sort.is_some() {
            rows = sort_by(rows, by_place).map_err(QueryError::from)?;
        }
        Ok(rows.into())
    }

    /// Takes the rows of the next partition.
    fn next_partition(
        &mut self,
        context: &Context,
    ) -> Result<Option<OpenPartition>, PipelineError> {
        let Some(rows) = &mut self.rows else { return Ok(None) };
        let Some(first) = rows.front().map(|row| row.partition.clone()) else { return Ok(None) };
        let (mut documents, mut keys, mut places) = (Vec::new(), Vec::new(), Vec::new());
        while rows.front().is_some_and(|row| row.partition == first) {
            let Some(Row { key, document, .. }) = rows.pop_front() else { break };
            if let Some(place) = &self.options.place {
                let value = place.evaluate(&Scope::new(&document, context))?;
                let value = value.into_owned().unwrap_or(RawBson::Null);
                self.held.add(NAME, value_bytes(value.as_raw_bson_ref()))?;
                places.push(value);
            }
            documents.push(document);
            keys.push(key);
        }
        let partition = Partition::new((documents, keys), places);
        let progress = self.options.functions.iter().map(|_| Progress::default()).collect();
        Ok(Some(OpenPartition { partition, progress, at: 0 }))
    }
}

fn array_partition() -> PipelineError {
    PipelineError::stage(
        Code::TYPE_MISMATCH,
        "An expression used to partition cannot evaluate to value of type array",
    )
}

/// The variable with the value of the output field at this position.
fn variable(at: usize) -> String {
    format!("w{at}")
}

/// `$addFields` of the output fields.
fn setter(output: &bson::RawDocument) -> Result<Option<Reshape>, PipelineError> {
    let (mut fields, mut names) = (RawDocumentBuf::new(), VariableNames::default());
    for (at, element) in output.into_iter().enumerate() {
        let (field, _) = element?;
        let (field, variable): (&CStr, _) = (field, variable(at));
        fields.append(field, format!("$${variable}"));
        names = names.with(&variable);
    }
    if fields.is_empty() {
        return Ok(None);
    }
    match Reshape::parse("$addFields", RawBsonRef::Document(&fields), &names) {
        // The number that `$addFields` has for fields that are parts of each other.
        Err(error) if error.code == Code(40176) => {
            fail(6307900, format!("{NAME} 'output' specification contains two conflicting paths"))
        }
        parsed => Ok(parsed?),
    }
}

impl OpenPartition {
    fn next(
        &mut self,
        options: &Options,
        context: &Context,
        held: &mut MemoryBudget,
    ) -> Result<Option<RawDocumentBuf>, PipelineError> {
        let Self { partition, progress, at } = self;
        let Some(document) = partition.document(*at) else { return Ok(None) };
        let Some(output) = &options.output else {
            *at += 1;
            return Ok(Some(document.clone()));
        };
        let mut values = Vec::with_capacity(options.functions.len());
        for (place, (function, progress)) in
            options.functions.iter().zip(progress.iter_mut()).enumerate()
        {
            let mut around = Surroundings { partition, context, held: &mut *held };
            values.push((variable(place), function.value(*at, progress, &mut around)?));
        }
        let set = values
            .into_iter()
            .fold(Context::default(), |set, (name, value)| set.with_variable(&name, value));
        let document = output.apply(document, &set)?;
        *at += 1;
        Ok(Some(document))
    }
}

impl Fresh for WindowFields {
    fn fresh(&self) -> Box<dyn Stage> {
        Box::new(Self {
            options: Arc::clone(&self.options),
            rows: None,
            open: None,
            held: MemoryBudget::default(),
        })
    }
}

impl Stage for WindowFields {
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RawDocumentBuf>, PipelineError> {
        if self.rows.is_none() {
            self.rows = Some(self.all(input)?);
        }
        loop {
            if let Some(open) = &mut self.open
                && let Some(document) = open.next(&self.options, input.context, &mut self.held)?
            {
                return Ok(Some(document));
            }
            self.open = self.next_partition(input.context)?;
            if self.open.is_none() {
                return Ok(None);
            }
        }
    }

    fn may_nest(&self) -> bool {
        true
    }
}
