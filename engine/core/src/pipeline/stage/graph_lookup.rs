//! `$graphLookup`.

use std::{collections::HashSet, sync::Arc};

use bson::{
    RawArrayBuf, RawDocumentBuf,
    raw::{CString, RawBson, RawBsonRef, RawDocument, cstr},
};

use super::{Match, lookup::among};
use crate::pipeline::flow::{Input, Stage};
use crate::{
    limits::GRAPH_VALUES_PER_SEARCH_MAX,
    pipeline::{
        Origin, ParseContext, Pipeline, PipelineError, Run,
        accumulator::value_bytes,
        edit::FieldPath,
        error::fail,
        memory::MemoryBudget,
        parse_context::Nesting,
        text::{kind, shown},
    },
    query::{Code, Expression, Filter, Scope, filter::number::as_double},
    value::{Collation, Direction, Path, key::encode_in},
};

const NAME: &str = "$graphLookup";

/// `$graphLookup`: the documents of another collection that each one reaches over any number of
/// steps.
#[derive(Clone)]
pub(in crate::pipeline) struct GraphLookup {
    options: Arc<Options>,
}

struct Options {
    origin: Origin,
    start_with: Expression,
    connect_from: Path,
    connect_to: CString,
    into: FieldPath,
    depth_max: Option<u64>,
    depth_field: Option<FieldPath>,
    /// `restrictSearchWithMatch`, as a pipeline.
    restriction: Pipeline,
}

/// The arguments as they were given.
#[derive(Default)]
struct GraphArguments<'d> {
    from: Option<&'d str>,
    start_with: Option<RawBsonRef<'d>>,
    connect_from: Option<&'d str>,
    connect_to: Option<&'d str>,
    into: Option<&'d str>,
    depth_max: Option<u64>,
    depth_field: Option<&'d str>,
    restriction: Option<&'d RawDocument>,
}

impl<'d> GraphArguments<'d> {
    fn read(options: &'d RawDocument) -> Result<Self, PipelineError> {
        let mut given = Self::default();
        for element in options {
            let (name, value) = element?;
            match (name.as_str(), value) {
                ("startWith", value) => given.start_with = Some(value),
                ("maxDepth", value) => given.depth_max = Some(depth(value)?),
                ("restrictSearchWithMatch", RawBsonRef::Document(filter)) => {
                    given.restriction = Some(filter);
                }
                ("restrictSearchWithMatch", other) => {
                    let found = kind(other);
                    let message =
                        format!("restrictSearchWithMatch must be an object, found {found}");
                    return fail(40185, message);
                }
                ("from", RawBsonRef::String(text)) => given.from = Some(text),
                ("from", other) => {
                    let found = kind(other);
                    let message =
                        format!("{NAME} 'from' field must be a string, but found {found}");
                    return fail(Code::FAILED_TO_PARSE, message);
                }
                ("as", RawBsonRef::String(text)) => given.into = Some(text),
                ("connectFromField", RawBsonRef::String(text)) => given.connect_from = Some(text),
                ("connectToField", RawBsonRef::String(text)) => given.connect_to = Some(text),
                ("depthField", RawBsonRef::String(text)) => given.depth_field = Some(text),
                (name @ ("as" | "connectFromField" | "connectToField" | "depthField"), other) => {
                    let found = kind(other);
                    let message = format!("expected string as argument for {name}, found: {found}");
                    return fail(40103, message);
                }
                (other, _) => return fail(40104, format!("Unknown argument to {NAME}: {other}")),
            }
        }
        Ok(given)
    }
}

fn depth(value: RawBsonRef<'_>) -> Result<u64, PipelineError> {
    let Some(number) = as_double(value) else {
        let message = format!("maxDepth requires numeric argument, found type: {}", kind(value));
        return fail(40100, message);
    };
    if number < 0.0 {
        let message = format!("maxDepth requires a nonnegative argument, found: {}", shown(value));
        return fail(40101, message);
    }
    // The first double that no long has.
    if number.fract() != 0.0 || number >= 9_223_372_036_854_775_808.0 {
        return fail(
            40102,
            format!("maxDepth could not be represented as a long long: {}", shown(value)),
        );
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    let depth = number as u64;
    Ok(depth)
}

impl GraphLookup {
    pub(in crate::pipeline) fn parse(
        value: RawBsonRef<'_>,
        reading: &ParseContext<'_>,
    ) -> Result<Self, PipelineError> {
        let RawBsonRef::Document(options) = value else {
            let found = kind(value);
            return fail(
                Code::FAILED_TO_PARSE,
                format!("the {NAME} stage specification must be an object, but found {found}"),
            );
        };
        let given = GraphArguments::read(options)?;
        let (Some(from), Some(start_with), Some(connect_from), Some(connect_to), Some(into)) = (
            given.from,
            given.start_with,
            given.connect_from,
            given.connect_to,
            given.into.filter(|into| !into.is_empty()),
        ) else {
            return fail(
                40105,
                format!(
                    "{NAME} requires 'from', 'as', 'startWith', 'connectFromField', and \
                     'connectToField' to be specified."
                ),
            );
        };
        let inner = reading.within(Nesting::Lookup)?;
        let mut stage = RawDocumentBuf::new();
        stage.append(cstr!("$match"), given.restriction.unwrap_or(&RawDocumentBuf::new()));
        let restriction = Pipeline::parse(&[&*stage], &inner)?;
        FieldPath::parse(connect_from)?;
        FieldPath::parse(connect_to)?;
        let connect_from = Path::parse(connect_from)
            .map_err(|error| PipelineError::stage(Code::FAILED_TO_PARSE, error.to_string()))?;
        let options = Options {
            origin: Origin::collection(reading.db, from)?,
            start_with: Expression::parse(start_with, &reading.names)?,
            connect_from,
            connect_to: CString::try_from(connect_to)?,
            into: FieldPath::parse(into)?,
            depth_max: given.depth_max,
            depth_field: given.depth_field.map(FieldPath::parse).transpose()?,
            restriction,
        };
        Ok(Self { options: Arc::new(options) })
    }
}

/// The search for one document, breadth first.
struct GraphSearch<'s> {
    options: &'s Options,
    collation: Option<&'s Collation>,
    /// The keys of the `_id`s of `found`.
    found_ids: HashSet<Vec<u8>>,
    found: Vec<RawDocumentBuf>,
    /// The keys of all values that were looked for, or are next.
    known: HashSet<Vec<u8>>,
    /// The values to look for next.
    frontier: Vec<RawBson>,
    held: MemoryBudget,
}

