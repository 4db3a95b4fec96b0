//! `killOp`: asks an operation to stop.

use bson::doc;

use crate::command::core::{
    Answer, Code, Command, CommandError, Context, Request, as_integer, optional, raw, type_name,
};

/// `{killOp: 1, op: opid}`. The answer is the same when there is no such operation.
pub static COMMAND: Command = Command::admin("killOp", &[optional("op")], run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let Some(given) = request.get("op")? else {
        return Err(CommandError::new(
            Code::NO_SUCH_KEY,
            "Missing expected field \"op\": the number of an operation, as currentOp shows it",
        ));
    };
    let Some(opid) = as_integer(given) else {
        return Err(CommandError::type_mismatch(format!(
            "Expected field \"op\" to have numeric type, but found {}",
            type_name(given)
        )));
    };
    let opid = i32::try_from(opid).map_err(|_| {
        CommandError::new(
            Code::OPID_TOO_LARGE,
            format!("invalid op : {opid}. Op ID cannot be represented with 32 bits"),
        )
    })?;
    context.operations.kill(context, opid);
    raw(&doc! { "info": "attempting to kill op" })
}
