//! Finds out from a sample how dates are written.

use std::collections::HashMap;

use super::{
    common::{layouts, position},
    form::DateForm,
    layout::{DateOrder, Layout},
};
use crate::value::zone::Zone;

/// Texts that a detector keeps.
pub const TEXTS_MAX: usize = 10_000;
/// Bytes of a text that may be a date, with a comment such as the name of its zone.
const TEXT_BYTES_MAX: usize = 80;
/// Bytes of the shortest date, `1/8/90`.
const TEXT_BYTES_MIN: usize = 6;
/// Shapes of texts that are tried with every layout.
const SHAPES_MAX: usize = 48;
/// Texts of each shape that are tried with every layout.
const SHAPE_TEXTS_MAX: usize = 3;
/// Layouts that are counted over all texts.
const CANDIDATES_MAX: usize = 128;
/// Forms that are found for one field.
const FORMS_MAX: usize = 4;
/// Instants in which numbers and runs of digits are taken for dates: 1990 to 2100.
const NUMBERS_MS: std::ops::Range<i64> = 631_152_000_000..4_102_444_800_000;
/// Of ten values, how many have to be such numbers. Others may be 0 for never.
const NUMBERS_OF_TEN: usize = 9;
/// Instants in which runs of digits such as `20150131` are taken for dates: 1900 to 2100.
const COMPACT_MS: std::ops::Range<i64> = -2_208_988_800_000..4_102_444_800_000;

/// A text of the sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateSample {
    /// Its row or document, from 1.
    pub row: u64,
    /// The text.
    pub text: String,
    /// The instant, in milliseconds since 1970.
    pub millis: i64,
}

/// One way to read the numbers of a date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternative {
    /// Which number comes first.
    pub order: DateOrder,
    /// The forms, the most frequent first.
    pub forms: Vec<DateForm>,
    /// Texts that they read.
    pub converts: usize,
    /// A text that only this order reads. Texts of several orders mean that they are mixed.
    pub only: Option<DateSample>,
    /// A text that other orders read as another day.
    pub example: Option<DateSample>,
}

/// Whether the order of day and month is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// The layouts say it.
    Clear,
    /// The sample says it.
    Decided {
        /// Which number comes first.
        order: DateOrder,
        /// The first text that no other order reads.
        by: DateSample,
        /// How many such texts there are.
        rows: usize,
    },
    /// Nothing says it: the user has to.
    Ask(Vec<Alternative>),
}

/// The result of a detection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detection {
    /// The forms, the most frequent first. Empty while [`Order::Ask`] is not answered.
    pub forms: Vec<DateForm>,
    /// Whether the order of day and month is known.
    pub order: Order,
    /// Values that are not blank.
    pub values: usize,
    /// Values that the forms read; the most of any order while that is not known.
    pub converts: usize,
    /// Whether the values are numbers. Any number can be an instant, so this is a weaker sign.
    pub are_numbers: bool,
}

/// Collects the values of one field.
#[derive(Debug, Clone, Default)]
pub struct Detector {
    texts: Vec<(u64, String)>,
    /// Texts that are no dates, whatever the layout.
    others: usize,
    /// Runs of digits that may be dates.
    digits: Vec<(u64, String)>,
    numbers: usize,
    seconds: usize,
    millis: usize,
}

impl Detector {
    /// Adds a text of a row, from 1. Blank ones are ignored.
    pub fn text(&mut self, row: u64, text: &str) {
        let text = text.trim();
        if text.is_empty() || self.texts.len() >= TEXTS_MAX {
            return;
        }
        let may_be = (TEXT_BYTES_MIN..=TEXT_BYTES_MAX).contains(&text.len())
            && text.bytes().any(|byte| byte.is_ascii_digit());
        match text.parse::<i64>() {
            Ok(number) => self.integer(row, number),
            Err(_) if may_be => self.texts.push((row, text.to_owned())),
            Err(_) => self.others += 1,
        }
    }

    /// Adds a whole number of a row.
    pub fn integer(&mut self, row: u64, number: i64) {
        self.numbers += 1;
        self.seconds += usize::from(
            number.checked_mul(1_000).is_some_and(|millis| NUMBERS_MS.contains(&millis)),
        );
        self.millis += usize::from(NUMBERS_MS.contains(&number));
        let may_be = matches!(number, 19_000_101..=20_991_231)
            || matches!(number, 19_000_101_000_000..=20_991_231_235_959);
        if may_be && self.digits.len() < TEXTS_MAX {
            self.digits.push((row, number.to_string()));
        }
    }

    /// Adds another number.
    pub fn number(&mut self, number: f64) {
        self.numbers += 1;
        let within = |form: DateForm| form.number(number).is_ok_and(|ms| NUMBERS_MS.contains(&ms));
        self.seconds += usize::from(within(DateForm::Seconds));
        self.millis += usize::from(within(DateForm::Millis));
    }

