//! The forms that a type has in a document.

use std::{borrow::Cow, collections::BTreeMap, marker::PhantomData};

use bson::{Bson, DateTime, Document};

use crate::value::whole;

/// A type of a field, in one form.
pub trait Wire<Form>: Sized {
    /// The value in the document; `None` leaves the field out.
    fn write(&self) -> Option<Bson>;

    /// The value of a field, which may be missing or of another type.
    fn read(value: Option<&Bson>) -> Option<Self>;
}

/// As the type itself; counts and integers as int64.
pub struct Plain;

/// Milliseconds since 1970 as a date.
pub struct Date;

/// The forms whose fields are in every document, without a value as null.
pub trait Always {}

impl Always for Plain {}
impl Always for Date {}

/// No value leaves the field out.
pub struct LeftOut<Form = Plain>(PhantomData<Form>);

impl Wire<Plain> for u64 {
    fn write(&self) -> Option<Bson> {
        Some(Bson::Int64(i64::try_from(*self).unwrap_or(i64::MAX)))
    }

    fn read(value: Option<&Bson>) -> Option<Self> {
        Some(value.and_then(whole).and_then(|count| Self::try_from(count).ok()).unwrap_or(0))
    }
}

impl Wire<Plain> for i64 {
    fn write(&self) -> Option<Bson> {
        Some(Bson::Int64(*self))
    }

    fn read(value: Option<&Bson>) -> Option<Self> {
        Some(value.and_then(whole).unwrap_or(0))
    }
}

impl Wire<Date> for i64 {
    fn write(&self) -> Option<Bson> {
        Some(DateTime::from_millis(*self).into())
    }

    fn read(value: Option<&Bson>) -> Option<Self> {
        Some(value?.as_datetime()?.timestamp_millis())
    }
}

impl Wire<Plain> for f64 {
    fn write(&self) -> Option<Bson> {
        Some(Bson::Double(*self))
    }

    fn read(value: Option<&Bson>) -> Option<Self> {
        value?.as_f64()
    }
}

impl Wire<Plain> for bool {
    fn write(&self) -> Option<Bson> {
        Some(Bson::Boolean(*self))
    }

    fn read(value: Option<&Bson>) -> Option<Self> {
        Some(value.and_then(Bson::as_bool).unwrap_or(false))
    }
}

impl Wire<Plain> for String {
    fn write(&self) -> Option<Bson> {
        Some(self.as_str().into())
    }

    fn read(value: Option<&Bson>) -> Option<Self> {
        Some(value?.as_str()?.to_owned())
    }
}

impl Wire<Plain> for Bson {
    fn write(&self) -> Option<Bson> {
        Some(self.clone())
    }

    fn read(value: Option<&Bson>) -> Option<Self> {
        value.cloned()
    }
}

impl Wire<Plain> for Document {
    fn write(&self) -> Option<Bson> {
        Some(self.clone().into())
    }

    fn read(value: Option<&Bson>) -> Option<Self> {
        value?.as_document().cloned()
    }
}

/// Counts by name.
impl Wire<Plain> for BTreeMap<Cow<'static, str>, u64> {
    fn write(&self) -> Option<Bson> {
        let counts = self.iter().filter_map(|(name, n)| Some((name.to_string(), n.write()?)));
        Some(Bson::Document(counts.collect()))
    }

    fn read(value: Option<&Bson>) -> Option<Self> {
        let counts = value.and_then(Bson::as_document).into_iter().flatten();
        Some(
            counts
                .filter_map(|(name, n)| Some((name.clone().into(), u64::read(Some(n))?)))
                .collect(),
        )
    }
}

impl<Form, T: Wire<Form>> Wire<Form> for Vec<T> {
    fn write(&self) -> Option<Bson> {
        Some(Bson::Array(self.iter().filter_map(T::write).collect()))
    }

    fn read(value: Option<&Bson>) -> Option<Self> {
        let elements = value.and_then(Bson::as_array).into_iter().flatten();
        Some(elements.filter_map(|element| T::read(Some(element))).collect())
    }
}

impl<Form: Always, T: Wire<Form>> Wire<Form> for Option<T> {
    fn write(&self) -> Option<Bson> {
        Some(self.as_ref().and_then(T::write).unwrap_or(Bson::Null))
    }

    fn read(value: Option<&Bson>) -> Option<Self> {
        let value = value.filter(|value| **value != Bson::Null);
        Some(value.and_then(|value| T::read(Some(value))))
    }
}

impl<Form: Always, T: Wire<Form>> Wire<LeftOut<Form>> for Option<T> {
    fn write(&self) -> Option<Bson> {
        self.as_ref().and_then(T::write)
    }

    fn read(value: Option<&Bson>) -> Option<Self> {
        Wire::<Form>::read(value)
    }
}
