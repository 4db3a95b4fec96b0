//! Text and numbers of a field as dates, converted by the store itself.

use std::ops::Range;

use bson::{Bson, DateTime, Document, doc};
use mayfly_engine::transfer::Zone;
use mayfly_engine::value::date_text::{DateForm, Layout, LayoutPart};

use crate::job::bulk::BulkChange;
use crate::job::convert::{Conversion, FAILING_MAX};

impl Conversion {
    /// Finds documents whose value does not convert, [`FAILING_MAX`] of them.
    pub fn check(&self, collection: &str) -> Document {
        self.preview(collection, i64::try_from(FAILING_MAX).unwrap_or(i64::MAX), true)
    }

    /// The field in an expression.
    fn field(&self) -> String {
        format!("${}", self.path)
    }

    /// Documents whose field holds text, or numbers if these are instants. A field in an array is
    /// left out: its path would set the whole array in each element.
    pub fn filter(&self) -> Document {
        let is_single = doc! { "$in": [{ "$type": self.field() }, self.types()] };
        doc! { &self.path: { "$type": self.types() }, "$expr": is_single }
    }

    /// Documents that are changed: those that convert, unless others become null.
    fn changed(&self) -> Document {
        let mut filter = self.filter();
        if !self.makes_nulls() {
            let is_single = filter.remove("$expr");
            let converts = doc! { "$ne": [self.date_expression(), Bson::Null] };
            let all = is_single.into_iter().chain([Bson::Document(converts)]);
            filter.insert("$expr", doc! { "$and": all.collect::<Vec<_>>() });
        }
        filter
    }

    /// The date that a value is, or null where no form fits.
    fn date_expression(&self) -> Bson {
        let mut dates = self.forms.iter().map(|form| date(form, &self.field(), self.zone));
        match (dates.next(), dates.next()) {
            (None, _) => Bson::Null,
            (Some(only), None) => only,
            (Some(first), Some(second)) => {
                let all: Vec<Bson> =
                    [first, second].into_iter().chain(dates).chain([Bson::Null]).collect();
                doc! { "$ifNull": all }.into()
            }
        }
    }

    /// The pipeline that changes a document.
    pub fn pipeline(&self) -> Vec<Document> {
        let otherwise = if self.makes_nulls() { Bson::Null } else { Bson::String(self.field()) };
        vec![doc! { "$set": { &self.path: { "$ifNull": [self.date_expression(), otherwise] } } }]
    }

    /// The whole change as one command: what the steps do together.
    pub fn update(&self, collection: &str) -> Document {
        let update = doc! { "q": self.changed(), "u": self.pipeline(), "multi": true };
        doc! { "update": collection, "updates": [update] }
    }

    /// The change of values that are surely meant as dates: those of the form's own type that become one of `range_ms`,
    /// in milliseconds since 1970. Zeros, years alone and other placeholders stay as they are.
    pub fn update_within(
        &self,
        collection: &str,
        range_ms: Range<i64>,
        partial: Option<&Document>,
    ) -> Document {
        let types: &[&str] =
            if self.takes_numbers() { &["int", "long", "double"] } else { &["string"] };
        let is_single = doc! { "$in": [{ "$type": self.field() }, types.to_vec()] };
        let [from, to] = [range_ms.start, range_ms.end].map(DateTime::from_millis);
        let date = self.date_expression();
        let is_plausible =
            doc! { "$and": [{ "$gte": [date.clone(), from] }, { "$lt": [date.clone(), to] }] };
        let mut filter = doc! {
            &self.path: { "$type": types.to_vec() }, "$expr": { "$and": [is_single, is_plausible] },
        };
        if let Some(partial) = partial {
            filter = doc! { "$and": [partial.clone(), filter] };
        }
        let update = doc! { "q": filter, "u": [{ "$set": { &self.path: date } }], "multi": true };
        doc! { "update": collection, "updates": [update] }
    }

    /// The whole change, to be made in steps.
    pub fn change(&self) -> BulkChange {
        BulkChange::Convert(self.clone())
    }

    /// Documents that may have a value to convert. An index on the field serves it.
    fn candidates(&self) -> Document {
        doc! { &self.path: { "$type": self.types() } }
    }

    /// Reads the field of all documents that may have a value to convert, `batch` at a time.
    pub fn read(&self, collection: &str, batch: i32) -> Document {
        doc! {
            "find": collection, "filter": self.candidates(), "projection": { &self.path: 1 },
            "batchSize": batch,
        }
    }

    /// Reads the field of some of them.
    pub fn read_some(&self, collection: &str, count: i64) -> Document {
        let mut find = self.read(collection, i32::try_from(count).unwrap_or(i32::MAX));
        find.extend(doc! { "limit": count, "singleBatch": true });
        find
    }

