//! The changes of an update, each on one path.

use std::collections::BTreeMap;

use bson::Document;

use super::action::{Action, ValueChange};
use super::context::UpdateContext;
use super::path::UpdatePath;
use super::positional::PathResolver;
use super::stages::Stages;
use super::target::Growth;
use super::value::ValueLocation;
use super::{names, positional, target};
use crate::interrupt;
use crate::query::{Expr, QueryError};

#[derive(Debug, Clone)]
pub(super) enum Form {
    Replacement(Document),
    Stages(Stages),
    /// In the order in which they apply.
    Operators {
        changes: Vec<Change>,
        array_filters: BTreeMap<String, Expr>,
    },
}

/// One action on one path.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) path: UpdatePath,
    pub(super) action: Action,
}

impl Change {
    /// The fields at the top that it changes.
    pub(super) fn fields(&self) -> impl Iterator<Item = &str> {
        let to = match &self.action {
            Action::Rename(to) => to.first().map(String::as_str),
            _ => None,
        };
        self.path.text.split('.').next().into_iter().chain(to)
    }

    /// The concrete paths that it changes; none if it does not apply.
    pub(super) fn places(
        &self,
        finder: &mut PathResolver<'_>,
        context: &UpdateContext<'_>,
    ) -> Result<Vec<Vec<String>>, QueryError> {
        if matches!(self.action, Action::SetOnInsert(_)) && !context.inserting {
            return Ok(Vec::new());
        }
        positional::expand(&self.path, finder)
    }

    /// Changes the document but for what is to be removed, which `removed` takes: no two changes of
    /// an update meet, so all removals can wait for one round.
    pub(super) fn apply<'p>(
        &self,
        document: &mut Document,
        paths: &'p [Vec<String>],
        growth: &mut Growth,
        context: &UpdateContext<'_>,
        removed: &mut Vec<&'p [String]>,
    ) -> Result<(), QueryError> {
        for path in paths {
            interrupt::tick()?;
            if let Action::Rename(to) = &self.action {
                let top = top_field(document, to, context);
                if target::copy(document, path, to, growth)? {
                    removed.push(path);
                    top.map_or(Ok(()), |top| names::check_field(document, top))?;
                }
                continue;
            }
            let top = top_field(document, path, context);
            let current = target::get(document, path);
            let place = ValueLocation { path, document };
            if current.is_none() && self.action.only_takes() {
                target::check_viable(document, path)?;
            }
            match self.action.outcome(current, place, context)? {
                ValueChange::Keep => {}
                ValueChange::Set(value) => {
                    let top = top.filter(|_| current != Some(&value));
                    target::set(document, path, value, growth)?;
                    top.map_or(Ok(()), |top| names::check_field(document, top))?;
                }
                ValueChange::Remove => removed.push(path),
            }
        }
        Ok(())
    }
}

/// The field of the top level that a change of this path makes, or changes as a whole. What an
/// upsert inserts is checked as a document that is inserted.
pub(super) fn top_field<'p>(
    document: &Document,
    path: &'p [String],
    context: &UpdateContext<'_>,
) -> Option<&'p str> {
    let (first, rest) = path.split_first()?;
    let is_made = rest.is_empty() || !document.contains_key(first);
    (is_made && !context.inserting).then_some(first)
}
