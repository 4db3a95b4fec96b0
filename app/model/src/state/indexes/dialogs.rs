//! The dialogs of the Indexes view.

use std::borrow::Cow;

use bson::{Bson, Document, doc};
use mayfly_engine::reply::WhatIf;

use super::age::AgeCounts;
use super::view::{IndexRow, no_ttl_reason};
use crate::commands::{indexes, smallest_int};
use crate::job::number_draft::NumberDraft;
use crate::state::rollout::RolloutDraft;

const TTL_SECS_MAX: i64 = 2_147_483_647;

/// The range of a TTL on `_ts`, where 0 is refused.
const TS_RANGE: &str = "Enter a number from 1, or -1 to expire only documents with their own ttl";

/// The seconds of a TTL that was typed for an index on `key`. On `_ts` -1 is valid too (on, without
/// a default), and 0 is not.
fn typed_secs(ttl: &NumberDraft, key: &Document) -> Result<i64, String> {
    if !is_on_modification(key) {
        return ttl.secs(0..=TTL_SECS_MAX);
    }
    if ttl.is_empty() || ttl.secs(0..=0).is_ok() {
        return Err(TS_RANGE.to_owned());
    }
    ttl.secs(-1..=TTL_SECS_MAX)
}

fn is_on_modification(key: &Document) -> bool {
    key.len() == 1 && key.contains_key("_ts")
}

/// A dialog of this view.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    Create(CreateIndex),
    /// Another TTL for an index, or its first.
    ChangeTtl(Box<ChangeTtl>),
    Drop(Box<DropIndex>),
    /// A TTL that is put on the collection in steps.
    Rollout(Box<RolloutDraft>),
}

impl Dialog {
    /// The index that [`WhatIf`] is asked for; `None` while nothing valid with a TTL is typed.
    pub fn asked(&self) -> Option<Document> {
        match self {
            Self::Create(create) => create.asked(),
            Self::ChangeTtl(change) => change.asked(),
            Self::Drop(_) | Self::Rollout(_) => None,
        }
    }

    /// The generation of the unanswered command. Nothing else is sent until it is answered.
    pub fn sent(&self) -> Option<u64> {
        match self {
            Self::Create(create) => create.sent,
            Self::ChangeTtl(change) => change.sent,
            Self::Drop(dropping) => dropping.sent,
            Self::Rollout(_) => None,
        }
    }

    /// Notes what was sent, or that it has its answer: why it could not be done.
    pub fn set_sent(&mut self, generation: Option<u64>, failed: Option<String>) {
        let (sent, error) = match self {
            Self::Create(create) => (&mut create.sent, &mut create.error),
            Self::ChangeTtl(change) => (&mut change.sent, &mut change.error),
            Self::Drop(dropping) => (&mut dropping.sent, &mut dropping.error),
            Self::Rollout(_) => return,
        };
        (*sent, *error) = (generation, failed);
    }

    /// Stores what the TTL would remove, or the error, if it is for the current input.
    pub fn learn(&mut self, index: &Document, found: Result<&Document, &str>) {
        if self.asked().as_ref() != Some(index) {
            return;
        }
        match self {
            Self::Create(create) => {
                learn(&mut create.what_if, &mut create.error, index, found);
            }
            Self::ChangeTtl(change) => change.learn(index, found),
            Self::Drop(_) | Self::Rollout(_) => {}
        }
    }
}

/// The effect of a TTL, and the index that was asked for, as in the command.
pub type Known = Option<Box<(Document, WhatIf)>>;

