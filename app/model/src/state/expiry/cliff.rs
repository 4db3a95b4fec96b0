//! Many documents that will go in one pass.

use bson::Document;
use mayfly_engine::limits::FORECAST_BUCKETS_MAX;
use mayfly_engine::reply::{DocCount, Forecast};

use super::ExpiryView;
use super::figures::{Cliff, range_of};
use crate::commands::expiry;
use crate::limits::{CLIFF_DOCUMENTS, CLIFF_DOCUMENTS_MIN, CLIFF_SHARE};
use crate::state::number;

/// Documents whose thresholds are within a minute go together, whatever the period of the passes.
const MINUTE_MS: i64 = 60_000;

/// Whether this number of a collection's documents is large for one pass.
pub fn is_cliff(documents: u64, of: u64) -> bool {
    let is_large_share = documents.saturating_mul(CLIFF_SHARE) >= of;
    documents >= CLIFF_DOCUMENTS || documents >= CLIFF_DOCUMENTS_MIN && is_large_share
}

/// The effect of the first pass under a rule, and what to do about it. `None` while it is small.
pub fn first_pass(overdue: DocCount, of: DocCount) -> Option<String> {
    is_cliff(overdue.likely(), of.likely()).then(|| {
        format!(
            "The first pass would remove {}. Start with a larger TTL and lower it in steps",
            share(overdue, of.likely())
        )
    })
}

/// The same where a pass, one a minute, removes at most this number of documents with one index.
pub fn in_passes(overdue: DocCount, of: DocCount, most: u64) -> String {
    let passes = overdue.likely().div_ceil(most.max(1));
    format!(
        "A pass of this server removes at most {} documents with one index, so {} take {} minutes \
         or more. Start with a larger TTL and lower it in steps",
        number::count(most),
        share(overdue, of.likely()),
        number::count(passes)
    )
}

/// Documents that would expire within one minute, which begins `at`, and what to do about it; `None`
/// while they are few. `documents` may be short of the truth.
pub fn one_minute(documents: u64, of: u64, at: &str) -> Option<String> {
    is_cliff(documents, of).then(|| {
        format!(
            "At least {} would expire within one minute, at {at}. To spread them, add a random \
             number of seconds to each date",
            share(documents.into(), of)
        )
    })
}

/// Documents, and their share of all: `12,000 documents (60 %)`.
fn share(documents: DocCount, of: u64) -> String {
    let percent = documents.likely().saturating_mul(100) / of.max(1);
    let (count, bounds) = number::documents_and_bounds(documents);
    let word = if documents == DocCount::Exact(1) { "document" } else { "documents" };
    format!("{count} {word} ({percent} %{bounds})")
}

impl ExpiryView {
    /// Many documents that will go together, after `now_ms`.
    pub fn cliff(&self, now_ms: i64) -> Option<Cliff> {
        self.cliff.filter(|cliff| cliff.to_ms > now_ms)
    }

    /// Notes the slice ahead with the most documents, if they are many. Where it is longer than a
    /// minute, [`ExpiryView::cliff_command`] asks whether they share one.
    pub(super) fn note_cliff(&mut self, now_ms: i64) {
        let density = &self.density;
        let slice_ms = density.slice_ms();
        let from = |at: usize| {
            let at = i64::try_from(at).unwrap_or(i64::MAX);
            density.from_ms.saturating_add(at.saturating_mul(slice_ms))
        };
        let ahead = density.counts.iter().enumerate().filter(|(at, _)| from(*at) >= now_ms);
        let all = self.totals.as_ref().map_or(0, |totals| totals.documents().likely());
        let most = ahead.max_by_key(|(at, count)| (**count, std::cmp::Reverse(*at)));
        let most = most.filter(|(_, documents)| is_cliff(**documents, all));
        self.cliff_slice = most.map(|(at, documents)| Cliff {
            documents: *documents,
            from_ms: from(at),
            to_ms: from(at).saturating_add(slice_ms),
        });
        self.cliff = match self.cliff_slice {
            Some(slice) if slice_ms <= MINUTE_MS && density.is_exact => Some(slice),
            // The known counts stay until the answer comes.
            Some(slice) => self
                .cliff
                .filter(|cliff| cliff.from_ms < slice.to_ms && slice.from_ms < cliff.to_ms),
            None => None,
        };
    }

    /// The command that counts the documents of the noted slice minute by minute; `None` where they
    /// are within one. What was estimated is counted instead, as long as it is within a minute.
    pub fn cliff_command(&self, collection: &str) -> Option<Document> {
        let Cliff { from_ms, to_ms, .. } = self.cliff_slice?;
        let length_ms = to_ms.saturating_sub(from_ms);
        let is_exact = self.density.is_exact;
        if length_ms <= MINUTE_MS && !is_exact {
            return Some(expiry::forecast(collection, from_ms, to_ms, 1, self.indexes()));
        }
        if length_ms <= MINUTE_MS || !is_exact {
            return None;
        }
        let most = i64::try_from(FORECAST_BUCKETS_MAX).unwrap_or(i64::MAX);
        let minutes = (length_ms / MINUTE_MS).clamp(1, most);
        let each_ms = (length_ms / minutes).max(1);
        let to_ms = from_ms.saturating_add(each_ms.saturating_mul(minutes));
        let minutes = i32::try_from(minutes).unwrap_or(i32::MAX);
        Some(expiry::forecast(collection, from_ms, to_ms, minutes, self.indexes()))
    }

