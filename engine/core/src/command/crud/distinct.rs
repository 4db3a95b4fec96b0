//! `distinct`: the different values of a field.

use std::collections::BTreeMap;

use bson::{
    RawArrayBuf, RawDocumentBuf,
    raw::{RawBson, RawDocument, cstr},
};

use crate::{
    command::core::{
        Answer, Code, Command, CommandError, Context, LetVariables, Query, Request, ViewQuery,
        missing_field, optional, required, view,
    },
    limits::CURSOR_BATCH_BYTES_MAX,
    plan::Step,
    value::{Direction, Path, key::encode_in},
};

/// `{distinct: collection, key, query}`
pub static COMMAND: Command = Command::any(
    "distinct",
    &[required("key"), optional("query"), optional("hint"), optional("collation")],
    run,
);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let path = key_of(request)?;
    let variables = LetVariables::read(context, request)?;
    let query = Query::read(request, "query", &variables)?;
    let mut values: BTreeMap<Vec<u8>, RawBson> = BTreeMap::new();
    let mut bytes = 0;
    let mut add = |document: &RawDocument| {
        path.index_values(document, &mut |value| {
            // An empty array shows as undefined and has no values.
            if let Some(value) = value.filter(|value| !is_undefined(value)) {
                // Encoded as an index key, so that 1 and 1.0 are one value and the values come in
                // MongoDB's order.
                let key = encode_in(Some(value), Direction::Ascending, variables.collation()).bytes;
                values.entry(key).or_insert_with_key(|key| {
                    bytes += key.len();
                    value.into()
                });
            }
        });
        if bytes > CURSOR_BATCH_BYTES_MAX {
            return Err(CommandError::new(
                Code::DISTINCT_TOO_BIG,
                "distinct too big, 16mb cap; narrow the query",
            ));
        }
        Ok(())
    };
    if view::is_view(context, &namespace) {
        let parts = ViewQuery { filter: request.document("query")?, ..ViewQuery::default() };
        let run = view::open(context, request, &namespace, &query, &parts)?;
        view::for_each(context, request, run, &mut add)?;
    } else {
        query
            .for_each(context, &namespace, &mut |_, document| add(document).map(|()| Step::Take))?;
    }
    let mut array = RawArrayBuf::new();
    for value in values.into_values() {
        array.push(value);
    }
    let mut reply = RawDocumentBuf::new();
    reply.append(cstr!("values"), array);
    Ok(reply)
}

fn key_of(request: &Request<'_>) -> Result<Path, CommandError> {
    let Some(key) = request.text("key")? else {
        return Err(missing_field("distinct", "key"));
    };
    if key.contains('\0') {
        return Err(CommandError::new(
            Code::KEY_WITH_NUL,
            "Key field cannot contain an embedded null byte",
        ));
    }
    Path::parse_any(key).map_err(|error| CommandError::bad_value(format!("the key: {error}")))
}

fn is_undefined(value: &bson::raw::RawBsonRef<'_>) -> bool {
    matches!(value, bson::raw::RawBsonRef::Undefined)
}