fn learn(
    what_if: &mut Known,
    error: &mut Option<String>,
    index: &Document,
    found: Result<&Document, &str>,
) {
    match found {
        Ok(found) => {
            *what_if = WhatIf::from_document(found).map(|found| Box::new((index.clone(), found)));
        }
        Err(sentence) => *error = Some(format!("Can't preview this TTL: {sentence}")),
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct DropIndex {
    pub index: IndexRow,
    /// The generation of the command that was sent and has no answer yet.
    pub sent: Option<u64>,
    /// Why it could not be dropped.
    pub error: Option<String>,
}

/// Another TTL for an index, or its first.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeTtl {
    pub index: IndexRow,
    pub ttl: NumberDraft,
    pub what_if: Known,
    /// Documents by age. `None` until they are known.
    pub ages: Option<Box<AgeCounts>>,
    /// The generation of the command that was sent and has no answer yet.
    pub sent: Option<u64>,
    pub error: Option<String>,
    /// Whether a server does not change it in place, so that the index can only be created again.
    pub needs_new_index: bool,
}

impl ChangeTtl {
    pub fn new(index: IndexRow) -> Self {
        let ttl = index.secs.map_or_else(NumberDraft::default, NumberDraft::from_secs);
        Self {
            index,
            ttl,
            what_if: None,
            ages: None,
            sent: None,
            error: None,
            needs_new_index: false,
        }
    }

    /// The seconds that are typed.
    ///
    /// # Errors
    /// Why they are refused, in one sentence.
    pub fn secs(&self) -> Result<i64, String> {
        typed_secs(&self.ttl, &self.index.key)
    }

    /// Why the TTL as typed is not valid; nothing that was typed is not wrong yet.
    pub fn ttl_problem(&self) -> Option<String> {
        self.secs().err().filter(|_| !self.ttl.is_empty())
    }

    /// Whether documents expire by their last modification, and by a `ttl` of their own.
    pub fn is_on_modification(&self) -> bool {
        is_on_modification(&self.index.key)
    }

    /// The index that [`WhatIf`] is asked for. `None` while the TTL is not valid.
    pub fn asked(&self) -> Option<Document> {
        let secs = self.secs().ok()?;
        Some(doc! { "name": &self.index.name, "expireAfterSeconds": secs })
    }

    /// The effect of the TTL as typed, once it is known.
    pub fn known(&self) -> Option<&WhatIf> {
        let asked = self.asked()?;
        self.what_if.as_ref().filter(|known| known.0 == asked).map(|known| &known.1)
    }

    /// The same at once: until it is counted, from what is known of the ages.
    pub fn figures(&self, now_ms: i64) -> Option<Cow<'_, WhatIf>> {
        if let Some(known) = self.known() {
            return Some(Cow::Borrowed(known));
        }
        let secs = self.secs().ok().filter(|secs| *secs >= 0)?;
        let ages = self.ages.as_ref()?;
        Some(Cow::Owned(ages.what_if(secs, now_ms)))
    }

    /// Takes the effect of a TTL, or the error, if it is for the current input.
    pub fn learn(&mut self, index: &Document, found: Result<&Document, &str>) {
        if self.asked().as_ref() == Some(index) {
            learn(&mut self.what_if, &mut self.error, index, found);
        }
    }

    /// Takes the documents by age, if they are about this index.
    pub fn learn_ages(&mut self, command: &Document, found: &Document) {
        if AgeCounts::index_of(command) == Some(&*self.index.name)
            && let Some(ages) = AgeCounts::read(command, found)
        {
            self.ages = Some(Box::new(ages));
        }
    }

    /// The command that makes the change; `None` while the TTL is not valid.
    pub fn command(&self, collection: &str) -> Option<Document> {
        let secs = self.secs().ok()?;
        Some(indexes::set_ttl(collection, &self.index.name, secs))
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "an index's options are independent flags")]
pub struct CreateIndex {
    pub fields: Vec<(String, bool)>,
    pub has_ttl: bool,
    pub ttl: NumberDraft,
    /// Whether it refuses a value that another document has.
    pub unique: bool,
    /// Whether it leaves out documents without the field.
    pub sparse: bool,
    /// Whether queries must not use it.
    pub hidden: bool,
    /// The partial filter as typed; empty for none.
    pub partial: String,
    /// The store's time when the dialog opened, in milliseconds since 1970: `new Date()` in the
    /// partial filter.
    pub opened_ms: i64,
    /// The collation. Empty for that of the collection.
    pub collation: Box<Document>,
    /// Its name as typed; empty for the usual one.
    pub name: String,
    pub what_if: Known,
    /// Whether text was typed since it opened.
    pub is_typed: bool,
    /// The generation of the command that was sent and has no answer yet.
    pub sent: Option<u64>,
    /// Why it could not be made.
    pub error: Option<String>,
}

