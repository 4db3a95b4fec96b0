//! Layouts as other programs write them, as strftime layouts.

use super::layout::Layout;

/// Who writes layouts like that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Go: what the reference time, `Mon Jan 2 15:04:05 MST 2006`, looks like.
    Go,
    /// SQL Server and .NET: `yyyy-MM-dd HH:mm:ss`.
    SqlServer,
    /// Oracle: `YYYY-MM-DD HH24:MI:SS`.
    Oracle,
}

/// A token of the dialect, and the same in strftime.
type Token = (&'static str, &'static str);

/// Where one starts with another, the longer one is first.
const GO: &[Token] = &[
    ("January", "%B"),
    ("Jan", "%b"),
    ("Monday", "%A"),
    ("Mon", "%a"),
    ("MST", "%Z"),
    ("2006", "%Y"),
    ("_2006", "_%Y"),
    ("__2", "%j"),
    ("002", "%j"),
    ("01", "%m"),
    ("02", "%d"),
    ("03", "%I"),
    ("04", "%M"),
    ("05", "%S"),
    ("06", "%y"),
    ("15", "%H"),
    ("_2", "%e"),
    ("1", "%m"),
    ("2", "%d"),
    ("3", "%I"),
    ("4", "%M"),
    ("5", "%S"),
    ("PM", "%p"),
    ("pm", "%p"),
    ("-07:00:00", "%z"),
    ("-07:00", "%z"),
    ("-0700", "%z"),
    ("-07", "%z"),
    ("Z07:00:00", "%z"),
    ("Z07:00", "%z"),
    ("Z0700", "%z"),
    ("Z07", "%z"),
];

const SQL_SERVER: &[Token] = &[
    ("dddd", "%A"),
    ("ddd", "%a"),
    ("dd", "%d"),
    ("d", "%d"),
    ("MMMM", "%B"),
    ("MMM", "%b"),
    ("MM", "%m"),
    ("M", "%m"),
    ("yyyy", "%Y"),
    ("yyy", "%Y"),
    ("yy", "%y"),
    ("y", "%y"),
    ("HH", "%H"),
    ("H", "%H"),
    ("hh", "%I"),
    ("h", "%I"),
    ("mm", "%M"),
    ("m", "%M"),
    ("ss", "%S"),
    ("s", "%S"),
    ("tt", "%p"),
    ("t", "%p"),
    ("zzz", "%z"),
    ("zz", "%z"),
    ("z", "%z"),
    ("K", "%z"),
];

/// In either case.
const ORACLE: &[Token] = &[
    ("SYYYY", "%Y"),
    ("YYYY", "%Y"),
    ("RRRR", "%Y"),
    ("YY", "%y"),
    ("RR", "%y"),
    ("MONTH", "%B"),
    ("MON", "%b"),
    ("MM", "%m"),
    ("MI", "%M"),
    ("DDD", "%j"),
    ("DD", "%d"),
    ("DAY", "%A"),
    ("DY", "%a"),
    ("HH24", "%H"),
    ("HH12", "%I"),
    ("HH", "%I"),
    ("SS", "%S"),
    ("A.M.", "%p"),
    ("P.M.", "%p"),
    ("AM", "%p"),
    ("PM", "%p"),
    ("TZH:TZM", "%z"),
    ("TZHTZM", "%z"),
    ("TZH", "%z"),
    ("TZD", "%Z"),
    ("TZR", "%Z"),
    ("FM", ""),
    ("FX", ""),
    // The point before a fraction.
    ("X", "."),
];

impl Dialect {
    /// Reads a layout.
    ///
    /// # Errors
    /// One sentence without its full stop: what can't be read, or what is missing for a date.
    pub fn layout(self, text: &str) -> Result<Layout, String> {
        let strftime = match self {
            Self::Go => go(text),
            Self::SqlServer => sql_server(text),
            Self::Oracle => oracle(text)?,
        };
        Layout::parse(&strftime).map_err(|error| match error.split_once(" needs ") {
            // The specifiers of strftime would say nothing here.
            Some((_, missing)) => {
                let missing = missing.split(", %").next().unwrap_or(missing);
                format!("the layout {text:?} needs {missing}")
            }
            None => error,
        })
    }
}

