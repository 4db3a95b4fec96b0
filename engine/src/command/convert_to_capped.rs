//! `convertToCapped`: bounds a collection in place.

use bson::RawDocumentBuf;

use super::{
    context::Context,
    error::{Answer, Code, CommandError},
    field::required,
    request::{Request, as_integer},
    table::{Command, Scope},
};

/// `{convertToCapped: collection, size}`: keeps the newest documents and the index on `_id`.
pub static COMMAND: Command = Command {
    name: "convertToCapped",
    aliases: &[],
    scope: Scope::Any,
    fields: &[required("size")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let size = request.get("size")?;
    let size = match size.map(|size| (as_integer(size), size)) {
        Some((None, wrong)) => {
            return Err(request.wrong_type("size", wrong, "long, int, decimal, double"));
        }
        Some((Some(size), _)) if size > 0 => size,
        _ => {
            return Err(CommandError::new(
                Code::INVALID_OPTIONS,
                "Capped collection size must be greater than zero",
            ));
        }
    };
    context.collections.convert_to_capped(&namespace, size)?;
    Ok(RawDocumentBuf::new())
}
