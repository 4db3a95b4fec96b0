//! `mayflyClock`: reads the clock; with `set`, `advanceMS`, `rate` or `paused` moves a simulated
//! one.

use bson::raw::RawBsonRef;

use crate::{
    clock::{RATE_MAX, RATE_MIN},
    command::core::{
        command::{Command, Scope},
        context::Context,
        error::{Answer, Code, CommandError},
        field::optional,
        monitor::ttl_status::clock_document,
        reply::raw,
        request::Request,
    },
};

/// `{mayflyClock: 1}`; `{mayflyClock: 1, set: Date, advanceMS: long, rate: double, paused: bool}`
pub static COMMAND: Command = Command {
    name: "mayflyClock",
    aliases: &[],
    scope: Scope::Admin,
    fields: &[optional("set"), optional("advanceMS"), optional("rate"), optional("paused")],
    run,
};

/// What is to be changed. All of it is read before anything is changed.
struct ClockChanges {
    set_ms: Option<i64>,
    advance_ms: Option<i64>,
    rate: Option<f64>,
    paused: Option<bool>,
}

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let changes = ClockChanges::read(request)?;
    if changes.is_empty() {
        return raw(&clock_document(context.clock().status()));
    }
    let Some(clock) = &context.simulated_clock else {
        return Err(CommandError::new(
            Code::ILLEGAL_OPERATION,
            "this store uses the system clock, which Mayfly can't change; open a store with a \
             simulated clock",
        ));
    };
    if let Some(now_ms) = changes.set_ms {
        clock.set(now_ms);
    }
    if let Some(step_ms) = changes.advance_ms {
        clock.advance_ms(step_ms);
    }
    if let Some(rate) = changes.rate {
        clock.set_rate(rate);
    }
    if let Some(paused) = changes.paused {
        clock.set_paused(paused);
    }
    context.reaper.note_clock();
    raw(&clock_document(context.clock().status()))
}

impl ClockChanges {
    fn read(request: &Request<'_>) -> Result<Self, CommandError> {
        let paused = request.get("paused")?.map(|_| request.flag("paused")).transpose()?;
        let advance_ms = request.integer("advanceMS")?;
        Ok(Self { set_ms: request.date("set")?, advance_ms, rate: rate(request)?, paused })
    }

    fn is_empty(&self) -> bool {
        let Self { set_ms, advance_ms, rate, paused } = self;
        set_ms.is_none() && advance_ms.is_none() && rate.is_none() && paused.is_none()
    }
}

fn rate(request: &Request<'_>) -> Result<Option<f64>, CommandError> {
    let rate = match request.get("rate")? {
        None => return Ok(None),
        Some(RawBsonRef::Double(rate)) => rate,
        Some(RawBsonRef::Int32(rate)) => f64::from(rate),
        Some(RawBsonRef::Int64(rate)) => i32::try_from(rate).map_or(f64::INFINITY, f64::from),
        Some(other) => return Err(request.wrong_type("rate", other, "double, int, long")),
    };
    if (RATE_MIN..=RATE_MAX).contains(&rate) {
        return Ok(Some(rate));
    }
    let message = format!("rate must be from {RATE_MIN} to {RATE_MAX}; use paused to stop time");
    Err(CommandError::new(Code::BAD_VALUE, message))
}
