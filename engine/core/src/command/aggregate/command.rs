//! The command: its fields, and running the pipeline.

use super::{
    aggregation::Aggregation,
    explain_pipeline::explain,
    explain_reply::{Verbosity, surroundings},
    out,
};
use crate::{
    command::core::{
        Answer, Command, CommandError, Context, Cursor, Request, cursor::cursors::CursorSource,
        given, ignored, optional, raw, server_rows::ServerFacts, unknown_field,
    },
    pipeline::Environment,
};

/// `{aggregate: collection | 1, pipeline, cursor: {batchSize}, explain, hint, let}`
pub static COMMAND: Command = Command::any(
    "aggregate",
    &[
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
);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    request.bool_or("allowDiskUse", false)?;
    let aggregation = Aggregation::read(context, request)?;
    if request.flag("explain")? {
        let mut reply = explain(context, request, Verbosity::QueryPlanner)?;
        reply.extend(surroundings(request, request.document)?);
        return raw(&reply);
    }
    // MongoDB requires the option since 3.6, even as an empty document.
    let Some(cursor) = request.document("cursor")? else {
        return Err(CommandError::failed_to_parse(
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
    let source = CursorSource::Pipeline { run: Box::new(run), client: request.client.clone() };
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
            return Err(unknown_field(&place, name));
        }
    }
    Ok(())
}
