//! `getClusterParameter`: a single server has no parameters of a cluster.

use bson::{Bson, doc, raw::RawBsonRef};

use crate::command::core::{Answer, Code, Command, CommandError, Context, Request, raw};

/// `{getClusterParameter: '*' | name | [name]}`
pub static COMMAND: Command = Command::admin("getClusterParameter", &[], run);

fn run(_: &Context, request: &Request<'_>) -> Answer {
    let unknown = |name: &str| {
        CommandError::new(Code::NO_SUCH_KEY, format!("Unknown server parameter: {name}"))
    };
    match request.first()? {
        RawBsonRef::String("*") => raw(&doc! { "clusterParameters": Vec::<Bson>::new() }),
        RawBsonRef::String(name) => Err(unknown(name)),
        RawBsonRef::Array(names) => match names.into_iter().next() {
            Some(Ok(RawBsonRef::String(name))) => Err(unknown(name)),
            _ => Err(CommandError::bad_value("Must supply at least one parameter name")),
        },
        other => Err(request.wrong_type("getClusterParameter", other, "array, string")),
    }
}
