//! Queries that were run and those with a name, by store and collection.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Namespace;
use super::documents::QueryText;
use crate::limits::{
    FAVORITE_NAME_CHARS_MAX, FAVORITE_STORES_MAX, FAVORITES_MAX, FILTER_HISTORY_MAX,
    QUERIES_KEPT_MAX, QUERY_KEPT_BYTES_MAX, RECENT_STORES_MAX,
};

/// A query of a collection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownQuery {
    pub namespace: Namespace,
    pub text: QueryText,
    /// The name of a favorite. `None` for a query that was run.
    #[serde(default)]
    pub name: Option<String>,
}

/// The queries of one store.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Queries {
    /// Those that were run, the latest first.
    recent: Vec<KnownQuery>,
    /// Those with a name, by name.
    favorites: Vec<KnownQuery>,
}

impl Queries {
    /// Notes a query that was run. One that asks for everything is none.
    pub fn note(&mut self, namespace: &Namespace, text: &QueryText) {
        if *text == QueryText::default() || text.bytes() > QUERY_KEPT_BYTES_MAX {
            return;
        }
        let (namespace, text) = (namespace.clone(), text.clone());
        let query = KnownQuery { namespace, text, name: None };
        self.recent.retain(|known| *known != query);
        self.recent.insert(0, query.clone());
        let mut of_collection = 0;
        self.recent.retain(|known| {
            of_collection += usize::from(known.namespace == query.namespace);
            known.namespace != query.namespace || of_collection <= FILTER_HISTORY_MAX
        });
        self.recent.truncate(QUERIES_KEPT_MAX);
    }

    /// Keeps a query under a name of its collection.
    ///
    /// # Errors
    /// The way to do it instead, in one sentence.
    pub fn keep(
        &mut self,
        name: &str,
        namespace: &Namespace,
        text: &QueryText,
    ) -> Result<(), String> {
        let name = name.trim();
        if name.is_empty() {
            return Err("Enter a name".to_owned());
        }
        if name.chars().count() > FAVORITE_NAME_CHARS_MAX {
            return Err(format!("Enter a name of at most {FAVORITE_NAME_CHARS_MAX} characters"));
        }
        if text.bytes() > QUERY_KEPT_BYTES_MAX {
            return Err("This query is too long to be a favorite".to_owned());
        }
        let is_same = |known: &KnownQuery| {
            known.namespace == *namespace && known.name.as_deref() == Some(name)
        };
        self.favorites.retain(|known| !is_same(known));
        if self.favorites.len() >= FAVORITES_MAX {
            return Err(format!("There are {FAVORITES_MAX} favorites; remove one first"));
        }
        let (namespace, text) = (namespace.clone(), text.clone());
        self.favorites.push(KnownQuery { namespace, text, name: Some(name.to_owned()) });
        self.favorites.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(())
    }

    /// Whether a favorite of this collection has this name.
    pub fn has_name(&self, namespace: &Namespace, name: &str) -> bool {
        let mut all = self.favorites.iter();
        all.any(|known| known.namespace == *namespace && known.name.as_deref() == Some(name.trim()))
    }

    pub fn forget(&mut self, query: &KnownQuery) {
        self.recent.retain(|known| known != query);
        self.favorites.retain(|known| known != query);
    }

    /// Forgets what was run on a collection. Favorites stay.
    pub fn clear(&mut self, namespace: &Namespace) {
        self.recent.retain(|known| known.namespace != *namespace);
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.recent.is_empty() && self.favorites.is_empty()
    }

    /// The favorites and the recent queries that hold these words, those of a collection before
    /// those of others.
    pub fn find(&self, namespace: &Namespace, words: &str) -> Found<'_> {
        let words = words.to_lowercase();
        let is_found = |query: &KnownQuery| {
            let all = format!(
                "{} {} {}",
                query.name.as_deref().unwrap_or_default(),
                query.namespace,
                query.text.in_words()
            );
            let all = all.to_lowercase();
            words.split_whitespace().all(|word| all.contains(word))
        };
        let (mut here, mut elsewhere) = (Vec::new(), Vec::new());
        for query in self.favorites.iter().chain(&self.recent).filter(|query| is_found(query)) {
            let list = if query.namespace == *namespace { &mut here } else { &mut elsewhere };
            list.push(query);
        }
        Found { here, elsewhere }
    }
}

/// Queries that were found, favorites first.
#[derive(Debug, PartialEq, Eq)]
pub struct Found<'q> {
    pub here: Vec<&'q KnownQuery>,
    pub elsewhere: Vec<&'q KnownQuery>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct StoreQueries {
    folder: String,
    queries: Queries,
}

/// The queries of stores, the latest first: what was run on [`RECENT_STORES_MAX`] of them, and the favorites of
/// [`FAVORITE_STORES_MAX`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QueriesByStore(Vec<StoreQueries>);

