//! `mayflyScrub`: starts or stops a scrub, or shows its progress.

use bson::raw::RawBsonRef;

use crate::command::core::{
    Answer, Command, CommandError, Context, Request, monitor::ttl_status::scrub_document, raw,
};

/// `{mayflyScrub: "start" | "status" | "stop"}`; the reply is the state.
pub static COMMAND: Command = Command::admin("mayflyScrub", &[], run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let wish = request.get("mayflyScrub")?.and_then(RawBsonRef::as_str);
    match wish {
        Some("start") => context.collections.start_scrub()?,
        Some("stop") => context.collections.stop_scrub()?,
        Some("status") => {}
        _ => {
            return Err(CommandError::bad_value(
                "mayflyScrub must be \"start\", \"status\" or \"stop\"",
            ));
        }
    }
    raw(&scrub_document(&context.collections.scrub_status()?))
}

#[cfg(test)]
mod tests {
    use crate::collection::ScrubStep;
    use crate::command::testing::Lab;

    #[test]
    fn a_scrub_is_started_and_stopped() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 'a'}, {_id: 'b'}]}");
        lab.check("{mayflyScrub: 'status'}", "{running: false, lastFinished: null}");
        lab.ok("{mayflyScrub: 'start'}");
        let collections = lab.engine.collections();
        while collections.scrub_step() != Ok(ScrubStep::Idle) {}
        lab.check(
            "{mayflyScrub: 'status'}",
            "{running: false, documents: 2, entries: 2, findings: 0}",
        );
        lab.check("{serverStatus: 1}", "{'mayfly.scrub.documents': 2}");
        lab.check("{mayflyScrub: 'stop'}", "{running: false}");
        lab.check("{mayflyScrub: 'now'}", "{code: 2}");
    }
}
