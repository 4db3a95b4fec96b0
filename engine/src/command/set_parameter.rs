//! `setParameter`: changes a parameter of the TTL monitor until the engine closes.

use bson::{Bson, doc, raw::RawBsonRef};

use super::{
    context::Context,
    error::{Answer, Code, CommandError},
    field::any,
    get_parameter::typed,
    request::{Request, as_flag, as_integer},
    run::raw,
    table::{Command, Scope},
};
use crate::reaper::{ParameterKind, TtlParameter};

/// `{setParameter: 1, name: value}`
pub static COMMAND: Command =
    Command { name: "setParameter", aliases: &[], scope: Scope::Admin, fields: &[any()], run };

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let options = request.options()?;
    let mut names = options.keys();
    let (Some(name), None) = (names.next(), names.next()) else {
        return Err(CommandError::new(
            Code::INVALID_OPTIONS,
            "setParameter takes one parameter at a time; name one",
        ));
    };
    let Some(parameter) = TtlParameter::by_name(name) else {
        return Err(CommandError::new(
            Code::INVALID_OPTIONS,
            format!(
                "attempted to set unrecognized parameter [{name}], use getParameter: \"*\" to see them"
            ),
        ));
    };
    let info = parameter.info();
    let Some(given) = request.get(name)? else {
        return Err(request.wrong_type(name, RawBsonRef::Null, "number or bool"));
    };
    let value = number(info.kind, given).ok_or_else(|| {
        CommandError::new(
            Code::BAD_VALUE,
            format!(
                "Invalid value for parameter {name}: it must be a whole number or true or false"
            ),
        )
    })?;
    let before = context
        .reaper
        .set_parameter(parameter, value)
        .map_err(|error| CommandError::new(Code::BAD_VALUE, error.to_string()))?;
    let was: Bson = typed(info, before);
    raw(&doc! { "was": was })
}

/// The value as a number; none for a type that the parameter does not take.
fn number(kind: ParameterKind, given: RawBsonRef<'_>) -> Option<i64> {
    match kind {
        ParameterKind::Bool => as_flag(given).map(i64::from),
        ParameterKind::Int32 | ParameterKind::Int64 => match given {
            RawBsonRef::Double(number) if number.fract() != 0.0 || number.is_nan() => None,
            given => as_integer(given),
        },
    }
}
