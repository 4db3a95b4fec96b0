//! Values of Arrow arrays as BSON.
//!
//! | Arrow | BSON |
//! |---|---|
//! | integers up to 16 bits, `Int32` | int |
//! | `UInt32`, `Int64` | long |
//! | `UInt64` | long, or Decimal128 beyond 63 bits |
//! | floats | double |
//! | decimals | Decimal128, or text with more than 34 digits |
//! | dates and timestamps | date, in milliseconds; a long in the unit of the column if infinite |
//! | times of day, intervals | text |
//! | durations | long, in the unit of the column |
//! | binary | binary; `arrow.uuid` becomes a UUID |
//! | lists | array |
//! | structs, maps with text as keys | document |
//! | other maps | array of `{k, v}` |

use arrow_array::{
    Array, RunArray,
    cast::AsArray as _,
    types::{
        Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
        DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
        DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
        Int64Type, IntervalDayTimeType, IntervalMonthDayNanoType, IntervalYearMonthType,
        RunEndIndexType, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
        Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
        TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
        UInt64Type,
    },
};
use arrow_schema::{DataType, Field, Fields, IntervalUnit, TimeUnit};
use bson::{Binary, DateTime, RawBson, spec::BinarySubtype};

use crate::transfer::read::bson_bytes::{
    ARRAY, DOCUMENT, append_double, append_int32, append_int64, append_null, append_text,
    append_value, begin, begin_field, end,
};
use crate::transfer::read::columnar::decimal::decimal128;
use crate::value::{JAVASCRIPT_MS_MAX, extjson::Tally, zone::Zone};

const DAY_MS: i64 = 86_400_000;

/// The key and the name of Arrow's extension type for UUIDs.
const EXTENSION: &str = "ARROW:extension:name";
const UUID: &str = "arrow.uuid";

/// Why a value can't be stored, without a full stop.
pub(super) type ValueError = String;

/// Writes values and counts what they lose.
pub(super) struct ValueWriter<'w> {
    /// The zone of timestamps without one.
    pub zone: Zone,
    pub tally: &'w mut Tally,
    pub out: &'w mut Vec<u8>,
}

/// Whether a place in an array has no value.
pub(super) fn is_null(array: &dyn Array, at: usize) -> bool {
    let inner = |array: &dyn Array, at: Option<usize>| at.is_none_or(|at| is_null(array, at));
    match array.data_type() {
        DataType::Null => true,
        DataType::Dictionary(..) => {
            array.is_null(at)
                || array
                    .as_any_dictionary_opt()
                    .is_none_or(|dictionary| inner(dictionary.values(), key(array, at)))
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => is_run_null::<Int16Type>(array, at),
            DataType::Int32 => is_run_null::<Int32Type>(array, at),
            _ => is_run_null::<Int64Type>(array, at),
        },
        DataType::Union(..) => {
            let union = array.as_union();
            is_null(union.child(union.type_id(at)), union.value_offset(at))
        }
        _ => array.is_null(at),
    }
}

fn is_run_null<R: RunEndIndexType>(array: &dyn Array, at: usize) -> bool {
    let run: &RunArray<R> = array.as_run();
    is_null(run.values(), run.get_physical_index(at))
}

/// The place of a dictionary's value.
fn key(array: &dyn Array, at: usize) -> Option<usize> {
    let keys = array.as_any_dictionary_opt()?.keys();
    let key = match keys.data_type() {
        DataType::Int8 => i64::from(keys.as_primitive::<Int8Type>().value(at)),
        DataType::Int16 => i64::from(keys.as_primitive::<Int16Type>().value(at)),
        DataType::Int32 => i64::from(keys.as_primitive::<Int32Type>().value(at)),
        DataType::Int64 => keys.as_primitive::<Int64Type>().value(at),
        DataType::UInt8 => i64::from(keys.as_primitive::<UInt8Type>().value(at)),
        DataType::UInt16 => i64::from(keys.as_primitive::<UInt16Type>().value(at)),
        DataType::UInt32 => i64::from(keys.as_primitive::<UInt32Type>().value(at)),
        DataType::UInt64 => i64::try_from(keys.as_primitive::<UInt64Type>().value(at)).ok()?,
        _ => return None,
    };
    usize::try_from(key).ok()
}