impl CreateIndex {
    /// The key pattern; fields without a name are left out.
    pub fn key(&self) -> Document {
        let named = self.fields.iter().filter(|(field, _)| !field.trim().is_empty());
        named
            .map(|(field, descends)| {
                (field.trim().to_owned(), Bson::Int32(if *descends { -1 } else { 1 }))
            })
            .collect()
    }

    /// The seconds that are typed.
    ///
    /// # Errors
    /// Why they are refused, in one sentence.
    pub fn secs(&self) -> Result<i64, String> {
        typed_secs(&self.ttl, &self.key())
    }

    /// Why the TTL as typed is not valid; nothing that was typed is not wrong yet.
    pub fn ttl_problem(&self) -> Option<String> {
        self.secs().err().filter(|_| !self.ttl.is_empty())
    }

    /// The first mistake outside of the TTL, which reports its own.
    pub fn problem(&self) -> Option<String> {
        let without_ttl = Self { has_ttl: false, ..self.clone() };
        without_ttl.command("").err()
    }

    /// The name it gets when none is typed.
    pub fn usual_name(&self) -> String {
        let key = self.key();
        let parts: Vec<String> =
            key.iter().map(|(field, direction)| format!("{field}_{direction}")).collect();
        parts.join("_")
    }

    /// The typed name, or the usual one.
    pub fn final_name(&self) -> String {
        let name = self.name.trim();
        if name.is_empty() { self.usual_name() } else { name.to_owned() }
    }

    fn asked(&self) -> Option<Document> {
        // A name or another option changes nothing about what it removes; what is wrong is said.
        let command = self.command("").ok().filter(|_| self.has_ttl)?;
        let made = command.get_array("indexes").ok()?.first()?.as_document()?;
        let secs = self.secs().ok()?;
        let mut index = doc! { "keyPattern": self.key(), "expireAfterSeconds": secs };
        if let Some(partial) = made.get("partialFilterExpression") {
            index.insert("partialFilterExpression", partial.clone());
        }
        Some(index)
    }

    /// The effect of the TTL as typed, once it is known.
    pub fn known(&self) -> Option<&WhatIf> {
        let asked = self.asked()?;
        self.what_if.as_ref().filter(|known| known.0 == asked).map(|known| &known.1)
    }

    /// Whether it may be sent: it is valid, nothing is on its way, and what its TTL removes is
    /// known.
    pub fn is_ready(&self) -> bool {
        let is_known = !self.has_ttl || self.known().is_some();
        is_known && self.sent.is_none() && self.command("").is_ok()
    }

    /// The command that makes it.
    ///
    /// # Errors
    /// The part that is missing or wrong, in one sentence.
    pub fn command(&self, collection: &str) -> Result<Document, String> {
        let key = self.key();
        if key.is_empty() {
            return Err("Choose a field".to_owned());
        }
        let mut index = doc! { "key": key.clone(), "name": self.final_name() };
        if self.has_ttl {
            if let Some(reason) = no_ttl_reason(&key) {
                return Err(reason.to_owned());
            }
            index.insert("expireAfterSeconds", smallest_int(self.secs()?));
        }
        for (flag, name) in
            [(self.unique, "unique"), (self.sparse, "sparse"), (self.hidden, "hidden")]
        {
            if flag {
                index.insert(name, true);
            }
        }
        if !self.partial.trim().is_empty() {
            let partial =
                mayfly_engine::value::shell::read_document_at(&self.partial, self.opened_ms)
                    .map_err(|error| format!("The partial filter: {error}"))?;
            index.insert("partialFilterExpression", partial);
        }
        if !self.collation.is_empty() {
            index.insert("collation", (*self.collation).clone());
        }
        Ok(indexes::create(collection, index))
    }
}
