//! `mayflyClock`: reads the clock; with `set`, `advanceMS`, `advanceTo`, `rate` or `paused` moves a
//! simulated one.

use std::thread;

use bson::raw::RawBsonRef;

use crate::{
    clock::{Clock, RATE_MAX, RATE_MIN, work_time},
    command::core::{
        Answer, Command, CommandError, Context, Request, fields,
        monitor::ttl_status::clock_document, raw,
    },
    interrupt::StopReason,
    limits::{CLOCK_PASS_POLL, CLOCK_PASS_WAIT},
    plan::check_interrupt,
};

fields! {
    /// The requested changes. All of them are read before any is made.
    struct ClockChanges<'r> from Request<'r> {
        optional "paused": flag_if_any => paused Option<bool>,
        optional "advanceMS": integer => advance_ms Option<i64>,
        optional "advanceTo": text => advance_to Option<&'r str>,
        optional "set": date => set_ms Option<i64>,
        optional "rate": get => rate Option<RawBsonRef<'r>>,
    }
}

/// `{mayflyClock: 1}`; `{mayflyClock: 1, set: Date, advanceMS: long, rate: double, paused: bool}`;
/// `{mayflyClock: 1, advanceTo: "event" | "threshold" | "pass"}`
pub static COMMAND: Command = Command::admin("mayflyClock", ClockChanges::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let ClockChanges { paused, advance_ms, advance_to, set_ms, rate } =
        ClockChanges::read(request)?;
    let rate = rate.map(|rate| clock_rate(request, rate)).transpose()?;
    let moves = advance_ms.is_some() || advance_to.is_some() || set_ms.is_some();
    if paused.is_none() && rate.is_none() && !moves {
        return raw(&clock_document(context.clock().status()));
    }
    let Some(clock) = &context.simulated_clock else {
        return Err(CommandError::illegal_operation(
            "this store uses the system clock, which Mayfly can't change; open a store with a \
             simulated clock",
        ));
    };
    // A time that is set is the start from which a step counts.
    if let Some(now_ms) = set_ms {
        clock.set(now_ms);
    }
    if let Some(step_ms) = advance_ms {
        clock.advance_ms(step_ms);
    }
    if let Some(what) = advance_to {
        let now_ms = clock.now_ms();
        clock.advance_ms(event_ms(context, what, now_ms)?.saturating_sub(now_ms));
    }
    if let Some(rate) = rate {
        clock.set_rate(rate);
    }
    if let Some(paused) = paused {
        clock.set_paused(paused);
    }
    // Stored at once, so that the store continues at this time when it is opened again.
    context.reaper.note_clock();
    // A client that advances to a pass expects its removals to be visible in its next command.
    if advance_to.is_some() {
        await_due_pass(context)?;
    }
    raw(&clock_document(context.clock().status()))
}

/// The next threshold, the next pass, or whichever is first, in milliseconds since 1970.
fn event_ms(context: &Context, what: &str, now_ms: i64) -> Result<i64, CommandError> {
    // One millisecond later, or a threshold that is now would be found again and again.
    let threshold = context.reaper.first_threshold_ms(now_ms.saturating_add(1))?;
    let is_on = context.reaper.parameters().enabled();
    // A pass that is due or runs is the next one until it is done: the clock may run while a client asks.
    let pass = context.reaper.next_pass_ms().filter(|_| is_on).map(|at_ms| at_ms.max(now_ms));
    let (found, missing) = match what {
        "threshold" => (threshold, "no document expires after now"),
        "pass" => (pass, "no pass is scheduled; turn on ttlMonitorEnabled"),
        "event" => (
            threshold.into_iter().chain(pass).min(),
            "no document expires after now, and no pass is scheduled",
        ),
        other => {
            let message =
                format!("advanceTo: {other:?} is none of \"event\", \"threshold\", \"pass\"");
            return Err(CommandError::bad_value(message));
        }
    };
    found.ok_or_else(|| CommandError::illegal_operation(missing))
}

/// Waits until the pass that was due is done and the next one is planned, at most
/// [`CLOCK_PASS_WAIT`] of real time: a monitor that fails again and again plans none.
fn await_due_pass(context: &Context) -> Result<(), StopReason> {
    let (until, clock) = (work_time().saturating_add(CLOCK_PASS_WAIT), context.clock());
    let is_due = || context.reaper.next_pass_ms().is_some_and(|next_ms| next_ms <= clock.now_ms());
    while is_due() && work_time() < until {
        check_interrupt()?;
        thread::park_timeout(CLOCK_PASS_POLL);
    }
    Ok(())
}

fn clock_rate(request: &Request<'_>, rate: RawBsonRef<'_>) -> Result<f64, CommandError> {
    let rate = match rate {
        RawBsonRef::Double(rate) => rate,
        RawBsonRef::Int32(rate) => f64::from(rate),
        RawBsonRef::Int64(rate) => i32::try_from(rate).map_or(f64::INFINITY, f64::from),
        other => return Err(request.wrong_type("rate", other, "double, int, long")),
    };
    if (RATE_MIN..=RATE_MAX).contains(&rate) {
        return Ok(rate);
    }
    let message = format!("rate must be from {RATE_MIN} to {RATE_MAX}; use paused to stop time");
    Err(CommandError::bad_value(message))
}

#[cfg(test)]
mod tests {
    use crate::command::testing::Lab;

    #[test]
    fn a_pass_that_is_due_is_waited_for() {
        let lab = Lab::new();
        let monitor = crate::reaper::Monitor::new(std::sync::Arc::clone(lab.engine.reaper()));
        monitor.plan();
        lab.ok("{mayflyClock: 1, advanceMS: 60000}");
        // There is no thread that would run it.
        lab.check("{mayflyClock: 1, advanceTo: 'pass', maxTimeMS: 20}", "{ok: 0, code: 50}");
        lab.check("{mayflyClock: 1}", "{now: ISODate('2024-01-01T00:01:00Z'), ok: 1}");
    }

    #[test]
    fn time_advances_to_the_next_threshold_or_pass() {
        let lab = Lab::new();
        let to = |what: &str| format!("{{mayflyClock: 1, advanceTo: '{what}'}}");
        let now = |time: &str| format!("{{now: ISODate('2024-01-01T{time}Z'), ok: 1}}");
        // There is no thread that plans passes.
        lab.check(&to("event"), "{ok: 0, code: 20}");
        lab.check(&to("pass"), "{ok: 0, code: 20}");
        lab.check(&to("else"), "{ok: 0, code: 2}");
        lab.ok("{createIndexes: 'c', indexes: [{key: {t: 1}, name: 't', expireAfterSeconds: 60}]}");
        lab.ok("{insert: 'c', documents: [{t: ISODate('2024-01-01T00:00:00Z')}, {t: ISODate('2024-01-01T00:00:30Z')}]}");
        lab.check(&to("event"), &now("00:01:00"));
        lab.check(&to("threshold"), &now("00:01:30"));
        lab.check(&to("event"), "{ok: 0, code: 20}");
        lab.check("{mayflyClock: 1}", &now("00:01:30"));
    }
}
