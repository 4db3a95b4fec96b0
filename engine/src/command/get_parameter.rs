//! `getParameter`: reads parameters of the TTL monitor.

use bson::{Bson, Document, doc, raw::RawBsonRef};

use super::{
    context::Context,
    error::{Answer, Code, CommandError},
    field::any,
    request::Request,
    run::raw,
    table::{Command, Scope},
};
use crate::reaper::{ParameterInfo, ParameterKind, Reaper, TTL_PARAMETERS, TtlParameter};

/// `{getParameter: 1, name: 1, …}`; `{getParameter: "*"}`
pub static COMMAND: Command =
    Command { name: "getParameter", aliases: &[], scope: Scope::Admin, fields: &[any()], run };

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let mut reply = Document::new();
    if matches!(request.first()?, RawBsonRef::String("*")) {
        for info in &TTL_PARAMETERS {
            reply.insert(info.name, value(&context.reaper, info));
        }
        return raw(&reply);
    }
    let shows_details = matches!(
        request.first()?,
        RawBsonRef::Document(details) if matches!(details.get_bool("showDetails"), Ok(true))
    );
    for name in request.options()?.keys() {
        let Some(parameter) = TtlParameter::by_name(name) else { continue };
        let value = value(&context.reaper, parameter.info());
        if shows_details {
            let details = doc! {
                "value": value,
                "settableAtRuntime": true,
                "settableAtStartup": true,
            };
            reply.insert(name, details);
        } else {
            reply.insert(name, value);
        }
    }
    if reply.is_empty() {
        return Err(CommandError::new(Code::INVALID_OPTIONS, "no option found to get"));
    }
    raw(&reply)
}

/// A parameter's value in its own type.
pub(super) fn value(reaper: &Reaper, info: &ParameterInfo) -> Bson {
    typed(info, reaper.parameters().get(info.parameter))
}

/// A number in the type of a parameter.
pub(super) fn typed(info: &ParameterInfo, value: i64) -> Bson {
    match info.kind {
        ParameterKind::Bool => Bson::Boolean(value != 0),
        ParameterKind::Int32 => i32::try_from(value).map_or(Bson::Int64(value), Bson::Int32),
        ParameterKind::Int64 => Bson::Int64(value),
    }
}
