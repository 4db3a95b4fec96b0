//! `delete`: removes documents.

use bson::{Document, raw::RawDocument};

use crate::{
    catalog::Namespace,
    command::core::{
        Answer, Command, CommandError, Context, LetVariables, Query, Request, fields,
        missing_field,
        write::{
            insert_documents::check_batch_size,
            statement_fields::{FieldShape, StatementField, check_statement, removes_all},
            write_matching::{StatementResult, delete},
            write_reply::WriteReply,
        },
    },
};

fields! {
    struct DeleteFields<'r> from Request<'r> {
        required "deletes": documents => statements Vec<&'r RawDocument>,
        optional "ordered": bool_or(true) => is_ordered bool,
        ignored "bypassDocumentValidation": flag,
        optional "let",
        ignored "stmtId",
        ignored "stmtIds",
        ignored "isTimeseriesNamespace",
    }
}

/// `{delete: collection, deletes: [{q, limit, hint, collation}], ordered, let}`
pub static COMMAND: Command = Command::any("delete", DeleteFields::FIELDS, run);

const PLACE: &str = "delete.deletes";
const FIELDS: &[StatementField] = &[
    ("q", FieldShape::Object, true),
    ("limit", FieldShape::Limit, true),
    ("hint", FieldShape::Hint, false),
    ("collation", FieldShape::Object, false),
    ("sampleId", FieldShape::Any, false),
];

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let DeleteFields { statements, is_ordered } = DeleteFields::read(request)?;
    // The shapes of all statements are checked before the first one deletes anything.
    for statement in &statements {
        check_statement(PLACE, statement, FIELDS)?;
    }
    check_batch_size(statements.len())?;
    let variables = LetVariables::read(context, request)?;
    let mut written = WriteReply::default();
    written.run(
        (&statements, is_ordered),
        |statement| one_statement(context, request, &namespace, statement, &variables),
        |_, _| {},
    );
    written.answer(Document::new())
}

fn one_statement(
    context: &Context,
    request: &Request<'_>,
    namespace: &Namespace,
    statement: &RawDocument,
    variables: &LetVariables,
) -> Result<(StatementResult, Option<CommandError>), CommandError> {
    let fields = request.within(statement);
    let Some(filter) = fields.document("q")? else { return Err(missing_field(PLACE, "q")) };
    let Some(limit) = fields.document.get("limit")? else {
        return Err(missing_field(PLACE, "limit"));
    };
    let is_multi = removes_all(limit)?;
    let variables = variables.for_statement(&fields)?;
    delete(context, namespace, Query::of_statement(&fields, filter, &variables)?, is_multi)
}

#[cfg(test)]
mod tests {
    use crate::command::testing::Lab;

    #[test]
    fn a_delete_takes_the_option_of_every_bulk_write() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1}]}");
        let delete =
            |option: &str| format!("{{delete: 'c', deletes: [{{q: {{}}, limit: 1}}], {option}}}");
        lab.check(&delete("bypassDocumentValidation: 'x'"), "{code: 14}");
        lab.check(&delete("bypassDocumentValidation: true"), "{n: 1}");
    }
}
