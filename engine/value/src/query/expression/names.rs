//! The variables that an expression may name.

use crate::{
    query::{Code, QueryError, error::refused},
    value::Collation,
};

/// The context in which filters and expressions are parsed: the user's variables (`let`) that an
/// expression can name, and the collation of the command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VariableNames {
    names: Vec<String>,
    collation: Option<Collation>,
}

/// Variables that are always there.
const BUILT_IN: [&str; 8] =
    ["ROOT", "CURRENT", "REMOVE", "NOW", "CLUSTER_TIME", "USER_ROLES", "SEARCH_META", "JS_SCOPE"];

impl VariableNames {
    /// No names, and this collation.
    pub fn of_collation(collation: Option<Collation>) -> Self {
        Self { names: Vec::new(), collation }
    }

    /// The same names with another collation.
    #[must_use]
    pub fn with_collation(self, collation: Option<Collation>) -> Self {
        Self { collation, ..self }
    }

    /// How text compares.
    pub fn collation(&self) -> Option<&Collation> {
        self.collation.as_ref()
    }

    /// Adds a name, which hides an older one that is the same.
    #[must_use]
    pub fn with(mut self, name: &str) -> Self {
        self.names.push(name.to_owned());
        self
    }

    /// Checks a name that a `let` gives.
    ///
    /// # Errors
    /// The name is empty, begins with a capital letter, a digit or `_`, or holds a character other
    /// than letters, digits and `_`. Only `CURRENT` may be redefined.
    pub fn check(name: &str) -> Result<(), QueryError> {
        if name == "CURRENT" {
            return Ok(());
        }
        check_characters(name, |first| first.is_ascii_lowercase())
    }

    /// Checks a name that an expression reads.
    pub(super) fn check_use(&self, name: &str) -> Result<(), QueryError> {
        check_characters(name, |first| first.is_ascii_alphabetic())?;
        if BUILT_IN.contains(&name) || self.names.iter().any(|known| known == name) {
            return Ok(());
        }
        Err(refused(17276, format!("Use of undefined variable: {name}")))
    }
}

fn check_characters(name: &str, may_start: impl Fn(char) -> bool) -> Result<(), QueryError> {
    let Some(first) = name.chars().next() else {
        return Err(refused(Code::FAILED_TO_PARSE, "empty variable names are not allowed"));
    };
    if first.is_ascii() && !may_start(first) {
        return Err(refused!(
            Code::FAILED_TO_PARSE,
            "'{name}' starts with an invalid character for a user variable name"
        ));
    }
    match name.chars().find(|c| c.is_ascii() && !c.is_ascii_alphanumeric() && *c != '_') {
        None => Ok(()),
        Some(c) => Err(refused!(
            Code::FAILED_TO_PARSE,
            "'{name}' contains an invalid character for a variable name: '{c}'"
        )),
    }
}
