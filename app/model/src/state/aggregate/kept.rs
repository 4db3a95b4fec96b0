//! Pipelines that are kept by name.

use serde::{Deserialize, Serialize};

use super::draft::PipelineText;
use crate::job::Namespace;
use crate::limits::{KEPT_PIPELINES_MAX, NAME_CHARS_MAX};

/// A pipeline with a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptPipeline {
    pub name: String,
    /// The collection that it was made for.
    pub namespace: Namespace,
    pub pipeline: PipelineText,
}

/// Pipelines that are kept by name, the latest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeptPipelines(Vec<KeptPipeline>);

impl KeptPipelines {
    /// Those of a collection, then those of the others, the latest first.
    pub fn for_collection(&self, namespace: &Namespace) -> Vec<&KeptPipeline> {
        let (own, other): (Vec<_>, Vec<_>) =
            self.0.iter().partition(|kept| kept.namespace == *namespace);
        own.into_iter().chain(other).collect()
    }

    pub fn get(&self, namespace: &Namespace, name: &str) -> Option<&KeptPipeline> {
        self.0.iter().find(|kept| kept.namespace == *namespace && kept.name == name)
    }

    /// Why a pipeline can't be kept under a name.
    pub fn problem(&self, namespace: &Namespace, name: &str) -> Option<String> {
        let name = name.trim();
        if name.is_empty() {
            return Some("Enter a name".to_owned());
        }
        if name.chars().count() > NAME_CHARS_MAX {
            return Some(format!("A name has at most {NAME_CHARS_MAX} characters"));
        }
        let is_full = self.0.len() >= KEPT_PIPELINES_MAX && self.get(namespace, name).is_none();
        is_full.then(|| format!("{KEPT_PIPELINES_MAX} pipelines are saved; delete one first"))
    }

    /// Keeps a pipeline, in place of one with the same name. Does nothing where there is a problem.
    pub fn keep(&mut self, kept: KeptPipeline) {
        if self.problem(&kept.namespace, &kept.name).is_none() {
            self.delete(&kept.namespace, &kept.name);
            self.0.insert(0, kept);
        }
    }

    pub fn delete(&mut self, namespace: &Namespace, name: &str) {
        self.0.retain(|kept| kept.namespace != *namespace || kept.name != name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(collection: &str, name: &str) -> KeptPipeline {
        let namespace = Namespace::new("d", collection);
        KeptPipeline { name: name.to_owned(), namespace, pipeline: PipelineText::default() }
    }

    #[test]
    fn those_of_the_collection_come_first() {
        let mut all = KeptPipelines::default();
        for (collection, name) in [("a", "one"), ("b", "two"), ("a", "three"), ("a", "one")] {
            all.keep(kept(collection, name));
        }
        let of = |collection: &str| {
            let found = all.for_collection(&Namespace::new("d", collection));
            found.iter().map(|kept| kept.name.as_str()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of("a"), "one three two");
        assert_eq!(of("b"), "two one three");
    }

    #[test]
    fn their_number_is_bounded() {
        let mut all = KeptPipelines::default();
        for number in 0..KEPT_PIPELINES_MAX + 3 {
            all.keep(kept("a", &number.to_string()));
        }
        let a = Namespace::new("d", "a");
        assert_eq!(all.for_collection(&a).len(), KEPT_PIPELINES_MAX);
        assert!(all.problem(&a, "new").is_some() && all.problem(&a, "0").is_none());
        all.delete(&a, "0");
        assert_eq!(all.problem(&a, "new"), None);
        assert!(all.problem(&a, " ").is_some());
    }
}
