//! `update`: changes documents.

use bson::{Bson, Document, doc, raw::RawDocument};

use super::{
    aggregate::read_let,
    batch::Written,
    context::Context,
    count::shortest,
    error::{Answer, Code, CommandError},
    field::{ignored, optional, required},
    insert::check_batch_size,
    modify::{self, Action, Modified, check_statement},
    query::{Query, read_hint},
    request::{Request, missing_field},
    table::{Command, Scope},
};
use crate::{
    catalog::Namespace,
    query::{Filter, Sort, Update, VariableNames},
};

/// `{update: collection, updates: [{q, u, multi, upsert, arrayFilters, hint, sort}], ordered}`
pub static COMMAND: Command = Command {
    name: "update",
    aliases: &[],
    scope: Scope::Any,
    fields: &[
        required("updates"),
        optional("ordered"),
        ignored("bypassDocumentValidation"),
        ignored("stmtIds"),
        optional("let"),
    ],
    run,
};

const KNOWN: &[&str] = &["q", "u", "multi", "upsert", "arrayFilters", "hint", "sort", "c"];

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let statements = request.documents("updates")?;
    check_batch_size(statements.len())?;
    let is_ordered = request.flag_or("ordered", true)?;
    let mut written = Written::default();
    let (mut changed, mut upserted) = (0, Vec::new());
    for (index, statement) in statements.into_iter().enumerate() {
        let outcome = one_statement(context, request, &namespace, statement);
        let (done, error) = outcome.unwrap_or_else(|error| (Modified::default(), Some(error)));
        written.n += done.matched + u64::from(done.upserted.is_some());
        changed += done.changed;
        if let Some(id) = done.upserted {
            upserted.push(doc! { "index": i32::try_from(index).unwrap_or(i32::MAX), "_id": id });
        }
        if let Some(error) = error {
            written.errors.push(error.to_write_error(index));
            if is_ordered {
                break;
            }
        }
    }
    let mut more = Document::new();
    if !upserted.is_empty() {
        more.insert("upserted", Bson::from(upserted));
    }
    more.insert("nModified", shortest(changed));
    written.answer(more)
}

fn one_statement(
    context: &Context,
    request: &Request<'_>,
    namespace: &Namespace,
    statement: &RawDocument,
) -> Result<(Modified, Option<CommandError>), CommandError> {
    check_statement("update.updates", statement, KNOWN, &["collation"])?;
    let fields = request.within(statement);
    let Some(filter) = fields.document("q")? else {
        return Err(missing_field("update.updates", "q"));
    };
    let update = read_update(request, &fields, "update.updates", "u")?;
    let mut query = Query::matching(Filter::parse_query(filter, &VariableNames::default())?);
    query.hint = read_hint(fields.get("hint")?)?;
    query.target.sort = fields.document("sort")?.map(Sort::parse).transpose()?.flatten();
    let upsert = fields.flag("upsert")?;
    if !fields.flag("multi")? {
        query.target.limit = Some(1);
        let (done, _) =
            modify::first(context, namespace, &query, &Action::Update(&update), upsert)?;
        return Ok((done, None));
    }
    if update.is_replacement() {
        return Err(CommandError::new(
            Code::FAILED_TO_PARSE,
            "multi update is not supported for replacement-style update",
        ));
    }
    let (done, error) = modify::all(context, namespace, &query, &Action::Update(&update))?;
    if done.matched == 0 && error.is_none() && upsert {
        let (done, _) = modify::first(context, namespace, &query, &Action::Update(&update), true)?;
        return Ok((done, None));
    }
    Ok((done, error))
}

/// The update in a field, with the statement's `arrayFilters` and `c`, and the command's `let`.
///
/// # Errors
/// What is wrong with it; 40414 when it is missing.
pub fn read_update(
    request: &Request<'_>,
    fields: &Request<'_>,
    place: &str,
    name: &str,
) -> Result<Update, CommandError> {
    let array_filters = fields.documents("arrayFilters")?;
    let (_, mut variables) = read_let(request)?;
    let constants = fields.document("c")?;
    for element in constants.into_iter().flatten() {
        let (name, value) = element?;
        VariableNames::check(name.as_str())?;
        variables.push((name.as_str().to_owned(), Some(value.into())));
    }
    match fields.get(name)? {
        Some(update) => {
            let update = Update::parse_with(update, &array_filters, &variables)?;
            if constants.is_some() && !update.is_pipeline() {
                return Err(CommandError::new(
                    Code::CONSTANTS_WITHOUT_PIPELINE,
                    "Constant values may only be specified for pipeline updates",
                ));
            }
            Ok(update)
        }
        None => Err(missing_field(place, name)),
    }
}