/// The token that a text starts with.
fn token(tokens: &[Token], text: &str) -> Option<Token> {
    let starts = |(written, _): &&Token| {
        text.get(..written.len()).is_some_and(|start| start.eq_ignore_ascii_case(written))
    };
    tokens.iter().find(starts).copied()
}

/// Adds a literal character.
fn literal(strftime: &mut String, c: char) {
    strftime.push(c);
    if c == '%' {
        strftime.push(c);
    }
}

/// Adds a fraction of a second, with the point before it.
fn fraction(strftime: &mut String) {
    let has_point = strftime.ends_with(['.', ',']);
    if has_point {
        strftime.pop();
    }
    strftime.push_str(if has_point { "%.f" } else { "%f" });
}

fn go(text: &str) -> String {
    let mut strftime = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = |length: usize| rest.get(length..).unwrap_or_default();
        let is_name = |(written, _): &Token| {
            !matches!(*written, "Jan" | "Mon")
                || !after(3).starts_with(|c: char| c.is_ascii_lowercase())
        };
        let found =
            GO.iter().find(|(written, _)| rest.starts_with(written)).filter(|it| is_name(it));
        if let Some((written, specifier)) = found {
            strftime.push_str(specifier);
            rest = after(written.len());
            // Go reads a fraction after the seconds even if the layout has none.
            if *specifier == "%S" && !rest.starts_with(['.', ',']) {
                strftime.push_str("%.f");
            }
            continue;
        }
        if let Some(length) = go_fraction(rest) {
            strftime.push_str("%.f");
            rest = after(length);
            continue;
        }
        literal(&mut strftime, c);
        rest = after(c.len_utf8());
    }
    strftime
}

/// Bytes of `.000` or `,999`: a fraction of a second.
fn go_fraction(text: &str) -> Option<usize> {
    let digits = text.strip_prefix(['.', ','])?;
    let first = digits.chars().next().filter(|c| matches!(c, '0' | '9'))?;
    let after = digits.trim_start_matches(first);
    let ends = !after.starts_with(|c: char| c.is_ascii_digit());
    ends.then(|| text.len() - after.len())
}

fn sql_server(text: &str) -> String {
    let mut strftime = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        if matches!(c, '\'' | '"') {
            let (quoted, left) = after.split_once(c).unwrap_or((after, ""));
            quoted.chars().for_each(|c| literal(&mut strftime, c));
            rest = left;
        } else if c == '\\' {
            let mut chars = after.chars();
            chars.next().into_iter().for_each(|c| literal(&mut strftime, c));
            rest = chars.as_str();
        } else if matches!(c, 'f' | 'F') {
            fraction(&mut strftime);
            rest = after.trim_start_matches(c);
        } else if let Some((written, specifier)) =
            SQL_SERVER.iter().find(|(written, _)| rest.starts_with(written))
        {
            strftime.push_str(specifier);
            rest = rest.get(written.len()..).unwrap_or_default();
        } else {
            literal(&mut strftime, c);
            rest = after;
        }
    }
    strftime
}

