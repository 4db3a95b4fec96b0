//! `validateDBMetadata`: whether definitions keep to the Stable API. All that can be made here do.

use bson::{Bson, doc};

use crate::command::core::{
    Answer, Command, Context, Request, missing_field, optional, raw, required,
};

/// `{validateDBMetadata: 1, apiParameters: {version, strict, deprecationErrors}, db, collections}`
pub static COMMAND: Command = Command::any(
    "validateDBMetadata",
    &[required("apiParameters"), optional("db"), optional("collections")],
    run,
);

fn run(_: &Context, request: &Request<'_>) -> Answer {
    let parameters = request.document("apiParameters")?;
    if parameters.is_none_or(|parameters| !matches!(parameters.get("version"), Ok(Some(_)))) {
        return Err(missing_field("validateDBMetadata.apiParameters", "version"));
    }
    raw(&doc! { "apiVersionErrors": Vec::<Bson>::new() })
}
