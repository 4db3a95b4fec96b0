//! A received command, with typed access to its fields.

use bson::{
    Bson, Document,
    raw::{RawArray, RawBsonRef, RawDocument},
    spec::ElementType,
};

use super::{
    Client, Code, Command, CommandError, CommandTable, Scope, as_flag, as_integer, concern,
    field::{COMMON, Support},
    field_filter::FieldFilter,
    field_value::{unsupported_field, wrong_type_at},
    missing_field,
    stable_api::check_api,
    type_name, unknown_field,
};
use crate::{
    catalog::Namespace,
    value::{
        field::{Fields, field},
        scan::DocumentFacts,
    },
};

/// The elements of an array if all of them are documents.
fn plain_documents(array: &RawArray) -> Option<Vec<&RawDocument>> {
    let mut fields = Fields::of_array(array);
    let mut documents = Vec::new();
    for item in &mut fields {
        if item.kind != ElementType::EmbeddedDocument {
            // The general reader below names the element of another type in its error.
            return None;
        }
        documents.push(RawDocument::from_bytes(item.value).ok()?);
    }
    fields.is_at_end().then_some(documents)
}

/// A command whose fields have been checked against its declaration.
#[derive(Clone, Copy)]
pub struct Request<'r> {
    /// Every command, for those that are about others.
    pub table: CommandTable,
    /// Who sent it.
    pub client: &'r Client,
    /// The database that it was sent to.
    pub db: &'r str,
    /// Its name as in the table.
    pub name: &'static str,
    /// All of it.
    pub document: &'r RawDocument,
    /// The result of the scan of the command.
    pub met: DocumentFacts,
    /// When it came, which is `$$NOW`.
    pub now_ms: i64,
    /// The value of its first field.
    first: Option<RawBsonRef<'r>>,
    names: FieldFilter,
}

impl<'r> Request<'r> {
    /// Checks scope and fields.
    ///
    /// # Errors
    /// `IDLUnknownField`, `IDLFailedToParse`, `NotImplemented`, `Unauthorized`; duplicate fields.
    pub fn check(
        table: CommandTable,
        command: &Command,
        client: &'r Client,
        db: &'r str,
        document: &'r RawDocument,
        met: DocumentFacts,
        now_ms: i64,
    ) -> Result<Self, CommandError> {
        let mut elements = document.iter_elements();
        let first = elements.next().transpose()?;
        let (mut names, mut declared) = (FieldFilter::default(), Ok(()));
        names = first.as_ref().map_or(names, |first| names.with(first.key().as_str()));
        for element in elements {
            let name = element?.key().as_str();
            // The first error is only noted: the checks of scope and API version come first, and
            // need the names.
            declared = declared.and_then(|()| check_field(command, name));
            declared = declared.and_then(|()| names.check_once(document, command.name, name));
            names = names.with(name);
        }
        declared = declared.and_then(|()| names.check_many_once(document, command.name));
        let first = first.map(|first| first.value()).transpose()?;
        let name = command.name;
        let request = Self { table, client, db, name, document, met, now_ms, first, names };
        if command.scope == Scope::Admin && db != "admin" {
            return Err(CommandError::new(
                Code::UNAUTHORIZED,
                format!("{} may only be run against the admin database.", command.name),
            ));
        }
        check_api(&request)?;
        declared?;
        check_required(command, &request)?;
        concern::check(&request)?;
        Ok(request)
    }