    /// Counts them, for at most `time_ms` milliseconds. A document whose field is an array with
    /// text counts too.
    pub fn count_candidates(&self, collection: &str, time_ms: i32) -> Document {
        doc! { "count": collection, "query": self.candidates(), "maxTimeMS": time_ms }
    }

    /// Counts the values that convert and those that don't, by the type that they become; and dates up to
    /// `due_ms`, in milliseconds since 1970.
    pub fn count(&self, collection: &str, due_ms: Option<i64>) -> Document {
        let date = self.date_expression();
        let mut group = doc! { "_id": { "$type": date.clone() }, "n": { "$sum": 1 } };
        if let Some(due_ms) = due_ms {
            let is_due = doc! { "$lte": [date, DateTime::from_millis(due_ms)] };
            group.insert("due", doc! { "$sum": { "$cond": [is_due, 1, 0] } });
        }
        let pipeline = vec![doc! { "$match": self.filter() }, doc! { "$group": group }];
        doc! { "aggregate": collection, "pipeline": pipeline, "cursor": {} }
    }

    /// Values before and after. `failing`: some that do not convert.
    pub fn preview(&self, collection: &str, count: i64, failing: bool) -> Document {
        let mut pipeline = vec![doc! { "$match": self.filter() }];
        let project = doc! { "before": self.field(), "after": self.date_expression() };
        if failing {
            pipeline.push(
                doc! { "$match": { "$expr": { "$eq": [self.date_expression(), Bson::Null] } } },
            );
        }
        pipeline.push(doc! { "$limit": count });
        pipeline.push(doc! { "$project": project });
        doc! { "aggregate": collection, "pipeline": pipeline, "cursor": { "batchSize": count } }
    }
}

/// Values of a field that may be dates.
pub fn sample(collection: &str, path: &str, count: i64) -> Document {
    let types = ["string", "int", "long", "double"];
    doc! {
        "find": collection, "filter": { path: { "$type": types.to_vec() } },
        "projection": { path: 1 }, "limit": count, "batchSize": count, "singleBatch": true,
    }
}

/// The expression that reads a field by one form; null where it does not fit.
fn date(form: &DateForm, field: &str, zone: Zone) -> Bson {
    let date = match form {
        DateForm::Iso => iso(field, zone),
        DateForm::Seconds => number(field, 1_000),
        DateForm::Millis => number(field, 1),
        DateForm::Layout(layout) => match format(layout) {
            Some(format) => from_string(trim(field), Some(&format), zone),
            None => by_pattern(layout, field, zone),
        },
    };
    date.into()
}

fn trim(field: &str) -> Bson {
    doc! { "$trim": { "input": { "$toString": field } } }.into()
}

fn from_string(text: impl Into<Bson>, format: Option<&str>, zone: Zone) -> Document {
    let mut arguments = doc! { "dateString": text.into() };
    if let Some(format) = format {
        arguments.insert("format", format);
    }
    if zone != Zone::UTC {
        arguments.insert("timezone", zone.to_string());
    }
    arguments.insert("onError", Bson::Null);
    doc! { "$dateFromString": arguments }
}

/// ISO 8601. The pattern keeps out what `$dateFromString` reads without a format but that is none,
/// such as `03/04/2020`.
fn iso(field: &str, zone: Zone) -> Document {
    const PATTERN: &str = r"^\d{4}-\d{1,2}-\d{1,2}([T ]\d.*)?$";
    let in_zone = from_string(trim(field), None, zone);
    // A text that names a zone is refused together with another zone.
    let date = if zone == Zone::UTC {
        in_zone
    } else {
        doc! { "$ifNull": [in_zone, from_string(trim(field), None, Zone::UTC)] }
    };
    let is_iso = doc! { "$regexMatch": { "input": trim(field), "regex": PATTERN, "options": "i" } };
    doc! { "$cond": [is_iso, date, Bson::Null] }
}

fn number(field: &str, factor: i32) -> Document {
    let number = doc! {
        "$convert": { "input": field, "to": "double", "onError": Bson::Null, "onNull": Bson::Null }
    };
    let millis = doc! { "$multiply": [number, factor] };
    doc! { "$convert": { "input": millis, "to": "date", "onError": Bson::Null, "onNull": Bson::Null } }
}

