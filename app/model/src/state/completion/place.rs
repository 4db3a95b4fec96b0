//! Where in a filter or a pipeline the cursor is: in the place of a name or of a value, and below which field.

use crate::quoted;

/// The role of a name, by the objects around the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Names {
    /// Fields below this prefix, and operators that combine filters.
    Filter,
    /// Tests of the field.
    Tests {
        /// Its dotted path.
        field: String,
    },
    /// Fields of an element of an array, and tests of the element.
    Element {
        /// The dotted path of the array.
        field: String,
    },
    /// Stages of a pipeline.
    Stage,
    /// Names of pipelines, as in `$facet`.
    Pipelines,
    /// Fields that a stage reads or makes, each with an expression.
    Output {
        /// Whether the expressions may combine the documents of a group.
        is_group: bool,
    },
    /// The parts of `$setWindowFields`.
    Window,
    /// Fields that `$setWindowFields` makes, each with a window function.
    WindowOutput,
    /// Window functions.
    WindowFunction,
    /// Operators of an expression.
    Expression { is_group: bool },
    /// Operators of an update.
    Update,
    /// Fields that an operator of an update changes.
    Changed,
    /// Names that are not known, such as those of a JSON Schema.
    Unknown,
}

/// The syntax that is expected at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// A filter or a stage's value, in braces: nothing but a word is there.
    Everything,
    Name(Names),
    /// A value of a name within those names.
    Value {
        /// The role of the names in its object.
        names: Names,
        name: String,
        /// Whether it is an element of an array.
        is_element: bool,
    },
    /// Nothing that is known.
    Nothing,
}

/// The cursor's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place<'t> {
    pub expected: Expected,
    /// The byte at which the word before the cursor begins, with its quote.
    pub start: usize,
    /// The word, without its quote.
    pub word: &'t str,
    /// The quote that is open.
    pub quote: Option<char>,
}

enum Frame {
    /// The whole text, an object with these names.
    Whole(Names),
    Object {
        names: Names,
        name: Option<String>,
        is_value: bool,
    },
    Array {
        names: Names,
        name: String,
    },
    Call,
}

/// The names in the value of a stage.
pub fn of_stage(stage: &str) -> Names {
    match stage {
        "$match" => Names::Filter,
        "$facet" => Names::Pipelines,
        "$setWindowFields" => Names::Window,
        "$group" | "$bucket" | "$bucketAuto" => Names::Output { is_group: true },
        _ => Names::Output { is_group: false },
    }
}

/// Where the end of `before` is, in a text that is an object with these names, or in a pipeline for
/// [`Names::Stage`]. A relative time such as `now - 2` is one word.
pub fn place<'t>(before: &'t str, whole: &Names) -> Place<'t> {
    let place = plain_place(before, whole);
    let is_value = matches!(place.expected, Expected::Value { .. }) && place.quote.is_none();
    match relative_time(before).filter(|_| is_value) {
        Some(start) => Place { start, word: &before[start..], ..place },
        None => place,
    }
}

/// Where a relative time begins that is still typed.
fn relative_time(before: &str) -> Option<usize> {
    let start = before.rfind("now")?;
    let is_word_before = before[..start].ends_with(|c: char| is_word(c) || c == '\'' || c == '"');
    let rest = before[start + 3..].trim_start();
    let rest = rest.strip_prefix(['+', '-']).map_or(rest, str::trim_start);
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_unit = rest.chars().all(|c| c.is_ascii_lowercase());
    (!is_word_before && is_unit).then_some(start)
}

