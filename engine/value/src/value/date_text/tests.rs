use super::*;
use crate::value::zone::Zone;

fn ms(iso: &str) -> i64 {
    bson::DateTime::parse_rfc3339_str(iso).unwrap().timestamp_millis()
}

#[test]
fn layouts_read_what_strftime_writes() {
    let check = |layout: &str, text: &str, expected: &str| {
        let read = Layout::parse(layout).unwrap().read(text, Zone::UTC);
        assert_eq!(read, Ok(ms(expected)), "{text} by {layout}");
    };
    check("%Y/%m/%d %H:%M:%S", "2015/01/01 08:00:00", "2015-01-01T08:00:00Z");
    check("%b %d %Y", "Jun 12 1998", "1998-06-12T00:00:00Z");
    check("%b %d %Y", " june  2 1998 ", "1998-06-02T00:00:00Z");
    check("%b %d, %Y", "Sept. 5, 2021", "2021-09-05T00:00:00Z");
    check("%d-%b-%y", "12-JUN-98", "1998-06-12T00:00:00Z");
    check("%m/%d/%y %H:%M", "1/8/90 0:00", "1990-01-08T00:00:00Z");
    check("%m/%d/%y", "1/8/68", "2068-01-08T00:00:00Z");
    check("%m/%d/%Y, %I:%M:%S %p", "1/13/2015, 12:05:09 AM", "2015-01-13T00:05:09Z");
    check("%m/%d/%Y %I:%M %p", "1/13/2015 12:05p.m.", "2015-01-13T12:05:00Z");
    check("%Y-%m-%dT%H:%M:%S%.f%z", "2024-03-01T10:00:00,5+02:00", "2024-03-01T08:00:00.500Z");
    check("%Y-%m-%dT%H:%M:%S%.f%z", "2024-03-01t10:00:00.1239Z", "2024-03-01T10:00:00.123Z");
    check("%d/%b/%Y:%H:%M:%S %z", "10/Oct/2000:13:55:36 -0700", "2000-10-10T20:55:36Z");
    check("%a %b %d %H:%M:%S %Y", "Fri Jun  2 10:04:43 2017", "2017-06-02T10:04:43Z");
    check(
        "%a %b %d %Y %H:%M:%S %z",
        "Fri Jun 02 2017 10:04:43 GMT+0200 (Central European Summer Time)",
        "2017-06-02T08:04:43Z",
    );
    check("%a, %d %b %Y %T %z", "Fri, 02 Jun 2017 10:04:43 GMT", "2017-06-02T10:04:43Z");
    check("%Y%m%d%H%M%S", "20150131080910", "2015-01-31T08:09:10Z");
    check("%Y-%j", "2018-185", "2018-07-04T00:00:00Z");
    check("%F %R", "2015-01-31 24:00", "2015-02-01T00:00:00Z");
    check("day %d of %m in %Y", "DAY 3 of 2 in 2020", "2020-02-03T00:00:00Z");
}

#[test]
fn what_a_layout_does_not_read_has_a_reason() {
    let check = |layout: &str, text: &str, expected: DateError| {
        let read = Layout::parse(layout).unwrap().read(text, Zone::UTC);
        assert_eq!(read, Err(expected), "{text} by {layout}");
    };
    check("%d/%m/%Y", "31/02/2015", DateError::NoSuchDay);
    check("%d/%m/%Y", "12/13/2015", DateError::NoSuchDay);
    check("%d/%m/%Y", "12/11/15", DateError::Shape);
    check("%m/%d/%y", "1/8/1990", DateError::Shape);
    check("%F %T", "2015-01-01 25:00:00", DateError::NoSuchTime);
    check("%F %I:%M %p", "2015-01-01 13:00 PM", DateError::NoSuchTime);
    check("%a %d %b %Y", "Mon 12 Jun 1998", DateError::Weekday);
    check("%F", "N/A", DateError::Shape);
    check("%F %z", "2015-01-01 IST", DateError::Shape);
}

#[test]
fn a_layout_without_a_whole_date_is_refused() {
    let check = |layout: &str, expected: &str| {
        let error = Layout::parse(layout).unwrap_err();
        assert!(error.contains(expected), "{layout}: {error}");
    };
    check("", "enter a layout");
    check("%Y", "the month");
    check("%Y-%m", "the day");
    check("%d/%m", "the year");
    check("%F %I:%M", "%I and %p");
    check("%Q", "%Q");
    check("%", "ends with %");
    check("%s", "date:s");
}

#[test]
fn a_text_without_a_zone_is_read_in_the_chosen_one() {
    let berlin = Zone::parse("Europe/Berlin").unwrap();
    let layout = Layout::parse("%Y/%m/%d %H:%M:%S").unwrap();
    let check = |text: &str, expected: &str| {
        assert_eq!(layout.read(text, berlin), Ok(ms(expected)), "{text}");
    };
    check("2015/01/01 08:00:00", "2015-01-01T07:00:00Z");
    check("2015/07/01 08:00:00", "2015-07-01T06:00:00Z");
    check("2015/10/25 02:30:00", "2015-10-25T00:30:00Z");
    check("2015/03/29 02:30:00", "2015-03-29T01:30:00Z");
    let own = DateForm::Iso.read("2015-01-01T08:00:00+05:00", berlin);
    assert_eq!(own, Ok(ms("2015-01-01T03:00:00Z")));
}

#[test]
fn numbers_are_instants_in_their_unit() {
    let check = |form: DateForm, text: &str, expected: Result<i64, DateError>| {
        assert_eq!(form.read(text, Zone::UTC), expected, "{text}");
    };
    check(DateForm::Seconds, "1709280000", Ok(1_709_280_000_000));
    check(DateForm::Seconds, "1709280000.25", Ok(1_709_280_000_250));
    check(DateForm::Millis, "1709280000123", Ok(1_709_280_000_123));
    check(DateForm::Seconds, "9223372036854775807", Err(DateError::Range));
    check(DateForm::Seconds, "1e300", Err(DateError::Shape));
    check(DateForm::Millis, "soon", Err(DateError::Shape));
}

