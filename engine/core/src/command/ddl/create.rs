//! `create`: a collection or view.

use bson::RawDocumentBuf;

use super::view_definition;
use crate::{
    catalog::rules::CreateRequest,
    command::core::{Answer, Command, Context, Request, any},
};

/// `{create: collection, …}`: the catalog knows the options.
pub static COMMAND: Command = Command::any("create", &[any()], run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let options = request.options()?;
    view_definition::check(context, &namespace, &options)?;
    context.collections.create(&CreateRequest { namespace, options })?;
    Ok(RawDocumentBuf::new())
}
