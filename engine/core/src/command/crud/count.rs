//! `count`: how many documents match.

use bson::doc;

use crate::{
    catalog::Namespace,
    command::core::{
        Answer, Command, CommandError, Context, Field, LetVariables, Query, Request, ViewQuery,
        ignored, optional, query::PARTIAL, raw, shortest, view,
    },
};

/// The fields of `count`.
pub const FIELDS: &[Field] = &[
    optional("query"),
    optional("limit"),
    optional("skip"),
    optional("hint"),
    ignored("fields"),
    optional("collation"),
    optional(PARTIAL),
];

/// `{count: collection, query, limit, skip, hint, allowPartialResults}`
///
/// The last one is not in MongoDB: `count` then counts what `find` returns with it, and reads every
/// document.
pub static COMMAND: Command = Command::any("count", FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let variables = LetVariables::read(context, request)?;
    // MongoDB's `count` takes a negative limit as its absolute value.
    let query = Query::read_with_signed_limit(request, "query", &variables)?;
    if view::is_view(context, &namespace) {
        let parts = ViewQuery { filter: request.document("query")?, ..ViewQuery::default() };
        let run = view::open(context, request, &namespace, &query, &parts)?;
        let mut n = 0_u64;
        view::for_each(context, request, run, &mut |_| {
            n += 1;
            Ok(())
        })?;
        return raw(&doc! { "n": shortest(n) });
    }
    raw(&doc! { "n": shortest(count(context, &namespace, &query)?) })
}

/// How many documents match a query.
///
/// # Errors
/// The errors of the search.
pub fn count(context: &Context, namespace: &Namespace, query: &Query) -> Result<u64, CommandError> {
    context.read(|reader, catalog| {
        let Some(collection) = catalog.collection(namespace) else { return Ok(0) };
        Ok(query.search(&collection)?.count(reader, &collection, context.now_ms())?)
    })
}
