//! The contract of operators that need no more than their arguments' values.

use std::cmp::Ordering;

use bson::raw::{RawBson, RawBsonRef};

use super::{
    scope::Context,
    value::{Value, is_nullish, type_name},
};
use crate::{
    query::{Code, QueryError},
    value::{Collation, compare_in},
};

/// The result of an operator. `None` is a missing value.
pub(super) type Outcome = Result<Option<RawBson>, QueryError>;

/// An operator: every argument is evaluated, then `run` is called.
#[derive(Debug)]
pub(super) struct Operator {
    /// With `$`.
    pub name: &'static str,
    pub arguments: Arguments,
    pub run: fn(&CallArgs<'_>) -> Outcome,
}

/// The arguments that an operator takes. A single argument needs no array around it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Arguments {
    Exactly(usize),
    Between(usize, usize),
    AtLeast(usize),
    /// A date, alone or as a document of `date` and `timezone`.
    Dated,
    /// A document with fields of these names.
    Named {
        /// Name, and whether it must be given.
        fields: &'static [(&'static str, bool)],
        /// The error for what is wrong with the document; [`named_mistake`] is the general one.
        refuse: fn(&'static str, NamedMistake<'_>) -> QueryError,
    },
}

/// The arguments of an operator on a date, by position and by name.
pub(super) const DATED: &[(&str, bool)] = &[("date", true), ("timezone", false)];

/// A mistake in a document of named arguments.
#[derive(Debug, Clone, Copy)]
pub(super) enum NamedMistake<'a> {
    /// It is this value instead of a document.
    NotDocument(RawBsonRef<'a>),
    /// It has a field that the operator does not know.
    Unknown(&'a str),
    Missing(&'static str),
}

/// The evaluated arguments of one call.
#[derive(Debug)]
pub(super) struct CallArgs<'g> {
    pub operator: &'static Operator,
    pub values: &'g [Option<Value<'g>>],
    pub context: &'g Context,
    /// Fallbacks that could not be evaluated, which matters only where one is asked for.
    pub failed: &'g [(&'static str, QueryError)],
}

impl<'g> CallArgs<'g> {
    /// How text compares.
    pub(super) fn collation(&self) -> Option<&'g Collation> {
        self.context.collation.as_ref()
    }

    /// The order of two values.
    pub(super) fn order(&self, a: RawBsonRef<'_>, b: RawBsonRef<'_>) -> Ordering {
        compare_in(a, b, self.collation())
    }

    /// The operator's name with `$`, for errors.
    pub(super) fn name(&self) -> &'static str {
        self.operator.name
    }

    /// How many arguments there are.
    pub(super) fn count(&self) -> usize {
        self.values.len()
    }

    /// An argument by its position; `None` if it is missing or not given.
    pub(super) fn at(&self, position: usize) -> Option<RawBsonRef<'_>> {
        self.values.get(position)?.as_ref()?.as_ref()
    }

    /// An argument by its name; `None` if it is missing or not given.
    pub(super) fn named(&self, name: &str) -> Option<RawBsonRef<'_>> {
        self.slot(name)?.as_ref()
    }

    /// Whether the argument of this name was written at all.
    pub(super) fn has(&self, name: &str) -> bool {
        self.slot(name).is_some()
    }

    /// Why the fallback of this name has no value.
    pub(super) fn failure(&self, name: &str) -> Option<&QueryError> {
        self.failed.iter().find(|(known, _)| *known == name).map(|(_, error)| error)
    }

    /// All arguments in order; `None` for a missing one.
    pub(super) fn all(&self) -> impl Iterator<Item = Option<RawBsonRef<'_>>> {
        self.values.iter().map(|value| value.as_ref()?.as_ref())
    }

    /// Whether one of the arguments is missing, null or undefined.
    pub(super) fn any_nullish(&self) -> bool {
        self.all().any(is_nullish)
    }

    fn slot(&self, name: &str) -> Option<&Value<'g>> {
        let fields = match self.operator.arguments {
            Arguments::Named { fields, .. } => fields,
            Arguments::Dated => DATED,
            _ => return None,
        };
        let position = fields.iter().position(|(known, _)| *known == name)?;
        self.values.get(position)?.as_ref()
    }
}

/// The error for named arguments of operators that have none of their own.
pub(super) fn named_mistake(operator: &'static str, mistake: NamedMistake<'_>) -> QueryError {
    let message = match mistake {
        NamedMistake::NotDocument(value) => format!(
            "{operator} requires an object as an argument, found: {}",
            type_name(Some(value))
        ),
        NamedMistake::Unknown(field) => {
            format!("{operator} found an unknown argument: {field}")
        }
        NamedMistake::Missing(field) => {
            format!("{operator} requires '{field}' to be specified")
        }
    };
    QueryError::new(Code::FAILED_TO_PARSE, message)
}

impl Operator {
    /// The name of the argument at this position, if it is used only where another one has no
    /// value.
    pub(super) fn fallback(&self, at: usize) -> Option<&'static str> {
        let Arguments::Named { fields, .. } = self.arguments else { return None };
        let (name, _) = fields.get(at)?;
        matches!(*name, "onError" | "onNull").then_some(name)
    }

    /// Checks the number of arguments by position.
    pub(super) fn check_count(&self, count: usize) -> Result<(), QueryError> {
        let name = self.name;
        match self.arguments {
            Arguments::Exactly(wanted) if wanted != count => Err(refused!(
                16020,
                "Expression {name} takes exactly {wanted} arguments. {count} were passed in."
            )),
            Arguments::Between(least, most) if count < least || count > most => Err(refused!(
                28667,
                "Expression {name} takes at least {least} arguments, and at most {most}, but \
                     {count} were passed in."
            )),
            Arguments::AtLeast(least) if count < least => Err(refused!(
                if name == "$setEquals" { 17045 } else { 28667 },
                "Expression {name} takes at least {least} arguments, but {count} were passed \
                     in."
            )),
            _ => Ok(()),
        }
    }
}