impl QueriesByStore {
    /// Keeps the queries of the store in a folder.
    pub fn note(&mut self, folder: &Path, queries: &Queries) {
        let folder = folder.to_string_lossy().into_owned();
        self.0.retain(|known| known.folder != folder);
        if !queries.is_empty() {
            self.0.insert(0, StoreQueries { folder, queries: queries.clone() });
        }
        self.bound();
    }

    /// Keeps the favorites of many stores, and what was run on a few.
    pub(super) fn bound(&mut self) {
        for known in self.0.iter_mut().skip(RECENT_STORES_MAX) {
            known.queries.recent.clear();
        }
        for known in &mut self.0 {
            known.queries.favorites.sort_by(|a, b| a.name.cmp(&b.name));
        }
        self.0.retain(|known| !known.queries.is_empty());
        self.0.truncate(FAVORITE_STORES_MAX);
    }

    pub fn of(&self, folder: &Path) -> Queries {
        let folder = folder.to_string_lossy();
        let known = self.0.iter().find(|known| known.folder == folder);
        known.map(|known| known.queries.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn namespace(collection: &str) -> Namespace {
        Namespace::new("d", collection)
    }

    fn texts(found: &[&KnownQuery]) -> Vec<String> {
        found.iter().map(|query| query.text.filter.clone()).collect()
    }

    #[test]
    fn the_latest_query_of_a_collection_comes_first_and_once() {
        let mut queries = Queries::default();
        for filter in ["{ a: 1 }", "{ b: 1 }", "{ a: 1 }"] {
            queries.note(&namespace("c"), &QueryText::of_filter(filter));
        }
        queries.note(&namespace("other"), &QueryText::of_filter("{ z: 1 }"));
        queries.note(&namespace("c"), &QueryText::default());
        let found = queries.find(&namespace("c"), "");
        assert_eq!(texts(&found.here), ["{ a: 1 }", "{ b: 1 }"]);
        assert_eq!(texts(&found.elsewhere), ["{ z: 1 }"]);
    }

    #[test]
    fn one_collection_does_not_push_out_the_others() {
        let mut queries = Queries::default();
        queries.note(&namespace("other"), &QueryText::of_filter("{ z: 1 }"));
        for number in 0..2 * FILTER_HISTORY_MAX {
            queries.note(&namespace("c"), &QueryText::of_filter(format!("{{ a: {number} }}")));
        }
        let found = queries.find(&namespace("c"), "");
        assert_eq!((found.here.len(), found.elsewhere.len()), (FILTER_HISTORY_MAX, 1));
        for number in 0..2 * QUERIES_KEPT_MAX {
            queries.note(&namespace(&number.to_string()), &QueryText::of_filter("{ a: 1 }"));
        }
        assert_eq!(queries.recent.len(), QUERIES_KEPT_MAX);
    }

    #[test]
    fn favorites_have_a_name_in_their_collection_and_are_found_from_others() {
        let mut queries = Queries::default();
        let paid = QueryText::of_filter("{ status: 'paid' }");
        assert_eq!(queries.keep(" Paid ", &namespace("orders"), &paid), Ok(()));
        assert_eq!(queries.keep("Paid", &namespace("carts"), &paid), Ok(()));
        let late = QueryText::of_filter("{ status: 'late' }");
        assert_eq!(queries.keep("Paid", &namespace("orders"), &late), Ok(()), "it is replaced");
        assert!(queries.has_name(&namespace("orders"), "Paid"));
        let found = queries.find(&namespace("carts"), "paid orders");
        assert_eq!((texts(&found.here).len(), texts(&found.elsewhere)), (0, vec![late.filter]));
        assert!(queries.keep("  ", &namespace("orders"), &paid).is_err());
        let favorite = queries.favorites[0].clone();
        queries.forget(&favorite);
        assert_eq!(queries.favorites.len(), 1);
        let long = QueryText::of_filter("x".repeat(QUERY_KEPT_BYTES_MAX + 1));
        assert!(queries.keep("Long", &namespace("orders"), &long).is_err());
    }

    #[test]
    fn each_store_has_its_own_queries() {
        let (mut known, mut queries) = (QueriesByStore::default(), Queries::default());
        queries.note(&namespace("c"), &QueryText::of_filter("{ a: 1 }"));
        known.note(Path::new("/one"), &queries);
        assert_eq!(known.of(Path::new("/one")), queries);
        assert!(known.of(Path::new("/two")).is_empty());
        for number in 0..RECENT_STORES_MAX + 5 {
            known.note(Path::new(&format!("/{number}")), &queries);
        }
        assert_eq!(known.0.len(), RECENT_STORES_MAX);
    }
}
