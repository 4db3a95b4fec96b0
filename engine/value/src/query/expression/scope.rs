//! The scope of an expression: root, current document, variables and the command's context.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use bson::{
    DateTime,
    raw::{RawBson, RawBsonRef, RawDocument},
};

use super::value::Value;
use crate::{
    limits::PATTERNS_KEPT_MAX,
    query::{QueryError, error::refused, filter::Pattern},
    value::Collation,
};

/// The context shared by all documents of one command: time, variables and the random seed.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// `$$NOW` in milliseconds since 1970; `None` where an expression must not depend on time.
    pub now_ms: Option<i64>,
    /// `$$USER_ROLES`; null without a login.
    pub user_roles: Option<RawBson>,
    /// Variables of the command's or the stage's `let`, outermost first; `None` is missing.
    pub variables: Vec<(String, Option<RawBson>)>,
    /// How text compares.
    pub collation: Option<Collation>,
    /// State of the random generator of `$rand`. A clone shares it instead of repeating its
    /// numbers.
    chance: Arc<AtomicU64>,
    /// Compiled patterns of `$regexMatch` and the like.
    pub(super) patterns: Patterns,
}

impl Context {
    /// A context without variables, with another beginning for `$rand` each time.
    pub fn at(now_ms: i64) -> Self {
        let chance = Arc::new(AtomicU64::new(RandomState::new().hash_one(now_ms)));
        Self { now_ms: Some(now_ms), chance, ..Self::default() }
    }

    /// The same with a collation.
    #[must_use]
    pub fn with_collation(self, collation: Option<&Collation>) -> Self {
        Self { collation: collation.cloned(), ..self }
    }

    /// The same with another beginning for `$rand`.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Self { chance: Arc::new(AtomicU64::new(seed)), ..self }
    }

    /// The same with one more variable.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: Option<RawBson>) -> Self {
        self.variables.push((name.to_owned(), value));
        self
    }

    /// A number from 0 up to, but not including, 1 (`SplitMix64`).
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit a double")]
    pub fn random(&self) -> f64 {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let state = self.chance.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The scope of an expression on one document.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'v> {
    root: &'v RawDocument,
    current: Option<RawBsonRef<'v>>,
    context: &'v Context,
    frame: Option<&'v Frame<'v>>,
}

/// Variables that `$let`, `$map` and the like bind.
#[derive(Debug)]
pub(super) struct Frame<'v> {
    pub variables: &'v [(&'v str, Value<'v>)],
    pub outer: Option<&'v Frame<'v>>,
}

impl<'v> Frame<'v> {
    fn get(&self, name: &str) -> Option<&'v Value<'v>> {
        self.variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

impl<'v> Scope<'v> {
    /// The scope of this document.
    pub fn new(root: &'v RawDocument, context: &'v Context) -> Self {
        Self { root, current: Some(RawBsonRef::Document(root)), context, frame: None }
    }

    /// The same where paths begin at another document, as for a part of the first one.
    #[must_use]
    pub fn at(mut self, current: &'v RawDocument) -> Self {
        self.current = Some(RawBsonRef::Document(current));
        self
    }

    /// The document.
    pub fn root(&self) -> &'v RawDocument {
        self.root
    }

    /// The context shared by all documents.
    pub fn context(&self) -> &'v Context {
        self.context
    }

    pub(super) fn current(&self) -> Option<RawBsonRef<'v>> {
        self.current
    }

    pub(super) fn frame(&self) -> Option<&'v Frame<'v>> {
        self.frame
    }

    /// This scope with more variables. A variable named `CURRENT` moves where paths begin.
    pub(super) fn with_frame(mut self, frame: &'v Frame<'v>) -> Self {
        if let Some(value) = frame.get("CURRENT") {
            self.current = value.as_ref();
        }
        self.frame = Some(frame);
        self
    }

    pub(super) fn variable(&self, name: &str) -> Result<Value<'v>, QueryError> {
        match name {
            "ROOT" => return Ok(Value::Ref(RawBsonRef::Document(self.root))),
            "CURRENT" => return Ok(self.current.into()),
            "REMOVE" => return Ok(Value::Missing),
            "NOW" => {
                let now = self.context.now_ms.ok_or_else(|| unavailable(name))?;
                return Ok(Value::Owned(RawBson::DateTime(DateTime::from_millis(now))));
            }
            "USER_ROLES" => {
                let roles = self.context.user_roles.as_ref();
                return Ok(Value::Ref(roles.map_or(RawBsonRef::Null, RawBson::as_raw_bson_ref)));
            }
            "CLUSTER_TIME" | "SEARCH_META" | "JS_SCOPE" => return Err(unavailable(name)),
            _ => {}
        }
        let mut frame = self.frame;
        while let Some(found) = frame {
            if let Some(value) = found.get(name) {
                return Ok(value.as_ref().into());
            }
            frame = found.outer;
        }
        let given = self.context.variables.iter().rev().find(|(known, _)| known == name);
        match given {
            Some((_, value)) => Ok(value.as_ref().map(RawBson::as_raw_bson_ref).into()),
            None => Err(refused(17276, format!("Use of undefined variable: {name}"))),
        }
    }
}

fn unavailable(name: &str) -> QueryError {
    refused(51144, format!("Builtin variable '$${name}' is not available"))
}

/// Patterns of one command that are compiled already. Most expressions have the same pattern for
/// every document.
#[derive(Debug, Clone, Default)]
pub(super) struct Patterns(Arc<Mutex<Vec<Arc<Pattern>>>>);

impl Patterns {
    pub(super) fn get(&self, source: &str, options: &str) -> Result<Arc<Pattern>, QueryError> {
        // A pattern keeps its options in order.
        let mut ordered: Vec<char> = options.chars().collect();
        ordered.sort_unstable();
        ordered.dedup();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = |pattern: &Arc<Pattern>| {
            pattern.source() == source && pattern.options().chars().eq(ordered.iter().copied())
        };
        if let Some(pattern) = kept.iter().find(|pattern| wanted(pattern)) {
            return Ok(Arc::clone(pattern));
        }
        let pattern = Arc::new(Pattern::new(source, options)?);
        if kept.len() == PATTERNS_KEPT_MAX {
            kept.remove(0);
        }
        kept.push(Arc::clone(&pattern));
        Ok(pattern)
    }
}