/// The layout as a format of `$dateFromString`. `None` if it has a part that MongoDB lacks.
fn format(layout: &Layout) -> Option<String> {
    let mut format = String::new();
    for part in layout.parts() {
        match part {
            LayoutPart::Literal('%') => format.push_str("%%"),
            LayoutPart::Literal(c) => format.push(*c),
            LayoutPart::Space => format.push(' '),
            LayoutPart::Year => format.push_str("%Y"),
            LayoutPart::Month => format.push_str("%m"),
            LayoutPart::MonthName => format.push_str("%b"),
            LayoutPart::Day => format.push_str("%d"),
            LayoutPart::DayOfYear => format.push_str("%j"),
            LayoutPart::Hour => format.push_str("%H"),
            LayoutPart::Minute => format.push_str("%M"),
            LayoutPart::Second => format.push_str("%S"),
            LayoutPart::ShortYear
            | LayoutPart::ShortHour
            | LayoutPart::HalfDay
            | LayoutPart::PointFraction
            | LayoutPart::Fraction
            | LayoutPart::Zone
            | LayoutPart::Weekday => return None,
        }
    }
    Some(format)
}

/// Reads a layout with parts that MongoDB's formats lack: a pattern finds the parts, which are put
/// together as a text that `$dateFromString` reads.
fn by_pattern(layout: &Layout, field: &str, zone: Zone) -> Document {
    let mut pattern = "^".to_owned();
    let mut found: Vec<LayoutPart> = Vec::new();
    for (at, part) in layout.parts().iter().enumerate() {
        let next = layout.parts().get(at + 1);
        let optional = matches!(next, Some(LayoutPart::Zone | LayoutPart::HalfDay));
        let (text, is_found) = match part {
            LayoutPart::Literal(c) => (escaped(*c), false),
            LayoutPart::Space => (if optional { r"\s*" } else { r"\s+" }.to_owned(), false),
            LayoutPart::Year => (r"(\d{4})".to_owned(), true),
            LayoutPart::ShortYear | LayoutPart::Minute | LayoutPart::Second => {
                (r"(\d{2})".to_owned(), true)
            }
            LayoutPart::Month | LayoutPart::Day | LayoutPart::Hour => {
                (r"(\d{1,2})".to_owned(), true)
            }
            LayoutPart::MonthName => (r"([a-z]{3,9})\.?".to_owned(), true),
            LayoutPart::DayOfYear => (r"(\d{1,3})".to_owned(), true),
            LayoutPart::ShortHour => ("(0?[1-9]|1[0-2])".to_owned(), true),
            LayoutPart::HalfDay => (r"([ap])\.?m\.?".to_owned(), true),
            LayoutPart::PointFraction => (r"(?:[.,](\d{1,9}))?".to_owned(), true),
            LayoutPart::Fraction => (r"(\d{1,9})".to_owned(), true),
            LayoutPart::Zone => {
                let zone = r"(z|utc|gmt|(?:utc|gmt)?[+-]\d{2}:?(?:\d{2})?)(?:\s*\(.*\))?";
                (zone.to_owned(), true)
            }
            LayoutPart::Weekday => (r"[a-z]{3,9}\.?".to_owned(), false),
        };
        pattern.push_str(&text);
        if is_found {
            found.push(*part);
        }
    }
    pattern.push('$');
    let (parts, format) = put_together(&found);
    let zone = if found.contains(&LayoutPart::Zone) { Zone::UTC } else { zone };
    let find = doc! { "$regexFind": { "input": trim(field), "regex": pattern, "options": "i" } };
    let date = from_string(doc! { "$concat": parts }, Some(&format), zone);
    // Without a match, a part is null and so is the date.
    doc! { "$let": {
        "vars": { "m": find },
        "in": { "$cond": [{ "$eq": ["$$m", Bson::Null] }, Bson::Null, date] },
    } }
}

fn escaped(c: char) -> String {
    if c.is_ascii_punctuation() { format!("\\{c}") } else { c.to_string() }
}