    /// The detected form. `None` if fewer than half of the values look like dates.
    pub fn finish(&self) -> Option<Detection> {
        let values = self.texts.len() + self.others + self.numbers;
        let of_numbers = |form: DateForm, converts: usize| Detection {
            forms: vec![form],
            order: Order::Clear,
            values,
            converts,
            are_numbers: true,
        };
        if values == 0 {
            return None;
        }
        let are_most = |count: usize| count > 0 && count * 10 >= values * NUMBERS_OF_TEN;
        if are_most(self.seconds) {
            return Some(of_numbers(DateForm::Seconds, self.seconds));
        }
        if are_most(self.millis) {
            return Some(of_numbers(DateForm::Millis, self.millis));
        }
        if self.digits.len() == values {
            let mut found = Candidates::new(&self.digits).detection(values)?;
            found.are_numbers = true;
            return Some(found).filter(|found| found.converts == values);
        }
        if self.texts.len() * 2 < values {
            return None;
        }
        let found = Candidates::new(&self.texts).detection(values)?;
        Some(found).filter(|found| found.converts * 2 >= values)
    }
}

/// Forms that read some of the texts, the preferred first.
struct Candidates<'t> {
    texts: &'t [(u64, String)],
    forms: Vec<CandidateForm>,
}

struct CandidateForm {
    form: DateForm,
    order: Option<DateOrder>,
    /// The instant of each text, or `None` if it isn't such a date.
    reads: Vec<Option<i64>>,
}

impl<'t> Candidates<'t> {
    fn new(texts: &'t [(u64, String)]) -> Self {
        let mut at: Vec<usize> = Vec::new();
        let mut is_iso = false;
        for text in exemplars(texts) {
            is_iso |= DateForm::Iso.read(text, Zone::UTC).is_ok();
            for (number, layout) in layouts().iter().enumerate() {
                if layout.read(text, Zone::UTC).is_ok() && !at.contains(&number) {
                    at.push(number);
                    let twins = twins(layout);
                    at.extend(twins.iter().filter_map(|twin| position(twin)));
                }
            }
        }
        at.sort_unstable();
        at.dedup();
        let layouts = at.iter().filter_map(|at| layouts().get(*at)).take(CANDIDATES_MAX);
        let forms = layouts.map(|layout| DateForm::Layout(layout.clone()));
        let iso = is_iso.then_some(DateForm::Iso);
        let read = |form: DateForm| {
            let order = if let DateForm::Layout(layout) = &form { layout.order() } else { None };
            let read = |(_, text): &(u64, String)| form.read(text, Zone::UTC).ok();
            let reads: Vec<Option<i64>> = texts.iter().map(read).collect();
            CandidateForm { form, order, reads }
        };
        let forms = iso.into_iter().chain(forms).map(read);
        let is_sound = |form: &CandidateForm| {
            let mut reads = form.reads.iter().flatten();
            !is_compact(&form.form) || reads.all(|millis| COMPACT_MS.contains(millis))
        };
        Self { texts, forms: forms.filter(is_sound).collect() }
    }

    fn sample(&self, at: usize, millis: i64) -> Option<DateSample> {
        let (row, text) = self.texts.get(at)?;
        Some(DateSample { row: *row, text: text.clone(), millis })
    }

    /// The forms that read the most, and how many texts they read. `order`: of those whose order is
    /// in doubt, the ones to choose from.
    fn best(&self, order: Option<DateOrder>) -> (Vec<DateForm>, usize) {
        let mut is_left = vec![true; self.texts.len()];
        let (mut forms, mut converts) = (Vec::new(), 0);
        while forms.len() < FORMS_MAX {
            let allowed =
                self.forms.iter().filter(|form| form.order.is_none() || form.order == order);
            let counted = allowed.map(|form| {
                let reads = form.reads.iter().zip(&is_left);
                (reads.filter(|(read, is_left)| read.is_some() && **is_left).count(), form)
            });
            // Of equals the first.
            let best = counted.reduce(|best, next| if next.0 > best.0 { next } else { best });
            let Some((count, form)) = best.filter(|(count, _)| *count > 0) else { break };
            converts += count;
            forms.push(form.form.clone());
            for (read, is_left) in form.reads.iter().zip(&mut is_left) {
                *is_left &= read.is_none();
            }
        }
        (forms, converts)
    }

    /// The instants that the orders read from a text.
    fn by_order(&self, at: usize, orders: &[DateOrder]) -> Vec<Option<i64>> {
        let read = |order: &DateOrder| {
            let mut forms = self.forms.iter().filter(|form| form.order == Some(*order));
            forms.find_map(|form| form.reads.get(at).copied().flatten())
        };
        orders.iter().map(read).collect()
    }