impl ValueWriter<'_> {
    /// Appends a value, which is not null, under this name.
    ///
    /// # Errors
    /// When BSON can't hold it.
    pub(super) fn append(
        &mut self,
        field: &Field,
        array: &dyn Array,
        at: usize,
        name: &[u8],
    ) -> Result<(), ValueError> {
        match array.data_type() {
            DataType::Null => append_null(name, self.out),
            DataType::Boolean => {
                append_value(name, RawBson::Boolean(array.as_boolean().value(at)), self.out);
            }
            DataType::Int8
            | DataType::Int16
            | DataType::Int32
            | DataType::Int64
            | DataType::UInt8
            | DataType::UInt16
            | DataType::UInt32
            | DataType::UInt64 => self.integer(array, at, name),
            DataType::Float16 => {
                let value = array.as_primitive::<Float16Type>().value(at);
                append_double(name, value.to_f64(), self.out);
            }
            DataType::Float32 => {
                let value = array.as_primitive::<Float32Type>().value(at);
                append_double(name, f64::from(value), self.out);
            }
            DataType::Float64 => {
                append_double(name, array.as_primitive::<Float64Type>().value(at), self.out);
            }
            DataType::Decimal32(..)
            | DataType::Decimal64(..)
            | DataType::Decimal128(..)
            | DataType::Decimal256(..) => self.decimal(array, at, name),
            DataType::Utf8 => append_text(name, array.as_string::<i32>().value(at), self.out),
            DataType::LargeUtf8 => append_text(name, array.as_string::<i64>().value(at), self.out),
            DataType::Utf8View => append_text(name, array.as_string_view().value(at), self.out),
            DataType::Binary => self.binary(field, array.as_binary::<i32>().value(at), name),
            DataType::LargeBinary => self.binary(field, array.as_binary::<i64>().value(at), name),
            DataType::BinaryView => self.binary(field, array.as_binary_view().value(at), name),
            DataType::FixedSizeBinary(_) => {
                self.binary(field, array.as_fixed_size_binary().value(at), name);
            }
            DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => {
                self.date(array, at, name);
            }
            DataType::Time32(_) | DataType::Time64(_) | DataType::Interval(_) => {
                self.tally.as_text += 1;
                append_text(name, &text(array, at), self.out);
            }
            DataType::Duration(unit) => {
                append_int64(name, duration(array, at, *unit), self.out);
            }
            _ => self.nested(field, array, at, name)?,
        }
        Ok(())
    }

    fn integer(&mut self, array: &dyn Array, at: usize, name: &[u8]) {
        let int = match array.data_type() {
            DataType::Int8 => i32::from(array.as_primitive::<Int8Type>().value(at)),
            DataType::Int16 => i32::from(array.as_primitive::<Int16Type>().value(at)),
            DataType::Int32 => array.as_primitive::<Int32Type>().value(at),
            DataType::UInt8 => i32::from(array.as_primitive::<UInt8Type>().value(at)),
            DataType::UInt16 => i32::from(array.as_primitive::<UInt16Type>().value(at)),
            DataType::UInt32 => {
                let value = array.as_primitive::<UInt32Type>().value(at);
                return append_int64(name, i64::from(value), self.out);
            }
            DataType::UInt64 => return self.unsigned(array, at, name),
            _ => {
                return append_int64(name, array.as_primitive::<Int64Type>().value(at), self.out);
            }
        };
        append_int32(name, int, self.out);
    }

    fn unsigned(&mut self, array: &dyn Array, at: usize, name: &[u8]) {
        let value = array.as_primitive::<UInt64Type>().value(at);
        if let Ok(value) = i64::try_from(value) {
            return append_int64(name, value, self.out);
        }
        self.tally.big_unsigned += 1;
        if let Some(value) = decimal128(i128::from(value), 0) {
            append_value(name, RawBson::Decimal128(value), self.out);
        }
    }

    fn decimal(&mut self, array: &dyn Array, at: usize, name: &[u8]) {
        let (value, scale) = match array.data_type() {
            DataType::Decimal32(_, scale) => {
                (Some(i128::from(array.as_primitive::<Decimal32Type>().value(at))), *scale)
            }
            DataType::Decimal64(_, scale) => {
                (Some(i128::from(array.as_primitive::<Decimal64Type>().value(at))), *scale)
            }
            DataType::Decimal128(_, scale) => {
                (Some(array.as_primitive::<Decimal128Type>().value(at)), *scale)
            }
            DataType::Decimal256(_, scale) => {
                (array.as_primitive::<Decimal256Type>().value(at).to_i128(), *scale)
            }
            _ => (None, 0),
        };
        if let Some(decimal) = value.and_then(|value| decimal128(value, scale)) {
            return append_value(name, RawBson::Decimal128(decimal), self.out);
        }
        self.tally.as_text += 1;
        let text = match array.data_type() {
            DataType::Decimal256(..) => array.as_primitive::<Decimal256Type>().value_as_string(at),
            _ => array.as_primitive::<Decimal128Type>().value_as_string(at),
        };
        append_text(name, &text, self.out);
    }

    fn binary(&mut self, field: &Field, bytes: &[u8], name: &[u8]) {
        let is_uuid = bytes.len() == 16
            && field.metadata().get(EXTENSION).is_some_and(|extension| extension == UUID);
        let subtype = if is_uuid { BinarySubtype::Uuid } else { BinarySubtype::Generic };
        let value = RawBson::Binary(Binary { subtype, bytes: bytes.to_vec() });
        append_value(name, value, self.out);
    }

    fn date(&mut self, array: &dyn Array, at: usize, name: &[u8]) {
        // The number of the column, and how many milliseconds it is or has.
        let (value, ms) = match array.data_type() {
            DataType::Date32 => {
                let days = i64::from(array.as_primitive::<Date32Type>().value(at));
                (days, Some(days * DAY_MS))
            }
            DataType::Date64 => {
                let ms = array.as_primitive::<Date64Type>().value(at);
                (ms, Some(ms))
            }
            DataType::Timestamp(unit, _) => timestamp(array, at, *unit),
            _ => return,
        };
        // Other programs write an infinite date as the last number there is.
        let Some(ms) = ms.filter(|ms| ms.unsigned_abs() <= JAVASCRIPT_MS_MAX.unsigned_abs()) else {
            self.tally.far_dates += 1;
            return append_int64(name, value, self.out);
        };
        let per_ms = match array.data_type() {
            DataType::Timestamp(TimeUnit::Microsecond, _) => 1_000,
            DataType::Timestamp(TimeUnit::Nanosecond, _) => 1_000_000,
            _ => 1,
        };
        self.tally.finer_dates += u64::from(value.rem_euclid(per_ms) != 0);
        // One without a zone is local time, and UTC unless a zone was chosen.
        let is_local = matches!(array.data_type(), DataType::Timestamp(_, None));
        let ms = if is_local { self.zone.utc_ms(ms) } else { ms };
        append_value(name, RawBson::DateTime(DateTime::from_millis(ms)), self.out);
    }

    fn nested(
        &mut self,
        field: &Field,
        array: &dyn Array,
        at: usize,
        name: &[u8],
    ) -> Result<(), ValueError> {
        match array.data_type() {
            DataType::List(of) => self.list(of, &array.as_list::<i32>().value(at), name),
            DataType::LargeList(of) => self.list(of, &array.as_list::<i64>().value(at), name),
            DataType::ListView(of) => self.list(of, &array.as_list_view::<i32>().value(at), name),
            DataType::LargeListView(of) => {
                self.list(of, &array.as_list_view::<i64>().value(at), name)
            }
            DataType::FixedSizeList(of, _) => {
                self.list(of, &array.as_fixed_size_list().value(at), name)
            }
            DataType::Struct(fields) => {
                begin_field(DOCUMENT, name, self.out);
                let start = begin(self.out);
                self.fields(fields, array.as_struct().columns(), at)?;
                end(self.out, start);
                Ok(())
            }
            DataType::Map(entries, _) => {
                let values = array.as_map().value(at);
                self.map(entries, &values, name)
            }
            DataType::Dictionary(..) => match (array.as_any_dictionary_opt(), key(array, at)) {
                (Some(dictionary), Some(at)) if at < dictionary.values().len() => {
                    self.append(field, dictionary.values(), at, name)
                }
                _ => Err("a value of a dictionary is missing; the file is damaged".to_owned()),
            },
            DataType::RunEndEncoded(ends, _) => match ends.data_type() {
                DataType::Int16 => self.run::<Int16Type>(field, array, at, name),
                DataType::Int32 => self.run::<Int32Type>(field, array, at, name),
                _ => self.run::<Int64Type>(field, array, at, name),
            },
            DataType::Union(fields, _) => {
                let union = array.as_union();
                let (kind, at) = (union.type_id(at), union.value_offset(at));
                let inner = fields.iter().find(|(id, _)| *id == kind);
                let inner = inner.map_or(field, |(_, inner)| inner);
                self.append(inner, union.child(kind), at, name)
            }
            other => Err(format!("values of the type {other} can't be read")),
        }
    }

    fn run<R: RunEndIndexType>(
        &mut self,
        field: &Field,
        array: &dyn Array,
        at: usize,
        name: &[u8],
    ) -> Result<(), ValueError> {
        let run: &RunArray<R> = array.as_run();
        self.append(field, run.values(), run.get_physical_index(at), name)
    }

    /// Appends the fields of a document. Those without a value are left out.
    fn fields(
        &mut self,
        fields: &Fields,
        columns: &[arrow_array::ArrayRef],
        at: usize,
    ) -> Result<(), ValueError> {
        for (number, (field, column)) in fields.iter().zip(columns).enumerate() {
            if !is_null(column, at) {
                let name = inner_name(fields, number);
                self.append(field, column, at, name.as_bytes())?;
            }
        }
        Ok(())
    }

    fn list(&mut self, of: &Field, values: &dyn Array, name: &[u8]) -> Result<(), ValueError> {
        begin_field(ARRAY, name, self.out);
        let start = begin(self.out);
        for at in 0..values.len() {
            self.element(of, values, at, at.to_string().as_bytes())?;
        }
        end(self.out, start);
        Ok(())
    }

    /// Appends a value that keeps its place when it is null.
    fn element(
        &mut self,
        field: &Field,
        array: &dyn Array,
        at: usize,
        name: &[u8],
    ) -> Result<(), ValueError> {
        if is_null(array, at) {
            append_null(name, self.out);
            return Ok(());
        }
        self.append(field, array, at, name)
    }

    fn map(
        &mut self,
        entries: &Field,
        values: &arrow_array::StructArray,
        name: &[u8],
    ) -> Result<(), ValueError> {
        let (DataType::Struct(fields), [keys, values]) = (entries.data_type(), values.columns())
        else {
            return Err("a map has no keys and values; the file is damaged".to_owned());
        };
        let (Some(key), Some(value)) = (fields.first(), fields.get(1)) else { return Ok(()) };
        if let Some(names) = map_names(keys) {
            begin_field(DOCUMENT, name, self.out);
            let start = begin(self.out);
            for (at, name) in names.iter().enumerate() {
                self.element(value, values, at, name.as_bytes())?;
            }
            end(self.out, start);
            return Ok(());
        }
        begin_field(ARRAY, name, self.out);
        let start = begin(self.out);
        for at in 0..keys.len() {
            begin_field(DOCUMENT, at.to_string().as_bytes(), self.out);
            let pair = begin(self.out);
            self.element(key, keys, at, b"k")?;
            self.element(value, values, at, b"v")?;
            end(self.out, pair);
        }
        end(self.out, start);
        Ok(())
    }
}

