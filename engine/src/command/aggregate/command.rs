//! The command: its fields, and running the pipeline.

use std::sync::Arc;

use bson::{
    RawDocumentBuf,
    raw::{RawBson, RawBsonRef},
};

use super::{explained::explain, out, rows::ServerFacts};
use crate::{
    command::{
        context::Context,
        cursors::{Cursor, Source},
        error::{Answer, Code, CommandError},
        explain::{Verbosity, surroundings},
        field::{given, ignored, optional},
        query::{check_collation, read_hint},
        request::{Request, missing_field},
        table::{Command, Scope},
    },
    pipeline::{Environment, Origin, Pipeline, Reading, Run},
    query::{self, Expression, VariableNames},
};

/// `{aggregate: collection | 1, pipeline, cursor: {batchSize}, explain, hint, let}`
pub static COMMAND: Command = Command {
    name: "aggregate",
    aliases: &[],
    scope: Scope::Any,
    fields: &[
        given("pipeline"),
        optional("cursor"),
        optional("explain"),
        optional("hint"),
        optional("let"),
        optional("collation"),
        ignored("allowDiskUse"),
        ignored("bypassDocumentValidation"),
        ignored("bypassEmptyTsReplacement"),
        ignored("needsMerge"),
        ignored("fromMongos"),
    ],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let aggregation = Aggregation::read(request)?;
    if request.flag("explain")? {
        let mut reply = explain(context, request, Verbosity::QueryPlanner)?;
        reply.extend(surroundings(request, request.document)?);
        return crate::command::run::raw(&reply);
    }
    let Some(cursor) = request.document("cursor")? else {
        return Err(CommandError::new(
            Code::FAILED_TO_PARSE,
            "The 'cursor' option is given, except for aggregate with the explain argument",
        ));
    };
    check_cursor_options(request, cursor)?;
    let batch_size = request.within(cursor).count("batchSize")?;
    let rows = ServerFacts { context, client: request.client };
    let environment = Environment::new(&context.collections, &rows);
    let mut run = aggregation.open(&environment)?;
    let ns = aggregation.origin.namespace().to_string();
    if let Some(output) = aggregation.pipeline.output() {
        out::write(context, &environment, &mut run, output)?;
        return Cursor::ready(ns, []).first_batch(context, batch_size, true);
    }
    let source = Source::Pipeline { run: Box::new(run), client: request.client.clone() };
    Cursor::new(ns, source).first_batch(context, batch_size, false)
}

fn check_cursor_options(
    request: &Request<'_>,
    cursor: &bson::raw::RawDocument,
) -> Result<(), CommandError> {
    for element in cursor {
        let name = element?.0.as_str();
        if name != "batchSize" {
            let place = format!("{}.cursor", request.name);
            return Err(crate::command::request::unknown_field(&place, name));
        }
    }
    Ok(())
}

/// What is asked for.
pub(super) struct Aggregation {
    /// What is read first.
    pub(super) origin: Origin,
    /// The stages.
    pub(super) pipeline: Pipeline,
    hint: Option<crate::plan::Hint>,
    now_ms: i64,
    variables: Vec<(String, Option<RawBson>)>,
}

impl Aggregation {
    /// Reads the fields of the command.
    pub(super) fn read(request: &Request<'_>) -> Result<Self, CommandError> {
        let origin = origin(request)?;
        check_collation(request)?;
        let stages = match request.get("pipeline")? {
            None => return Err(missing_field(request.name, "pipeline")),
            Some(RawBsonRef::Array(array)) => array
                .into_iter()
                .map(|item| match item? {
                    RawBsonRef::Document(stage) => Ok(stage),
                    _ => Err(CommandError::new(
                        Code::TYPE_MISMATCH,
                        "Each element of the 'pipeline' array must be an object",
                    )),
                })
                .collect::<Result<Vec<_>, CommandError>>()?,
            Some(_) => {
                return Err(CommandError::new(
                    Code::TYPE_MISMATCH,
                    "'pipeline' option must be specified as an array",
                ));
            }
        };
        let (names, variables) = read_let(request)?;
        let pipeline = Pipeline::parse(&stages, &Reading::of_command(request.db, names))?;
        pipeline.check_origin(&origin)?;
        let hint = read_hint(request.get("hint")?)?;
        Ok(Self { origin, pipeline, hint, now_ms: request.now_ms, variables })
    }

    /// Begins to run it.
    pub(super) fn open(&self, environment: &Environment<'_>) -> Result<Run, CommandError> {
        let mut seen = query::Context::at(self.now_ms);
        seen.variables.clone_from(&self.variables);
        let hint = self.hint.as_ref();
        Ok(Run::open(environment, &self.origin, &self.pipeline, hint, Arc::new(seen))?)
    }
}

/// Whether an expression names a field, or the document itself. Text that begins with a dollar is a path
/// wherever an expression has it, but for what `$literal` keeps.
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

fn origin(request: &Request<'_>) -> Result<Origin, CommandError> {
    match request.first()? {
        RawBsonRef::String(_) => Ok(Origin::Collection(request.namespace()?)),
        RawBsonRef::Int32(1) | RawBsonRef::Int64(1) => Ok(Origin::database(request.db)),
        RawBsonRef::Double(number) if (number - 1.0).abs() < f64::EPSILON => {
            Ok(Origin::database(request.db))
        }
        _ => Err(CommandError::new(
            Code::FAILED_TO_PARSE,
            "Invalid command format: the 'aggregate' field must specify a collection name or 1",
        )),
    }
}

type Variables = Vec<(String, Option<RawBson>)>;

/// The names and values of a command's `let`, which are the same for all documents.
///
/// # Errors
/// A bad name, and what an expression meets.
pub(in crate::command) fn read_let(
    request: &Request<'_>,
) -> Result<(VariableNames, Variables), CommandError> {
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
