//! `dropDatabase`: removes a database with all its collections.

use bson::{Document, doc};

use super::{
    context::Context,
    error::Answer,
    request::Request,
    run::raw,
    table::{Command, Scope},
};

/// `{dropDatabase: 1}`
pub static COMMAND: Command =
    Command { name: "dropDatabase", aliases: &[], scope: Scope::Any, fields: &[], run };

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let removed = context.collections.drop_database(request.db)?;
    let reply = if removed > 0 {
        doc! { "dropped": request.db }
    } else {
        Document::new()
    };
    raw(&reply)
}
