//! `delete`: removes documents.

use bson::{Document, raw::RawDocument};

use super::{
    batch::Written,
    context::Context,
    error::{Answer, CommandError},
    field::{ignored, optional, required},
    insert::check_batch_size,
    modify::{self, Action, Modified},
    query::{Let, Query},
    request::{Request, missing_field},
    statement::{Shape, StatementField, check_statement, removes_all},
    table::{Command, Scope},
};
use crate::catalog::Namespace;

/// `{delete: collection, deletes: [{q, limit, hint, collation}], ordered, let}`
pub static COMMAND: Command = Command {
    name: "delete",
    aliases: &[],
    scope: Scope::Any,
    fields: &[
        required("deletes"),
        optional("ordered"),
        optional("let"),
        ignored("stmtId"),
        ignored("stmtIds"),
        ignored("isTimeseriesNamespace"),
    ],
    run,
};

const PLACE: &str = "delete.deletes";
const FIELDS: &[StatementField] = &[
    ("q", Shape::Object, true),
    ("limit", Shape::Limit, true),
    ("hint", Shape::Hint, false),
    ("collation", Shape::Object, false),
    ("sampleId", Shape::Any, false),
];

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let statements = request.documents("deletes")?;
    let is_ordered = request.bool_at("delete", "ordered", true)?;
    for statement in &statements {
        check_statement(PLACE, statement, FIELDS)?;
    }
    check_batch_size(statements.len())?;
    let variables = Let::read(request)?;
    let mut written = Written::default();
    for (index, statement) in statements.into_iter().enumerate() {
        let outcome = one_statement(context, request, &namespace, statement, &variables);
        let (done, error) = outcome.unwrap_or_else(|error| (Modified::default(), Some(error)));
        written.n += done.matched;
        if let Some(error) = error {
            written.errors.push(error.to_write_error(index));
            if is_ordered {
                break;
            }
        }
    }
    written.answer(Document::new())
}

fn one_statement(
    context: &Context,
    request: &Request<'_>,
    namespace: &Namespace,
    statement: &RawDocument,
    variables: &Let,
) -> Result<(Modified, Option<CommandError>), CommandError> {
    let fields = request.within(statement);
    let Some(filter) = fields.document("q")? else { return Err(missing_field(PLACE, "q")) };
    let Some(limit) = fields.document.get("limit")? else {
        return Err(missing_field(PLACE, "limit"));
    };
    let is_multi = removes_all(limit)?;
    delete(context, namespace, Query::of_statement(&fields, filter, variables)?, is_multi)
}

/// Removes the first document that matches, or all.
///
/// # Errors
/// Why nothing was removed; what ended it later stands beside what was done.
pub fn delete(
    context: &Context,
    namespace: &Namespace,
    mut query: Query,
    is_multi: bool,
) -> Result<(Modified, Option<CommandError>), CommandError> {
    if is_multi {
        return modify::all(context, namespace, &query, &Action::Delete);
    }
    query.target.limit = Some(1);
    let done = modify::first(context, namespace, &query, &Action::Delete, false)?;
    Ok((done, None))
}