    /// The value of a field as it came, null included; `None` when absent.
    ///
    /// # Errors
    /// When the bytes are not BSON.
    pub fn given(&self, name: &str) -> Result<Option<RawBsonRef<'r>>, CommandError> {
        // Most optional fields are absent, and this test costs no walk through the command.
        if !self.names.may_have(name) {
            return Ok(None);
        }
        match field(self.document, name) {
            Some(value) => Ok(Some(value)),
            None => Ok(self.document.get(name)?),
        }
    }

    /// The value of a field; `None` when absent or null.
    ///
    /// # Errors
    /// When the bytes are not BSON.
    pub fn get(&self, name: &str) -> Result<Option<RawBsonRef<'r>>, CommandError> {
        Ok(self.given(name)?.filter(|value| !matches!(value, RawBsonRef::Null)))
    }

    /// The value of the command's own field, e.g. the collection's name.
    ///
    /// # Errors
    /// When the command is empty.
    pub fn first(&self) -> Result<RawBsonRef<'r>, CommandError> {
        let is_empty = || CommandError::new(Code::COMMAND_NOT_FOUND, "the command is empty");
        self.first.ok_or_else(is_empty)
    }

    /// The namespace that the command's own field names.
    ///
    /// # Errors
    /// `InvalidNamespace`, also when it is not a string.
    pub fn namespace(&self) -> Result<Namespace, CommandError> {
        match self.first()? {
            RawBsonRef::String(collection) => Ok(Namespace::checked(self.db, collection)?),
            other => Err(CommandError::new(
                Code::INVALID_NAMESPACE,
                format!(
                    "collection name has invalid type {}; {} needs the name as text",
                    type_name(other),
                    self.name
                ),
            )),
        }
    }

    /// A date in milliseconds since 1970; `None` when absent.
    ///
    /// # Errors
    /// `TypeMismatch`.
    pub fn date(&self, name: &str) -> Result<Option<i64>, CommandError> {
        match self.get(name)? {
            None => Ok(None),
            Some(RawBsonRef::DateTime(date)) => Ok(Some(date.timestamp_millis())),
            Some(other) => Err(self.wrong_type(name, other, "date")),
        }
    }

    /// A document; `None` when absent.
    ///
    /// # Errors
    /// `TypeMismatch`.
    pub fn document(&self, name: &str) -> Result<Option<&'r RawDocument>, CommandError> {
        match self.get(name)? {
            None => Ok(None),
            Some(RawBsonRef::Document(document)) => Ok(Some(document)),
            Some(other) => Err(self.wrong_type(name, other, "object")),
        }
    }

    /// A document that is not empty; `None` when absent or empty.
    ///
    /// # Errors
    /// `TypeMismatch`.
    pub fn filled_document(&self, name: &str) -> Result<Option<&'r RawDocument>, CommandError> {
        Ok(self.document(name)?.filter(|document| !document.is_empty()))
    }

    /// A text; `None` when absent.
    ///
    /// # Errors
    /// `TypeMismatch`.
    pub fn text(&self, name: &str) -> Result<Option<&'r str>, CommandError> {
        match self.get(name)? {
            None => Ok(None),
            Some(RawBsonRef::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong_type(name, other, "string")),
        }
    }

    /// A text; `None` when absent. Null is a value of the wrong type.
    ///
    /// # Errors
    /// `TypeMismatch`.
    pub fn given_text(&self, name: &str) -> Result<Option<&'r str>, CommandError> {
        match self.given(name)? {
            Some(null @ RawBsonRef::Null) => Err(self.wrong_type(name, null, "string")),
            _ => self.text(name),
        }
    }

    /// A yes or no; numbers count as MongoDB counts them, absent is false.
    ///
    /// # Errors
    /// `TypeMismatch`.
    pub fn flag(&self, name: &str) -> Result<bool, CommandError> {
        self.flag_or(name, false)
    }

    /// As [`Request::flag`], with a value for absent.
    ///
    /// # Errors
    /// `TypeMismatch`.
    pub fn flag_or(&self, name: &str, absent: bool) -> Result<bool, CommandError> {
        Ok(self.flag_if_any(name)?.unwrap_or(absent))
    }

    /// As [`Request::flag`]; `None` when absent.
    ///
    /// # Errors
    /// `TypeMismatch`.
    pub fn flag_if_any(&self, name: &str) -> Result<Option<bool>, CommandError> {
        let Some(value) = self.get(name)? else { return Ok(None) };
        as_flag(value)
            .map(Some)
            .ok_or_else(|| self.wrong_type(name, value, "bool, long, int, decimal, double"))
    }

    /// A field of this command that accepts only a bool.
    ///
    /// # Errors
    /// `TypeMismatch`.
    pub fn bool_or(&self, name: &str, absent: bool) -> Result<bool, CommandError> {
        self.bool_at(self.name, name, absent)
    }

    /// A field that accepts only a bool, at this place of the command.
    ///
    /// # Errors
    /// `TypeMismatch`.
    pub fn bool_at(&self, place: &str, name: &str, absent: bool) -> Result<bool, CommandError> {
        match self.get(name)? {
            None => Ok(absent),
            Some(RawBsonRef::Boolean(flag)) => Ok(flag),
            Some(other) => Err(wrong_type_at(&format!("{place}.{name}"), other, "type 'bool'")),
        }
    }

    /// Refuses other fields of a nested document than these.
    ///
    /// # Errors
    /// `IDLUnknownField`.
    pub fn only(&self, place: &str, fields: &[&str]) -> Result<(), CommandError> {
        for element in self.document {
            let name = element?.0.as_str();
            if !fields.contains(&name) {
                return Err(unknown_field(place, name));
            }
        }
        Ok(())
    }

    /// A whole number of any numeric type; `None` when absent.
    ///
    /// # Errors
    /// `TypeMismatch`.
    pub fn integer(&self, name: &str) -> Result<Option<i64>, CommandError> {
        match self.get(name)? {
            None => Ok(None),
            Some(value) => as_integer(value)
                .map(Some)
                .ok_or_else(|| self.wrong_type(name, value, "long, int, decimal, double")),
        }
    }

    /// A whole number that must not be negative; `None` when absent.
    ///
    /// # Errors
    /// `TypeMismatch`; `BadValue` when it is negative.
    pub fn count(&self, name: &str) -> Result<Option<u64>, CommandError> {
        match self.integer(name)? {
            None => Ok(None),
            Some(number) => u64::try_from(number).map(Some).map_err(|_| {
                CommandError::bad_value(format!(
                    "BSON field '{name}' value must be >= 0, actual value '{number}'"
                ))
            }),
        }
    }

    /// The client's `scale`: sizes are divided by it.
    ///
    /// # Errors
    /// `TypeMismatch`; `BadValue` when it is less than 1.
    pub fn scale(&self) -> Result<u64, CommandError> {
        let scale = self.integer("scale")?.unwrap_or(1);
        u64::try_from(scale).ok().filter(|scale| *scale > 0).ok_or_else(|| {
            CommandError::bad_value(format!(
                "BSON field '{}.scale' value must be >= 1, actual value '{scale}'",
                self.name
            ))
        })
    }

    /// `cursor.batchSize`; 0 is an empty batch.
    ///
    /// # Errors
    /// `TypeMismatch`, `BadValue` when negative.
    pub fn cursor_batch_size(&self) -> Result<Option<u64>, CommandError> {
        match self.document("cursor")? {
            None => Ok(None),
            Some(cursor) => {
                let cursor = self.within(cursor);
                cursor.only(&format!("{}.cursor", self.name), &["batchSize"])?;
                cursor.count("batchSize")
            }
        }
    }

    /// A field that accepts only a bool; absent is false. The error differs from
    /// [`Request::bool_at`].
    ///
    /// # Errors
    /// `TypeMismatch`.
    pub fn strict_flag(&self, name: &str) -> Result<bool, CommandError> {
        match self.given(name)? {
            None => Ok(false),
            Some(RawBsonRef::Boolean(flag)) => Ok(flag),
            Some(other) => Err(CommandError::type_mismatch(format!(
                "Field '{name}' should be a boolean value, but found: {}",
                type_name(other)
            ))),
        }
    }

    /// The documents of an array.
    ///
    /// # Errors
    /// `TypeMismatch`.
    pub fn documents(&self, name: &str) -> Result<Vec<&'r RawDocument>, CommandError> {
        let array = match self.get(name)? {
            None => return Ok(Vec::new()),
            Some(RawBsonRef::Array(array)) => array,
            Some(other) => return Err(self.wrong_type(name, other, "array")),
        };
        if let Some(documents) = plain_documents(array) {
            return Ok(documents);
        }
        array
            .into_iter()
            .map(|item| match item? {
                RawBsonRef::Document(document) => Ok(document),
                other => Err(self.wrong_type(name, other, "object")),
            })
            .collect()
    }

    /// The value decoded; `None` when absent. Null stays null.
    ///
    /// # Errors
    /// When the bytes are not BSON.
    pub fn value(&self, name: &str) -> Result<Option<Bson>, CommandError> {
        match self.given(name)? {
            None => Ok(None),
            Some(value) => Ok(Some(Bson::try_from(value)?)),
        }
    }

    /// All fields that are neither the command's name nor common to all commands, decoded.
    ///
    /// # Errors
    /// When the bytes are not BSON.
    pub fn options(&self) -> Result<Document, CommandError> {
        let mut options = Document::new();
        for element in self.document.iter().skip(1) {
            let (name, value) = element?;
            let name = name.as_str();
            if COMMON.iter().all(|field| field.name != name) {
                options.insert(name, Bson::try_from(value)?);
            }
        }
        Ok(options)
    }

    /// A field of a nested document as a request, for its getters.
    #[must_use]
    pub fn within(&self, document: &'r RawDocument) -> Self {
        let first = document.iter().next().and_then(|first| Some(first.ok()?.1));
        Self { document, first, names: FieldFilter::of(document), ..*self }
    }

    /// The error for a value of the wrong type.
    pub fn wrong_type(&self, name: &str, found: RawBsonRef<'_>, expected: &str) -> CommandError {
        let expected = if expected.contains(',') {
            format!("types '[{expected}]'")
        } else {
            format!("type '{expected}'")
        };
        CommandError::type_mismatch(format!(
            "BSON field '{}.{name}' is the wrong type '{}', expected {expected}",
            self.name,
            type_name(found)
        ))
    }
}