/// The parts of a text, and its format.
fn put_together(found: &[LayoutPart]) -> (Vec<Bson>, String) {
    let at = |part: LayoutPart| {
        let at = found.iter().position(|known| *known == part)?;
        let at = i32::try_from(at).ok()?;
        Some(Bson::Document(doc! { "$arrayElemAt": ["$$m.captures", at] }))
    };
    let (mut parts, mut format) = (Vec::new(), String::new());
    let mut add = |text: Bson, specifier: &str, after: &str| {
        parts.extend([text, Bson::String(after.to_owned())]);
        format.push_str(specifier);
        format.push_str(after);
    };
    if let Some(year) = at(LayoutPart::Year) {
        add(year, "%Y", "-");
    } else if let Some(year) = at(LayoutPart::ShortYear) {
        // 69 to 99 are in the 20th century, as in POSIX.
        let century = doc! { "$cond": [{ "$lt": [year.clone(), "69"] }, "20", "19"] };
        add(doc! { "$concat": [century, year] }.into(), "%Y", "-");
    }
    if let Some(day) = at(LayoutPart::DayOfYear) {
        add(day, "%j", " ");
    } else {
        match at(LayoutPart::MonthName) {
            Some(name) => add(doc! { "$substrCP": [name, 0, 3] }.into(), "%b", "-"),
            None => add(at(LayoutPart::Month).unwrap_or(Bson::Null), "%m", "-"),
        }
        add(at(LayoutPart::Day).unwrap_or(Bson::Null), "%d", " ");
    }
    let zero = || Bson::String("00".to_owned());
    let hour = match (at(LayoutPart::ShortHour), at(LayoutPart::HalfDay)) {
        (Some(hour), Some(half)) => {
            let is_afternoon = doc! { "$in": [half, ["p", "P"]] };
            let hour = doc! { "$mod": [{ "$toInt": hour }, 12] };
            let hour = doc! { "$add": [hour, { "$cond": [is_afternoon, 12, 0] }] };
            doc! { "$toString": hour }.into()
        }
        _ => at(LayoutPart::Hour).unwrap_or_else(zero),
    };
    add(hour, "%H", ":");
    add(at(LayoutPart::Minute).unwrap_or_else(zero), "%M", ":");
    add(at(LayoutPart::Second).unwrap_or_else(zero), "%S", ".");
    let fraction = at(LayoutPart::PointFraction).or_else(|| at(LayoutPart::Fraction));
    let digits = match fraction {
        Some(fraction) => {
            let digits = doc! { "$concat": [{ "$ifNull": [fraction, ""] }, "000"] };
            doc! { "$substrCP": [digits, 0, 3] }.into()
        }
        None => Bson::String("000".to_owned()),
    };
    add(digits, "%L", "");
    if let Some(zone) = at(LayoutPart::Zone) {
        parts.push(Bson::String(" ".to_owned()));
        parts.push(zone);
        format.push_str(" %z");
    }
    parts.retain(|part| *part != Bson::String(String::new()));
    (parts, format)
}

#[cfg(test)]
mod tests {
    use mayfly_engine::engine::{ClockOption, Engine, EngineOptions};
    use mayfly_engine::transfer::Unconverted;

    use super::*;

    fn engine() -> (tempfile::TempDir, Engine) {
        let folder = tempfile::tempdir().expect("a folder");
        let options = EngineOptions {
            clock: ClockOption::Simulated { start_ms: 0 },
            run_reaper: false,
            ..EngineOptions::default()
        };
        let engine = Engine::open(&folder.path().join("s"), options).expect("a store");
        (folder, engine)
    }

    fn batch(reply: &Document) -> Vec<Document> {
        let batch = reply.get_document("cursor").and_then(|it| it.get_array("firstBatch"));
        let batch = batch.unwrap_or_else(|_| panic!("{reply}"));
        batch.iter().filter_map(Bson::as_document).cloned().collect()
    }

    /// The store reads a text as the import does.
    #[track_caller]
    fn check(engine: &Engine, form: &str, zone: &str, values: &[&str]) {
        let form = DateForm::parse(form).expect("a form");
        let zone = Zone::parse(zone).expect("a zone");
        let conversion = Conversion {
            path: "at".to_owned(),
            forms: vec![form.clone()],
            zone,
            unconverted: Unconverted::Keep,
        };
        let documents: Vec<Document> =
            values.iter().zip(0..).map(|(text, id)| doc! { "_id": id, "at": *text }).collect();
        engine.run("d", &doc! { "drop": "c" });
        engine.run("d", &doc! { "insert": "c", "documents": documents });
        let found = batch(&engine.run("d", &conversion.preview("c", 100, false)));
        assert_eq!(found.len(), values.len());
        for (document, text) in found.iter().zip(values) {
            let read = document.get_datetime("after").ok().map(|it| it.timestamp_millis());
            let here = conversion.date(&Bson::from(*text)).map(DateTime::timestamp_millis);
            assert_eq!(read, here, "{text} as {form} in {zone}");
        }
    }

