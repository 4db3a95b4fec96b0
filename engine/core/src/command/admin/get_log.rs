//! `getLog`: the last lines of the log.

use bson::{Bson, doc, raw::RawBsonRef};

use crate::command::core::{
    Answer, Code, Command, CommandError, Context, Request, raw, shortest, type_name,
};

/// `{getLog: 'global' | 'startupWarnings' | '*'}`
pub static COMMAND: Command = Command::admin("getLog", &[], run);

const NAMES: [&str; 2] = ["global", "startupWarnings"];

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let name = match request.first()? {
        RawBsonRef::String(name) => name,
        other => {
            return Err(CommandError::type_mismatch(format!(
                "Argument to getLog must be of type String; found a value of type {}",
                type_name(other)
            )));
        }
    };
    let (lines, written) = match name {
        "*" => return raw(&doc! { "names": NAMES.map(Bson::from).to_vec() }),
        "global" => context.log.lines(),
        "startupWarnings" => {
            let warnings = context.log.startup_warnings();
            let count = warnings.len() as u64;
            (warnings, count)
        }
        other => {
            return Err(CommandError::new(
                Code::OPERATION_FAILED,
                format!("No log named '{other}'; there are global and startupWarnings"),
            ));
        }
    };
    raw(&doc! { "totalLinesWritten": shortest(written), "log": lines })
}
