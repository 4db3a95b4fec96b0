//! `setParameter`: changes parameters of the TTL monitor until the engine closes.

use bson::{Bson, doc, raw::RawBsonRef};

use super::parameter_values::{is_fixed, typed};
use crate::{
    command::core::{
        Answer, Command, CommandError, Context, Request, any, as_integer, field::COMMON, is_true,
        raw,
    },
    reaper::{ParameterError, ParameterInfo, ParameterKind, TtlParameter},
};

/// `{setParameter: 1, name: value, …}`
pub static COMMAND: Command = Command::admin("setParameter", &[any()], run);

/// All values are checked before the first one is set; the reply says what the first one was.
fn run(context: &Context, request: &Request<'_>) -> Answer {
    let mut changes: Vec<(&'static ParameterInfo, i64)> = Vec::new();
    for element in request.document.iter().skip(1) {
        let (name, given) = element?;
        let name = name.as_str();
        if name.starts_with('$') || COMMON.iter().any(|field| field.name == name) {
            continue;
        }
        let info = settable(name)?;
        changes.push((info, checked(info, given)?));
    }
    let mut was: Option<Bson> = None;
    for (info, value) in changes {
        let before = context.reaper.set_parameter(info.parameter, value).map_err(refusal)?;
        was.get_or_insert_with(|| typed(info, before));
    }
    let Some(was) = was else {
        return Err(CommandError::invalid_options(
            "no option found to set, use getParameter: \"*\" to see options",
        ));
    };
    raw(&doc! { "was": was })
}

fn settable(name: &str) -> Result<&'static ParameterInfo, CommandError> {
    if let Some(parameter) = TtlParameter::by_name(name) {
        return Ok(parameter.info());
    }
    if is_fixed(name) {
        return Err(CommandError::illegal_operation(format!(
            "not allowed to change [{name}] at runtime"
        )));
    }
    Err(CommandError::invalid_options(format!(
        "attempted to set unrecognized parameter [{name}], use getParameter: \"*\" to see options"
    )))
}

/// The value as a number within the parameter's bounds.
fn checked(info: &ParameterInfo, given: RawBsonRef<'_>) -> Result<i64, CommandError> {
    let ParameterInfo { name, kind, .. } = *info;
    let value = match kind {
        ParameterKind::Bool => i64::from(is_true(given)),
        ParameterKind::Int32 | ParameterKind::Int64 => integer(kind, given).map_err(|why| {
            CommandError::bad_value(format!("Invalid value for parameter {name}: {why}"))
        })?,
    };
    info.parameter.check(value).map_err(refusal)?;
    Ok(value)
}

/// A number without its fraction; true and false are 1 and 0.
fn integer(kind: ParameterKind, given: RawBsonRef<'_>) -> Result<i64, &'static str> {
    const OUT_OF_BOUNDS: &str = "Out of bounds coercing to integral value";
    let number = match given {
        RawBsonRef::Boolean(flag) => return Ok(i64::from(flag)),
        RawBsonRef::Double(number) => Some(number),
        RawBsonRef::Decimal128(number) => number.to_string().parse().ok(),
        _ => None,
    };
    if number.is_some_and(|number: f64| !number.is_finite()) {
        return Err("Unable to coerce NaN/Inf to integral type");
    }
    let value = as_integer(given).ok_or("Unable to coerce value to integral type")?;
    // Above the highest int64 a float saturates, which is out of bounds as well.
    let saturated = number.is_some() && (value == i64::MAX || value == i64::MIN);
    let too_long = kind == ParameterKind::Int32 && i32::try_from(value).is_err();
    if saturated || too_long { Err(OUT_OF_BOUNDS) } else { Ok(value) }
}

fn refusal(error: ParameterError) -> CommandError {
    let (name, value, min, max) = match error {
        ParameterError::Bounds { name, value, min, max } => (name, value, min, max),
        ParameterError::Store(error) => return error.into(),
    };
    let bound = if value > max {
        format!("less than or equal to {max}")
    } else if min == 1 {
        "greater than 0".to_owned()
    } else {
        format!("greater than or equal to {min}")
    };
    CommandError::bad_value(format!("Invalid value for parameter {name}: {value} is not {bound}"))
}

#[cfg(test)]
mod tests {
    use crate::command::testing::Lab;

    #[test]
    fn parameters_are_set() {
        let lab = Lab::new();
        lab.check("{setParameter: 1, ttlMonitorSleepSecs: 5}", "{was: 60, ok: 1}");
        lab.check("{setParameter: 1, ttlMonitorSleepSecs: 7.9, lsid: {}}", "{was: 5}");
        lab.check("{setParameter: 1, ttlMonitorSleepSecs: true}", "{was: 7}");
        lab.check("{setParameter: 1, ttlMonitorEnabled: 0}", "{was: true}");
        lab.check("{setParameter: 1, ttlMonitorEnabled: 'x'}", "{was: false}");
        lab.check("{setParameter: 1, ttlMonitorEnabled: null}", "{was: true}");
        lab.check(
            "{setParameter: 1, ttlMonitorSleepSecs: 60, ttlMonitorEnabled: true}",
            "{was: 1}",
        );
        lab.check("{getParameter: 1, ttlMonitorEnabled: 1}", "{ttlMonitorEnabled: true}");
        lab.check("{setParameter: 1, batchedDeletesTargetBatchDocs: 0}", "{was: 10}");
    }

    #[test]
    fn refusals() {
        let lab = Lab::new();
        let check = |fields: &str, code: i32, words: &str| {
            let reply = lab.run(&format!("{{setParameter: 1{fields}}}"));
            assert_eq!(reply.get_i32("code").ok(), Some(code), "{fields}: {reply}");
            assert!(reply.get_str("errmsg").is_ok_and(|text| text.contains(words)), "{reply}");
        };
        check("", 72, "no option found to set");
        check(", foo: 1", 72, "unrecognized parameter [foo]");
        check(", featureCompatibilityVersion: 1", 20, "not allowed to change");
        check(", ttlMonitorSleepSecs: 0", 2, "0 is not greater than 0");
        check(", ttlMonitorSleepSecs: -1", 2, "-1 is not greater than 0");
        check(", ttlMonitorSleepSecs: 'x'", 2, "Unable to coerce value to integral type");
        check(", ttlMonitorSleepSecs: null", 2, "Unable to coerce value");
        check(", ttlMonitorSleepSecs: NaN", 2, "NaN/Inf");
        check(", ttlMonitorSleepSecs: 2147483648", 2, "Out of bounds");
        check(", ttlMonitorSubPassTargetSecs: -1", 2, "greater than or equal to 0");
        check(", mayflyTrashSecs: 86401", 2, "less than or equal to 86400");
        check(
            ", batchedDeletesTargetStagedDocBytes: Long('2147483648')",
            2,
            "less than or equal to 2147483647",
        );
        check(", batchedDeletesTargetBatchDocs: 1e19", 2, "Out of bounds");
        check(", ttlMonitorSleepSecs: 5, foo: 1", 72, "foo");
        lab.check("{getParameter: 1, ttlMonitorSleepSecs: 1}", "{ttlMonitorSleepSecs: 60}");
    }
}
