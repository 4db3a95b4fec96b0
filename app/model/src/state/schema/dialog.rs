//! The dialogs of the Schema view.

use std::sync::Arc;

use bson::{Bson, Document, doc};

use crate::commands;
use crate::inspect::schema::Schema;
use crate::inspect::schema::json::{self, Demands};
use crate::state::sent::Sent;

/// A dialog of this view.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    /// The schema as a JSON Schema, as text.
    Json(String),
    /// The schema as the validator of its collection.
    Validator(ValidatorDraft),
}

#[derive(Debug, Clone, PartialEq)]
pub struct ValidatorDraft {
    pub schema: Arc<Schema>,
    pub demands: Demands,
    /// Whether updates of documents that do not pass now are checked too.
    pub is_strict: bool,
    /// Whether a document that does not pass is refused; else it is written, and logged.
    pub refuses: bool,
    /// Documents of the collection that do not pass, with the demands that were asked about.
    pub failing: Option<(Demands, u64)>,
    pub sent: Sent,
}

impl ValidatorDraft {
    /// A validator that asks for what was seen.
    pub fn new(schema: Arc<Schema>) -> Self {
        Self {
            schema,
            demands: Demands::default(),
            is_strict: true,
            refuses: true,
            failing: None,
            sent: Sent::default(),
        }
    }

    /// The command that gives the collection the validator.
    pub fn command(&self, collection: &str) -> Document {
        let level = if self.is_strict { "strict" } else { "moderate" };
        let action = if self.refuses { "error" } else { "warn" };
        let validator = json::validator(&self.schema, self.demands);
        commands::schema::set_validator(collection, validator, level, action)
    }

    /// The command that counts documents that do not pass.
    pub fn count(&self, collection: &str) -> Document {
        let validator = json::validator(&self.schema, self.demands);
        doc! { "count": collection, "query": { "$nor": [validator] } }
    }

    /// Whether this command counted for the dialog as it stands.
    pub fn count_is_for(&self, command: &Document) -> bool {
        command.get_str("count").is_ok_and(|collection| *command == self.count(collection))
    }

    /// Documents that do not pass as the dialog stands. `None` until they are counted.
    pub fn failing(&self) -> Option<u64> {
        self.failing.filter(|(demands, _)| *demands == self.demands).map(|(_, count)| count)
    }
}

pub fn json_text(schema: &Schema, title: &str) -> String {
    let document = Bson::Document(json::json_schema(schema, title));
    serde_json::to_string_pretty(&document.into_relaxed_extjson()).unwrap_or_default()
}
