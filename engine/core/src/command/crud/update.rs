//! `update`: changes documents.

use std::collections::VecDeque;

use bson::{
    Bson, Document, doc,
    raw::{CStr, RawBsonRef, RawDocument},
};

use crate::{
    command::core::{
        Answer, Command, Context, LetVariables, Query, Request, fields, shortest,
        write::{
            insert_documents::check_batch_size,
            statement_fields::{FieldShape, StatementField},
            update_statement::{UPDATE_NAMES, UpdateStatement, check_shape},
            write_matching::first_of_each,
            write_reply::WriteReply,
        },
    },
    query::Update,
};

fields! {
    struct UpdateFields<'r> from Request<'r> {
        required "updates": documents => statements Vec<&'r RawDocument>,
        optional "ordered": bool_or(true) => is_ordered bool,
        ignored "bypassDocumentValidation": flag,
        ignored "bypassEmptyTsReplacement",
        optional "let",
        ignored "stmtId",
        ignored "stmtIds",
        ignored "isTimeseriesNamespace",
    }
}

/// `{update: collection, updates: [{q, u, c, multi, upsert, arrayFilters, hint, sort, collation}],
/// ordered, let}`
pub static COMMAND: Command = Command::any("update", UpdateFields::FIELDS, run);

const FIELDS: &[StatementField] = &[
    ("q", FieldShape::Object, true),
    ("u", FieldShape::Update, true),
    ("c", FieldShape::Object, false),
    ("multi", FieldShape::Bool, false),
    ("upsert", FieldShape::Bool, false),
    ("upsertSupplied", FieldShape::Bool, false),
    ("arrayFilters", FieldShape::Objects, false),
    ("hint", FieldShape::Hint, false),
    ("sort", FieldShape::Object, false),
    ("collation", FieldShape::Object, false),
    ("sampleId", FieldShape::Any, false),
    ("allowShardKeyUpdatesWithoutFullShardKeyInQuery", FieldShape::Any, false),
];

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let UpdateFields { statements, is_ordered } = UpdateFields::read(request)?;
    for statement in &statements {
        check_shape(&UPDATE_NAMES, &request.within(statement), FIELDS)?;
    }
    check_batch_size(statements.len())?;
    let variables = LetVariables::read(context, request)?;
    let mut written = WriteReply::default();
    let (mut changed, mut upserted) = (0, Vec::new());
    let (mut rest, mut ahead) = (statements.as_slice(), VecDeque::new());
    written.run(
        (&statements, is_ordered),
        |statement| {
            // One flush to the disk costs more than many replacements, so statements in a row share
            // a transaction.
            if ahead.is_empty() {
                let together = replacements(request, rest, &variables, context);
                // Changes that can't be made together are made one by one, and fail for themselves.
                if !together.is_empty() {
                    let done = first_of_each(context, &namespace, &together, is_ordered);
                    ahead.extend(done.unwrap_or_default());
                }
            }
            rest = rest.get(1..).unwrap_or_default();
            if let Some(done) = ahead.pop_front() {
                return done.map(|done| (done, None));
            }
            UpdateStatement::read(&request.within(statement), &UPDATE_NAMES, &variables)?
                .run(context, &namespace)
        },
        |index, done| {
            changed += done.changed;
            let index = i32::try_from(index).unwrap_or(i32::MAX);
            upserted.extend(done.upserted.map(|id| doc! { "index": index, "_id": id }));
        },
    );
    let mut more = Document::new();
    if !upserted.is_empty() {
        more.insert("upserted", Bson::from(upserted));
    }
    more.insert("nModified", shortest(changed));
    written.answer(more)
}

/// The first statements, if there are at least two that each replace the document with an `_id`.
fn replacements(
    request: &Request<'_>,
    statements: &[&RawDocument],
    variables: &LetVariables,
    context: &Context,
) -> Vec<(Query, Update)> {
    let read = |statement: &RawDocument| {
        if !is_of_id(statement) {
            return None;
        }
        let read = UpdateStatement::read(&request.within(statement), &UPDATE_NAMES, variables);
        let UpdateStatement { mut query, update, is_multi, is_upsert } = read.ok()?;
        query.target.limit = Some(1);
        // The search for an `_id` is short, so it may be in a write transaction.
        (update.is_replacement() && !is_multi && !is_upsert).then_some((query, update))
    };
    let some = statements.iter().take(context.collections.store().batch_docs());
    // The first statement of another kind ends the run, because statements take effect in order.
    let found: Vec<_> = some.map_while(|statement| read(statement)).collect();
    if found.len() > 1 { found } else { Vec::new() }
}

/// Whether a statement has no more than an update, and a filter for an `_id`.
fn is_of_id(statement: &RawDocument) -> bool {
    let is_known = |name: &CStr| matches!(name.as_str(), "q" | "u" | "multi" | "upsert");
    let has_others = statement.iter().any(|field| !field.is_ok_and(|(name, _)| is_known(name)));
    let Ok(filter) = statement.get_document("q") else { return false };
    let mut fields = filter.iter();
    let (Some(Ok((name, value))), None) = (fields.next(), fields.next()) else { return false };
    let is_equal = match value {
        RawBsonRef::Document(test) => test.iter().all(|test| test.is_ok_and(|(op, _)| op == "$eq")),
        RawBsonRef::RegularExpression(_) => false,
        _ => true,
    };
    !has_others && name == "_id" && is_equal
}
