//! Places in documents, and filters that find what is there.

use bson::{Bson, Document, doc};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    Field(String),
    Elements,
}

/// A place in documents: `address.city`, or `items[].price` in the documents of an array.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Path(Vec<Step>);

impl Path {
    pub fn new(steps: Vec<Step>) -> Self {
        Self(steps)
    }

    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// How many levels it is below the document.
    pub fn depth(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// The last step in words: a name, or `[]`.
    pub fn name(&self) -> &str {
        match self.0.last() {
            Some(Step::Field(name)) => name,
            Some(Step::Elements) => "[]",
            None => "",
        }
    }

    /// Whether `other` is inside of this.
    pub fn holds(&self, other: &Self) -> bool {
        other.0.len() > self.0.len() && other.0.starts_with(&self.0)
    }

    /// The path as filters and indexes write it, without marks for arrays. `None` if a name in it
    /// has a dot or begins with a dollar sign, because no filter reaches it by its path.
    pub fn dotted(&self) -> Option<String> {
        dotted(&self.0)
    }

    /// A filter for documents in which the condition is true of one value here.
    pub fn filter(&self, condition: &Bson) -> Option<Document> {
        let at = self.0.iter().position(|step| *step == Step::Elements);
        let Some(at) = at else {
            return Some(doc! { dotted(&self.0)?: condition.clone() });
        };
        let array = dotted(&self.0[..at])?;
        // Inside of arrays operators go into `$elemMatch`, so that one element meets them all.
        Some(doc! { array: inside(&self.0[at + 1..], condition)? })
    }

    /// A filter for documents without the path.
    pub fn missing_filter(&self) -> Option<Document> {
        self.filter(&Bson::Document(doc! { "$exists": false }))
    }
}

/// The condition on an array of which one element meets `condition` at the rest of the path.
fn inside(rest: &[Step], condition: &Bson) -> Option<Bson> {
    let wrapped = |inner: Document| Some(Bson::Document(doc! { "$elemMatch": inner }));
    match rest.iter().position(|step| *step == Step::Elements) {
        None if rest.is_empty() => match condition {
            Bson::Document(operators) if is_operators(operators) => wrapped(operators.clone()),
            value => Some(value.clone()),
        },
        None => wrapped(doc! { dotted(rest)?: condition.clone() }),
        Some(0) => match inside(&rest[1..], condition)? {
            Bson::Document(inner) if is_operators(&inner) => wrapped(inner),
            value => wrapped(doc! { "$elemMatch": { "$eq": value } }),
        },
        Some(at) => wrapped(doc! { dotted(&rest[..at])?: inside(&rest[at + 1..], condition)? }),
    }
}

fn is_operators(document: &Document) -> bool {
    document.keys().next().is_some_and(|name| name.starts_with('$'))
}

fn dotted(steps: &[Step]) -> Option<String> {
    let mut names = Vec::with_capacity(steps.len());
    for step in steps {
        if let Step::Field(name) = step {
            if name.is_empty() || name.contains('.') || name.starts_with('$') {
                return None;
            }
            names.push(name.as_str());
        }
    }
    Some(names.join("."))
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                Step::Field(name) if at == 0 => f.write_str(name)?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Elements => f.write_str("[]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Path {
        let mut steps = Vec::new();
        for part in text.split('.') {
            let arrays = part.matches("[]").count();
            steps.push(Step::Field(part.trim_end_matches("[]").to_owned()));
            steps.extend(std::iter::repeat_n(Step::Elements, arrays));
        }
        Path::new(steps)
    }

    #[test]
    fn filters_reach_into_arrays() {
        let check = |at: &str, condition: Bson, expected: Document| {
            assert_eq!(path(at).filter(&condition), Some(expected), "{at}");
            assert_eq!(path(at).to_string(), at);
        };
        let range = Bson::Document(doc! { "$gte": 1, "$lt": 2 });
        check("a", Bson::Int32(1), doc! { "a": 1 });
        check("a.b", range.clone(), doc! { "a.b": { "$gte": 1, "$lt": 2 } });
        check("a[]", Bson::Int32(1), doc! { "a": 1 });
        check("a[]", range.clone(), doc! { "a": { "$elemMatch": { "$gte": 1, "$lt": 2 } } });
        check(
            "a.b[].c.d",
            range.clone(),
            doc! { "a.b": { "$elemMatch": { "c.d": { "$gte": 1, "$lt": 2 } } } },
        );
        check(
            "a[][]",
            range.clone(),
            doc! { "a": { "$elemMatch": { "$elemMatch": { "$gte": 1, "$lt": 2 } } } },
        );
        check(
            "a[].b[]",
            range,
            doc! { "a": { "$elemMatch": { "b": { "$elemMatch": { "$gte": 1, "$lt": 2 } } } } },
        );
    }

    #[test]
    fn names_that_no_filter_can_write_have_no_filter() {
        for name in ["a.b", "$a", ""] {
            let path = Path::new(vec![Step::Field(name.to_owned())]);
            assert_eq!(path.missing_filter(), None, "{name}");
        }
    }
}