/// The keys of a map, if each can be the name of a field.
fn map_names(keys: &dyn Array) -> Option<Vec<&str>> {
    let name = |at: usize| match keys.data_type() {
        DataType::Utf8 => Some(keys.as_string::<i32>().value(at)),
        DataType::LargeUtf8 => Some(keys.as_string::<i64>().value(at)),
        DataType::Utf8View => Some(keys.as_string_view().value(at)),
        _ => None,
    };
    let names: Vec<&str> = (0..keys.len()).map(name).collect::<Option<_>>()?;
    let mut sorted = names.clone();
    sorted.sort_unstable();
    let are_names = names.iter().all(|name| !name.is_empty() && !name.contains('\0'))
        && sorted.windows(2).all(|pair| pair.first() != pair.last());
    // An empty map of keys that aren't text is an array too.
    let is_text =
        matches!(keys.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    (is_text && are_names).then_some(names)
}

/// The name of a field inside of a document: unique, and without a zero byte.
fn inner_name(fields: &Fields, number: usize) -> String {
    let clean = |field: &Field| field.name().replace('\0', "");
    let name = fields.get(number).map(|field| clean(field)).unwrap_or_default();
    let before = fields.iter().take(number).filter(|field| clean(field) == name).count();
    if before == 0 { name } else { format!("{name}_{}", before + 1) }
}

/// A timestamp in the unit of its column, and in milliseconds unless that overflows.
fn timestamp(array: &dyn Array, at: usize, unit: TimeUnit) -> (i64, Option<i64>) {
    match unit {
        TimeUnit::Second => {
            let secs = array.as_primitive::<TimestampSecondType>().value(at);
            (secs, secs.checked_mul(1_000))
        }
        TimeUnit::Millisecond => {
            let ms = array.as_primitive::<TimestampMillisecondType>().value(at);
            (ms, Some(ms))
        }
        TimeUnit::Microsecond => {
            let micros = array.as_primitive::<TimestampMicrosecondType>().value(at);
            (micros, Some(micros.div_euclid(1_000)))
        }
        TimeUnit::Nanosecond => {
            let nanos = array.as_primitive::<TimestampNanosecondType>().value(at);
            (nanos, Some(nanos.div_euclid(1_000_000)))
        }
    }
}

/// A duration in the unit of its column.
fn duration(array: &dyn Array, at: usize, unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => array.as_primitive::<DurationSecondType>().value(at),
        TimeUnit::Millisecond => array.as_primitive::<DurationMillisecondType>().value(at),
        TimeUnit::Microsecond => array.as_primitive::<DurationMicrosecondType>().value(at),
        TimeUnit::Nanosecond => array.as_primitive::<DurationNanosecondType>().value(at),
    }
}

