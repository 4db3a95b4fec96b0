//! `mayflyForecast`: how many documents expire when.

use super::ttl_targets::targets_for;
use crate::{
    command::core::{Answer, Command, CommandError, Context, Request, fields, missing_field, raw},
    limits::FORECAST_BUCKETS_MAX,
    reaper::{ForecastRequest, forecast},
};

fields! {
    struct ForecastFields from Request<'_> {
        optional "index",
        required "from": date => from_ms Option<i64>,
        required "to": date => to_ms Option<i64>,
        required "buckets": count => buckets Option<u64>,
        optional "steepest": flag => finds_steepest bool,
    }
}

/// `{mayflyForecast: coll, index?: name, from: Date, to: Date, buckets: n, steepest?: bool}`
///
/// With `steepest`, the reply has the minute in the buckets in which most documents expire, unless a document may
/// count several times.
pub static COMMAND: Command = Command::any("mayflyForecast", ForecastFields::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let (collection, targets) = targets_for(context, request)?;
    let fields = ForecastFields::read(request)?;
    let from_ms = fields.from_ms.ok_or_else(|| missing_field(request.name, "from"))?;
    let to_ms = fields.to_ms.ok_or_else(|| missing_field(request.name, "to"))?;
    let buckets = usize::try_from(fields.buckets.unwrap_or(0)).unwrap_or(usize::MAX);
    if from_ms >= to_ms || buckets == 0 || buckets > FORECAST_BUCKETS_MAX {
        return Err(CommandError::bad_value(format!(
            "from must be before to, and buckets must be between 1 and \
            {FORECAST_BUCKETS_MAX}"
        )));
    }
    let (now_ms, finds_steepest) = (context.now_ms(), fields.finds_steepest);
    let asked = ForecastRequest { now_ms, from_ms, to_ms, buckets, finds_steepest };
    let found = forecast(context.collections.store(), collection.id, &targets, asked)?;
    raw(&found.to_document())
}
