//! `getParameter`: reads parameters of the server and of the TTL monitor.

use bson::{
    Bson, Document, doc,
    raw::{RawBsonRef, RawDocument},
};

use super::parameter_values::{FIXED, fixed, value};
use crate::{
    command::core::{Answer, Command, CommandError, Context, Request, any, as_flag, raw},
    reaper::{TTL_PARAMETERS, TtlParameter},
};

/// `{getParameter: 1, name: 1, …}`; `{getParameter: '*'}`;
/// `{getParameter: {showDetails, allParameters, setAt}, …}`
pub static COMMAND: Command = Command::admin("getParameter", &[any()], run);

/// The options in the command's own field.
struct ParameterOptions {
    all: bool,
    details: bool,
    /// Only those that can be set at runtime (`true`) or at startup (`false`).
    runtime: Option<bool>,
}

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let options = ParameterOptions::read(request)?;
    let asked = request.options()?;
    let mut reply = Document::new();
    let all = TTL_PARAMETERS.iter().map(|info| info.name).chain(FIXED);
    for name in all.filter(|name| options.all || asked.contains_key(name)) {
        let (value, is_settable) = match TtlParameter::by_name(name) {
            Some(parameter) => (value(&context.reaper, parameter.info()), true),
            None => (fixed(name), false),
        };
        if options.runtime.is_some() && !is_settable {
            continue;
        }
        let shown = if options.details {
            let details = doc! {
                "value": value,
                "settableAtRuntime": is_settable,
                "settableAtStartup": is_settable,
            };
            Bson::Document(details)
        } else {
            value
        };
        reply.insert(name, shown);
    }
    if reply.is_empty() {
        return Err(CommandError::invalid_options("no option found to get"));
    }
    raw(&reply)
}

impl ParameterOptions {
    fn read(request: &Request<'_>) -> Result<Self, CommandError> {
        let none = Self { all: false, details: false, runtime: None };
        match request.first()? {
            RawBsonRef::String("*") => Ok(Self { all: true, ..none }),
            RawBsonRef::Document(options) => {
                let flag = |name| Self::flag(options, name);
                let runtime = match options.get("setAt")? {
                    None => None,
                    Some(RawBsonRef::String("runtime")) => Some(true),
                    Some(RawBsonRef::String("startup")) => Some(false),
                    Some(_) => {
                        return Err(CommandError::bad_value(
                            "getParameter.setAt is not valid; it is 'runtime' or 'startup'",
                        ));
                    }
                };
                Ok(Self { all: flag("allParameters")?, details: flag("showDetails")?, runtime })
            }
            _ => Ok(none),
        }
    }

    fn flag(options: &RawDocument, name: &str) -> Result<bool, CommandError> {
        Ok(options.get(name)?.and_then(as_flag).unwrap_or(false))
    }
}

#[cfg(test)]
mod tests {
    use crate::command::testing::Lab;

    #[test]
    fn parameters_are_read() {
        let lab = Lab::new();
        lab.check(
            "{getParameter: 1, featureCompatibilityVersion: 1}",
            "{'featureCompatibilityVersion.version': '8.2', ok: 1}",
        );
        lab.check(
            "{getParameter: 1, ttlMonitorSleepSecs: 1, foo: 1}",
            "{ttlMonitorSleepSecs: 60, '-foo': 1}",
        );
        lab.check("{getParameter: '*'}", "{ttlMonitorEnabled: true, enableTestCommands: false}");
        lab.check("{getParameter: 1, foo: 1}", "{code: 72, errmsg: 'no option found to get'}");
        lab.check("{getParameter: 1}", "{code: 72}");
        lab.check(
            "{getParameter: {showDetails: true}, ttlMonitorEnabled: 1}",
            "{'ttlMonitorEnabled.value': true, 'ttlMonitorEnabled.settableAtRuntime': true}",
        );
        lab.check(
            "{getParameter: {allParameters: true, setAt: 'runtime'}}",
            "{ttlMonitorEnabled: true, '-enableTestCommands': 1}",
        );
        lab.check("{getParameter: {allParameters: true, setAt: 'x'}}", "{code: 2}");
    }
}
