//! Completion of the word before the cursor of a filter, a stage, a pipeline or an update: stages, fields, operators and
//! values.
//!
//! `panels/completion.rs` has the list below a field. `state/completion/` decides what it offers:
//! `place.rs` says from the text before the cursor whether a name or a value is due, and the fields and
//! values are those of the documents that the tab has read (`state/fields.rs`), of a sample from the end of
//! the collection, and of the Schema view. `state/documents/relative_time.rs`
//! puts the instant in the place of `now - 2h` before the filter is read, so the store and the Commands
//! drawer see an ordinary filter. `commands/collation.rs` has the languages of *Sort as*, and
//! `panels/collation_menu.rs` is its menu, for the filter and for dialogs. Whatever acts on "all that match"
//! takes the collation along with the filter (`Target::Collated`). `state/queries.rs` has the queries that
//! were run and the favorites, by store and collection; `state/code/` writes a query in other languages. A
//! message about what is typed is in the line below the filter, so the list never moves.

mod operators;
mod place;
#[cfg(test)]
mod tests;

use bson::Bson;
use mayfly_engine::value::{Layout, shell};

use crate::limits::{FILTER_OFFERS_MAX, KNOWN_VALUE_CHARS_MAX};
use crate::state::aggregate::stages::STAGES;
use crate::state::fields::{KnownField, KnownFields};
use operators::{
    ACCUMULATORS, EXPRESSIONS, LOGICAL, Operator, TESTS, TYPES, UPDATES, VARIABLES,
    WINDOW_FUNCTIONS,
};
use place::{Expected, Place, place};
pub use place::{Names, of_stage};

/// A word that is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// How it is listed.
    pub label: String,
    pub insert: String,
    /// How many characters before the end of it the cursor goes.
    pub back: usize,
    /// A few words.
    pub detail: String,
}

/// The words that are offered, for a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offers {
    /// The bytes that a word takes the place of.
    pub replaced: std::ops::Range<usize>,
    /// The words, the best first.
    pub list: Vec<Offer>,
}

/// The list under a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completing {
    /// The card of a pipeline that is typed into, or nothing for a field without cards.
    pub card: Option<u64>,
    pub offers: Offers,
    /// The byte of the cursor that it was made for.
    pub cursor: usize,
    /// Which of the words was chosen with the arrow keys.
    pub chosen: Option<usize>,
}

/// The knowledge that words are chosen from.
pub struct Known<'k> {
    /// The names in the text as a whole.
    pub whole: Names,
    pub fields: &'k KnownFields,
    /// Further values of a path.
    pub analyzed: &'k dyn Fn(&str) -> Vec<Bson>,
    /// Whether `now - 2h` is read as a time.
    pub takes_relative_times: bool,
}

/// The words for a byte of a text, if there are any.
pub fn offers(text: &str, cursor: usize, known: &Known<'_>) -> Option<Offers> {
    let (before, after) = (text.get(..cursor)?, text.get(cursor..)?);
    let place = place(before, &known.whole);
    let is_quoted = place.quote.is_some_and(|quote| after.starts_with(quote));
    let end = cursor + usize::from(is_quoted);
    let has_colon = has_colon(&text[end..]);
    let offering = Offering { all: known, known: known.fields, place: &place, has_colon };
    let mut list = match &place.expected {
        Expected::Nothing => return None,
        Expected::Everything => offering.whole_filters(),
        Expected::Name(names) => offering.names(names),
        Expected::Value { names, name, is_element } => offering.values(names, name, *is_element),
    };
    let typed = place.word.to_lowercase();
    let bare = |offer: &Offer| offer.label.trim_start_matches(['\'', '"']).to_lowercase();
    list.retain(|offer| bare(offer).contains(&typed));
    // Those that begin with the word come first; the order is kept otherwise.
    list.sort_by_key(|offer| !bare(offer).starts_with(&typed));
    list.truncate(FILTER_OFFERS_MAX);
    let is_whole = list.len() == 1 && list.iter().any(|only| only.insert == place.word);
    (!list.is_empty() && !is_whole).then_some(Offers { replaced: place.start..end, list })
}

/// Whether a list opens by itself once this was typed: within a word or quotes, or where a name or a value is due.
pub fn opens_after(before: &str, whole: &Names) -> bool {
    let place = place(before, whole);
    let is_due = before.trim_end().ends_with(['{', ':', '[']) || place.quote.is_some();
    !matches!(place.expected, Expected::Nothing) && (!place.word.is_empty() || is_due)
}

struct Offering<'o> {
    all: &'o Known<'o>,
    known: &'o KnownFields,
    place: &'o Place<'o>,
    has_colon: bool,
}

