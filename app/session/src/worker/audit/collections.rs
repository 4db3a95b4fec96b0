//! The collections to read, their indexes, and the order in which each is read.

use bson::{Bson, Document, doc};
use mayfly_engine::reply::DocCount;
use mayfly_engine::ttl::InertReason;
use mayfly_engine::value::bucket::TimeSeries;
use mayfly_engine::value::{count, whole};

use super::asker::{Stop, counted, of};
use super::listed::{Listed, ListedRule, OwnTtl};
use super::{Gathering, ahead, rule, sample, series};
use crate::commands::indexes;
use crate::inspect::audit::AuditProgress;
use crate::inspect::audit::facts::{CollectionFacts, PlainIndex, RuleKind};
use crate::job::Namespace;
use crate::job::reply::number;
use crate::limits::{AUDIT_COLLECTIONS_MAX, AUDIT_INDEXES_MAX};

/// Databases in which other servers keep data of their own. A store of Mayfly has none there.
const SYSTEM_DATABASES: [&str; 3] = ["admin", "config", "local"];

impl Gathering<'_> {
    /// Lists the collections that were asked for, with their indexes.
    pub(super) fn list(&mut self, tell: &dyn Fn(AuditProgress)) -> Result<Vec<Listed>, String> {
        let mut found = Vec::new();
        for db in self.databases()? {
            let own_ttl = self.own_ttl(&db);
            for entry in self.entries(&db)? {
                found.push(self.listed(&db, &entry, own_ttl));
                tell(AuditProgress::Listed(found.len()));
            }
        }
        self.check_names(&found)?;
        Ok(found)
    }

    /// The collections of a database that were asked for, as it lists them.
    fn entries(&self, db: &str) -> Result<Vec<Document>, String> {
        let is_named = self.work.databases.iter().any(|named| named == db);
        let missing = || Err(format!("There is no database {db}; check --db"));
        if db.is_empty() {
            return missing();
        }
        let command = doc! { "listCollections": 1, "cursor": { "batchSize": 10_000 } };
        let listed = match self.asker.all(db, &command, AUDIT_COLLECTIONS_MAX) {
            Ok(listed) => listed,
            Err(Stop::Refused(why) | Stop::Forbidden(why)) => {
                self.asker.note_unreadable(db, &why);
                return Ok(Vec::new());
            }
            Err(_) => {
                self.asker.note_unreadable(db, "it was not reached in time");
                return Ok(Vec::new());
            }
        };
        // A database is there as long as it has something.
        if listed.is_empty() && is_named {
            return missing();
        }
        if listed.len() >= AUDIT_COLLECTIONS_MAX {
            let why = format!(
                "it has {} collections or more; the others were not read",
                count(AUDIT_COLLECTIONS_MAX as u64)
            );
            self.asker.note_unreadable(db, &why);
        }
        let names = &self.work.collections;
        let is_wanted = |entry: &Document| {
            let name = entry.get_str("name").unwrap_or_default();
            let is_view = entry.get_str("type").is_ok_and(|kind| kind == "view");
            !is_view
                && !name.starts_with("system.")
                && (names.is_empty() || names.iter().any(|wanted| wanted == name))
        };
        Ok(listed.into_iter().filter(is_wanted).collect())
    }

    /// Whether each collection that was named was found.
    fn check_names(&self, found: &[Listed]) -> Result<(), String> {
        let is_missing = |name: &&String| !found.iter().any(|it| it.namespace.collection == **name);
        if self.asker.is_over() {
            return Ok(());
        }
        match self.work.collections.iter().find(is_missing) {
            Some(name) => {
                Err(format!("There is no collection {name}; check --collection and --db"))
            }
            None => Ok(()),
        }
    }

    fn databases(&mut self) -> Result<Vec<String>, String> {
        if !self.work.databases.is_empty() {
            let mut named: Vec<String> = Vec::new();
            for name in &self.work.databases {
                if !named.contains(name) {
                    named.push(name.clone());
                }
            }
            return Ok(named);
        }
        let command = doc! { "listDatabases": 1, "nameOnly": true };
        let reply = match self.asker.ask("admin", &command) {
            Ok(reply) => reply,
            Err(Stop::Refused(why) | Stop::Forbidden(why)) => {
                return Err(unlisted(&why));
            }
            Err(_) => {
                let why = if self.asker.is_late() {
                    "the time was over"
                } else {
                    "the audit was canceled"
                };
                self.asker.note_unreadable("The list of databases", why);
                return Ok(Vec::new());
            }
        };
        let Ok(listed) = reply.get_array("databases") else {
            return Err(unlisted("the reply to listDatabases can't be read"));
        };
        let names = listed.iter().filter_map(|db| db.as_document()?.get_str("name").ok());
        let is_wanted = |name: &&str| !SYSTEM_DATABASES.contains(name) || self.asker.is_mayfly();
        Ok(names.filter(is_wanted).map(str::to_owned).collect())
    }

    /// Where documents' own `ttl` means something, by the rules of a database.
    fn own_ttl(&self, db: &str) -> OwnTtl {
        if self.asker.is_server {
            return if self.work.subject.is_cosmos { OwnTtl::Meant } else { OwnTtl::WithIndex };
        }
        let place = format!("{db}, rules of the database");
        let reply = self.asker.try_ask(&place, db, &doc! { "mayflyDialect": 1 }).ok().flatten();
        match reply.as_ref().and_then(|reply| reply.get_str("dialect").ok()) {
            Some("cosmos") => OwnTtl::Meant,
            Some("open") => OwnTtl::WithIndex,
            _ => OwnTtl::Ordinary,
        }
    }

    fn listed(&mut self, db: &str, entry: &Document, own_ttl: OwnTtl) -> Listed {
        let namespace = Namespace::new(db, entry.get_str("name").unwrap_or_default());
        let mut listed = Listed {
            namespace,
            rules: Vec::new(),
            plain: Vec::new(),
            indexes: Vec::new(),
            series: None,
            own_ttl,
            problem: None,
        };
        let options = entry.get_document("options").ok();
        let series = options.and_then(|options| options.get_document("timeseries").ok());
        listed.series = series.and_then(TimeSeries::of);
        let command = indexes::list(&listed.namespace.collection);
        match self.asker.all(db, &command, AUDIT_INDEXES_MAX) {
            Ok(indexes) => listed.indexes = indexes,
            Err(Stop::Refused(why) | Stop::Forbidden(why)) => listed.problem = Some(why),
            Err(Stop::Over | Stop::Gone) => {}
        }
        for index in &listed.indexes {
            match (rule_of(index), plain_of(index)) {
                (Some(rule), _) if listed.series.is_some() => {
                    listed.rules.push(ListedRule { kind: RuleKind::TimeSeries, ..rule });
                }
                (Some(rule), _) => listed.rules.push(rule),
                (None, Some(plain)) => listed.plain.push(plain),
                (None, None) => {}
            }
        }
        listed.rules.extend(options.and_then(|options| own_rule(options, &listed)));
        listed
    }

    /// Reads everything about one collection.
    pub(super) fn collection(
        &mut self,
        listed: &Listed,
        facts: &mut CollectionFacts,
    ) -> Result<(), Stop> {
        if let Some(why) = &listed.problem {
            return Err(Stop::Refused(why.clone()));
        }
        let (asker, namespace) = (&self.asker, &listed.namespace);
        let names = listed.indexes.iter().filter_map(|index| index.get_str("name").ok());
        facts.index_names = names.map(str::to_owned).collect();
        let kept = listed
            .indexes
            .iter()
            .filter(|index| index.get_document("key").is_ok_and(indexes::is_kept_unused));
        let kept: Vec<&str> = kept.filter_map(|index| index.get_str("name").ok()).collect();
        // Another server serves indexes of every kind.
        if !kept.is_empty() && asker.is_mayfly() {
            facts.unused_indexes = kept.into_iter().map(str::to_owned).collect();
        }
        let place = format!("{namespace}, size of documents");
        let stats = asker.try_ask(&place, &namespace.db, &of("collStats", namespace, doc! {}))?;
        facts.bytes_each = stats.as_ref().and_then(|stats| number(stats, "avgObjSize"));
        facts.documents = self.count(namespace, stats.as_ref())?;
        if let Some(time_series) = &listed.series {
            let size_bytes = stats.as_ref().and_then(|stats| number(stats, "size"));
            return series::read(asker, listed, (time_series, size_bytes), facts);
        }
        let (on_modification, dated): (Vec<_>, Vec<_>) =
            listed.rules.iter().partition(|rule| rule.kind == RuleKind::LastModified);
        let is_untold = self.asker.is_server && !on_modification.is_empty();
        if is_untold {
            let why = "the server keeps _ts to itself, so when its documents expire is not known";
            asker.note_unreadable(namespace.to_string(), why);
        }
        let known = if is_untold { dated } else { listed.rules.iter().collect() };
        for rule in known {
            facts.rules.push(rule::read(&self.asker, namespace, rule)?);
        }
        if let Some(first) = facts.rules.first().filter(|rule| rule.total.is_exact()) {
            facts.documents = first.total;
        }
        if !facts.rules.is_empty() {
            let mut ahead = ahead::read(&self.asker, facts)?;
            ahead.steepest_rule = ahead::steepest_rule(&self.asker, facts, &ahead)?;
            ahead::read_days(&self.asker, facts, &ahead)?;
            facts.ahead = Some(ahead);
        }
        facts.sample = Some(sample::read(&self.asker, listed, facts, self.facts.now_ms)?);
        if listed.may_have_own_ttl() {
            facts.own_ttl = sample::own_ttl(&self.asker, listed, facts)?;
        }
        sample::would_remove(&self.asker, facts, self.facts.now_ms)
    }

    /// The documents of a collection: a store of this computer knows, a server counts some of them.
    fn count(&self, namespace: &Namespace, stats: Option<&Document>) -> Result<DocCount, Stop> {
        if !self.asker.is_server {
            let count = stats.and_then(|stats| number(stats, "count"));
            return Ok(count.map_or(DocCount::AtLeast(0), DocCount::Exact));
        }
        counted(&self.asker, namespace, doc! {})
    }
}

