//! `convertToCapped`: bounds a collection in place.

use bson::RawDocumentBuf;

use crate::{
    catalog::rules::create::check_capped_size,
    command::core::{Answer, Command, CommandError, Context, Request, as_integer, optional},
};

/// `{convertToCapped: collection, size}`: keeps the newest documents and the index on `_id`.
pub static COMMAND: Command = Command::any("convertToCapped", &[optional("size")], run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let size =
        request.get("size")?.and_then(as_integer).filter(|size| *size > 0).ok_or_else(|| {
            CommandError::invalid_options("Capped collection size must be greater than zero")
        })?;
    check_capped_size(size)?;
    context.collections.convert_to_capped(&namespace, size)?;
    Ok(RawDocumentBuf::new())
}
