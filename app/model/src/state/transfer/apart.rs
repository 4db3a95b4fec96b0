//! Several files that become a collection each.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mayfly_engine::transfer::ImportRequest;

use super::import::{FileTarget, ImportDraft, Loadable};
use super::types::TypesDraft;
use crate::job::FileLook;
use crate::state::{Namespace, number};

impl ImportDraft {
    /// Whether the files become a collection each.
    pub fn splits(&self) -> bool {
        self.is_apart && self.files.len() > 1
    }

    /// Keeps a target for each file. As long as the user has not chosen, files with different names
    /// become different collections.
    pub(super) fn update_targets(&mut self) {
        let mut known = std::mem::take(&mut self.targets);
        let take = |path: &PathBuf| {
            let at = known.iter().position(|target| target.path == *path);
            at.map_or_else(|| FileTarget::of(path), |at| known.swap_remove(at))
        };
        self.targets = self.files.iter().map(take).collect();
        if !self.is_apart_chosen {
            self.is_apart = self.names().len() > 1;
        }
    }

    /// The names of the collections while each file has its own.
    pub fn names(&self) -> BTreeSet<&str> {
        self.targets.iter().map(|target| target.collection.trim()).collect()
    }

    /// Has each file become a collection, or all of them one.
    pub fn set_apart(&mut self, is_apart: bool) {
        (self.is_apart, self.is_apart_chosen) = (is_apart, true);
        self.target_changed();
        self.rehearsal = Loadable::Nothing;
    }

    /// The names of the collections in the order of the files, where each becomes one.
    pub(super) fn apart_names(&self) -> Vec<String> {
        let own = self.targets.iter().filter(|_| self.splits());
        own.map(|target| target.collection.trim().to_owned()).collect()
    }

    /// Sets these names; with none, all files become one collection.
    pub(super) fn set_targets(&mut self, names: Vec<String>) {
        self.set_apart(!names.is_empty());
        for (target, name) in self.targets.iter_mut().zip(names) {
            (target.collection, target.is_named) = (name, true);
        }
    }

    /// Shows another file. Where each becomes a collection, each has its own types.
    pub fn show(&mut self, at: usize) {
        if self.splits() && at != self.shown && at < self.files.len() {
            if let Some(left) = self.targets.get_mut(self.shown) {
                left.types = std::mem::take(&mut self.types);
            }
            if let Some(shown) = self.targets.get_mut(at) {
                self.types = std::mem::take(&mut shown.types);
            }
            self.types.types.zone = self.leniency.zone;
        }
        self.shown = at;
    }

    /// The types of a file.
    fn types_of(&self, at: usize) -> TypesDraft {
        let parked = self.targets.get(at).filter(|_| at != self.shown);
        let mut types = parked.map_or_else(|| self.types.clone(), |target| target.types.clone());
        types.types.zone = self.leniency.zone;
        types
    }

    /// One draft for each collection, in the order of the files.
    pub fn parts(&self) -> Vec<ImportDraft> {
        if !self.splits() {
            return vec![self.clone()];
        }
        let mut parts: Vec<ImportDraft> = Vec::new();
        for (at, (file, target)) in self.files.iter().zip(&self.targets).enumerate() {
            let name = target.collection.trim();
            if let Some(part) = parts.iter_mut().find(|part| part.collection == name) {
                part.files.push(file.clone());
                continue;
            }
            let types = self.types_of(at);
            let look = types.seen.as_ref().map(|(_, look)| look.clone());
            parts.push(ImportDraft {
                files: vec![file.clone()],
                shown: 0,
                collection: name.to_owned(),
                types,
                look: look.map_or(Loadable::Nothing, Loadable::Here),
                is_apart: false,
                targets: Vec::new(),
                ..self.clone()
            });
        }
        parts
    }

