//! The commands of a rollout, and the same as a script.

use bson::{Bson, DateTime, Document, doc};
use mayfly_engine::value::extjson::Layout;
use mayfly_engine::value::shell::write_value;

use super::{indexes, smallest_int};
use crate::job::rollout::{RolloutPlan, SECS_MAX, STEP_SECS};

const MS_PER_SEC: i64 = 1_000;

/// Dates that a TTL of `secs` has made overdue by now, combined with the index's partial filter.
fn overdue(plan: &RolloutPlan, secs: i64, now_ms: i64) -> Document {
    let last = DateTime::from_millis(now_ms.saturating_sub(secs.saturating_mul(MS_PER_SEC)));
    let dates = doc! { plan.field(): { "$lte": last } };
    match &plan.partial {
        Some(partial) => doc! { "$and": [dates, partial.clone()] },
        None => dates,
    }
}

/// Counts the documents that a TTL of `secs` has made overdue, up to `most`.
pub fn count(plan: &RolloutPlan, secs: i64, now_ms: i64, most: u64) -> Document {
    let count = doc! {
        "count": &plan.namespace.collection, "query": overdue(plan, secs, now_ms),
        "limit": i64::try_from(most).unwrap_or(i64::MAX),
    };
    hinted(plan, count)
}

/// A read along the index, as far as queries may use it.
fn hinted(plan: &RolloutPlan, mut read: Document) -> Document {
    if !plan.is_hidden {
        read.insert("hint", &plan.name);
    }
    read
}

/// Reads the date of the document after which one step's documents are counted: the oldest ones of
/// those that the final TTL removes.
pub fn boundary(plan: &RolloutPlan, now_ms: i64) -> Document {
    let skip = i64::try_from(plan.per_step().saturating_sub(1)).unwrap_or(i64::MAX);
    let find = doc! {
        "find": &plan.namespace.collection, "filter": overdue(plan, plan.to_secs, now_ms),
        "sort": { plan.field(): 1 }, "skip": skip, "limit": 1,
        "projection": { "_id": 0, plan.field(): 1 },
    };
    hinted(plan, find)
}

/// Makes the index, with a TTL that removes nothing yet.
pub fn create(plan: &RolloutPlan, index: &Document) -> Document {
    let mut index = index.clone();
    index.insert("expireAfterSeconds", smallest_int(SECS_MAX));
    indexes::create(&plan.namespace.collection, index)
}

/// Sets the seconds of the index.
pub fn lower(plan: &RolloutPlan, secs: i64) -> Document {
    indexes::set_ttl(&plan.namespace.collection, &plan.name, secs)
}

/// The parts of a script that wait while the slowest secondary lags more than `most` seconds: a
/// function, and its use before a step.
fn lag(most: u64) -> (String, String) {
    let read = "const lag = () => {
  const conf = db.adminCommand({ replSetGetConfig: 1 }).config.members;
  const delayed = conf.filter((one) => (one.secondaryDelaySecs ?? one.slaveDelay ?? 0) > 0).map((one) => one._id);
  const members = db.adminCommand({ replSetGetStatus: 1 }).members.filter((one) => !delayed.includes(one._id));
  const at = (state) => members.filter((one) => one.state === state).map((one) => one.optimeDate.getTime());
  return (Math.max(...at(1)) - Math.min(...at(2))) / 1000;
};
";
    (read.to_owned(), format!("  while (lag() > {most}) {{ sleep(5000); }}\n"))
}

/// Documents that are kept longer first, so that they can go in steps once their minute is over.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    /// The end of the minute, in milliseconds since 1970.
    pub until_ms: i64,
    /// The seconds of the index until then.
    pub secs: i64,
}

/// The same work as a script for mongosh.
pub fn script(plan: &RolloutPlan) -> String {
    format!("{}{}", beginning(plan), steps(plan))
}

/// A script for documents that would expire in a minute ahead. Before the end of that minute it keeps them longer,
/// and after it, it lets them go in steps.
pub fn script_of_held(plan: &RolloutPlan, held: Held) -> String {
    let over = Bson::DateTime(DateTime::from_millis(held.until_ms));
    format!(
        "{}const over = {};
if (Date.now() < over.getTime()) {{
  set({secs});
  print(`The TTL is {secs} s now. Run these lines again after ${{over.toISOString()}}`);
}} else {{
{}}}
",
        beginning(plan),
        write_value(&over, Layout::OneLine),
        steps(plan),
        secs = held.secs
    )
}

/// The names that the steps use, and the index if it is made first.
fn beginning(plan: &RolloutPlan) -> String {
    let text = |value: Bson| write_value(&value, Layout::OneLine);
    let (db, collection) = (&plan.namespace.db, &plan.namespace.collection);
    let [db, collection] = [db, collection].map(|name| text(Bson::String(name.clone())));
    let name = text(plan.name.clone().into());
    let field = text(plan.field().into());
    let partial = text(plan.partial.clone().unwrap_or_default().into());
    let first = match &plan.create {
        Some(index) => format!("database.runCommand({});", text(create(plan, index).into())),
        None if plan.from_secs.is_none() => "set(2147483647);".to_owned(),
        None => String::new(),
    };
    let (to, per_step) = (plan.to_secs, plan.per_step());
    let first = if plan.replaces { format!("coll.dropIndex(index);\n{first}") } else { first };
    let (lag, _) = plan.lag_max_secs.map(lag).unwrap_or_default();
    format!(
        "const database = db.getSiblingDB({db}), coll = database.getCollection({collection});
const index = {name}, field = {field}, partial = {partial}, target = {to}, perStep = {per_step};
const set = (secs) => database.runCommand({{ collMod: {collection}, index: {{ name: index, expireAfterSeconds: secs }} }});
const date = (doc) => {{
  const value = field.split('.').reduce((inner, part) => inner[part], doc);
  return Array.isArray(value) ? Math.min(...value.filter((one) => one instanceof Date)) : value;
}};
const due = (secs) => ({{ $and: [{{ [field]: {{ $lte: new Date(Date.now() - secs * 1000) }} }}, partial] }});
{lag}{first}
const isHidden = coll.getIndexes().some((one) => one.name === index && one.hidden);
const inOrder = (found) => (isHidden ? found : found.hint(index)).sort({{ [field]: 1 }});
"
    )
}

/// The loop over the steps.
fn steps(plan: &RolloutPlan) -> String {
    let (_, wait) = plan.lag_max_secs.map(lag).unwrap_or_default();
    format!(
        "let secs = 2147483647;
while (secs > target) {{
  const last = inOrder(coll.find(due(target))).skip(perStep - 1).limit(1).toArray()[0];
  secs = last ? Math.max(target, Math.floor((Date.now() - date(last)) / 1000)) : target;
{wait}  set(secs);
  print(`TTL ${{secs}} s, ${{coll.countDocuments(due(secs))}} overdue`);
  do {{ sleep({ms}); }} while (coll.countDocuments(due(secs)) > 0);
}}
",
        ms = STEP_SECS * 1_000
    )
}
