//! `currentOp`: what is being done now.

use bson::{Bson, RawDocumentBuf, doc};

use crate::{
    command::core::{Answer, Command, Context, Request, any, as_flag, monitor::operations, raw},
    query::Filter,
};

/// `{currentOp: 1, $all, $ownOps, …}`; further fields are a filter on the operations.
pub static COMMAND: Command = Command::admin("currentOp", &[any()], run);

/// Fields that are switches, not conditions.
const SWITCHES: [&str; 3] = ["$all", "$ownOps", "$truncateOps"];

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let own = request.get("$ownOps")?.and_then(as_flag).unwrap_or(false);
    let mut conditions = request.options()?;
    for switch in SWITCHES {
        conditions.remove(switch);
    }
    let filter = Filter::parse(&RawDocumentBuf::try_from(&conditions)?)?;
    let mut in_progress: Vec<Bson> = Vec::new();
    for entry in operations::documents(context, own.then_some(request.client)) {
        if filter.matches(&RawDocumentBuf::try_from(&entry)?)? {
            in_progress.push(Bson::Document(entry));
        }
    }
    raw(&doc! { "inprog": in_progress })
}