    fn detection(&self, values: usize) -> Option<Detection> {
        let mut orders: Vec<DateOrder> = self.forms.iter().filter_map(|form| form.order).collect();
        orders.sort_unstable();
        orders.dedup();
        let detected = |(forms, converts), order| Detection {
            forms,
            order,
            values,
            converts,
            are_numbers: false,
        };
        if orders.is_empty() {
            let best = self.best(None);
            return (best.1 > 0).then(|| detected(best, Order::Clear));
        }
        let reads: Vec<Vec<Option<i64>>> =
            (0..self.texts.len()).map(|at| self.by_order(at, &orders)).collect();
        let in_doubt = reads.iter().filter(|reads| reads.iter().any(Option::is_some)).count();
        let of = |number: usize| {
            move |reads: &&Vec<Option<i64>>| reads.get(number).is_some_and(Option::is_some)
        };
        let full: Vec<usize> = (0..orders.len())
            .filter(|number| reads.iter().filter(of(*number)).count() == in_doubt)
            .collect();
        let deciding = |number: usize| {
            let rows = reads.iter().enumerate().filter_map(move |(at, reads)| {
                let millis = reads.get(number).copied().flatten()?;
                (reads.iter().flatten().count() == 1).then_some((at, millis))
            });
            (rows.clone().count(), rows.clone().next().and_then(|(at, ms)| self.sample(at, ms)))
        };
        if let [number] = full.as_slice()
            && let Some(order) = orders.get(*number).copied()
            && let (rows, Some(by)) = deciding(*number)
        {
            return Some(detected(self.best(Some(order)), Order::Decided { order, by, rows }));
        }
        let alternatives: Vec<Alternative> = orders
            .iter()
            .enumerate()
            .filter(|(number, _)| reads.iter().any(|reads| of(*number)(&reads)))
            .map(|(number, order)| {
                let (forms, converts) = self.best(Some(*order));
                let telling = reads.iter().enumerate().find_map(|(at, reads)| {
                    let millis = reads.get(number).copied().flatten()?;
                    let differs = reads.iter().flatten().any(|other| *other != millis);
                    differs.then_some((at, millis))
                });
                let example = telling.and_then(|(at, ms)| self.sample(at, ms));
                Alternative { order: *order, forms, converts, only: deciding(number).1, example }
            })
            .collect();
        let converts = alternatives.iter().map(|one| one.converts).max().unwrap_or(0);
        Some(detected((Vec::new(), converts), Order::Ask(alternatives)))
    }
}

fn is_compact(form: &DateForm) -> bool {
    matches!(form, DateForm::Layout(layout) if layout.is_compact())
}

/// Layouts with the same characters whose numbers are in another order.
fn twins(layout: &Layout) -> Vec<String> {
    let text = layout.to_string();
    let swapped = |a: &str, b: &str| text.replace(a, "\0").replace(b, a).replace('\0', b);
    let has_short_year = text.contains("%y");
    match layout.order() {
        None => Vec::new(),
        Some(DateOrder::DayFirst | DateOrder::MonthFirst) if !has_short_year => {
            vec![swapped("%d", "%m")]
        }
        Some(DateOrder::DayFirst) => {
            let year_first = swapped("%d", "%y");
            vec![swapped("%d", "%m"), year_first]
        }
        Some(DateOrder::MonthFirst) => {
            let day_first = swapped("%d", "%m");
            let year_first = day_first.replace("%d", "\0").replace("%y", "%d").replace('\0', "%y");
            vec![day_first, year_first]
        }
        Some(DateOrder::YearFirst) => {
            let day_first = swapped("%d", "%y");
            let month_first = day_first.replace("%d", "\0").replace("%m", "%d").replace('\0', "%m");
            vec![day_first, month_first]
        }
    }
}

/// A few texts of each shape.
fn exemplars(texts: &[(u64, String)]) -> Vec<&str> {
    let mut shapes: HashMap<String, usize> = HashMap::new();
    let mut exemplars = Vec::new();
    for (_, text) in texts {
        let shape = shape(text);
        if !shapes.contains_key(&shape) && shapes.len() >= SHAPES_MAX {
            continue;
        }
        let count = shapes.entry(shape).or_default();
        *count += 1;
        if *count <= SHAPE_TEXTS_MAX {
            exemplars.push(text.as_str());
        }
    }
    exemplars
}

/// The text with each digit as `0` and each run of letters as `a`.
fn shape(text: &str) -> String {
    let mut shape = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '0'..='9' => shape.push('0'),
            _ if c.is_alphabetic() => {
                if !shape.ends_with('a') {
                    shape.push('a');
                }
            }
            _ => shape.push(c),
        }
    }
    shape
}
