//! Commands as lines of mongosh.

use bson::{Bson, Document, doc};

use super::writer::{is_bare_name, write_input};

/// The mongosh line for this command on this database.
///
/// A command that mongosh has a helper for is written with it if the helper can say all of it;
/// every other one as `runCommand`, or `adminCommand` on the database `admin`.
pub fn write_command(db: &str, command: &Document) -> String {
    helper(db, command).unwrap_or_else(|| {
        let text = write(&Bson::Document(command.clone()));
        if db == "admin" {
            return format!("db.adminCommand({text})");
        }
        format!("{}.runCommand({text})", database(db))
    })
}

fn write(value: &Bson) -> String {
    write_input(value)
}

fn quoted(text: &str) -> String {
    write(&Bson::String(text.to_owned()))
}

fn database(db: &str) -> String {
    format!("db.getSiblingDB({})", quoted(db))
}

/// `db.getSiblingDB('d').c`, or `getCollection` where the name is not a plain word, or is a word
/// that databases already have.
fn collection(db: &str, name: &str) -> String {
    const TAKEN: [&str; 8] =
        ["help", "version", "stats", "shutdownServer", "watch", "aggregate", "logout", "auth"];
    let database = database(db);
    let own = TAKEN.contains(&name)
        || [
            "get",
            "set",
            "create",
            "drop",
            "run",
            "print",
            "_",
            "admin",
            "current",
            "kill",
            "fsync",
            "enable",
            "disable",
            "server",
            "host",
            "list",
            "grant",
            "revoke",
            "update",
            "change",
            "rotate",
            "command",
            "sql",
            "cloneD",
            "hello",
            "isM",
            "constructor",
            "toString",
        ]
        .iter()
        .any(|prefix| name.starts_with(prefix));
    if is_bare_name(name) && !own {
        format!("{database}.{name}")
    } else {
        format!("{database}.getCollection({})", quoted(name))
    }
}

/// The fields of a command after its name, taken one by one. A helper has no place for the rest.
struct Fields(Document);

impl Fields {
    fn take(&mut self, name: &str) -> Option<Bson> {
        self.0.remove(name)
    }

    fn take_document(&mut self, name: &str) -> Option<Document> {
        match self.take(name)? {
            Bson::Document(document) => Some(document),
            _ => None,
        }
    }