fn plain_place<'t>(before: &'t str, whole: &Names) -> Place<'t> {
    let (mut frames, mut last) = (vec![Frame::Whole(whole.clone())], String::new());
    let mut at = 0;
    while let Some(c) = before[at..].chars().next() {
        let rest = &before[at..];
        match c {
            '\'' | '"' => {
                let Some(length) = quoted::length(rest, c) else {
                    let expected = expected(&frames);
                    return Place { expected, start: at, word: &rest[1..], quote: Some(c) };
                };
                rest[1..length - 1].clone_into(&mut last);
                at += length;
                continue;
            }
            '/' if expects_value(&frames) => {
                let Some(length) = quoted::length(rest, '/') else {
                    return Place { expected: Expected::Nothing, start: at, word: "", quote: None };
                };
                at += length;
                continue;
            }
            '{' => frames.push(object(frames.last())),
            '[' => frames.push(array(frames.last())),
            '(' => frames.push(Frame::Call),
            '}' | ']' | ')' if frames.len() > 1 => drop(frames.pop()),
            ':' => {
                if let Some(Frame::Object { name, is_value, .. }) = frames.last_mut() {
                    *name = Some(std::mem::take(&mut last));
                    *is_value = true;
                }
            }
            ',' => {
                if let Some(Frame::Object { name, is_value, .. }) = frames.last_mut() {
                    (*name, *is_value) = (None, false);
                }
            }
            c if is_word(c) => {
                let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                rest[..length].clone_into(&mut last);
                if at + length == before.len() {
                    let (expected, word) = (expected(&frames), &rest[..length]);
                    return Place { expected, start: at, word, quote: None };
                }
                at += length;
                continue;
            }
            _ => {}
        }
        at += c.len_utf8();
    }
    let expected = if frames.len() == 1 && !before.trim().is_empty() {
        Expected::Nothing
    } else {
        expected(&frames)
    };
    Place { expected, start: before.len(), word: "", quote: None }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '-')
}

fn expects_value(frames: &[Frame]) -> bool {
    match frames.last() {
        Some(Frame::Object { is_value, .. }) => *is_value,
        Some(Frame::Array { .. }) => true,
        Some(Frame::Call | Frame::Whole(_)) | None => false,
    }
}

fn expected(frames: &[Frame]) -> Expected {
    match frames.last() {
        Some(Frame::Whole(Names::Output { is_group })) => Expected::Value {
            names: Names::Expression { is_group: *is_group },
            name: String::new(),
            is_element: false,
        },
        Some(Frame::Whole(Names::Filter)) => Expected::Everything,
        Some(Frame::Object { names, name: Some(name), is_value: true }) => {
            Expected::Value { names: names.clone(), name: name.clone(), is_element: false }
        }
        Some(Frame::Object { names, .. }) => Expected::Name(names.clone()),
        Some(Frame::Array { names, name }) => {
            Expected::Value { names: names.clone(), name: name.clone(), is_element: true }
        }
        Some(Frame::Call | Frame::Whole(_)) | None => Expected::Nothing,
    }
}

/// The names in an object that begins in this frame.
fn object(frame: Option<&Frame>) -> Frame {
    let names = match frame {
        Some(Frame::Whole(names)) => names.clone(),
        Some(Frame::Object { names, name: Some(name), .. } | Frame::Array { names, name }) => {
            below(names, name)
        }
        Some(_) | None => Names::Unknown,
    };
    Frame::Object { names, name: None, is_value: false }
}

fn array(frame: Option<&Frame>) -> Frame {
    match frame {
        Some(Frame::Whole(Names::Stage | Names::Update)) => {
            Frame::Array { names: Names::Pipelines, name: String::new() }
        }
        Some(Frame::Object { names, name: Some(name), .. } | Frame::Array { names, name }) => {
            Frame::Array { names: names.clone(), name: name.clone() }
        }
        _ => Frame::Array { names: Names::Unknown, name: String::new() },
    }
}

/// The names in the object that is the value of a name.
fn below(names: &Names, name: &str) -> Names {
    match (names, name) {
        (Names::Unknown | Names::Changed, _) | (_, "$jsonSchema") => Names::Unknown,
        (Names::Update, _) => Names::Changed,
        (Names::Stage, stage) => of_stage(stage),
        (Names::Pipelines, _) | (Names::Output { .. }, "pipeline") => Names::Stage,
        (Names::Window, "output") => Names::WindowOutput,
        (Names::Window, _) => Names::Output { is_group: false },
        (Names::WindowOutput, _) => Names::WindowFunction,
        (Names::Output { is_group } | Names::Expression { is_group }, _) => {
            Names::Expression { is_group: *is_group }
        }
        (Names::WindowFunction, _) | (Names::Filter, "$expr") => {
            Names::Expression { is_group: false }
        }
        (Names::Filter, "$and" | "$or" | "$nor") => Names::Filter,
        (Names::Element { field }, "$and" | "$or" | "$nor")
        | (Names::Tests { field } | Names::Element { field }, "$elemMatch") => {
            Names::Element { field: field.clone() }
        }
        (Names::Filter, field) => Names::Tests { field: field.to_owned() },
        (Names::Tests { field } | Names::Element { field }, operator)
            if operator.starts_with('$') =>
        {
            Names::Tests { field: field.clone() }
        }
        (Names::Tests { field } | Names::Element { field }, inner) => {
            Names::Tests { field: format!("{field}.{inner}") }
        }
    }
}