fn check_field(command: &Command, name: &str) -> Result<(), CommandError> {
    let mut fields = command.fields.iter().chain(COMMON);
    match fields.find(|field| field.name == name).map(|field| field.support) {
        Some(Support::Unsupported) => Err(unsupported_field(command.name, name)),
        Some(_) => Ok(()),
        // MongoDB knows these fields, so the error names the missing transactions and not an
        // unknown field.
        None if TRANSACTION_FIELDS.contains(&name) => Err(no_transactions()),
        // Drivers add fields with a dollar for servers that understand them.
        None if name.starts_with('$') => Ok(()),
        None if command.fields.iter().any(|field| field.support == Support::Any) => Ok(()),
        None => Err(unknown_field(command.name, name)),
    }
}

fn check_required(command: &Command, request: &Request<'_>) -> Result<(), CommandError> {
    for field in command.fields {
        let is_missing = match field.support {
            Support::Required => request.get(field.name)?.is_none(),
            Support::Given => request.given(field.name)?.is_none(),
            _ => false,
        };
        if is_missing {
            return Err(missing_field(command.name, field.name));
        }
    }
    Ok(())
}

/// Fields that belong to a transaction of several commands.
const TRANSACTION_FIELDS: [&str; 3] = ["startTransaction", "autocommit", "txnNumber"];

fn no_transactions() -> CommandError {
    CommandError::illegal_operation(
        "Transaction numbers are only allowed on a replica set member or mongos",
    )
}