    /// The requests for the store, one for each collection.
    ///
    /// # Errors
    /// One sentence that says what is missing.
    pub fn requests(&self) -> Result<Vec<ImportRequest>, String> {
        let parts = self.parts();
        let named = |part: &ImportDraft, error: String| match parts.len() {
            1 => error,
            _ => format!("{}: {error}", part.collection),
        };
        parts.iter().map(|part| part.request().map_err(|error| named(part, error))).collect()
    }

    /// `5 files into 5 collections`.
    pub fn apart_words(&self) -> String {
        let files = number::counted(self.files.len() as u64, "file", "files");
        let collections = if self.splits() { self.names().len() as u64 } else { 1 };
        format!("{files} into {}", number::counted(collections, "collection", "collections"))
    }

    /// The collections of all files.
    pub fn all_targets(&self) -> Vec<Namespace> {
        self.parts().iter().map(ImportDraft::target).collect()
    }

    /// The next file whose beginning was not read yet; it is not the shown one.
    pub fn next_to_look(&self) -> Option<&Path> {
        let mut others = self.targets.iter().enumerate().filter(|(at, _)| *at != self.shown);
        let next = others.find(|(_, target)| !target.is_looked).map(|(_, target)| &target.path);
        next.filter(|_| self.splits()).map(PathBuf::as_path)
    }

    /// Takes a look into a file that is not shown, or `None` if it can't be read. Its dates are
    /// chosen as if it were shown.
    pub fn take_look(&mut self, path: &Path, look: Option<FileLook>) {
        let shown = self.shown;
        let mut targets = self.targets.iter_mut().enumerate();
        let Some((at, target)) = targets.find(|(_, target)| target.path == path) else { return };
        target.is_looked = true;
        if let Some(look) = look.filter(|_| at != shown) {
            target.types.suggest(&look.preview);
            target.types.columns.take(&look.preview);
            target.types.seen = Some((path.to_owned(), look));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(files: &[&str]) -> ImportDraft {
        ImportDraft::new(files.iter().map(PathBuf::from).collect(), "demo")
    }

    fn targets(draft: &ImportDraft) -> Vec<(String, usize)> {
        let requests = draft.requests().expect("they are named");
        let part = |request: &ImportRequest| (request.namespace.to_string(), request.files.len());
        requests.iter().map(part).collect()
    }

    #[test]
    fn files_become_a_collection_each_unless_the_user_says_otherwise() {
        let mut draft = draft(&["/a/birds.csv", "/a/quakes.json", "/a/codes.tsv"]);
        let own = [("demo.birds", 1), ("demo.quakes", 1), ("demo.codes", 1)];
        let named = |all: &[(&str, usize)]| {
            all.iter().map(|(name, files)| ((*name).to_owned(), *files)).collect::<Vec<_>>()
        };
        assert_eq!(targets(&draft), named(&own));
        assert_eq!(draft.apart_words(), "3 files into 3 collections");
        draft.targets[2].collection = " birds ".to_owned();
        assert_eq!(targets(&draft), named(&[("demo.birds", 2), ("demo.quakes", 1)]));
        draft.set_apart(false);
        assert_eq!(targets(&draft), named(&[("demo.birds", 3)]));
        assert_eq!(draft.apart_words(), "3 files into 1 collection");
        draft.remove(0);
        assert!(!draft.splits(), "the user has chosen");
    }

    #[test]
    fn parts_of_one_name_are_one_collection() {
        let draft = draft(&["/a/people.json", "/b/people.json.gz"]);
        assert!(!draft.splits());
        assert_eq!(targets(&draft), [("demo.people".to_owned(), 2)]);
    }

    #[test]
    fn a_collection_without_a_name_is_said_with_its_file() {
        let mut draft = draft(&["/a/one.json", "/a/two.json"]);
        draft.targets[1].collection = String::new();
        assert_eq!(draft.name_error().as_deref(), Some("Enter a collection name"));
        assert!(draft.requests().is_err());
    }
}
