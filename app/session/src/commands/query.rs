//! Queries of a collection.

use bson::{Bson, Document, doc};

/// A query that was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    pub filter: Document,
    pub projection: Document,
    pub sort: Document,
    /// How many to leave out at the start.
    pub skip: u64,
    /// How many at most.
    pub limit: Option<u64>,
    pub hint: Option<Bson>,
    /// The collation. Empty for that of the collection.
    pub collation: Document,
    /// How long it may take.
    pub max_time_ms: Option<u64>,
}

impl Query {
    /// The command that reads `count` documents from row `first` on.
    ///
    /// A page far down is reached with `skip`: the store walks over what it leaves out, in the
    /// order of the plan, without keeping it; a page at the end of a million documents costs some
    /// tenths of a second on a reading thread and nothing in the window. With a sort that no index
    /// gives, each page costs a sort of all that match.
    pub fn find(&self, collection: &str, first: u64, count: u64) -> Document {
        let left = self.limit.map_or(count, |limit| limit.saturating_sub(first).min(count));
        let mut command = doc! { "find": collection, "filter": self.filter.clone() };
        let mut put = |name: &str, part: &Document| {
            if !part.is_empty() {
                command.insert(name, part.clone());
            }
        };
        put("projection", &self.projection);
        put("sort", &self.sort);
        put("collation", &self.collation);
        if let Some(hint) = &self.hint {
            command.insert("hint", hint.clone());
        }
        let skip = self.skip.saturating_add(first);
        if skip > 0 {
            command.insert("skip", long(skip));
        }
        command.insert("limit", long(left));
        command.insert("batchSize", long(left));
        self.bounded(command)
    }

    /// The command that reads every document.
    pub fn find_all(&self, collection: &str) -> Document {
        let mut command = self.find(collection, 0, u64::MAX);
        for part in ["batchSize", "maxTimeMS"] {
            command.remove(part);
        }
        if self.limit.is_none() {
            command.remove("limit");
        }
        command
    }

    pub fn count(&self, collection: &str) -> Document {
        let mut command = doc! { "count": collection, "query": self.filter.clone() };
        if self.skip > 0 {
            command.insert("skip", long(self.skip));
        }
        if let Some(limit) = self.limit {
            command.insert("limit", long(limit));
        }
        if let Some(hint) = &self.hint {
            command.insert("hint", hint.clone());
        }
        // A count of everything is kept by the store, and needs no comparison.
        if !self.filter.is_empty() {
            command = collated(command, &self.collation);
        }
        self.bounded(command)
    }

    fn bounded(&self, mut command: Document) -> Document {
        if let Some(ms) = self.max_time_ms {
            command.insert("maxTimeMS", long(ms));
        }
        command
    }

    /// Whether documents come with all their fields.
    pub fn is_whole(&self) -> bool {
        self.projection.is_empty()
    }
}

fn long(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Compares text as this collation says; an empty one changes nothing.
pub fn collated(mut command: Document, collation: &Document) -> Document {
    if !collation.is_empty() {
        command.insert("collation", collation.clone());
    }
    command
}

/// Skips damaged documents.
pub fn allow_partial(mut command: Document) -> Document {
    // A damaged document would otherwise end the command with an error.
    command.insert("allowPartialResults", true);
    command
}

/// Reads the `_id` alone, in one batch.
pub fn ids_only(mut command: Document) -> Document {
    command.insert("projection", doc! { "_id": 1 });
    command.insert("singleBatch", true);
    command
}
