//! The first record of a journal: the operation as a document.

use std::path::PathBuf;
use std::sync::Arc;

use bson::{Bson, Document, doc};
use mayfly_engine::transfer::{Unconverted, Zone};
use mayfly_engine::value::date_text::DateForm;

use crate::job::bulk::{BulkChange, Made, Target};
use crate::job::convert::Conversion;
use crate::job::rollout::RolloutPlan;
use crate::job::{Namespace, TrashScope};

/// The names of what can be done to many documents, as [`BulkChange`] does not name them.
const VERBS: [&str; 4] = ["Deleted", "Updated", "Converted", "Copied"];

/// A change as a document. Its pairs are records of their own.
pub fn of_change(namespace: &Namespace, change: &BulkChange, began_ms: i64) -> Document {
    let mut header = match change {
        BulkChange::Delete(target) => doc! { "kind": "delete", "target": of_target(target) },
        BulkChange::Update { target, update } => {
            doc! { "kind": "update", "target": of_target(target), "update": update.clone() }
        }
        BulkChange::Convert(Conversion { path, forms, zone, unconverted }) => doc! {
            "kind": "convert", "path": path, "zone": zone.to_string(),
            "forms": forms.iter().map(DateForm::to_string).collect::<Vec<_>>(),
            "unconverted": unconverted.name(),
        },
        BulkChange::Copy { target, to, folder } => {
            let folder = folder.as_ref().map(|folder| folder.to_string_lossy().into_owned());
            let target = of_target(target);
            doc! { "kind": "copy", "target": target, "to": of_namespace(to), "folder": folder }
        }
        BulkChange::Empty => doc! { "kind": "empty" },
        BulkChange::Duplicate { to, indexes } => {
            doc! { "kind": "duplicate", "to": of_namespace(to), "indexes": indexes.clone() }
        }
        BulkChange::Restore(TrashScope { of, pass, filter }) => {
            let of = of.as_ref().map(of_namespace);
            doc! { "kind": "restore", "of": of, "pass": *pass, "filter": filter.clone() }
        }
        BulkChange::Back(made) => of_made("back", made),
        BulkChange::Again(made) => of_made("again", made),
    };
    let at = match change {
        BulkChange::Back(made) | BulkChange::Again(made) => &made.namespace,
        _ => namespace,
    };
    header.insert("at", of_namespace(at));
    header.insert("beganMs", began_ms);
    header
}

/// The change in a header; that of a change that is taken back has no pairs.
pub fn change(header: &Document) -> Option<(Namespace, BulkChange)> {
    let at = namespace(header, "at")?;
    let target = || target(header.get_document("target").ok()?);
    let made = || {
        let verb = header.get_str("verb").ok()?;
        let verb = VERBS.into_iter().find(|known| *known == verb)?;
        let field = header.get_str("field").ok().map(str::to_owned);
        Some(made(at.clone(), verb, field))
    };
    let change = match header.get_str("kind").ok()? {
        "delete" => BulkChange::Delete(target()?),
        "update" => BulkChange::Update { target: target()?, update: header.get("update")?.clone() },
        // As an earlier version wrote it.
        "convert" if header.contains_key("pipeline") => BulkChange::Update {
            target: Target::Matching(header.get_document("filter").ok()?.clone()),
            update: header.get("pipeline")?.clone(),
        },
        "convert" => BulkChange::Convert(conversion(header)?),
        "copy" => BulkChange::Copy {
            target: target()?,
            to: namespace(header, "to")?,
            folder: header.get_str("folder").ok().map(PathBuf::from),
        },
        "empty" => BulkChange::Empty,
        "duplicate" => BulkChange::Duplicate {
            to: namespace(header, "to")?,
            indexes: documents(header.get_array("indexes").ok()?),
        },
        "restore" => BulkChange::Restore(TrashScope {
            of: namespace(header, "of"),
            pass: header.get_i64("pass").ok(),
            filter: header.get_document("filter").ok().cloned(),
        }),
        "back" => BulkChange::Back(made()?),
        "again" => BulkChange::Again(made()?),
        _ => return None,
    };
    Some((at, change))
}

/// A change whose pairs are in its journal.
fn made(namespace: Namespace, verb: &'static str, field: Option<String>) -> Arc<Made> {
    Arc::new(Made { namespace, pairs: Vec::new(), verb, field })
}

fn of_made(kind: &str, made: &Made) -> Document {
    doc! { "kind": kind, "verb": made.verb, "field": made.field.clone() }
}

fn conversion(header: &Document) -> Option<Conversion> {
    let forms = header.get_array("forms").ok()?.iter();
    let forms: Option<Vec<DateForm>> =
        forms.map(|form| DateForm::parse(form.as_str()?).ok()).collect();
    let unconverted = header.get_str("unconverted").ok()?;
    let known = Unconverted::ALL.into_iter().find(|(_, name)| *name == unconverted)?;
    Some(Conversion {
        path: header.get_str("path").ok()?.to_owned(),
        forms: forms?,
        zone: Zone::parse(header.get_str("zone").ok()?)?,
        unconverted: known.0,
    })
}