fn oracle(text: &str) -> Result<String, String> {
    let mut strftime = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        let is_fraction = rest.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("FF"));
        let unknown = ["SSSSS", "Y,YYY", "YYY"];
        let unknown = unknown.into_iter().find(|known| token(&[(known, "")], rest).is_some());
        let is_long_year = token(ORACLE, rest).is_some_and(|(_, specifier)| specifier == "%Y");
        if let Some(unknown) = unknown.filter(|_| !is_long_year) {
            return Err(format!("the layout {text:?} has {unknown}, which can't be read"));
        }
        if c == '"' {
            let (quoted, left) = after.split_once('"').unwrap_or((after, ""));
            quoted.chars().for_each(|c| literal(&mut strftime, c));
            rest = left;
        } else if is_fraction {
            fraction(&mut strftime);
            let after = rest.get(2..).unwrap_or_default();
            rest = after.strip_prefix(|c: char| c.is_ascii_digit()).unwrap_or(after);
        } else if let Some((written, specifier)) = token(ORACLE, rest) {
            strftime.push_str(specifier);
            rest = rest.get(written.len()..).unwrap_or_default();
        } else if c.is_alphabetic() && !matches!(c, 'T' | 'Z') {
            let letters: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
            return Err(format!("the layout {text:?} has {letters}, which can't be read"));
        } else {
            literal(&mut strftime, c);
            rest = after;
        }
    }
    Ok(strftime)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::zone::Zone;

    /// A layout of a dialect, the same in strftime, a text, and its instant in ISO 8601.
    #[track_caller]
    fn check(dialect: Dialect, cases: &[(&str, &str, &str, &str)]) {
        for (written, strftime, text, instant) in cases {
            let layout = dialect.layout(written).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(layout.to_string(), *strftime, "{written}");
            let read = layout.read(text, Zone::UTC);
            let expected = bson::DateTime::parse_rfc3339_str(instant).expect("an instant");
            assert_eq!(read, Ok(expected.timestamp_millis()), "{text} as {written}");
        }
    }

    #[test]
    fn layouts_of_go() {
        // The constants of its package time that say a date, and those in mongoimport's manual.
        check(
            Dialect::Go,
            &[
                (
                    "01/02 03:04:05PM '06 -0700",
                    "%m/%d %I:%M:%S%.f%p '%y %z",
                    "02/01 10:20:30PM '24 +0100",
                    "2024-02-01T21:20:30Z",
                ),
                (
                    "Mon Jan _2 15:04:05 2006",
                    "%a %b %e %H:%M:%S%.f %Y",
                    "Thu Feb  1 22:20:30 2024",
                    "2024-02-01T22:20:30Z",
                ),
                (
                    "Mon Jan _2 15:04:05 MST 2006",
                    "%a %b %e %H:%M:%S%.f %Z %Y",
                    "Thu Feb  1 22:20:30 UTC 2024",
                    "2024-02-01T22:20:30Z",
                ),
                (
                    "Mon Jan 02 15:04:05 -0700 2006",
                    "%a %b %d %H:%M:%S%.f %z %Y",
                    "Thu Feb 01 22:20:30 -0500 2024",
                    "2024-02-02T03:20:30Z",
                ),
                (
                    "02 Jan 06 15:04 MST",
                    "%d %b %y %H:%M %Z",
                    "01 Feb 24 22:20 GMT",
                    "2024-02-01T22:20:00Z",
                ),
                (
                    "Monday, 02-Jan-06 15:04:05 MST",
                    "%A, %d-%b-%y %H:%M:%S%.f %Z",
                    "Thursday, 01-Feb-24 22:20:30 UTC",
                    "2024-02-01T22:20:30Z",
                ),
                (
                    "Mon, 02 Jan 2006 15:04:05 -0700",
                    "%a, %d %b %Y %H:%M:%S%.f %z",
                    "Thu, 01 Feb 2024 22:20:30 +0000",
                    "2024-02-01T22:20:30Z",
                ),
                (
                    "2006-01-02T15:04:05Z07:00",
                    "%Y-%m-%dT%H:%M:%S%.f%z",
                    "2024-02-01T22:20:30+02:00",
                    "2024-02-01T20:20:30Z",
                ),
                (
                    "2006-01-02T15:04:05.999999999Z07:00",
                    "%Y-%m-%dT%H:%M:%S%.f%z",
                    "2024-02-01T22:20:30.25Z",
                    "2024-02-01T22:20:30.25Z",
                ),
                ("2006-01-02", "%Y-%m-%d", "2024-02-01", "2024-02-01T00:00:00Z"),
                (
                    "2006-01-02 15:04:05",
                    "%Y-%m-%d %H:%M:%S%.f",
                    "2024-02-01 22:20:30",
                    "2024-02-01T22:20:30Z",
                ),
                ("1/2/2006", "%m/%d/%Y", "2/1/2024", "2024-02-01T00:00:00Z"),
                ("January 2, 2006", "%B %d, %Y", "February 1, 2024", "2024-02-01T00:00:00Z"),
                ("2006 002", "%Y %j", "2024 032", "2024-02-01T00:00:00Z"),
                ("2006-01-02 (%)", "%Y-%m-%d (%%)", "2024-02-01 (%)", "2024-02-01T00:00:00Z"),
                (
                    "2006-01-02T15:04:05.000",
                    "%Y-%m-%dT%H:%M:%S%.f",
                    "2024-02-01T22:20:30.125",
                    "2024-02-01T22:20:30.125Z",
                ),
            ],
        );
        let month = Dialect::Go.layout("Month 2006-01-02").expect("a layout");
        assert_eq!(month.to_string(), "Month %Y-%m-%d", "Mon is part of a word");
    }

    #[test]
    fn layouts_of_sql_server() {
        check(
            Dialect::SqlServer,
            &[
                (
                    "yyyy-MM-dd HH:mm:ss",
                    "%Y-%m-%d %H:%M:%S",
                    "2024-02-01 22:20:30",
                    "2024-02-01T22:20:30Z",
                ),
                (
                    "yyyy-MM-ddTHH:mm:ss.fff",
                    "%Y-%m-%dT%H:%M:%S%.f",
                    "2024-02-01T22:20:30.125",
                    "2024-02-01T22:20:30.125Z",
                ),
                (
                    "yyyy-MM-dd'T'HH:mm:ss.fffffffzzz",
                    "%Y-%m-%dT%H:%M:%S%.f%z",
                    "2024-02-01T22:20:30.1250000+01:00",
                    "2024-02-01T21:20:30.125Z",
                ),
                (
                    "M/d/yyyy h:mm:ss tt",
                    "%m/%d/%Y %I:%M:%S %p",
                    "2/1/2024 10:20:30 PM",
                    "2024-02-01T22:20:30Z",
                ),
                ("dd/MM/yy", "%d/%m/%y", "01/02/24", "2024-02-01T00:00:00Z"),
                (
                    "dddd, MMMM dd, yyyy",
                    "%A, %B %d, %Y",
                    "Thursday, February 01, 2024",
                    "2024-02-01T00:00:00Z",
                ),
                ("ddd dd MMM yyyy", "%a %d %b %Y", "Thu 01 Feb 2024", "2024-02-01T00:00:00Z"),
                ("d \\de MMMM yyyy", "%d de %B %Y", "1 de February 2024", "2024-02-01T00:00:00Z"),
                ("yyyyMMddHHmmss", "%Y%m%d%H%M%S", "20240201222030", "2024-02-01T22:20:30Z"),
            ],
        );
        let error = Dialect::SqlServer.layout("YYYY-MM-DD").expect_err("capital letters");
        assert_eq!(error, "the layout \"YYYY-MM-DD\" needs the year");
    }

    #[test]
    fn layouts_of_oracle() {
        check(
            Dialect::Oracle,
            &[
                (
                    "YYYY-MM-DD HH24:MI:SS",
                    "%Y-%m-%d %H:%M:%S",
                    "2024-02-01 22:20:30",
                    "2024-02-01T22:20:30Z",
                ),
                ("DD-MON-RR", "%d-%b-%y", "01-FEB-24", "2024-02-01T00:00:00Z"),
                (
                    "DD-MON-RR HH.MI.SSXFF AM",
                    "%d-%b-%y %I.%M.%S%.f %p",
                    "01-FEB-24 10.20.30.125000 PM",
                    "2024-02-01T22:20:30.125Z",
                ),
                (
                    "YYYY-MM-DD\"T\"HH24:MI:SS.FF3 TZH:TZM",
                    "%Y-%m-%dT%H:%M:%S%.f %z",
                    "2024-02-01T22:20:30.125 -05:00",
                    "2024-02-02T03:20:30.125Z",
                ),
                (
                    "fmDay, DD Month YYYY",
                    "%A, %d %B %Y",
                    "Thursday, 1 February 2024",
                    "2024-02-01T00:00:00Z",
                ),
                ("mm/dd/yyyy", "%m/%d/%Y", "02/01/2024", "2024-02-01T00:00:00Z"),
                (
                    "DY MON DD HH24:MI:SS YYYY",
                    "%a %b %d %H:%M:%S %Y",
                    "Thu Feb 01 22:20:30 2024",
                    "2024-02-01T22:20:30Z",
                ),
                ("YYYYDDD", "%Y%j", "2024032", "2024-02-01T00:00:00Z"),
            ],
        );
        for (written, error) in [
            ("YYYY-MM-DD SSSSS", "the layout \"YYYY-MM-DD SSSSS\" has SSSSS, which can't be read"),
            ("IYYY-IW", "the layout \"IYYY-IW\" has IYYY, which can't be read"),
            ("YYYY", "the layout \"YYYY\" needs the month"),
            ("", "enter a layout, such as %Y-%m-%d"),
        ] {
            assert_eq!(Dialect::Oracle.layout(written).expect_err(written), error);
        }
    }
}
