//! Which results can be drawn, and how: one field names, another one counts.

use bson::{Bson, Document};
use mayfly_engine::value::{Layout, iso_text, shell};

use super::view::Output;
use crate::limits::CHART_POINTS_MAX;

/// Characters of a category.
const CATEGORY_CHARS: usize = 24;

/// The two fields of a chart, as dotted paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartFields {
    /// The field that names a bar, or is the time or number from left to right.
    pub category: String,
    pub number: String,
    /// Whether bars are sorted by their number, the largest first.
    pub by_number: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChartKind {
    /// A bar for each category.
    Bars,
    Numbers,
    /// A line over time, in milliseconds since 1970.
    Times,
}

/// A point: what it is called, where it is, how high.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartPoint {
    pub name: String,
    /// From left to right: a time, a number, or the place of the bar.
    pub x: f64,
    pub y: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    pub kind: ChartKind,
    pub points: Vec<ChartPoint>,
    /// Documents without a number or a category.
    pub left_out: usize,
    /// Documents beyond the bound of points.
    pub beyond: usize,
}

/// The paths of a document down to one level of embedded documents.
fn paths(document: &Document) -> Vec<(String, &Bson)> {
    let mut found = Vec::new();
    for (name, value) in document {
        if let Bson::Document(inner) = value {
            found.extend(inner.iter().map(|(inner, value)| (format!("{name}.{inner}"), value)));
        } else {
            found.push((name.clone(), value));
        }
    }
    found
}

/// The value at a path of [`paths`].
fn at<'d>(document: &'d Document, path: &str) -> Option<&'d Bson> {
    document.get(path).or_else(|| {
        let (outer, inner) = path.split_once('.')?;
        document.get_document(outer).ok()?.get(inner)
    })
}

