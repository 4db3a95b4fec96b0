//! `update`: changes documents.

use bson::{Bson, Document, doc, raw::RawDocument};

use crate::command::core::{
    Answer, Command, Context, LetVariables, Request, fields, shortest,
    write::{
        insert_documents::check_batch_size,
        statement_fields::{FieldShape, StatementField},
        update_statement::{UPDATE_NAMES, UpdateStatement, check_shape},
        write_reply::WriteReply,
    },
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
    written.run(
        (&statements, is_ordered),
        |statement| {
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
