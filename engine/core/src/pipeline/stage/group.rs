//! `$group`.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use bson::{
    RawDocumentBuf,
    raw::{RawBson, RawBsonRef, cstr},
};

use super::count::shortest;
use crate::pipeline::flow::{Input, Stage};
use crate::{
    pipeline::{
        PipelineError,
        accumulator::{Accumulators, State, value_bytes},
        error::fail,
        memory::MemoryBudget,
    },
    query::{Code, Expression, Scope, VariableNames},
    value::{Direction, key::encode_in},
};

/// Bytes that a group takes, a small `_id` and one state included.
const GROUP_BYTES: usize = 128;
/// Bytes of an `_id` that [`GROUP_BYTES`] counts.
const SMALL_ID_BYTES: usize = 64;

/// `$group`
#[derive(Debug, Clone)]
pub(in crate::pipeline) struct Group {
    id: Arc<Expression>,
    fields: Accumulators,
    groups: Option<std::vec::IntoIter<(RawBson, Vec<State>)>>,
    held: MemoryBudget,
}

impl Group {
    pub(in crate::pipeline) fn parse(
        value: RawBsonRef<'_>,
        names: &VariableNames,
    ) -> Result<Self, PipelineError> {
        let RawBsonRef::Document(spec) = value else {
            return fail(15947, "a group's fields must be specified in an object");
        };
        let (mut id, mut fields) = (None, Vec::new());
        for element in spec {
            let (name, value) = element?;
            match name.as_str() {
                "_id" if id.is_some() => {
                    return fail(15948, "a group's _id may only be specified once");
                }
                "_id" => id = Some(value),
                name => fields.push((name, value)),
            }
        }
        let fields = Accumulators::parse(fields.into_iter(), names)?;
        match id {
            Some(id) => Ok(Self::of(Expression::parse(id, names)?, fields)),
            None => fail(15955, "a group specification must include an _id"),
        }
    }

    /// The stage with this key.
    pub(in crate::pipeline) fn of(id: Expression, fields: Accumulators) -> Self {
        Self { id: Arc::new(id), fields, groups: None, held: MemoryBudget::default() }
    }

    fn all(&mut self, input: &mut Input<'_>) -> Result<Vec<(RawBson, Vec<State>)>, PipelineError> {
        let collation = input.context.collation.as_ref();
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut groups: Vec<(RawBson, Vec<State>)> = Vec::new();
        while let Some(document) = input.next_document()? {
            let scope = Scope::new(&document, input.context);
            let id = self.id.evaluate(&scope).map_err(|error| in_group(error.into()))?;
            // A missing key and null are one group, as in MongoDB.
            let id = id.as_ref().unwrap_or(RawBsonRef::Null);
            // Encoded as an index key, so that 1 and 1.0 are one group and text follows the
            // collation.
            let key = encode_in(Some(id), Direction::Ascending, collation).bytes;
            let at = if let Some(at) = places.get(&key) {
                *at
            } else {
                // The key is held twice: in the table and, as a value, in the group.
                let id_bytes = key.len() * 2 + value_bytes(id).saturating_sub(SMALL_ID_BYTES);
                self.held.add("$group", GROUP_BYTES + id_bytes + self.fields.state_bytes())?;
                places.insert(key, groups.len());
                groups.push((id.into(), self.fields.begin(id, &scope).map_err(in_group)?));
                groups.len() - 1
            };
            if let Some((_, states)) = groups.get_mut(at) {
                let grown = self.fields.add(states, &scope).map_err(in_group)?;
                self.held.change("$group", grown)?;
            }
        }
        Ok(groups)
    }
}

/// MongoDB runs `$group` in another engine than the other stages, which has its own kinds of
/// errors.
fn in_group(error: PipelineError) -> PipelineError {
    let code = match &error {
        PipelineError::Query(query) => match query.elsewhere {
            Some(code) => code,
            None => return error,
        },
        PipelineError::Stage { code: Code(code), .. } => match code {
            40400 => Code(5911200),
            5787902 | 5787903 | 5787908 => Code(7548606),
            _ => return error,
        },
        _ => return error,
    };
    PipelineError::stage(code, error.to_string())
}

impl Stage for Group {
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RawDocumentBuf>, PipelineError> {
        if self.groups.is_none() {
            self.groups = Some(self.all(input)?.into_iter());
        }
        let Some((id, states)) = self.groups.as_mut().and_then(Iterator::next) else {
            return Ok(None);
        };
        let mut document = RawDocumentBuf::new();
        document.append(cstr!("_id"), id);
        for (name, value) in self.fields.finish(states) {
            document.append(name, value);
        }
        Ok(Some(document))
    }

    fn only_counts(&self) -> bool {
        self.id.constant().is_some() && self.fields.only_count().is_some()
    }

    fn counted(&self, n: u64) -> Result<Option<VecDeque<RawDocumentBuf>>, PipelineError> {
        let (Some(id), Some(name)) = (self.id.constant(), self.fields.only_count()) else {
            return Ok(None);
        };
        // Without a document there is no group, not even one with the count 0.
        if n == 0 {
            return Ok(Some(VecDeque::new()));
        }
        let mut document = RawDocumentBuf::new();
        document.append(cstr!("_id"), id.unwrap_or(RawBsonRef::Null));
        document.append(name, shortest(n));
        Ok(Some([document].into()))
    }

    fn may_nest(&self) -> bool {
        true
    }
}