/// A time of day or an interval.
fn text(array: &dyn Array, at: usize) -> String {
    let (value, per_second, digits) = match array.data_type() {
        DataType::Time32(TimeUnit::Second) => {
            (i64::from(array.as_primitive::<Time32SecondType>().value(at)), 1, 0)
        }
        DataType::Time32(_) => {
            (i64::from(array.as_primitive::<Time32MillisecondType>().value(at)), 1_000, 3)
        }
        DataType::Time64(TimeUnit::Microsecond) => {
            (array.as_primitive::<Time64MicrosecondType>().value(at), 1_000_000, 6)
        }
        DataType::Time64(_) => {
            (array.as_primitive::<Time64NanosecondType>().value(at), 1_000_000_000, 9)
        }
        DataType::Interval(IntervalUnit::YearMonth) => {
            let months = array.as_primitive::<IntervalYearMonthType>().value(at);
            return format!("{months} months");
        }
        DataType::Interval(IntervalUnit::DayTime) => {
            let of = array.as_primitive::<IntervalDayTimeType>().value(at);
            return format!("{} days {} milliseconds", of.days, of.milliseconds);
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let of = array.as_primitive::<IntervalMonthDayNanoType>().value(at);
            return format!("{} months {} days {} nanoseconds", of.months, of.days, of.nanoseconds);
        }
        _ => return String::new(),
    };
    let (secs, rest) = (value.div_euclid(per_second), value.rem_euclid(per_second));
    let time = format!("{:02}:{:02}:{:02}", secs / 3_600, secs / 60 % 60, secs % 60);
    if rest == 0 { time } else { format!("{time}.{rest:0digits$}") }
}
