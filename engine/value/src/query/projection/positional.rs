//! `{"array.$": 1}`: of an array only the element by which the document matched the query.

use bson::raw::{CString, RawArrayBuf, RawBsonRef, RawDocument, RawDocumentBuf};

use crate::query::{Context, Filter, QueryError, error::refused};

/// The path of the array, and the query once it is known.
#[derive(Debug, Clone)]
pub(super) struct Positional {
    path: Vec<String>,
    pub(super) query: Option<Filter>,
}

/// The array's path, if this is a path with the operator at its end.
pub(super) fn path(path: &str) -> Result<Option<&str>, QueryError> {
    let before = path.strip_suffix(".$");
    if before.unwrap_or(path).split('.').any(|part| part == "$") {
        return Err(refused(
            31394,
            "As of 4.4, it's illegal to specify positional operator in the middle of a path. \
             Positional projection may only be used at the end, for example: a.b.$. If the query \
             previously used a form like a.b.$.d, remove the parts following the '$' and the results \
             will be equivalent.",
        ));
    }
    Ok(before)
}

impl Positional {
    pub(super) fn new(path: &str) -> Self {
        Self { path: path.split('.').map(str::to_owned).collect(), query: None }
    }

    /// `kept` is what the projection keeps of `document`.
    pub(super) fn apply(
        &self,
        document: &RawDocument,
        kept: &RawDocument,
        context: &Context,
    ) -> Result<RawDocumentBuf, QueryError> {
        let position = || {
            let position = |query: &Filter| query.root().matched_position(document, context);
            Ok(self.query.as_ref().map(position).transpose()?.flatten())
        };
        cut(kept, &self.path, &position)
    }
}

/// The first array on the path keeps one element.
fn cut(
    document: &RawDocument,
    path: &[String],
    position: &dyn Fn() -> Result<Option<usize>, QueryError>,
) -> Result<RawDocumentBuf, QueryError> {
    let Some((first, rest)) = path.split_first() else { return Ok(document.to_owned()) };
    let mut out = RawDocumentBuf::new();
    for element in document {
        let (name, value) = element?;
        let key = CString::from(name);
        match value {
            RawBsonRef::Array(array) if name.as_str() == first => {
                let position = position()?.ok_or_else(|| {
                    refused(
                        51246,
                        "Executor error during find command :: caused by :: positional operator \
                         '.$' couldn't find a matching element in the array",
                    )
                })?;
                let found = array.into_iter().nth(position).ok_or_else(|| {
                    refused(
                        51247,
                        "Executor error during find command :: caused by :: positional operator \
                         '.$' element mismatch",
                    )
                })?;
                let mut only = RawArrayBuf::new();
                only.push(found?);
                out.append(key, only);
            }
            RawBsonRef::Document(inner) if name.as_str() == first => {
                out.append(key, cut(inner, rest, position)?);
            }
            _ => out.append(key, value),
        }
    }
    Ok(out)
}
