//! `update`: changes documents.

use bson::{Bson, Document, doc, raw::RawDocument};

use super::{
    batch::Written,
    context::Context,
    count::shortest,
    error::{Answer, Code, CommandError},
    field::{ignored, optional, required},
    insert::check_batch_size,
    modify::{self, Action, Modified},
    query::{Let, Query},
    request::{Request, missing_field, unsupported_field},
    statement::{Shape, StatementField, check_statement},
    table::{Command, Scope},
};
use crate::{
    catalog::Namespace,
    query::{Sort, Update, VariableNames},
};

/// `{update: collection, updates: [{q, u, c, multi, upsert, arrayFilters, hint, sort, collation}],
/// ordered, let}`
pub static COMMAND: Command = Command {
    name: "update",
    aliases: &[],
    scope: Scope::Any,
    fields: &[
        required("updates"),
        optional("ordered"),
        ignored("bypassDocumentValidation"),
        ignored("bypassEmptyTsReplacement"),
        ignored("stmtId"),
        ignored("stmtIds"),
        ignored("isTimeseriesNamespace"),
        optional("let"),
    ],
    run,
};

const FIELDS: &[StatementField] = &[
    ("q", Shape::Object, true),
    ("u", Shape::Update, true),
    ("c", Shape::Object, false),
    ("multi", Shape::Bool, false),
    ("upsert", Shape::Bool, false),
    ("upsertSupplied", Shape::Bool, false),
    ("arrayFilters", Shape::Objects, false),
    ("hint", Shape::Hint, false),
    ("sort", Shape::Object, false),
    ("collation", Shape::Object, false),
    ("sampleId", Shape::Any, false),
    ("allowShardKeyUpdatesWithoutFullShardKeyInQuery", Shape::Any, false),
];

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let statements = request.documents("updates")?;
    let is_ordered = request.bool_at("update", "ordered", true)?;
    request.flag("bypassDocumentValidation")?;
    for statement in &statements {
        check_shape(&NAMES, &request.within(statement), FIELDS)?;
    }
    check_batch_size(statements.len())?;
    let variables = Let::read(request)?;
    let mut written = Written::default();
    let (mut changed, mut upserted) = (0, Vec::new());
    for (index, statement) in statements.into_iter().enumerate() {
        let outcome = one_statement(context, request, &namespace, statement, &variables);
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
    variables: &Let,
) -> Result<(Modified, Option<CommandError>), CommandError> {
    Statement::read(&request.within(statement), &NAMES, variables)?.run(context, namespace)
}

/// How a command names the fields of its updates.
pub struct Names {
    /// Where the fields stand, e.g. `update.updates`.
    pub place: &'static str,
    /// The filter.
    pub filter: &'static str,
    /// What is to be done.
    pub update: &'static str,
    /// Values for a pipeline.
    pub constants: &'static str,
}

pub(super) const NAMES: Names =
    Names { place: "update.updates", filter: "q", update: "u", constants: "c" };

/// Checks the fields of an update.
///
/// # Errors
/// What is wrong with their shapes, or `sort` with `multi`.
pub fn check_shape(
    names: &Names,
    fields: &Request<'_>,
    declared: &[StatementField],
) -> Result<(), CommandError> {
    check_statement(names.place, fields.document, declared)?;
    if fields.bool_at(names.place, "multi", false)? && fields.document("sort")?.is_some() {
        return Err(refused("Cannot specify sort with multi=true"));
    }
    Ok(())
}

/// One update: which documents, and what becomes of them.
pub struct Statement {
    pub(super) query: Query,
    pub(super) update: Update,
    pub(super) is_multi: bool,
    pub(super) is_upsert: bool,
}

impl Statement {
    /// Reads the fields of one update.
    ///
    /// # Errors
    /// What is wrong with a field.
    pub fn read(
        fields: &Request<'_>,
        names: &Names,
        variables: &Let,
    ) -> Result<Self, CommandError> {
        let Some(filter) = fields.document(names.filter)? else {
            return Err(missing_field(names.place, names.filter));
        };
        let is_multi = fields.bool_at(names.place, "multi", false)?;
        let is_upsert = fields.bool_at(names.place, "upsert", false)?;
        if fields.bool_at(names.place, "upsertSupplied", false)? {
            return Err(unsupported_field(names.place, "upsertSupplied"));
        }
        let sort = fields.document("sort")?;
        let update = read_update(fields, names, variables)?;
        let mut query = Query::of_statement(fields, filter, variables)?;
        query.target.sort = sort.map(Sort::parse).transpose()?.flatten();
        if is_multi && update.is_replacement() {
            return Err(refused("multi update is not supported for replacement-style update"));
        }
        Ok(Self { query, update, is_multi, is_upsert })
    }

    /// Changes the first document that matches, or all; inserts one when none does, if that is
    /// wanted.
    ///
    /// # Errors
    /// Why nothing was changed; what ended it later stands beside what was done.
    pub fn run(
        mut self,
        context: &Context,
        namespace: &Namespace,
    ) -> Result<(Modified, Option<CommandError>), CommandError> {
        let action = Action::Update(&self.update);
        if self.is_multi {
            let (done, error) = modify::all(context, namespace, &self.query, &action)?;
            if done.matched > 0 || error.is_some() || !self.is_upsert {
                return Ok((done, error));
            }
        }
        self.query.target.limit = Some(1);
        let done = modify::first(context, namespace, &self.query, &action, self.is_upsert)?;
        Ok((done, None))
    }
}

fn refused(message: &str) -> CommandError {
    CommandError::new(Code::FAILED_TO_PARSE, message)
}

/// The update in a field, with the statement's `arrayFilters` and constants, and the command's
/// variables.
///
/// # Errors
/// What is wrong with it; 40414 when it is missing.
pub fn read_update(
    fields: &Request<'_>,
    names: &Names,
    variables: &Let,
) -> Result<Update, CommandError> {
    let Some(update) = fields.document.get(names.update)? else {
        return Err(missing_field(names.place, names.update));
    };
    let array_filters = fields.documents("arrayFilters")?;
    let mut values = variables.values.clone();
    let constants = fields.document(names.constants)?;
    for element in constants.into_iter().flatten() {
        let (name, value) = element?;
        VariableNames::check(name.as_str())?;
        values.push((name.as_str().to_owned(), Some(value.into())));
    }
    let update = Update::parse_with(update, &array_filters, &values)?;
    if constants.is_some() && !update.is_pipeline() {
        return Err(CommandError::new(
            Code::CONSTANTS_WITHOUT_PIPELINE,
            "Constant values may only be specified for pipeline updates",
        ));
    }
    Ok(update)
}