pub fn of_plan(plan: &RolloutPlan, began_ms: i64) -> Document {
    doc! {
        "kind": "rollout", "at": of_namespace(&plan.namespace), "beganMs": began_ms,
        "create": plan.create.clone(), "name": &plan.name, "key": plan.key.clone(), "partial": plan.partial.clone(),
        "isHidden": plan.is_hidden, "fromSecs": plan.from_secs, "toSecs": plan.to_secs,
        "perSecond": i64::try_from(plan.per_second).unwrap_or(i64::MAX),
        "passMax": plan.pass_max.and_then(|most| i64::try_from(most).ok()),
        "replaces": plan.replaces,
        "lagMaxSecs": plan.lag_max_secs.and_then(|most| i64::try_from(most).ok()),
    }
}

pub fn plan(header: &Document) -> Option<RolloutPlan> {
    let document = |name| header.get_document(name).ok().cloned();
    let whole = |name| header.get_i64(name).ok().and_then(|most| u64::try_from(most).ok());
    (header.get_str("kind").ok()? == "rollout").then_some(())?;
    Some(RolloutPlan {
        namespace: namespace(header, "at")?,
        create: document("create"),
        name: header.get_str("name").ok()?.to_owned(),
        key: document("key")?,
        partial: document("partial"),
        is_hidden: header.get_bool("isHidden").unwrap_or(false),
        from_secs: header.get_i64("fromSecs").ok(),
        to_secs: header.get_i64("toSecs").ok()?,
        per_second: u64::try_from(header.get_i64("perSecond").ok()?).ok()?,
        pass_max: whole("passMax"),
        replaces: header.get_bool("replaces").unwrap_or(false),
        lag_max_secs: whole("lagMaxSecs"),
    })
}

fn of_namespace(namespace: &Namespace) -> Document {
    doc! { "db": &namespace.db, "collection": &namespace.collection }
}

fn namespace(header: &Document, name: &str) -> Option<Namespace> {
    let found = header.get_document(name).ok()?;
    Some(Namespace::new(found.get_str("db").ok()?, found.get_str("collection").ok()?))
}

fn of_target(target: &Target) -> Document {
    match target {
        Target::Ids(ids) => doc! { "ids": ids.clone() },
        Target::Matching(filter) => doc! { "filter": filter.clone() },
        Target::Collated { filter, collation } => {
            doc! { "filter": filter.clone(), "collation": collation.clone() }
        }
    }
}

fn target(found: &Document) -> Option<Target> {
    if let Ok(ids) = found.get_array("ids") {
        return Some(Target::Ids(ids.clone()));
    }
    let filter = found.get_document("filter").ok()?.clone();
    Some(match found.get_document("collation") {
        Ok(collation) => Target::Collated { filter, collation: collation.clone() },
        Err(_) => Target::Matching(filter),
    })
}

fn documents(array: &[Bson]) -> Vec<Document> {
    array.iter().filter_map(Bson::as_document).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_says_everything_of_its_operation() {
        let at = Namespace::new("d", "c");
        let filter = doc! { "n": { "$gt": 1 } };
        let collation = doc! { "locale": "en" };
        let to = Namespace::new("e", "f");
        let ids = Target::Ids(vec![Bson::Int32(1), Bson::String("x".to_owned())]);
        let update = Bson::Document(doc! { "$inc": { "n": 1 } });
        let matching = || Target::Matching(filter.clone());
        let changes = [
            BulkChange::Delete(ids.clone()),
            BulkChange::Delete(Target::Collated { filter: filter.clone(), collation }),
            BulkChange::Update { target: matching(), update },
            BulkChange::Convert(Conversion {
                path: "a.b".to_owned(),
                forms: ["", "s", "ms", "%d/%m/%Y %H:%M"]
                    .map(|form| DateForm::parse(form).expect("a form"))
                    .to_vec(),
                zone: Zone::parse("Europe/Berlin").expect("a zone"),
                unconverted: Unconverted::Reject,
            }),
            BulkChange::Copy { target: matching(), to: to.clone(), folder: None },
            BulkChange::Copy { target: ids, to: to.clone(), folder: Some("/data".into()) },
            BulkChange::Empty,
            BulkChange::Duplicate { to, indexes: vec![doc! { "key": { "a": 1 } }] },
            BulkChange::Restore(TrashScope::default()),
            BulkChange::Restore(TrashScope {
                of: Some(at.clone()),
                pass: Some(3),
                filter: Some(filter.clone()),
            }),
            BulkChange::Back(made(at.clone(), "Updated", None)),
            BulkChange::Again(made(at.clone(), "Converted", Some("a.b".to_owned()))),
        ];
        for written in changes {
            let header = of_change(&at, &written, 5);
            assert_eq!(change(&header), Some((at.clone(), written)), "{header}");
        }
        let rollout = RolloutPlan {
            namespace: at,
            create: None,
            name: "at_1".to_owned(),
            key: doc! { "at": 1 },
            partial: Some(filter),
            is_hidden: true,
            from_secs: None,
            to_secs: 60,
            per_second: 50,
            pass_max: Some(10_000),
            replaces: true,
            lag_max_secs: Some(10),
        };
        assert_eq!(plan(&of_plan(&rollout, 5)), Some(rollout));
    }
}
