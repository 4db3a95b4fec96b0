//! `mayflyExpiring`: documents in the order in which they expire.

use bson::{Document, raw::RawDocument};

use super::ttl_targets::targets_for;
use crate::{
    command::core::{Answer, Command, CommandError, Context, Request, fields, raw},
    limits::EXPIRING_DOCS_MAX,
    reaper::{Expiring, ThresholdRange, Token, expiring},
    reply::{ExpiringPage, ExpiringRow},
};

/// The default `limit`.
const LIMIT_DEFAULT: u64 = 100;

fields! {
    struct ExpiringFields<'r> from Request<'r> {
        optional "index",
        optional "from": date => from_ms Option<i64>,
        optional "to": date => to_ms Option<i64>,
        optional "after": document => after Option<&'r RawDocument>,
        optional "limit": count => limit Option<u64>,
    }
}

/// `{mayflyExpiring: coll, index?: name | [name], from?: Date, to?: Date, after?: token, limit?: n}`
///
/// Thresholds are from `from` on and before `to`.
pub static COMMAND: Command = Command::any("mayflyExpiring", ExpiringFields::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let (_, targets) = targets_for(context, request)?;
    let fields = ExpiringFields::read(request)?;
    let after = fields.after.map(token).transpose()?;
    let limit = fields.limit.unwrap_or(LIMIT_DEFAULT);
    let limit = usize::try_from(limit).unwrap_or(EXPIRING_DOCS_MAX).clamp(1, EXPIRING_DOCS_MAX);
    let now_ms = context.now_ms();
    let range = ThresholdRange { from_ms: fields.from_ms, to_ms: fields.to_ms };
    if range.is_reversed() {
        return Err(CommandError::bad_value("from must not be after to"));
    }
    let page = expiring(context.collections.store(), &targets, range, after.as_ref(), limit)?;
    let row = |found: Expiring| {
        let (rule, threshold_ms) = (found.index.clone(), found.deadline.threshold_ms);
        let target = targets.iter().find(|target| target.name() == rule);
        let removable_ms = target.map(|target| target.removable_ms(threshold_ms));
        row(found, removable_ms.filter(|at_ms| *at_ms > threshold_ms), now_ms)
    };
    let page = ExpiringPage {
        batch: page.documents.into_iter().map(row).collect(),
        next: page.next.map(|token| token.to_document()),
        rules: Some(targets.len() as u64),
        ruled_by: None,
    };
    raw(&page.to_document())
}

fn token(after: &RawDocument) -> Result<Token, CommandError> {
    let token = Token::from_document(&Document::try_from(after)?);
    token.ok_or_else(|| {
        CommandError::bad_value(
            "after is not a valid token; use the \"next\" value of the previous page",
        )
    })
}

fn row(found: Expiring, removable_ms: Option<i64>, now_ms: i64) -> ExpiringRow {
    let Expiring { id, index, field, deadline, dates_ms } = found;
    let state = if deadline.threshold_ms <= now_ms { "overdue" } else { "waiting" };
    ExpiringRow {
        id,
        index,
        field,
        base_ms: deadline.base_ms,
        threshold_ms: deadline.threshold_ms,
        source: deadline.source.as_str().to_owned(),
        dates_ms: (!dates_ms.is_empty()).then_some(dates_ms),
        removable_ms,
        state: state.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use bson::{Bson, DateTime, Document, doc};

    use crate::command::testing::Lab;

    const NOW_MS: i64 = 1_704_067_200_000;

    fn date(secs: i64) -> DateTime {
        DateTime::from_millis(NOW_MS + secs * 1_000)
    }

    /// Documents whose `_id` is their threshold in seconds from now; by `a` the even ones and by `b`,
    /// which adds ten seconds, the odd ones.
    fn lab() -> Lab {
        let lab = Lab::new();
        lab.ok("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a', expireAfterSeconds: 0}, \
             {key: {b: -1}, name: 'b', expireAfterSeconds: 10}]}");
        let document = |at: i64| {
            if at % 2 == 0 {
                doc! { "_id": at, "a": date(at) }
            } else {
                doc! { "_id": at, "b": [date(at - 10), date(at + 99)], "a": date(at + 500) }
            }
        };
        let documents: Vec<Document> = (0..40).map(document).collect();
        lab.run_document(&doc! { "insert": "c", "documents": documents });
        lab
    }

    fn ids(reply: &Document) -> Vec<i64> {
        let batch = reply.get_array("batch").expect("a batch").iter();
        batch.filter_map(|row| row.as_document()?.get_i64("_id").ok()).collect()
    }

    #[test]
    fn a_range_has_its_first_instant_and_not_its_end_page_by_page() {
        let lab = lab();
        let ask = doc! { "mayflyExpiring": "c", "from": date(10), "to": date(20), "limit": 4 };
        let first = lab.run_document(&ask);
        assert_eq!(ids(&first), [10, 11, 12, 13]);
        let mut ask = ask;
        ask.insert("after", first.get_document("next").expect("more").clone());
        let second = lab.run_document(&ask);
        assert_eq!(ids(&second), [14, 15, 16, 17]);
        ask.insert("after", second.get_document("next").expect("more").clone());
        let last = lab.run_document(&ask);
        assert_eq!((ids(&last), last.get("next")), (vec![18, 19], Some(&Bson::Null)));
        let open = doc! { "mayflyExpiring": "c", "from": date(38) };
        assert_eq!(ids(&lab.run_document(&open)), [38, 39]);
        let whole = doc! { "mayflyExpiring": "c", "to": date(2), "limit": 2 };
        let whole = lab.run_document(&whole);
        assert_eq!((ids(&whole), whole.get("next")), (vec![0, 1], Some(&Bson::Null)));
        let empty = doc! { "mayflyExpiring": "c", "from": date(5), "to": date(5) };
        assert!(ids(&lab.run_document(&empty)).is_empty());
        let wrong = doc! { "mayflyExpiring": "c", "from": date(6), "to": date(5) };
        assert_eq!(lab.run_document(&wrong).get_i32("code").ok(), Some(2));
    }

    #[test]
    fn without_the_index_that_wins_another_one_decides() {
        let lab = lab();
        let ask = |index: Bson| {
            let (from, to) = (date(500), date(504));
            let ask = doc! { "mayflyExpiring": "c", "index": index, "from": from, "to": to };
            lab.run_document(&ask)
        };
        assert_eq!(ids(&ask("a".into())), [1, 3]);
        assert_eq!(ids(&ask(vec!["a"].into())), [1, 3]);
        assert!(ids(&ask(vec!["b", "a"].into())).is_empty(), "b removes them long before");
        let code = |index: Bson| ask(index).get_i32("code").ok();
        assert_eq!(code(vec!["a", "c"].into()), Some(27));
        assert_eq!(code(Bson::Array(Vec::new())), Some(2));
        assert_eq!(code(vec![1].into()), Some(2));
    }
}
