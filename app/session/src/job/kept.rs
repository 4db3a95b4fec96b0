//! State that is kept from one start to the next, as JSON. One entry that can't be read costs only that entry,
//! and what several windows changed is joined entry by entry.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::limits::{REPAIR_BYTES_MAX, REPAIR_TRIES_MIN};

/// The fields of a file.
pub type Fields = Map<String, Value>;

/// A list whose entries are joined one by one. A list without a rule changes as a whole.
#[derive(Debug, Clone, Copy)]
pub struct ListRule {
    /// The name of the field, at any depth.
    pub field: &'static str,
    /// The fields that make two entries the same one. Empty for the whole entry.
    pub identity: &'static [&'static str],
    pub entries_max: usize,
    /// Whether the latest entry is the last one: the first ones are dropped then.
    pub is_latest_last: bool,
    /// Whether an entry that two windows changed is joined field by field. Otherwise it is that of the window that
    /// writes, because half of one query and half of another make none.
    pub joins_entries: bool,
}

impl ListRule {
    /// A list with the latest entry first.
    pub const fn latest_first(
        field: &'static str,
        identity: &'static [&'static str],
        entries_max: usize,
    ) -> Self {
        Self { field, identity, entries_max, is_latest_last: false, joins_entries: false }
    }

    /// The same list with entries that are joined field by field.
    #[must_use]
    pub const fn joined(self) -> Self {
        Self { joins_entries: true, ..self }
    }

    /// The same list with the latest entry last.
    #[must_use]
    pub const fn latest_last(self) -> Self {
        Self { is_latest_last: true, ..self }
    }

    fn key(&self, entry: &Value) -> String {
        if self.identity.is_empty() {
            return entry.to_string();
        }
        let parts = self.identity.iter().map(|field| entry.get(field));
        parts.map(|part| part.map_or_else(String::new, Value::to_string) + "\n").collect()
    }

    fn by_key<'v>(&self, list: Option<&'v Value>) -> HashMap<String, &'v Value> {
        let entries = list.and_then(Value::as_array).into_iter().flatten();
        entries.map(|entry| (self.key(entry), entry)).collect()
    }
}

/// Merges: the entries that others wrote (`theirs`), with our changes since `base`. An entry that one side deleted is
/// deleted unless the other side changed it; where both changed a value, it is ours.
pub fn merge(base: &Fields, ours: &Fields, theirs: &Fields, rules: &[ListRule]) -> Fields {
    let names = theirs.keys().chain(ours.keys().filter(|name| !theirs.contains_key(*name)));
    let merged = names.filter_map(|name| {
        let value = merge_value(name, base.get(name), ours.get(name), theirs.get(name), rules);
        Some((name.clone(), value?))
    });
    merged.collect()
}

fn merge_value(
    field: &str,
    base: Option<&Value>,
    ours: Option<&Value>,
    theirs: Option<&Value>,
    rules: &[ListRule],
) -> Option<Value> {
    if ours == base || ours == theirs {
        // This window changed nothing here, so the other's value must survive the write.
        return theirs.cloned();
    }
    if theirs == base {
        return ours.cloned();
    }
    match (ours, theirs) {
        (Some(Value::Object(ours)), Some(Value::Object(theirs))) => {
            let empty = Fields::new();
            let base = base.and_then(Value::as_object).unwrap_or(&empty);
            Some(Value::Object(merge(base, ours, theirs, rules)))
        }
        (Some(Value::Array(_)), Some(Value::Array(_))) => {
            let Some(rule) = rules.iter().find(|rule| rule.field == field) else {
                return ours.cloned();
            };
            Some(Value::Array(merge_list(rule, base, ours, theirs, rules)))
        }
        (None, changed) | (changed, _) => changed.cloned(),
    }
}

