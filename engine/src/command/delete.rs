//! `delete`: removes documents.

use bson::{Document, raw::RawDocument};

use super::{
    batch::Written,
    context::Context,
    error::{Answer, Code, CommandError},
    field::{ignored, optional, required, unsupported},
    insert::check_batch_size,
    modify::{self, Action, Modified, check_statement},
    query::{Query, read_hint},
    request::{Request, missing_field},
    table::{Command, Scope},
};
use crate::{
    catalog::Namespace,
    query::{Filter, VariableNames},
};

/// `{delete: collection, deletes: [{q, limit, hint}], ordered}`
pub static COMMAND: Command = Command {
    name: "delete",
    aliases: &[],
    scope: Scope::Any,
    fields: &[required("deletes"), optional("ordered"), ignored("stmtIds"), unsupported("let")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let statements = request.documents("deletes")?;
    check_batch_size(statements.len())?;
    let is_ordered = request.flag_or("ordered", true)?;
    let mut written = Written::default();
    for (index, statement) in statements.into_iter().enumerate() {
        let outcome = one_statement(context, request, &namespace, statement);
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
) -> Result<(Modified, Option<CommandError>), CommandError> {
    check_statement("delete.deletes", statement, &["q", "limit", "hint"], &["collation"])?;
    let fields = request.within(statement);
    let Some(filter) = fields.document("q")? else {
        return Err(missing_field("delete.deletes", "q"));
    };
    let Some(limit) = fields.integer("limit")? else {
        return Err(missing_field("delete.deletes", "limit"));
    };
    let mut query = Query::matching(Filter::parse_query(filter, &VariableNames::default())?);
    query.hint = read_hint(fields.get("hint")?)?;
    match limit {
        0 => modify::all(context, namespace, &query, &Action::Delete),
        1 => {
            query.target.limit = Some(1);
            let (done, _) = modify::first(context, namespace, &query, &Action::Delete, false)?;
            Ok((done, None))
        }
        other => Err(CommandError::new(
            Code::FAILED_TO_PARSE,
            format!("The limit field in delete objects must be 0 or 1. Got {other}"),
        )),
    }
}