/// The rule of an index of `listIndexes`.
fn rule_of(index: &Document) -> Option<ListedRule> {
    let secs = index.get("expireAfterSeconds")?;
    let key = index.get_document("key").ok()?.clone();
    let (field, kind) = key.iter().next()?;
    let on_modification = key.len() == 1 && field == "_ts";
    let inert = match kind {
        _ if key.len() > 1 => Some(InertReason::Compound),
        Bson::String(kind) if kind == "hashed" => Some(InertReason::Hashed),
        Bson::String(kind) if kind == "text" => Some(InertReason::Text),
        Bson::String(_) => Some(InertReason::Geo),
        _ if field.ends_with("$**") => Some(InertReason::Wildcard),
        _ => None,
    };
    let kind = if on_modification { RuleKind::LastModified } else { RuleKind::Date };
    let secs = whole(secs);
    Some(ListedRule {
        kind,
        name: index.get_str("name").ok()?.to_owned(),
        inert: inert.or_else(|| secs.is_none().then_some(InertReason::InvalidValue)),
        secs: secs.unwrap_or(0),
        is_hidden: index.get_bool("hidden").unwrap_or(false),
        partial: index.get_document("partialFilterExpression").ok().cloned(),
        key,
    })
}

/// An index that could get a TTL.
fn plain_of(index: &Document) -> Option<PlainIndex> {
    let key = index.get_document("key").ok()?.clone();
    let (field, kind) = key.iter().next().filter(|_| key.len() == 1)?;
    let is_ordered = matches!(kind, Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_));
    let is_whole = !index.contains_key("partialFilterExpression");
    let (field, name) = (field.clone(), index.get_str("name").ok()?.to_owned());
    (is_ordered && is_whole && field != "_id").then_some(PlainIndex { name, field, key })
}

/// The rule of a time series, or of a collection that is clustered by a date in `_id`, without an index.
fn own_rule(options: &Document, listed: &Listed) -> Option<ListedRule> {
    let secs = options.get("expireAfterSeconds").and_then(whole)?;
    let (kind, name, field) = match (&listed.series, options.get_document("clusteredIndex")) {
        (Some(series), _) => {
            (RuleKind::TimeSeries, "expireAfterSeconds", series.time_field.as_str())
        }
        (None, Ok(index)) => (RuleKind::Clustered, index.get_str("name").unwrap_or("_id_"), "_id"),
        (None, Err(_)) => return None,
    };
    let key = doc! { field: 1 };
    let (is_hidden, partial, inert) = (false, None, None);
    Some(ListedRule { kind, name: name.to_owned(), key, secs, is_hidden, partial, inert })
}

fn unlisted(why: &str) -> String {
    format!("The databases can't be listed: {why}. Name one with mayfly audit --db")
}