impl Offering<'_> {
    /// Fields, for an empty line.
    fn whole_filters(&self) -> Vec<Offer> {
        if self.place.word.is_empty() {
            return Vec::new();
        }
        let fields = self.known.by_frequency().into_iter().map(|(path, field)| Offer {
            label: path.to_owned(),
            // The line is empty, so a filter is made of the field.
            insert: format!("{{ {}:  }}", name(path, None)),
            back: 2,
            detail: self.types(field),
        });
        fields.collect()
    }

    fn names(&self, names: &Names) -> Vec<Offer> {
        let mut list = Vec::new();
        match names {
            Names::Filter => {
                list.extend(self.fields(""));
                list.extend(self.operators(LOGICAL));
            }
            Names::Tests { field } => {
                list.extend(self.operators(TESTS));
                list.extend(self.fields(&format!("{field}.")));
            }
            Names::Element { field } => {
                list.extend(self.fields(&format!("{field}.")));
                list.extend(self.operators(TESTS));
            }
            Names::Stage => list.extend(self.stages()),
            Names::Update => list.extend(self.operators(UPDATES)),
            Names::Output { .. } | Names::WindowOutput | Names::Changed => {
                list.extend(self.fields(""));
            }
            Names::Expression { is_group } => {
                let accumulators: &[Operator] = if *is_group { ACCUMULATORS } else { &[] };
                list.extend(self.operators(accumulators));
                let is_new = |one: &&Operator| accumulators.iter().all(|it| it.name != one.name);
                list.extend(self.operators(EXPRESSIONS.iter().filter(is_new)));
            }
            Names::WindowFunction => {
                list.extend(self.operators(WINDOW_FUNCTIONS));
                // It combines no documents of a window.
                let is_function = |one: &&Operator| one.name != "$mergeObjects";
                list.extend(self.operators(ACCUMULATORS.iter().filter(is_function)));
            }
            Names::Window | Names::Pipelines | Names::Unknown => {}
        }
        list
    }

    /// Fields below a prefix, as names.
    fn fields(&self, prefix: &str) -> Vec<Offer> {
        let found = self.known.by_frequency().into_iter();
        let found = found.filter_map(|(path, field)| Some((path.strip_prefix(prefix)?, field)));
        let offer = |(path, field): (&str, &KnownField)| {
            let colon = if self.has_colon { "" } else { ": " };
            let insert = format!("{}{colon}", name(path, self.place.quote));
            Offer { label: path.to_owned(), insert, back: 0, detail: self.types(field) }
        };
        found.map(offer).collect()
    }

    /// The stages that Mayfly runs, each with its first value.
    fn stages(&self) -> impl Iterator<Item = Offer> {
        STAGES.iter().filter(|stage| stage.is_supported()).map(|stage| {
            let value =
                if self.has_colon { String::new() } else { format!(": {}", stage.template) };
            let (label, detail) = (stage.name.to_owned(), stage.help.to_owned());
            Offer { insert: format!("{}{value}", stage.name), label, back: 0, detail }
        })
    }

    fn operators<'a>(
        &'a self,
        operators: impl IntoIterator<Item = &'a Operator>,
    ) -> impl Iterator<Item = Offer> {
        operators.into_iter().map(|operator| {
            let (before, after) = operator.argument.split_once('|').unwrap_or_default();
            let quote = self.place.quote.map(String::from).unwrap_or_default();
            let (argument, back) = if self.has_colon {
                (String::new(), 0)
            } else {
                (format!(": {before}{after}"), after.chars().count())
            };
            let insert = format!("{quote}{}{quote}{argument}", operator.name);
            let (label, detail) = (operator.name.to_owned(), operator.help.to_owned());
            Offer { label, insert, back, detail }
        })
    }

    fn values(&self, names: &Names, name: &str, is_element: bool) -> Vec<Offer> {
        let plain = |text: &str, detail: &str| Offer {
            label: text.to_owned(),
            insert: text.to_owned(),
            back: 0,
            detail: detail.to_owned(),
        };
        match (names, name) {
            (Names::Unknown | Names::Pipelines, _)
            | (Names::Filter, "$comment" | "$jsonSchema") => Vec::new(),
            (Names::Filter, "$and" | "$or" | "$nor") => {
                vec![Offer { back: 2, ..plain("{  }", "a filter") }]
            }
            (Names::Filter, "$expr")
            | (
                Names::Stage
                | Names::Output { .. }
                | Names::Window
                | Names::WindowOutput
                | Names::WindowFunction
                | Names::Expression { .. },
                _,
            ) => {
                // A number is typed already, and no field begins with a digit here.
                if self.place.word.starts_with(|c: char| c.is_ascii_digit()) {
                    return Vec::new();
                }
                let fields = self.known.by_frequency().into_iter();
                let fields =
                    fields.map(|(path, field)| plain(&format!("'${path}'"), &self.types(field)));
                let variables = VARIABLES.iter();
                fields
                    .chain(variables.map(|it| plain(&format!("'{}'", it.name), it.help)))
                    .collect()
            }
            (Names::Update, _) => vec![Offer { back: 2, ..plain("{  }", "fields to change") }],
            (Names::Changed, field) => self.values_of(field, false),
            (_, "$exists") => vec![plain("true", "has the field"), plain("false", "lacks it")],
            (_, "$type") => TYPES.iter().map(|it| plain(&format!("'{it}'"), "a type")).collect(),
            (Names::Filter, field) => self.values_of(field, !is_element),
            (Names::Tests { field } | Names::Element { field }, operator)
                if operator.starts_with('$') =>
            {
                match operator {
                    "$size" | "$regex" | "$options" | "$mod" => Vec::new(),
                    _ => self.values_of(field, false),
                }
            }
            (Names::Tests { field } | Names::Element { field }, inner) => {
                self.values_of(&format!("{field}.{inner}"), !is_element)
            }
        }
    }

    /// Values that a field has, and tests of it.
    fn values_of(&self, path: &str, with_tests: bool) -> Vec<Offer> {
        let plain = |label: &str, insert: &str, back: usize, detail: &str| Offer {
            label: label.to_owned(),
            insert: insert.to_owned(),
            back,
            detail: detail.to_owned(),
        };
        let mut list = Vec::new();
        let field = self.known.get(path);
        let is_date = field.is_some_and(|field| field.dates > 0);
        if self.all.takes_relative_times && (is_date || self.place.word.starts_with("now")) {
            list.extend(self.times(with_tests && is_date));
        }
        let values = field.map(KnownField::values).unwrap_or_default();
        list.extend(values.into_iter().map(|(text, count)| {
            let of = self.known.documents();
            plain(text, text, 0, &format!("{count} times in {of} documents"))
        }));
        for value in (self.all.analyzed)(path) {
            let text = shell::write_value(&value, Layout::OneLine);
            let is_short = text.chars().nth(KNOWN_VALUE_CHARS_MAX).is_none();
            if is_short && !list.iter().any(|offer| offer.insert == text) {
                list.push(plain(&text, &text, 0, "found in other documents"));
            }
        }
        if with_tests && self.place.quote.is_none() {
            list.push(plain("{ $gt: … }", "{ $gt:  }", 2, "a comparison"));
            list.push(plain("{ $in: [ … ] }", "{ $in: [] }", 3, "one of several"));
            list.push(plain("{ $exists: … }", "{ $exists: true }", 2, "has the field or not"));
        }
        list
    }

    /// Times that are relative to now.
    fn times(&self, with_tests: bool) -> Vec<Offer> {
        const TIMES: [(&str, &str); 6] = [
            ("now", "the time of the store"),
            ("now - 1h", "an hour ago"),
            ("now - 1d", "24 hours ago"),
            ("now - 7d", "a week ago"),
            ("now - 30d", "30 days ago"),
            ("now + 1h", "in an hour"),
        ];
        let plain = |text: &str, detail: &str| Offer {
            label: text.to_owned(),
            insert: text.to_owned(),
            back: 0,
            detail: detail.to_owned(),
        };
        let mut list = Vec::new();
        if with_tests && !self.place.word.starts_with("now") {
            list.push(plain("{ $gt: now - 1d }", "in the last 24 hours"));
            list.push(plain("{ $lt: now }", "in the past"));
        }
        let typed = self.place.word.trim_end_matches(|c: char| c.is_ascii_lowercase());
        if typed.ends_with(|c: char| c.is_ascii_digit()) {
            let units =
                [("h", "hours"), ("d", "days"), ("m", "minutes"), ("s", "seconds"), ("w", "weeks")];
            list.extend(units.map(|(unit, name)| plain(&format!("{typed}{unit}"), name)));
        } else {
            list.extend(TIMES.map(|(text, detail)| plain(text, detail)));
        }
        list
    }

    fn types(&self, field: &KnownField) -> String {
        field.shares(self.known.documents())
    }
}

/// A field as the name of a filter: in quotes where it must be, or where one is open already.
fn name(path: &str, quote: Option<char>) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    let starts_bare = !path.starts_with(|c: char| c.is_ascii_digit());
    match quote {
        None if starts_bare && path.chars().all(is_bare) => path.to_owned(),
        quote => {
            let quote = quote.unwrap_or('\'');
            let escaped = path.replace('\\', "\\\\").replace(quote, &format!("\\{quote}"));
            format!("{quote}{escaped}{quote}")
        }
    }
}

fn has_colon(after: &str) -> bool {
    after.trim_start().starts_with(':')
}