fn merge_list(
    rule: &ListRule,
    base: Option<&Value>,
    ours: Option<&Value>,
    theirs: Option<&Value>,
    rules: &[ListRule],
) -> Vec<Value> {
    let (before, here, there) = (rule.by_key(base), rule.by_key(ours), rule.by_key(theirs));
    let entry = |key: &String| {
        let [before, here, there] = [&before, &here, &there].map(|list| list.get(key).copied());
        let is_both = here.is_some() && here != before && there.is_some();
        // Joining two versions of such an entry, such as a query, would make one that neither
        // window had.
        if is_both && !rule.joins_entries {
            return here.cloned();
        }
        merge_value("", before, here, there, rules)
    };
    let keys = |list: Option<&Value>| -> Vec<String> {
        let mut seen = HashSet::new();
        let mut keys: Vec<String> =
            list.and_then(Value::as_array).into_iter().flatten().map(|it| rule.key(it)).collect();
        if rule.is_latest_last {
            keys.reverse();
        }
        keys.retain(|key| seen.insert(key.clone()));
        keys
    };
    let mut order = keys(ours);
    let added: Vec<String> =
        keys(theirs).into_iter().filter(|key| !here.contains_key(key)).collect();
    let at = order.iter().position(|key| before.contains_key(key)).unwrap_or(order.len());
    order.splice(at..at, added);
    let mut merged: Vec<Value> = order.iter().filter_map(entry).collect();
    merged.truncate(rule.entries_max);
    if rule.is_latest_last {
        merged.reverse();
    }
    merged
}

/// Reads fields. Also returns how many parts had to be left out because this version can't read them.
pub fn decode<T: DeserializeOwned + Default>(fields: &Fields) -> (T, usize) {
    let mut lost = 0;
    let mut good = Fields::new();
    for (name, value) in fields {
        let mut value = value.clone();
        // Each field alone, so that one that can't be read costs nothing but itself.
        let alone = |value: &Value| {
            let fields = Fields::from_iter([(name.clone(), value.clone())]);
            T::deserialize(Value::Object(fields)).is_ok()
        };
        let tries = Cell::new(0);
        if !alone(&value) {
            let bytes = value.to_string().len().max(1);
            // Each try reads the value again. The bound keeps a large damaged file from delaying
            // the start.
            tries.set((REPAIR_BYTES_MAX / bytes).max(REPAIR_TRIES_MIN));
        }
        match repair(&mut value, &alone, &tries) {
            Some(parts) => {
                lost += parts;
                good.insert(name.clone(), value);
            }
            None => lost += 1,
        }
    }
    match T::deserialize(Value::Object(good)) {
        Ok(read) => (read, lost),
        Err(_) => (T::default(), fields.len()),
    }
}

/// Removes the parts of a value that keep `accepts` from accepting it, and returns their number.
/// `None` if it has to go as a whole.
fn repair(
    value: &mut Value,
    accepts: &dyn Fn(&Value) -> bool,
    tries: &Cell<usize>,
) -> Option<usize> {
    let accepts = &|value: &Value| {
        tries.set(tries.get().saturating_sub(1));
        accepts(value)
    };
    if accepts(value) {
        return Some(0);
    }
    if tries.get() == 0 {
        return None;
    }
    match value {
        // If even an empty list is refused, no entry of it is at fault.
        Value::Array(_) if !accepts(&Value::Array(Vec::new())) => None,
        Value::Array(entries) => {
            let mut lost = 0;
            entries.retain_mut(|entry| {
                let alone = |entry: &Value| accepts(&Value::Array(vec![entry.clone()]));
                let parts = repair(entry, &alone, tries);
                lost += parts.unwrap_or(1);
                parts.is_some()
            });
            accepts(value).then_some(lost)
        }
        Value::Object(fields) if accepts(&Value::Object(Fields::new())) => {
            let mut lost = 0;
            fields.retain(|name, field| {
                let alone = |field: &Value| {
                    accepts(&Value::Object(Fields::from_iter([(name.clone(), field.clone())])))
                };
                let parts = repair(field, &alone, tries);
                lost += parts.unwrap_or(1);
                parts.is_some()
            });
            accepts(value).then_some(lost)
        }
        Value::Object(fields) => repair_one(fields, accepts, tries),
        _ => None,
    }
}

