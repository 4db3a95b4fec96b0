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

/// How a type is written and read in a form.
macro_rules! forms {
    ($($type:ty as $form:ty: |$it:ident| $write:expr, |$value:ident| $read:expr;)*) => {$(
        impl Wire<$form> for $type {
            fn write(&self) -> Option<Bson> {
                let $it = self;
                Some($write)
            }

            fn read($value: Option<&Bson>) -> Option<Self> {
                $read
            }
        }
    )*};
}

forms! {
    u64 as Plain: |count| Bson::Int64(i64::try_from(*count).unwrap_or(i64::MAX)),
        |value| Some(value.and_then(whole).and_then(|count| count.try_into().ok()).unwrap_or(0));
    i64 as Plain: |number| Bson::Int64(*number),
        |value| Some(value.and_then(whole).unwrap_or(0));
    i64 as Date: |millis| DateTime::from_millis(*millis).into(),
        |value| Some(value?.as_datetime()?.timestamp_millis());
    f64 as Plain: |number| Bson::Double(*number), |value| value?.as_f64();
    bool as Plain: |is| Bson::Boolean(*is),
        |value| Some(value.and_then(Bson::as_bool).unwrap_or(false));
    String as Plain: |text| text.as_str().into(), |value| Some(value?.as_str()?.to_owned());
    Bson as Plain: |value| value.clone(), |value| value.cloned();
    Document as Plain: |document| document.clone().into(),
        |value| value?.as_document().cloned();
}

/// Counts by name.
impl<T: Wire<Plain>> Wire<Plain> for BTreeMap<Cow<'static, str>, T> {
    fn write(&self) -> Option<Bson> {
        let counts = self.iter().filter_map(|(name, n)| Some((name.to_string(), n.write()?)));
        Some(Bson::Document(counts.collect()))
    }

    fn read(value: Option<&Bson>) -> Option<Self> {
        let counts = value.and_then(Bson::as_document).into_iter().flatten();
        Some(
            counts.filter_map(|(name, n)| Some((name.clone().into(), T::read(Some(n))?))).collect(),
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
