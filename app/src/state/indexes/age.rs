//! The slider of a TTL: ages from a second to a year, and the documents of each age.

use bson::{Bson, Document, doc};

/// Slices of age in the picture above the slider.
pub const AGE_SLICES: usize = 40;

/// The ends of the slider, in seconds: a second, a year.
pub const SLIDER_SECS: (i64, i64) = (1, 365 * 86_400);

/// The age at a fraction of the slider, in seconds; logarithmic.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "an age on a slider")]
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
pub fn slider_secs(fraction: f64) -> i64 {
    let (low, high) = ((SLIDER_SECS.0 as f64).ln(), (SLIDER_SECS.1 as f64).ln());
    (low + (high - low) * fraction.clamp(0.0, 1.0)).exp().round() as i64
}

/// Where an age stands on the slider.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "an age on a slider")]
pub fn slider_fraction(secs: i64) -> f64 {
    let secs = secs.clamp(SLIDER_SECS.0, SLIDER_SECS.1) as f64;
    let (low, high) = ((SLIDER_SECS.0 as f64).ln(), (SLIDER_SECS.1 as f64).ln());
    (secs.ln() - low) / (high - low)
}

/// The command that counts documents whose date is between the ages at both ends of a slice.
#[must_use]
pub fn age_command(collection: &str, field: &str, slice: usize, now_ms: i64) -> Document {
    let date = |secs: i64| {
        let ms = now_ms.saturating_sub(secs.saturating_mul(1_000));
        Bson::DateTime(bson::DateTime::from_millis(ms))
    };
    let end = |slice: usize| {
        #[expect(clippy::cast_precision_loss, reason = "a handful of slices")]
        let fraction = slice as f64 / AGE_SLICES as f64;
        slider_secs(fraction)
    };
    let mut range = doc! { "$lte": date(if slice == 0 { 0 } else { end(slice) }) };
    if slice + 1 < AGE_SLICES {
        range.insert("$gt", date(end(slice + 1)));
    }
    doc! { "count": collection, "query": { field: range } }
}