/// Repairs a record with fields that must be there: one of its fields is wrong.
fn repair_one(
    fields: &mut Fields,
    accepts: &dyn Fn(&Value) -> bool,
    tries: &Cell<usize>,
) -> Option<usize> {
    let names: Vec<String> = fields.keys().cloned().collect();
    for name in names {
        let mut without = fields.clone();
        let mut field = without.shift_remove(&name)?;
        if accepts(&Value::Object(without.clone())) {
            *fields = without;
            return Some(1);
        }
        let with = |field: &Value| {
            let mut all = without.clone();
            all.insert(name.clone(), field.clone());
            accepts(&Value::Object(all))
        };
        if let Some(parts) = repair(&mut field, &with, tries) {
            fields.insert(name, field);
            return Some(parts);
        }
    }
    None
}

/// Keeps at most as many entries of each list as its rule says, the latest ones.
pub fn bound_lists(fields: &mut Fields, rules: &[ListRule]) {
    for (name, value) in fields {
        bound(name, value, rules);
    }
}

fn bound(field: &str, value: &mut Value, rules: &[ListRule]) {
    match value {
        Value::Object(fields) => bound_lists(fields, rules),
        Value::Array(entries) => {
            if let Some(rule) = rules.iter().find(|rule| rule.field == field) {
                let over = entries.len().saturating_sub(rule.entries_max);
                if rule.is_latest_last {
                    entries.drain(..over);
                } else {
                    entries.truncate(rule.entries_max);
                }
            }
            for entry in entries {
                bound("", entry, rules);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    const RULES: &[ListRule] = &[
        ListRule::latest_first("favorites", &["name"], usize::MAX),
        ListRule::latest_first("recent", &[], 3),
        ListRule::latest_first("inputs", &[], 3).latest_last(),
    ];

    fn fields(value: Value) -> Fields {
        match value {
            Value::Object(fields) => fields,
            _ => panic!("an object"),
        }
    }

    fn check_merge(base: Value, ours: Value, theirs: Value, expected: Value) {
        let merged = merge(&fields(base), &fields(ours), &fields(theirs), RULES);
        assert_eq!(merged, fields(expected));
    }

    #[test]
    fn what_two_windows_changed_is_joined() {
        // Other fields of the same file, and a field of a newer version.
        check_merge(
            json!({"zoom": 1, "theme": "Dark"}),
            json!({"zoom": 2, "theme": "Dark"}),
            json!({"zoom": 1, "theme": "Light", "new": 7}),
            json!({"zoom": 2, "theme": "Light", "new": 7}),
        );
        // Both added a favorite; one was deleted here, another one there.
        let entry = |name: &str, text: &str| json!({"name": name, "text": text});
        check_merge(
            json!({"favorites": [entry("a", "1"), entry("b", "1")]}),
            json!({"favorites": [entry("mine", "1"), entry("b", "1")]}),
            json!({"favorites": [entry("a", "1"), entry("theirs", "1")]}),
            json!({"favorites": [entry("mine", "1"), entry("theirs", "1")]}),
        );
        // An entry that one deleted and the other changed stays.
        check_merge(
            json!({"favorites": [entry("a", "1"), entry("b", "1")]}),
            json!({"favorites": [entry("a", "2")]}),
            json!({"favorites": [entry("b", "2")]}),
            json!({"favorites": [entry("b", "2"), entry("a", "2")]}),
        );
        // The latest entries stay at a bound.
        check_merge(
            json!({"recent": [2, 1], "inputs": [1, 2]}),
            json!({"recent": [3, 2, 1], "inputs": [1, 2, 3]}),
            json!({"recent": [4, 2, 1], "inputs": [1, 2, 4]}),
            json!({"recent": [3, 4, 2], "inputs": [2, 4, 3]}),
        );
        // A list without a rule changes as a whole.
        check_merge(
            json!({"tabs": [1]}),
            json!({"tabs": [1, 2]}),
            json!({"tabs": [3]}),
            json!({"tabs": [1, 2]}),
        );
    }

    fn listed(all: &BTreeMap<u8, (u8, u32)>) -> Fields {
        let entries: Vec<Value> = all
            .iter()
            .map(|(name, (text, change))| json!({"name": name, "text": text, "change": change}))
            .collect();
        fields(json!({"favorites": entries}))
    }

    fn read(file: &Fields) -> BTreeMap<u8, (u8, u32)> {
        let number = |entry: &Value, field: &str| entry[field].as_u64().expect("a number");
        let entries = file["favorites"].as_array().expect("a list").iter();
        let small = |number: u64| u8::try_from(number).expect("small");
        entries
            .map(|entry| {
                let change = u32::try_from(number(entry, "change")).expect("few");
                (small(number(entry, "name")), (small(number(entry, "text")), change))
            })
            .collect()
    }

    proptest! {
        /// Up to three windows edit and write in any order. A window's edit takes effect when it writes, on what
        /// the others wrote by then; nothing else changes, so nothing comes back and nothing is lost.
        #[test]
        fn windows_lose_nothing_and_bring_nothing_back(
            steps in prop::collection::vec((0..3_usize, 0..6_u8, prop::option::of(0..4_u8)), 1..60)
        ) {
            let mut file = listed(&BTreeMap::new());
            let mut expected = BTreeMap::new();
            let mut windows = vec![(BTreeMap::new(), BTreeMap::new()); 3];
            let mut change = 0;
            for (at, name, text) in steps {
                let (base, own): &mut (BTreeMap<_, _>, BTreeMap<_, _>) = &mut windows[at];
                let before = own.get(&name).copied();
                change += 1;
                if let Some(text) = text {
                    own.insert(name, (text, change));
                    expected.insert(name, (text, change));
                } else {
                    own.remove(&name);
                    // Deleted unless another window changed it since.
                    if before.is_some() && expected.get(&name) == before.as_ref() {
                        expected.remove(&name);
                    }
                }
                file = merge(&listed(base), &listed(own), &file, RULES);
                *base = own.clone();
                prop_assert_eq!(&read(&file), &expected);
            }
        }
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Kept {
        zoom: f32,
        favorites: Vec<Favorite>,
        sizes: BTreeMap<String, u8>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Favorite {
        name: String,
        text: Text,
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Text {
        filter: String,
        limit: Option<u8>,
    }

    #[test]
    fn what_cannot_be_read_costs_only_itself() {
        let check = |value: Value, expected: (Kept, usize)| {
            assert_eq!(decode::<Kept>(&fields(value)), expected);
        };
        let favorite = |name: &str, limit| Favorite {
            name: name.to_owned(),
            text: Text { filter: "{}".to_owned(), limit },
        };
        let odd = json!({
            "zoom": "large",
            "favorites": [
                {"name": "a", "text": {"filter": "{}", "limit": 5}},
                {"name": "b", "text": {"filter": "{}", "limit": 999}},
                {"name": 7, "text": {}},
                {"text": {}},
                {"name": "c", "text": {"filter": "{}"}, "new": []},
            ],
            "sizes": {"x": 1, "y": -1},
            "other": null,
        });
        let favorites = vec![favorite("a", Some(5)), favorite("b", None), favorite("c", None)];
        let sizes = BTreeMap::from([("x".to_owned(), 1)]);
        check(odd, (Kept { favorites, sizes, ..Kept::default() }, 5));
        check(json!({"zoom": 2, "favorites": 5}), (Kept { zoom: 2.0, ..Kept::default() }, 1));
        check(json!({}), (Kept::default(), 0));
    }
}
