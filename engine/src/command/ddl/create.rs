//! `create`: a collection or view.

use bson::RawDocumentBuf;

use super::view_definition;
use crate::{
    catalog::rules::CreateRequest,
    command::core::{
        command::{Command, Scope},
        context::Context,
        error::Answer,
        field::any,
        request::Request,
    },
};

/// `{create: collection, …}`: the catalog knows the options.
pub static COMMAND: Command =
    Command { name: "create", aliases: &[], scope: Scope::Any, fields: &[any()], run };

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let options = request.options()?;
    view_definition::check(context, &namespace, &options)?;
    context.collections.create(&CreateRequest { namespace, options })?;
    Ok(RawDocumentBuf::new())
}
