//! Which vendor's rules a database follows.

/// A database's dialect; it decides about TTL on `_ts` and about a few replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Dialect {
    /// MongoDB's rules and TTL on `_ts` besides.
    #[default]
    Open,
    /// MongoDB's rules; `_ts` is an ordinary field.
    Mongodb,
    /// Cosmos DB's rules: TTL only on `_ts`.
    Cosmos,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 3] = [Self::Open, Self::Mongodb, Self::Cosmos];

    /// The name in commands and on disk.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Mongodb => "mongodb",
            Self::Cosmos => "cosmos",
        }
    }

    /// The dialect with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// Whether an index on `_ts` is about the last modification, not about a field.
    #[must_use]
    pub fn has_last_modified_index(self) -> bool {
        self != Self::Mongodb
    }
}
