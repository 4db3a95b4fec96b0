//! One update of a write command, under the field names of each command.

use super::{
    statement_fields::{StatementField, check_statement},
    write_matching::{self, StatementResult, WriteAction},
};
use crate::{
    catalog::Namespace,
    command::core::{
        Code, CommandError, Context, LetVariables, Query, Request, field_value::unsupported_field,
        missing_field, query::read_sort,
    },
    query::{Update, VariableNames},
};

/// How a command names the fields of its updates.
pub struct UpdateFieldNames {
    /// Where the fields stand, e.g. `update.updates`.
    pub place: &'static str,
    pub filter: &'static str,
    pub update: &'static str,
    pub constants: &'static str,
}

pub const UPDATE_NAMES: UpdateFieldNames =
    UpdateFieldNames { place: "update.updates", filter: "q", update: "u", constants: "c" };

/// Checks the fields of an update.
///
/// # Errors
/// Wrong types or missing fields, or `sort` with `multi`.
pub fn check_shape(
    names: &UpdateFieldNames,
    fields: &Request<'_>,
    declared: &[StatementField],
) -> Result<(), CommandError> {
    check_statement(names.place, fields.document, declared)?;
    // MongoDB sorts only to choose the one document that is changed.
    if fields.bool_at(names.place, "multi", false)? && fields.document("sort")?.is_some() {
        return Err(refused("Cannot specify sort with multi=true"));
    }
    Ok(())
}

/// One update: its query and the change.
pub struct UpdateStatement {
    pub query: Query,
    pub update: Update,
    pub is_multi: bool,
    pub is_upsert: bool,
}

impl UpdateStatement {
    /// Reads the fields of one update.
    ///
    /// # Errors
    /// An invalid field.
    pub fn read(
        fields: &Request<'_>,
        names: &UpdateFieldNames,
        variables: &LetVariables,
    ) -> Result<Self, CommandError> {
        let Some(filter) = fields.document(names.filter)? else {
            return Err(missing_field(names.place, names.filter));
        };
        let is_multi = fields.bool_at(names.place, "multi", false)?;
        let is_upsert = fields.bool_at(names.place, "upsert", false)?;
        // The client asks for its own document to be inserted. Ignoring that would insert another
        // one.
        if fields.bool_at(names.place, "upsertSupplied", false)? {
            return Err(unsupported_field(names.place, "upsertSupplied"));
        }
        let variables = &*variables.for_statement(fields)?;
        let update = read_update(fields, names, variables)?;
        let mut query = Query::of_statement(fields, filter, variables)?;
        query.target.sort = read_sort(fields, variables)?;
        // MongoDB refuses this with `FailedToParse` (9): every match would become the same
        // document.
        if is_multi && update.is_replacement() {
            return Err(refused("multi update is not supported for replacement-style update"));
        }
        Ok(Self { query, update, is_multi, is_upsert })
    }

    /// Changes the first matching document, or all; an upsert inserts one if none matches.
    ///
    /// # Errors
    /// The error if nothing was changed; a later error is returned next to the result.
    pub fn run(
        mut self,
        context: &Context,
        namespace: &Namespace,
    ) -> Result<(StatementResult, Option<CommandError>), CommandError> {
        let collection = context.collections.catalog().collection(namespace);
        if collection.is_some_and(|collection| collection.is_time_series()) {
            self.check_for_time_series()?;
        }
        let action = WriteAction::Update(&self.update);
        if self.is_multi {
            let (done, error) = write_matching::all(context, namespace, &self.query, &action)?;
            if done.matched > 0 || error.is_some() || !self.is_upsert {
                return Ok((done, error));
            }
        }
        // A multi-update without a match inserts one document, like any upsert.
        self.query.target.limit = Some(1);
        let done = write_matching::first(context, namespace, &self.query, &action, self.is_upsert)?;
        Ok((done, None))
    }

    fn check_for_time_series(&self) -> Result<(), CommandError> {
        let refused = match self {
            Self { is_multi: false, .. } => "a non-multi update",
            Self { is_upsert: true, .. } => "an upsert",
            _ => return Ok(()),
        };
        Err(CommandError::invalid_options(format!(
            "Cannot perform {refused} on a time-series collection"
        )))
    }
}

fn refused(message: &str) -> CommandError {
    CommandError::failed_to_parse(message)
}

/// The update in a field, with the statement's `arrayFilters` and constants, and the command's
/// variables.
///
/// # Errors
/// An invalid update; 40414 when it is missing.
pub fn read_update(
    fields: &Request<'_>,
    names: &UpdateFieldNames,
    variables: &LetVariables,
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
    let update = Update::parse_with(update, &array_filters, &values, variables.collation())?;
    if constants.is_some() && !update.is_pipeline() {
        return Err(CommandError::new(
            Code::CONSTANTS_WITHOUT_PIPELINE,
            "Constant values may only be specified for pipeline updates",
        ));
    }
    Ok(update)
}

pub const FIND_AND_MODIFY_NAMES: UpdateFieldNames =
    UpdateFieldNames { place: "findAndModify", filter: "query", update: "update", constants: "c" };
