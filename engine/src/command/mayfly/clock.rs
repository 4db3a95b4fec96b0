//! `mayflyClock`: reads the clock; with `set`, `advanceMS`, `rate` or `paused` moves a simulated
//! one.

use bson::raw::RawBsonRef;

use crate::{
    clock::{RATE_MAX, RATE_MIN},
    command::core::{
        command::{Command, Scope},
        context::Context,
        error::{Answer, Code, CommandError},
        field::fields,
        monitor::ttl_status::clock_document,
        reply::raw,
        request::Request,
    },
};

fields! {
    /// What is to be changed. All of it is read before anything is changed.
    struct ClockChanges<'r> from Request<'r> {
        optional "paused": flag_if_any => paused Option<bool>,
        optional "advanceMS": integer => advance_ms Option<i64>,
        optional "set": date => set_ms Option<i64>,
        optional "rate": get => rate Option<RawBsonRef<'r>>,
    }
}

/// `{mayflyClock: 1}`; `{mayflyClock: 1, set: Date, advanceMS: long, rate: double, paused: bool}`
pub static COMMAND: Command = Command {
    name: "mayflyClock",
    aliases: &[],
    scope: Scope::Admin,
    fields: ClockChanges::FIELDS,
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let ClockChanges { paused, advance_ms, set_ms, rate } = ClockChanges::read(request)?;
    let rate = rate.map(|rate| clock_rate(request, rate)).transpose()?;
    if paused.is_none() && advance_ms.is_none() && set_ms.is_none() && rate.is_none() {
        return raw(&clock_document(context.clock().status()));
    }
    let Some(clock) = &context.simulated_clock else {
        return Err(CommandError::new(
            Code::ILLEGAL_OPERATION,
            "this store uses the system clock, which Mayfly can't change; open a store with a \
             simulated clock",
        ));
    };
    if let Some(now_ms) = set_ms {
        clock.set(now_ms);
    }
    if let Some(step_ms) = advance_ms {
        clock.advance_ms(step_ms);
    }
    if let Some(rate) = rate {
        clock.set_rate(rate);
    }
    if let Some(paused) = paused {
        clock.set_paused(paused);
    }
    context.reaper.note_clock();
    raw(&clock_document(context.clock().status()))
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
    Err(CommandError::new(Code::BAD_VALUE, message))
}