#[expect(clippy::cast_precision_loss, reason = "a chart needn't be exact")]
fn number(value: &Bson) -> Option<f64> {
    let number = match value {
        Bson::Int32(number) => f64::from(*number),
        Bson::Int64(number) => *number as f64,
        Bson::Double(number) => *number,
        Bson::Decimal128(number) => number.to_string().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

fn is_category(value: &Bson) -> bool {
    !matches!(value, Bson::Document(_) | Bson::Array(_) | Bson::Binary(_))
}

fn name(value: &Bson) -> String {
    let text = match value {
        Bson::String(text) => text.clone(),
        // A date that is cut reads as another one.
        Bson::DateTime(time) => {
            let ms = time.timestamp_millis();
            return iso_text(ms).unwrap_or_else(|| format!("{ms} ms"));
        }
        other => shell::write_value(other, Layout::OneLine),
    };
    let mut short: String = text.chars().take(CATEGORY_CHARS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// The fields that a chart can have: categories, and numbers.
pub fn candidates(output: &Output) -> (Vec<String>, Vec<String>) {
    let (mut categories, mut numbers) = (Vec::new(), Vec::new());
    for row in output.rows.iter().take(CHART_POINTS_MAX) {
        for (path, value) in paths(&row.document) {
            if is_category(value) && !categories.contains(&path) {
                categories.push(path.clone());
            }
            if number(value).is_some() && !numbers.contains(&path) {
                numbers.push(path);
            }
        }
    }
    (categories, numbers)
}

/// The fields that fit best: the first category, and the first number that is another field. `Err`
/// says what is missing.
pub fn best(output: &Output) -> Result<ChartFields, &'static str> {
    let (categories, numbers) = candidates(output);
    let is_number_only = |path: &&String| numbers.contains(path);
    let category = categories
        .iter()
        .find(|path| path.starts_with("_id"))
        .or_else(|| categories.iter().find(|path| !is_number_only(path)))
        .or(categories.first());
    let category = category.ok_or("A chart needs a field with one value for each document")?;
    let number = numbers.iter().find(|path| *path != category);
    let number = number.ok_or("A chart needs a number besides the category")?;
    Ok(ChartFields { category: category.clone(), number: number.clone(), by_number: false })
}

/// The chart of these fields.
pub fn chart(output: &Output, fields: &ChartFields) -> Chart {
    let mut found: Vec<(&Bson, f64)> = Vec::new();
    let (mut left_out, mut beyond) = (0, 0);
    for row in &output.rows {
        let category = at(&row.document, &fields.category).filter(|value| is_category(value));
        let height = at(&row.document, &fields.number).and_then(number);
        match (category, height) {
            (Some(_), Some(_)) if found.len() >= CHART_POINTS_MAX => beyond += 1,
            (Some(category), Some(height)) => found.push((category, height)),
            _ => left_out += 1,
        }
    }
    let all = |is: fn(&Bson) -> bool| !found.is_empty() && found.iter().all(|(value, _)| is(value));
    let kind = match () {
        () if all(|value| matches!(value, Bson::DateTime(_))) => ChartKind::Times,
        () if all(|value| number(value).is_some()) => ChartKind::Numbers,
        () => ChartKind::Bars,
    };
    #[expect(clippy::cast_precision_loss, reason = "a chart needn't be exact")]
    let place = |(at, (value, _)): (usize, &(&Bson, f64))| match (kind, *value) {
        (ChartKind::Times, Bson::DateTime(time)) => time.timestamp_millis() as f64,
        (ChartKind::Numbers, value) => number(value).unwrap_or_default(),
        _ => at as f64,
    };
    let mut points: Vec<ChartPoint> = (found.iter().enumerate())
        .map(|(order, pair)| ChartPoint { name: name(pair.0), x: place((order, pair)), y: pair.1 })
        .collect();
    if kind != ChartKind::Bars {
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
    } else if fields.by_number {
        let places: Vec<f64> = points.iter().map(|point| point.x).collect();
        points.sort_by(|a, b| b.y.total_cmp(&a.y));
        points.iter_mut().zip(places).for_each(|(point, x)| point.x = x);
    }
    Chart { kind, points, left_out, beyond }
}

#[cfg(test)]
mod tests {
    use bson::{DateTime, doc};

    use super::*;

    fn output(documents: Vec<Document>) -> Output {
        let mut output = Output::default();
        output.extend(documents, 0);
        output
    }

    #[test]
    fn a_group_is_drawn_as_bars() {
        let output = output(vec![
            doc! {"_id": "b", "n": 2},
            doc! {"_id": "a", "n": 5.5},
            doc! {"_id": "c", "n": "x"},
        ]);
        let fields = best(&output).expect("fields");
        assert_eq!((fields.category.as_str(), fields.number.as_str()), ("_id", "n"));
        let chart = chart(&output, &fields);
        assert_eq!((chart.kind, chart.left_out), (ChartKind::Bars, 1));
        let points: Vec<_> = chart.points.iter().map(|p| (p.name.as_str(), p.x, p.y)).collect();
        assert_eq!(points, [("b", 0.0, 2.0), ("a", 1.0, 5.5)]);
        let chart = super::chart(&output, &ChartFields { by_number: true, ..fields });
        let points: Vec<_> = chart.points.iter().map(|p| (p.name.as_str(), p.x, p.y)).collect();
        assert_eq!(points, [("a", 0.0, 5.5), ("b", 1.0, 2.0)]);
    }

    #[test]
    fn times_and_numbers_are_drawn_as_a_line_in_their_order() {
        let time = |ms| DateTime::from_millis(ms);
        let of_times =
            output(vec![doc! {"_id": time(9), "n": 1}, doc! {"_id": time(4), "n": 2_i64}]);
        let drawn = chart(&of_times, &best(&of_times).expect("fields"));
        assert_eq!(drawn.kind, ChartKind::Times);
        assert_eq!(drawn.points.iter().map(|p| p.x).collect::<Vec<_>>(), [4.0, 9.0]);
        let of_numbers =
            output(vec![doc! {"_id": {"y": 3}, "n": 1}, doc! {"_id": {"y": 1}, "n": 2}]);
        let drawn = chart(&of_numbers, &best(&of_numbers).expect("fields"));
        assert_eq!(drawn.kind, ChartKind::Numbers);
        assert_eq!(drawn.points.iter().map(|p| p.x).collect::<Vec<_>>(), [1.0, 3.0]);
    }

    #[test]
    fn what_is_missing_is_said() {
        assert!(best(&output(vec![doc! {"a": [1]}])).is_err());
        assert!(best(&output(vec![doc! {"_id": "a", "b": "x"}])).is_err());
    }

    #[test]
    fn points_are_bounded() {
        let many = (0..CHART_POINTS_MAX + 7).map(|n| doc! {"_id": format!("{n}"), "n": 1});
        let output = output(many.collect());
        let drawn = chart(&output, &best(&output).expect("fields"));
        assert_eq!((drawn.points.len(), drawn.beyond), (CHART_POINTS_MAX, 7));
    }
}