#[track_caller]
fn detect(texts: &[&str]) -> Option<Detection> {
    let mut detector = Detector::default();
    for (row, text) in (1..).zip(texts) {
        detector.text(row, text);
    }
    detector.finish()
}

#[test]
fn common_layouts_are_detected() {
    let check = |texts: &[&str], expected: &[&str]| {
        let found = detect(texts).unwrap_or_else(|| panic!("{texts:?}"));
        let forms: Vec<String> = found.forms.iter().map(DateForm::words).collect();
        assert_eq!(forms, expected, "{texts:?}");
    };
    check(&["2015/01/01 08:00:00", "2015/01/02 09:00:00"], &["%Y/%m/%d %H:%M:%S"]);
    check(&["Jun 12 1998", "Aug 07 1998"], &["%b %d %Y"]);
    check(&["2024-03-01T10:00:00+02:00", "2024-03-01"], &["ISO 8601"]);
    check(&["2012-01-01", "2012-01-02"], &["ISO 8601"]);
    check(&["2001/01/14 21:55"], &["%Y/%m/%d %H:%M"]);
    check(&["12-Jun-98", "2-Dec-71"], &["%d-%b-%y"]);
    check(&["10/Oct/2000:13:55:36 -0700"], &["%d/%b/%Y:%H:%M:%S %z"]);
    check(&["Fri, 02 Jun 2017 10:04:43 GMT"], &["%a, %d %b %Y %H:%M:%S %z"]);
    check(&["Fri Jun 02 2017 10:04:43 GMT+0200 (CEST)"], &["%a %b %d %Y %H:%M:%S %z"]);
    check(&["1709280000", "1709280001"], &["seconds since 1970"]);
    check(&["1709280000123"], &["milliseconds since 1970"]);
    // One of ten is 0 for never.
    let mut most = ["1709280000"; 10];
    most[3] = "0";
    check(&most, &["seconds since 1970"]);
    check(&["20150131", "20160229"], &["%Y%m%d"]);
    check(&["2015-01-02", "Jun 12 1998", "Jun 13 1998"], &["%b %d %Y", "ISO 8601"]);
    check(&["31.12.2015 10:00", "30.11.2015 10:00"], &["%d.%m.%Y %H:%M"]);
}

#[test]
fn other_text_and_numbers_are_no_dates() {
    let check = |texts: &[&str]| assert_eq!(detect(texts), None, "{texts:?}");
    check(&[]);
    check(&["", " "]);
    check(&["a red house", "2 cups of tea"]);
    check(&["12345", "54321"]);
    check(&["1709280000", "1709280000", "0"]);
    check(&["1.2.3", "1.10.4"]);
    check(&["192.168.1.10"]);
    check(&["555-0123", "555-0199"]);
    check(&["99999999", "88888888"]);
    check(&["Jun 12 1998", "none", "unknown", "later"]);
}

#[test]
fn the_order_of_day_and_month_is_decided_by_the_sample_or_asked() {
    let found = detect(&["1/1/2015 01:00", "1/13/2015 02:00", "2/14/2015 02:00"]).unwrap();
    let Order::Decided { order, by, rows } = found.order else { panic!("{found:?}") };
    assert_eq!(
        (order, by.row, by.text.as_str(), rows),
        (DateOrder::MonthFirst, 2, "1/13/2015 02:00", 2)
    );
    assert_eq!(by.millis, ms("2015-01-13T02:00:00Z"));

    let found = detect(&["05/05/2020", "03/04/2020"]).unwrap();
    assert!(found.forms.is_empty());
    let Order::Ask(ways) = found.order else { panic!("{:?}", found.order) };
    let ways: Vec<_> = ways
        .iter()
        .map(|way| (way.order, way.converts, way.example.as_ref().map(|it| (it.row, it.millis))))
        .collect();
    assert_eq!(
        ways,
        [
            (DateOrder::DayFirst, 2, Some((2, ms("2020-04-03T00:00:00Z")))),
            (DateOrder::MonthFirst, 2, Some((2, ms("2020-03-04T00:00:00Z")))),
        ]
    );
}

#[test]
fn mixed_orders_are_asked_with_the_rows_of_each() {
    let found = detect(&["13/02/2020", "02/25/2020", "01/02/2020"]).unwrap();
    let Order::Ask(ways) = found.order else { panic!("{:?}", found.order) };
    let only: Vec<_> =
        ways.iter().map(|way| (way.converts, way.only.as_ref().map(|it| it.row))).collect();
    assert_eq!(only, [(2, Some(1)), (2, Some(2))]);
}

#[test]
fn two_digits_of_a_year_may_come_first() {
    let found = detect(&["01/02/03", "04/05/06"]).unwrap();
    let Order::Ask(ways) = found.order else { panic!("{:?}", found.order) };
    let orders: Vec<_> = ways.iter().map(|way| way.order).collect();
    assert_eq!(orders, [DateOrder::DayFirst, DateOrder::MonthFirst, DateOrder::YearFirst]);
    let found = detect(&["1/8/90 0:00", "1/20/90 0:00", "5/2/91 0:00"]).unwrap();
    assert!(matches!(found.order, Order::Decided { order: DateOrder::MonthFirst, .. }));
}

#[test]
fn what_does_not_convert_is_counted() {
    let found = detect(&["Jun 12 1998", "Jun 13 1998", "TBD", ""]).unwrap();
    assert_eq!((found.values, found.converts), (3, 2));
}