impl GraphSearch<'_> {
    /// Looks for this value in the next step, unless the search has looked for it.
    fn reach(&mut self, value: RawBsonRef<'_>) -> Result<(), PipelineError> {
        let key = encode_in(Some(value), Direction::Ascending, self.collation).bytes;
        if self.known.contains(&key) {
            return Ok(());
        }
        self.held.add(NAME, key.len() + value_bytes(value))?;
        self.known.insert(key);
        self.frontier.push(value.into());
        Ok(())
    }

    /// Finds the documents of one step, and the values of the next one.
    fn step(&mut self, depth: u64, input: &Input<'_>) -> Result<(), PipelineError> {
        let values = std::mem::take(&mut self.frontier);
        let environment = &input.environment.within()?;
        for values in values.chunks(GRAPH_VALUES_PER_SEARCH_MAX) {
            let filter = connected(&self.options.connect_to, values, self.collation)?;
            let mut run = Run::open_after(
                environment,
                &self.options.origin,
                &self.options.restriction,
                Box::new(Match::of(filter)),
                Arc::clone(input.context),
            )?;
            while let Some(document) = run.advance(environment)? {
                self.add(&document, depth)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, document: &RawDocument, depth: u64) -> Result<(), PipelineError> {
        let Some(id) = document.get("_id")? else {
            return fail(
                40271,
                format!(
                    "Documents in the '{}' namespace must contain an _id for de-duplication in \
                     {NAME}",
                    self.options.origin.namespace()
                ),
            );
        };
        let key = encode_in(Some(id), Direction::Ascending, self.collation).bytes;
        if self.found_ids.contains(&key) {
            return Ok(());
        }
        let mut next = Vec::new();
        self.options.connect_from.index_values(document, &mut |value| match value {
            // Neither an empty array, for which an index stores undefined, nor a missing field
            // leads anywhere.
            None | Some(RawBsonRef::Undefined) => {}
            Some(value) => next.push(value),
        });
        for value in next {
            self.reach(value)?;
        }
        let found = match &self.options.depth_field {
            Some(field) => {
                let depth = RawBsonRef::Int64(i64::try_from(depth).unwrap_or(i64::MAX));
                field.set(document, Some(depth))
            }
            None => document.to_owned(),
        };
        self.held.add(NAME, key.len() + found.as_bytes().len())?;
        self.found_ids.insert(key);
        self.found.push(found);
        Ok(())
    }
}

/// The filter for documents whose field equals one of these values. A document without the field
/// doesn't equal null here.
fn connected(
    field: &CString,
    values: &[RawBson],
    collation: Option<&Collation>,
) -> Result<Filter, PipelineError> {
    let mut list = RawArrayBuf::new();
    for value in values {
        list.push(value.as_raw_bson_ref());
    }
    let equal = among(field, list, collation)?;
    if !values.iter().any(|value| matches!(value, RawBson::Null)) {
        return Ok(equal);
    }
    let (mut exists, mut of_field) = (RawDocumentBuf::new(), RawDocumentBuf::new());
    exists.append(cstr!("$exists"), true);
    of_field.append(field, exists);
    let mut both = RawArrayBuf::new();
    both.push(equal.source());
    both.push(&*of_field);
    let mut filter = RawDocumentBuf::new();
    filter.append(cstr!("$and"), both);
    Ok(Filter::parse_in(&filter, collation)?)
}

impl Stage for GraphLookup {
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RawDocumentBuf>, PipelineError> {
        let Some(document) = input.next_document()? else { return Ok(None) };
        let options = &*self.options;
        let mut search = GraphSearch {
            options,
            collation: input.context.collation.as_ref(),
            found_ids: HashSet::new(),
            found: Vec::new(),
            known: HashSet::new(),
            frontier: Vec::new(),
            held: MemoryBudget::default(),
        };
        let start = options.start_with.evaluate(&Scope::new(&document, input.context))?;
        match start.as_ref() {
            None => {}
            // Each element is another start.
            Some(RawBsonRef::Array(values)) => {
                for value in values {
                    search.reach(value?)?;
                }
            }
            Some(value) => search.reach(value)?,
        }
        let mut depth = 0;
        while !search.frontier.is_empty() && options.depth_max.is_none_or(|max| depth <= max) {
            search.step(depth, input)?;
            depth += 1;
        }
        let mut array = RawArrayBuf::new();
        for found in &search.found {
            array.push(&**found);
        }
        Ok(Some(options.into.set(&document, Some(RawBsonRef::Array(&array)))))
    }

    fn may_nest(&self) -> bool {
        true
    }
}