    /// The only element of an array of documents.
    fn take_single(&mut self, name: &str) -> Option<Fields> {
        match self.take(name)? {
            Bson::Array(mut elements) if elements.len() == 1 => match elements.pop()? {
                Bson::Document(document) => Some(Fields(document)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The remaining options as a last argument, or nothing.
    fn rest(self) -> String {
        if self.0.is_empty() { String::new() } else { format!(", {}", write(&self.0.into())) }
    }
}

fn helper(db: &str, command: &Document) -> Option<String> {
    let (name, target) = command.iter().next()?;
    let mut fields = Fields(command.clone());
    fields.take(name);
    fields.take("$db");
    let target = match target {
        Bson::String(target) => target.as_str(),
        Bson::Int32(1) if name == "dropDatabase" && fields.0.is_empty() => {
            return Some(format!("{}.dropDatabase()", database(db)));
        }
        _ => return None,
    };
    let on = collection(db, target);
    match name.as_str() {
        "create" => {
            Some(format!("{}.createCollection({}{})", database(db), quoted(target), fields.rest()))
        }
        "drop" if fields.0.is_empty() => Some(format!("{on}.drop()")),
        "createIndexes" => create_index(&on, fields),
        "dropIndexes" => {
            let index = fields.take("index")?;
            let all = index == Bson::String("*".to_owned());
            let call = if all { "dropIndexes()".to_owned() } else { drop_index(&index)? };
            fields.0.is_empty().then(|| format!("{on}.{call}"))
        }
        "listIndexes" if fields.0.is_empty() => Some(format!("{on}.getIndexes()")),
        "insert" => insert(&on, fields),
        "delete" => delete(&on, fields),
        "update" => update(&on, fields),
        "find" => find(&on, fields),
        "count" => {
            let query = fields.take_document("query").unwrap_or_default();
            Some(format!("{on}.countDocuments({}{})", write(&query.into()), fields.rest()))
        }
        "distinct" => {
            let key = fields.take("key")?;
            let query = fields.take_document("query").unwrap_or_default();
            let rest = fields.rest();
            Some(format!("{on}.distinct({}, {}{rest})", write(&key), write(&query.into())))
        }
        "aggregate" => {
            let pipeline = fields.take("pipeline")?;
            if fields.take_document("cursor")?.is_empty() {
                return Some(format!("{on}.aggregate({}{})", write(&pipeline), fields.rest()));
            }
            None
        }
        _ => None,
    }
}

fn drop_index(index: &Bson) -> Option<String> {
    let single = matches!(index, Bson::String(_) | Bson::Document(_));
    single.then(|| format!("dropIndex({})", write(index)))
}

/// mongosh makes the name itself; it is left out when it is the usual one.
fn create_index(on: &str, mut fields: Fields) -> Option<String> {
    let mut index = fields.take_single("indexes")?;
    let key = index.take_document("key")?;
    let usual = key.iter().map(|(field, kind)| match kind {
        Bson::String(kind) => format!("{field}_{kind}"),
        number => format!("{field}_{number}"),
    });
    let usual = usual.collect::<Vec<_>>().join("_");
    if index.0.get_str("name").is_ok_and(|name| name == usual) {
        index.take("name");
    }
    let options = index.rest();
    fields.0.is_empty().then(|| format!("{on}.createIndex({}{options})", write(&key.into())))
}

fn insert(on: &str, mut fields: Fields) -> Option<String> {
    let Some(Bson::Array(mut documents)) = fields.take("documents") else { return None };
    if documents.len() == 1 && (fields.0.is_empty() || fields.0 == doc! { "ordered": true }) {
        return Some(format!("{on}.insertOne({})", write(&documents.pop()?)));
    }
    Some(format!("{on}.insertMany({}{})", write(&Bson::Array(documents)), fields.rest()))
}

fn delete(on: &str, mut fields: Fields) -> Option<String> {
    let mut delete = fields.take_single("deletes")?;
    let filter = delete.take_document("q")?;
    let call = match delete.take("limit")? {
        Bson::Int32(1) | Bson::Int64(1) => "deleteOne",
        Bson::Int32(0) | Bson::Int64(0) => "deleteMany",
        _ => return None,
    };
    fields.take("ordered");
    let rest = delete.rest();
    fields.0.is_empty().then(|| format!("{on}.{call}({}{rest})", write(&filter.into())))
}

fn update(on: &str, mut fields: Fields) -> Option<String> {
    let mut update = fields.take_single("updates")?;
    let filter = update.take_document("q")?;
    let change = update.take("u")?;
    let operators = match &change {
        Bson::Document(document) => document.keys().next().is_some_and(|key| key.starts_with('$')),
        _ => true,
    };
    let call = match (update.take("multi"), operators) {
        (Some(Bson::Boolean(true)), true) => "updateMany",
        (None | Some(Bson::Boolean(false)), true) => "updateOne",
        (None | Some(Bson::Boolean(false)), false) => "replaceOne",
        _ => return None,
    };
    fields.take("ordered");
    let rest = update.rest();
    let filter = write(&filter.into());
    fields.0.is_empty().then(|| format!("{on}.{call}({filter}, {}{rest})", write(&change)))
}

fn find(on: &str, mut fields: Fields) -> Option<String> {
    let filter = fields.take_document("filter").unwrap_or_default();
    let projection = fields.take_document("projection");
    let mut line = match (filter.is_empty(), &projection) {
        (true, None) => format!("{on}.find()"),
        (_, None) => format!("{on}.find({})", write(&filter.into())),
        (_, Some(projection)) => {
            let projection = write(&projection.clone().into());
            format!("{on}.find({}, {projection})", write(&filter.into()))
        }
    };
    for name in ["sort", "skip", "limit", "batchSize", "hint"] {
        if let Some(value) = fields.take(name) {
            line = format!("{line}.{name}({})", write(&plain(value)));
        }
    }
    fields.0.is_empty().then_some(line)
}

/// Counts are plain numbers to the helpers.
fn plain(value: Bson) -> Bson {
    match value {
        Bson::Int64(int) => i32::try_from(int).map_or(Bson::Int64(int), Bson::Int32),
        other => other,
    }
}
