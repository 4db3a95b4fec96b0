//! The slider of a TTL: ages from a second to a year, and the documents of each age.

use bson::{Bson, Document};

use crate::commands::indexes;
use crate::job::reply::{batch, number};

/// Slices of age in the picture above the slider.
pub const AGE_SLICES: usize = 40;

/// The ends of the slider, in seconds: a second, a year.
pub const SLIDER_SECS: (i64, i64) = (1, 365 * 86_400);

/// The age at a fraction of the slider, in seconds; logarithmic.
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
pub fn slider_secs(fraction: f64) -> i64 {
    slider_age(fraction).round() as i64
}

/// The same in milliseconds: whole seconds are too coarse for the youngest slices.
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
fn slider_ms(fraction: f64) -> i64 {
    (slider_age(fraction) * 1_000.0).round() as i64
}

#[expect(clippy::cast_precision_loss, reason = "an age on a slider")]
fn slider_age(fraction: f64) -> f64 {
    let (low, high) = ((SLIDER_SECS.0 as f64).ln(), (SLIDER_SECS.1 as f64).ln());
    (low + (high - low) * fraction.clamp(0.0, 1.0)).exp()
}

/// Where an age stands on the slider.
#[expect(clippy::cast_precision_loss, reason = "an age on a slider")]
pub fn slider_fraction(secs: i64) -> f64 {
    let secs = secs.clamp(SLIDER_SECS.0, SLIDER_SECS.1) as f64;
    let (low, high) = ((SLIDER_SECS.0 as f64).ln(), (SLIDER_SECS.1 as f64).ln());
    (secs.ln() - low) / (high - low)
}

/// The command that counts documents by the age of their date, one bucket a slice. Dates later than
/// now are not counted.
pub fn ages_command(collection: &str, field: &str, now_ms: i64) -> Document {
    let before = |age_ms: i64| {
        let ms = now_ms.saturating_sub(age_ms);
        // A bucket has its beginning and not its end; a slice has its younger end.
        bson::DateTime::from_millis(ms.saturating_add(1))
    };
    let end = |slice: usize| {
        #[expect(clippy::cast_precision_loss, reason = "a handful of slices")]
        let fraction = slice as f64 / AGE_SLICES as f64;
        slider_ms(fraction)
    };
    let mut boundaries = vec![Bson::DateTime(bson::DateTime::MIN)];
    boundaries.extend((1..AGE_SLICES).rev().map(|slice| Bson::DateTime(before(end(slice)))));
    boundaries.push(Bson::DateTime(before(0)));
    indexes::count_by_date(collection, field, boundaries, now_ms)
}

/// Documents by age, one count a slice, out of the reply to [`ages_command`]; `None` unless the
/// command was about this field.
pub fn ages(command: &Document, reply: &Document, field: &str) -> Option<Vec<u64>> {
    let bucket = command.get_array("pipeline").ok()?.get(1)?.as_document()?;
    let bucket = bucket.get_document("$bucket").ok()?;
    if bucket.get_str("groupBy").ok()?.strip_prefix('$') != Some(field) {
        return None;
    }
    let boundaries = bucket.get_array("boundaries").ok()?;
    let mut ages = vec![0; AGE_SLICES];
    for found in batch(reply) {
        let place = boundaries.iter().position(|at| found.get("_id") == Some(at));
        let age = place.and_then(|at| ages.get_mut(AGE_SLICES.checked_sub(at + 1)?));
        if let (Some(age), Some(count)) = (age, number(found, "count")) {
            *age = count;
        }
    }
    Some(ages)
}
