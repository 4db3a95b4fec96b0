//! The habits by which a server differs from MongoDB, each of which can be switched.

/// One way in which DocumentDB 0.108 differs from MongoDB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Habit {
    /// `hello` as a sharded cluster does, with `internal` and a `localTime` in Int64; version 7.0.0.
    Greeting,
    /// `listDatabases` gives names only.
    BareDatabases,
    /// Few commands; the others are 115. `getParameter` and `currentOp` are 52461700.
    FewCommands,
    /// `count` without a query, `collStats` and `$collStats` give the count of 5 s ago.
    LateCounts,
    /// `$sample` gives runs of neighbors.
    NeighborSample,
    /// An update pipeline with `$replaceWith` or `$replaceRoot` stores `_id` twice.
    DoubledIds,
    /// `let` of a write, `collation` of an update's statement and `$changeStream` are 115; an empty sort
    /// is 15976, `$where` and an unknown hint are 2.
    NarrowCommands,
    /// `collMod` changes an index by its name only, and refuses more.
    CollMod,
    /// `createIndexes` answers for a shard, and refuses hidden indexes, collations and other kinds.
    CreateIndexes,
    /// Write error 11000 has no `keyPattern`, and another text.
    DuplicateText,
    /// `explain` gives sets of filters, totals of each stage, and neither `parsedQuery` nor keys.
    Explain,
    /// Commands end after 10 s, cursors after 75 s without use; `killCursors` takes Int64 only.
    ShortTimes,
    /// A TTL pass removes at most 10,000 documents an index, and none at its exact threshold.
    BoundedPass,
    /// Only SCRAM-SHA-256; a wrong password is 13.
    Login,
    /// Every document is stored with its `_id` twice. DocumentDB does not do so: this is for tests of
    /// what reads documents after they were written.
    Garbling,
}

impl Habit {
    /// Those of DocumentDB 0.108.
    pub const DOCUMENTDB: [Self; 14] = [
        Self::Greeting,
        Self::BareDatabases,
        Self::FewCommands,
        Self::LateCounts,
        Self::NeighborSample,
        Self::DoubledIds,
        Self::NarrowCommands,
        Self::CollMod,
        Self::CreateIndexes,
        Self::DuplicateText,
        Self::Explain,
        Self::ShortTimes,
        Self::BoundedPass,
        Self::Login,
    ];
}

/// The habits of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Habits(u32);

impl Habits {
    /// Those of MongoDB, which the engine has by itself.
    pub const fn mongodb() -> Self {
        Self(0)
    }

    /// Those of DocumentDB 0.108.
    pub fn documentdb() -> Self {
        Habit::DOCUMENTDB.into_iter().fold(Self::mongodb(), Self::with)
    }

    /// These and one more.
    #[must_use]
    pub const fn with(self, habit: Habit) -> Self {
        Self(self.0 | 1 << habit as u32)
    }

    /// These without one.
    #[must_use]
    pub const fn without(self, habit: Habit) -> Self {
        Self(self.0 & !(1 << habit as u32))
    }

    /// Whether it is one of them.
    #[must_use]
    pub const fn has(self, habit: Habit) -> bool {
        self.0 & 1 << habit as u32 != 0
    }
}