    #[test]
    fn the_store_reads_what_the_import_reads() {
        let (_folder, engine) = engine();
        let utc = |form: &str, values: &[&str]| check(&engine, form, "UTC", values);
        utc("%Y/%m/%d %H:%M:%S", &["2015/01/01 08:00:00", "2015/02/30 08:00:00", "x", " "]);
        utc("%b %d %Y", &["Jun 12 1998", "june 2 1998", "12 Jun 1998"]);
        utc("%d/%m/%Y", &["31/12/2015", "12/31/2015", "1/2/2015"]);
        utc("%m/%d/%y %H:%M", &["1/8/90 0:00", "12/31/68 23:59", "13/1/90 0:00", "1/8/1990 0:00"]);
        utc("%m/%d/%Y, %I:%M:%S %p", &["1/13/2015, 12:05:09 AM", "1/13/2015, 1:05:09 p.m.", "x"]);
        utc("%Y-%m-%d %H:%M:%S%.f", &["2015-01-31 10:00:00.5", "2015-01-31 10:00:00"]);
        utc("%d/%b/%Y:%H:%M:%S %z", &["10/Oct/2000:13:55:36 -0700", "10/Oct/2000:13:55:36 Z"]);
        utc("%a %b %d %Y %H:%M:%S %z", &["Fri Jun 02 2017 10:04:43 GMT+0200 (CEST)"]);
        utc("%d. %b %Y", &["5. Sep 2021", "5. September 2021"]);
        utc(
            "",
            &["2024-03-01T10:00:00+02:00", "2024-03-01", "2024-03-01 10:00", "03/04/2020", "N/A"],
        );
        utc("s", &["1709280000", "1709280000.25", "soon"]);
        utc("ms", &["1709280000123"]);
        let berlin = |form: &str, values: &[&str]| check(&engine, form, "Europe/Berlin", values);
        berlin("%Y/%m/%d %H:%M:%S", &["2015/01/01 08:00:00", "2015/07/01 08:00:00"]);
        berlin("", &["2015-01-01 08:00:00", "2015-01-01T08:00:00Z"]);
        berlin("%m/%d/%y %H:%M", &["7/8/90 0:00"]);
        berlin("%F %T %z", &["2015-01-01 08:00:00 +0000"]);
    }

    #[test]
    fn only_single_values_change_and_come_back() {
        let (_folder, engine) = engine();
        let at = |at: Bson| doc! { "a": { "at": at } };
        let mut documents = vec![
            at("Jun 12 1998".into()),
            at("unknown".into()),
            at(Bson::Array(vec!["Jun 12 1998".into()])),
            doc! { "a": [{ "at": "Jun 12 1998" }, { "at": 1 }] },
            at(Bson::Int32(5)),
        ];
        for (id, document) in documents.iter_mut().enumerate() {
            document.insert("_id", i64::try_from(id).expect("small"));
        }
        engine.run("d", &doc! { "insert": "c", "documents": documents.clone() });
        let layout = Layout::parse("%b %d %Y").expect("a layout");
        let conversion = Conversion {
            path: "a.at".to_owned(),
            forms: vec![DateForm::Iso, DateForm::Layout(layout)],
            zone: Zone::UTC,
            unconverted: Unconverted::Reject,
        };
        let counts = batch(&engine.run("d", &conversion.count("c", None)));
        let count = |kind: &str| {
            let found = counts.iter().find(|it| it.get_str("_id").ok() == Some(kind));
            found.and_then(|it| it.get_i32("n").ok())
        };
        assert_eq!((count("date"), count("null")), (Some(1), Some(1)), "{counts:?}");
        let failing = batch(&engine.run("d", &conversion.check("c")));
        assert_eq!(failing.len(), 1);
        assert_eq!(failing[0].get_i64("_id").ok(), Some(1), "it is named");
        let keeps = Conversion { unconverted: Unconverted::Keep, ..conversion.clone() };
        let reply = engine.run("d", &keeps.update("c"));
        assert_eq!(reply.get_i32("nModified").ok(), Some(1), "{reply}");
        let after = |id: usize| {
            batch(&engine.run("d", &doc! { "find": "c", "sort": { "_id": 1 } }))[id].clone()
        };
        let date = after(0).get_document("a").expect("a").get_datetime("at").copied();
        let millis = date.ok().map(DateTime::timestamp_millis);
        assert_eq!(millis, Some(897_609_600_000));
        for (id, mut expected) in documents.clone().into_iter().enumerate().skip(1) {
            let id_value = expected.remove("_id").expect("an id");
            let mut found = after(id);
            assert_eq!(found.remove("_id"), Some(id_value));
            assert_eq!(found, expected);
        }
        let text = doc! { "q": { "_id": 0 }, "u": { "$set": { "a.at": "Jun 12 1998" } } };
        engine.run("d", &doc! { "update": "c", "updates": [text] });
        let nulls = Conversion { unconverted: Unconverted::Null, ..conversion };
        let reply = engine.run("d", &nulls.update("c"));
        assert_eq!(reply.get_i32("nModified").ok(), Some(2), "{reply}");
    }
}
