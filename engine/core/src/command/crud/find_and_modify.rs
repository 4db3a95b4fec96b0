//! `findAndModify`: changes or deletes one document and returns it.

use bson::{
    doc,
    raw::{RawBson, RawBsonRef, RawDocument, cstr},
};

use crate::{
    command::core::{
        Answer, Command, CommandError, Context, LetVariables, Query, Request, Scope, fields, raw,
        write::{
            update_statement::{FIND_AND_MODIFY_NAMES, read_update},
            write_matching::{self, DocumentChange, WriteAction},
        },
    },
    query::Projection,
};

fields! {
    struct FindAndModifyFields<'r> from Request<'r> {
        optional "query",
        optional "sort",
        optional "fields": document => shown Option<&'r RawDocument>,
        optional "update": get => update Option<RawBsonRef<'r>>,
        optional "new": flag => wants_new bool,
        optional "upsert": flag => upsert bool,
        optional "remove": flag => remove bool,
        optional "arrayFilters": get => array_filters Option<RawBsonRef<'r>>,
        optional "hint",
        ignored "bypassDocumentValidation": flag,
        ignored "bypassEmptyTsReplacement",
        ignored "stmtId",
        optional "collation",
        optional "let",
    }
}

/// `{findAndModify: collection, query, sort, update | remove, new, upsert, fields, arrayFilters,
/// hint}`
pub static COMMAND: Command = Command {
    name: "findAndModify",
    aliases: &["findandmodify"],
    scope: Scope::Any,
    fields: FindAndModifyFields::FIELDS,
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let variables = LetVariables::read(context, request)?;
    let mut query = Query::read(request, "query", &variables)?;
    query.target.limit = Some(1);
    let fields = FindAndModifyFields::read(request)?;
    fields.check_options()?;
    let projection = match fields.shown {
        Some(fields) => Projection::parse_with(fields, &variables.names)?
            .map(|projection| projection.with_query(&query.target.filter)),
        None => None,
    };
    let FindAndModifyFields { wants_new, upsert, remove, .. } = fields;
    // The reply is made within the transaction. Made after the commit, a projection that failed
    // lost the deleted document.
    let give = |outcome: DocumentChange| {
        let shown = if wants_new { outcome.after } else { outcome.before };
        match (&projection, shown) {
            (Some(part), Some(shown)) => {
                Ok(Some(part.apply(&shown, &variables.context(context.now_ms()))?))
            }
            (_, shown) => Ok(shown),
        }
    };
    let (done, value) = if remove {
        write_matching::first_giving(
            context,
            &namespace,
            &query,
            &WriteAction::Delete,
            false,
            &give,
        )?
    } else {
        let update = read_update(request, &FIND_AND_MODIFY_NAMES, &variables)?;
        let action = WriteAction::Update(&update);
        write_matching::first_giving(context, &namespace, &query, &action, upsert, &give)?
    };
    let is_upsert = done.upserted.is_some();
    let n = i32::from(done.matched > 0 || is_upsert);
    let mut last_error = doc! { "n": n };
    if !remove {
        last_error.insert("updatedExisting", done.matched > 0);
    }
    if let Some(id) = done.upserted {
        last_error.insert("upserted", id);
    }
    let mut reply = raw(&doc! { "lastErrorObject": last_error })?;
    // Not decoded: that would keep only the last of two fields with one name.
    reply.append(cstr!("value"), value.map_or(RawBson::Null, RawBson::Document));
    Ok(reply)
}

impl FindAndModifyFields<'_> {
    fn check_options(&self) -> Result<(), CommandError> {
        let Self { update, wants_new, upsert, remove, array_filters, .. } = *self;
        let (has_update, has_filters) = (update.is_some(), array_filters.is_some());
        let is_pipeline = matches!(update, Some(RawBsonRef::Array(_)));
        let contradictions = [
            (!remove && !has_update, "Either an update or remove=true must be specified"),
            (remove && has_update, "Cannot specify both an update and remove=true"),
            // MongoDB's message ends with a space, too.
            (remove && upsert, "Cannot specify both upsert=true and remove=true "),
            (
                remove && wants_new,
                "Cannot specify both new=true and remove=true; 'remove' always returns the deleted \
                 document",
            ),
            (remove && has_filters, "Cannot specify arrayFilters and remove=true"),
            (is_pipeline && has_filters, "Cannot specify arrayFilters and a pipeline update"),
        ];
        match contradictions.iter().find(|(is_so, _)| *is_so) {
            None => Ok(()),
            Some((_, message)) => Err(CommandError::failed_to_parse(*message)),
        }
    }
}
