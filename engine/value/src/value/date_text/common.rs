//! Layouts that files are known to have.

use std::{collections::HashMap, sync::OnceLock};

use super::layout::Layout;

/// Dates. Earlier ones are preferred where two read the same.
const DATES: &[&str] = &[
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d.%m.%Y",
    "%m.%d.%Y",
    "%d/%m/%y",
    "%m/%d/%y",
    "%y/%m/%d",
    "%d-%m-%y",
    "%m-%d-%y",
    "%y-%m-%d",
    "%d.%m.%y",
    "%m.%d.%y",
    "%y.%m.%d",
    "%b %d %Y",
    "%b %d, %Y",
    "%d %b %Y",
    "%d. %b %Y",
    "%d %b, %Y",
    "%d-%b-%Y",
    "%d/%b/%Y",
    "%b-%d-%Y",
    "%Y %b %d",
    "%Y-%b-%d",
    "%Y/%b/%d",
    "%d %b %y",
    "%d-%b-%y",
    "%d/%b/%y",
    "%a, %d %b %Y",
    "%a %d %b %Y",
    "%a %b %d %Y",
    "%a, %b %d, %Y",
];

/// Times. The first has none.
const TIMES: &[&str] = &[
    "%H:%M",
    "%H:%M:%S",
    "%H:%M:%S%.f",
    "%I:%M %p",
    "%I:%M:%S %p",
    "%I %p",
    "%H:%M %z",
    "%H:%M:%S %z",
    "%H:%M:%S%.f %z",
    "%I:%M:%S %p %z",
];

/// Between date and time.
const BETWEEN: &[&str] = &[" ", "T", ", "];

/// Layouts that are no date followed by a time.
const OTHERS: &[&str] = &[
    "%a %b %d %H:%M:%S %Y",
    "%a %b %d %H:%M:%S %z %Y",
    "%d/%b/%Y:%H:%M:%S %z",
    "%d/%b/%Y:%H:%M:%S",
    "%a, %d-%b-%Y %H:%M:%S %z",
    "%Y-%m-%d-%H.%M.%S%.f",
    "%Y:%m:%d %H:%M:%S",
    "%Y-%m-%d %I:%M:%S %p",
    "%Y-%m-%d %I:%M %p",
    "%Y%m%d",
    "%Y%m%dT%H%M%S %z",
    "%Y%m%dT%H%M%S",
    "%Y%m%d%H%M%S",
    "%Y%m%d %H:%M:%S",
    "%Y-%j",
];

/// All of them; about a thousand.
pub(super) fn layouts() -> &'static [Layout] {
    static LAYOUTS: OnceLock<Vec<Layout>> = OnceLock::new();
    LAYOUTS.get_or_init(|| {
        let timed = DATES.iter().flat_map(|date| {
            let times = BETWEEN
                .iter()
                .flat_map(move |between| TIMES.iter().map(move |time| format!("{between}{time}")));
            std::iter::once(String::new()).chain(times).map(move |time| format!("{date}{time}"))
        });
        let others = OTHERS.iter().map(|text| (*text).to_owned());
        timed.chain(others).filter_map(|text| Layout::parse(&text).ok()).collect()
    })
}

/// The place of the layout with this text.
pub(super) fn position(text: &str) -> Option<usize> {
    static POSITIONS: OnceLock<HashMap<String, usize>> = OnceLock::new();
    let positions = POSITIONS.get_or_init(|| {
        layouts().iter().enumerate().map(|(at, layout)| (layout.to_string(), at)).collect()
    });
    positions.get(text).copied()
}