    /// Takes the reply to [`ExpiryView::cliff_command`].
    pub fn take_cliff(&mut self, command: &Document, reply: &Document) {
        let (Some(of), Some(found)) = (range_of(command), Forecast::from_document(reply)) else {
            return;
        };
        if self.cliff_slice.is_none_or(|slice| slice.from_ms != of.from_ms) {
            return;
        }
        let parts = i64::try_from(found.counts.len()).unwrap_or(i64::MAX).max(1);
        let each_ms = of.to_ms.saturating_sub(of.from_ms) / parts;
        let all = self.totals.as_ref().map_or(0, |totals| totals.documents().likely());
        let counts = found.counts.iter().enumerate();
        let most = counts.max_by_key(|(at, count)| (**count, std::cmp::Reverse(*at)));
        self.cliff = most.filter(|(_, documents)| is_cliff(**documents, all)).map(|(at, count)| {
            let at = i64::try_from(at).unwrap_or(i64::MAX);
            let from_ms = of.from_ms.saturating_add(at.saturating_mul(each_ms));
            Cliff { documents: *count, from_ms, to_ms: from_ms.saturating_add(each_ms) }
        });
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::super::{Density, Totals};
    use super::*;

    fn view(counts: &[u64], slice_ms: i64, never: u64) -> ExpiryView {
        let to_ms = i64::try_from(counts.len()).expect("few") * slice_ms;
        let density = Density { from_ms: 0, to_ms, counts: counts.to_vec(), is_exact: true };
        let waiting = counts.iter().sum();
        let totals =
            Totals { waiting: DocCount::Exact(waiting), never: never.into(), ..Totals::default() };
        let totals = Some(totals);
        let mut view = ExpiryView { density, totals, ..ExpiryView::default() };
        view.note_cliff(slice_ms);
        view
    }

    #[test]
    fn a_cliff_is_many_documents_or_a_large_share_in_one_slice_ahead() {
        let cliff = |counts: &[u64], never| {
            let cliff = view(counts, 10, never).cliff(10);
            cliff.map(|cliff| (cliff.documents, cliff.from_ms, cliff.to_ms))
        };
        assert_eq!(cliff(&[0, 3, 2_000, 5], 0), Some((2_000, 20, 30)));
        assert_eq!(cliff(&[0, 3, 900, 5], 0), None, "few");
        assert_eq!(cliff(&[0, 3, 2_000, 5], 9_000), None, "few of the collection");
        assert_eq!(cliff(&[0, 3, 10_000, 5], 90_000), Some((10_000, 20, 30)), "many");
        assert_eq!(cliff(&[9_000, 3, 4, 5], 0), None, "past");
        assert_eq!(cliff(&[], 0), None);
    }

    #[test]
    fn documents_of_a_long_slice_are_a_cliff_only_if_they_share_a_minute() {
        let hour_ms = 3_600_000;
        let mut view = view(&[0, 3, 2_400, 5], hour_ms, 0);
        assert_eq!(view.cliff(0), None, "not known yet");
        let command = view.cliff_command("c").expect("a question");
        assert_eq!(command.get_i32("buckets").ok(), Some(60));
        view.take_cliff(&command, &doc! {"counts": vec![40_i64; 60]});
        assert_eq!(view.cliff(0), None, "spread over the hour");
        let mut counts = vec![0_i64; 60];
        counts[5] = 2_400;
        view.take_cliff(&command, &doc! {"counts": counts});
        let from_ms = 2 * hour_ms + 5 * MINUTE_MS;
        let expected = Cliff { documents: 2_400, from_ms, to_ms: from_ms + MINUTE_MS };
        assert_eq!(view.cliff(0), Some(expected));
        view.note_cliff(hour_ms);
        assert_eq!(view.cliff(0), Some(expected), "until the next answer");
        assert_eq!(view.cliff(expected.to_ms), None, "past");
    }

    #[test]
    fn an_estimated_cliff_is_one_only_if_a_count_says_so() {
        for (counted, expected) in [(2_300_i64, Some(2_300)), (3, None)] {
            let mut view = view(&[0, 3, 2_400, 5], 10, 0);
            view.density.is_exact = false;
            view.cliff = None;
            view.note_cliff(10);
            assert_eq!(view.cliff(10), None, "neighbors are in a sample together");
            let command = view.cliff_command("c").expect("a question");
            assert_eq!(command.get_i32("buckets").ok(), Some(1));
            view.take_cliff(&command, &doc! {"counts": [counted], "exact": true});
            assert_eq!(view.cliff(10).map(|cliff| cliff.documents), expected);
        }
        let mut long = view(&[0, 3, 2_400, 5], 3_600_000, 0);
        long.density.is_exact = false;
        assert_eq!(long.cliff_command("c"), None);
    }

    #[test]
    fn the_sentences_say_how_many_and_what_to_do() {
        let words = in_passes(25_000.into(), 50_000.into(), 10_000);
        let said =
            "at most 10,000 documents with one index, so 25,000 documents (50 %) take 3 minutes";
        assert!(words.contains(said), "{words}");
        assert_eq!(first_pass(999.into(), 1_000.into()), None);
        let expected = "The first pass would remove 1,200 documents (60 %). Start with a larger TTL \
                        and lower it in steps";
        assert_eq!(first_pass(1_200.into(), 2_000.into()).as_deref(), Some(expected));
        assert_eq!(one_minute(9_999, 100_000, "12:00"), None);
        let about = DocCount::About { count: 1_200, low: 0, high: Some(1_900) };
        let words = first_pass(about, 2_000.into()).expect("many");
        assert!(words.contains("about 1,200 documents (60 %, could be 0 to 1,900)."), "{words}");
        let words = one_minute(10_000, 100_000, "12:00").expect("many");
        assert!(words.starts_with("At least 10,000 documents (10 %) would expire"), "{words}");
    }
}
